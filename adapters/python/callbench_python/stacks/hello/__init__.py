"""The server of the DataSnap article, by uvicorn."""
