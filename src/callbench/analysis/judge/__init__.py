"""What results say: claims, questions, effects, overhead, health, and what must not be believed."""
