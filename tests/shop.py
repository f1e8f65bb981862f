"""A shop with endpoints in proportions and a login, as a file of requests: several servers of the tests serve it."""

from pathlib import Path

SHOP_SERVER = Path(__file__).parent / "capacity" / "shop_server.py"
"""Serves it, and counts: `shop_server.py PORT COUNTS`."""

SHOP = """
[[request]]
path = "/products/{random}"
weight = 3
[[request]]
path = "/orders"
bodies = ["order.json", '{"item": 2}']
[[session]]
name = "buy"
weight = 1
[[session.once]]
path = "/login"
body = '{"user": "u{client}"}'
take = { token = "$.token", sid = { cookie = "sid" } }
[[session.step]]
path = "/cart/{token}"
headers = { Cookie = "sid={sid}" }
body = '{"of":"{token}"}'
"""
"""It names the file `order.json` beside it."""
ORDER = '{"item": 1}'
"""What `order.json` holds."""
SESSION = SHOP[SHOP.index("[[session]]") :]
"""Of the shop, the clients that log in."""
ENDPOINTS = """
[[request]]
path = "/products"
weight = 2
[[request]]
path = "/slow"
[[request]]
path = "/cart"
expect_status = [200]
"""
"""Three endpoints of the server in proportions. One takes 50 ms. The last is refused with 403, as nobody logged in."""
