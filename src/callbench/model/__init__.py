"""The plain types that every layer uses, and its errors. Nothing here knows of anything above."""
