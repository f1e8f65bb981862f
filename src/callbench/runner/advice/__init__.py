"""What an advice lacks is measured, and what came of it is kept."""
