"""The answer of FindItems: the search result of the gateway study."""

from callbench.adapter.service.canonical import Form, float_form
from callbench.adapter.service.generate import SplitMix64

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def search_response(n: int) -> Form:
    """Return the search response with `n` items."""
    draws = _Draws()
    return {
        "ack": "Success",
        "version": "1.12.0",
        "timestamp": "2012-06-01T17:24:39.000Z",
        "searchResult": {"item": [_item(i, draws) for i in range(n)]},
        "paginationOutput": {"pageNumber": 1, "entriesPerPage": n, "totalPages": 1, "totalEntries": n},
        "itemSearchURL": "http://www.example.org/search?_nkw=ipad",
    }


class _Draws:
    """The random numbers of the items."""

    def __init__(self) -> None:
        self._generator = SplitMix64(7)

    def below(self, bound: int) -> int:
        return self._generator.draw(bound)

    def flag(self) -> bool:
        return self.below(2) == 1

    def letters(self, count: int) -> str:
        return "".join(" " if at % 7 == 6 else _ALPHABET[self.below(26)] for at in range(count))

    def unspaced(self, count: int) -> str:
        return "".join(_ALPHABET[self.below(26)] for _ in range(count))

    def digits(self, count: int) -> str:
        return "".join(str(self.below(10)) for _ in range(count))

    def price(self) -> str:
        return float_form(self.below(100000) / 100)


def _item(i: int, draws: _Draws) -> Form:
    """The order of the statements is the order of the random numbers."""
    item: dict[str, Form] = {"itemId": draws.digits(12)}
    item["title"] = draws.letters(30 + draws.below(55))
    item["globalId"] = "EBAY-US"
    if i % 6 == 0:
        item["subtitle"] = draws.letters(46)
    category = draws.digits(6)
    item["primaryCategory"] = {"categoryId": category, "categoryName": draws.letters(33)}
    item["galleryURL"] = f"http://thumbs.example.org/m/{draws.unspaced(25)}.jpg"
    item["viewItemURL"] = f"http://www.example.org/itm/{draws.unspaced(52 + draws.below(64))}"
    if i % 10 != 9:
        item["productId"] = draws.digits(9)
    item["paymentMethod"] = "PayPal"
    item["autoPay"] = draws.flag()
    if i % 4 != 3:
        item["postalCode"] = draws.digits(5)
    item["location"] = draws.letters(3 + draws.below(18))
    item["country"] = "US"
    item["shippingInfo"] = _shipping(i, draws)
    item["sellingStatus"] = _selling(i, draws)
    item["listingInfo"] = _listing(i, draws)
    item["returnsAccepted"] = draws.flag()
    item["condition"] = {"conditionId": "1000", "conditionDisplayName": "New"}
    item["isMultiVariationListing"] = False
    return item


def _shipping(i: int, draws: _Draws) -> Form:
    shipping: dict[str, Form] = {}
    if i % 12 != 11:
        shipping["shippingServiceCost"] = draws.price()
    shipping["shippingType"] = "FlatWithinCountryCalculatedOutsideOfIt"
    shipping["shipToLocations"] = "Worldwide"
    shipping["expeditedShipping"] = draws.flag()
    shipping["oneDayShippingAvailable"] = draws.flag()
    shipping["handlingTime"] = draws.digits(1)
    return shipping


def _selling(i: int, draws: _Draws) -> Form:
    price = draws.price()
    selling: dict[str, Form] = {"currentPrice": price, "convertedCurrentPrice": price}
    if i % 8 == 0:
        selling["bidCount"] = draws.below(40)
    selling["sellingState"] = "Active"
    hours, minutes, seconds = draws.digits(2), draws.digits(2), draws.digits(2)
    selling["timeLeft"] = f"P0DT{hours}H{minutes}M{seconds}S"
    return selling


def _listing(i: int, draws: _Draws) -> Form:
    listing: dict[str, Form] = {"bestOfferEnabled": draws.flag()}
    listing["buyItNowAvailable"] = draws.flag()
    if i % 50 == 1:
        price = draws.price()
        listing["buyItNowPrice"] = price
        listing["convertedBuyItNowPrice"] = price
    listing["startTime"] = f"2012-05-{10 + draws.below(20)}T12:00:00.000Z"
    listing["endTime"] = f"2012-06-{10 + draws.below(20)}T12:00:00.000Z"
    listing["listingType"] = "FixedPrice"
    listing["gift"] = False
    return listing
