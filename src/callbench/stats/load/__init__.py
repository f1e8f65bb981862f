"""A server under a load: arrivals and queues, the rate, what limited it, the knee, and how it fared beyond it."""
