"""What is said of records over time: sentences for people, and a document for programs."""
