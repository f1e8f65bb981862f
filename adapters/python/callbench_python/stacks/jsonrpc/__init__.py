"""JSON-RPC by httpx and aiohttp, served by uvicorn."""
