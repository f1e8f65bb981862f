package org.callbench.service;

/** The gateway study's search result. Statements stand in the order of the draws. */
public final class Search {
  private final SplitMix64 draws = new SplitMix64(7);

  private Search() {}

  /** The response with n items. */
  public static SearchResponse response(int n) {
    SearchResponse response = new SearchResponse();
    response.ack = "Success";
    response.version = "1.12.0";
    response.timestamp = "2012-06-01T17:24:39.000Z";
    response.searchResult = new SearchResult();
    response.searchResult.item = new Search().items(n);
    response.paginationOutput = new Pagination();
    response.paginationOutput.pageNumber = 1;
    response.paginationOutput.entriesPerPage = n;
    response.paginationOutput.totalPages = 1;
    response.paginationOutput.totalEntries = n;
    response.itemSearchURL = "http://www.example.org/search?_nkw=ipad";
    return response;
  }

  private Item[] items(int n) {
    Item[] items = new Item[n];
    for (int i = 0; i < n; i++) {
      items[i] = item(i);
    }
    return items;
  }

  private boolean flag() {
    return draws.draw(2) == 1;
  }

  private char letter() {
    return (char) ('a' + draws.draw(26));
  }

  private String letters(int count) {
    StringBuilder text = new StringBuilder(count);
    for (int at = 0; at < count; at++) {
      text.append(at % 7 == 6 ? ' ' : letter());
    }
    return text.toString();
  }

  private String unspaced(int count) {
    StringBuilder text = new StringBuilder(count);
    for (int at = 0; at < count; at++) {
      text.append(letter());
    }
    return text.toString();
  }

  private String digits(int count) {
    StringBuilder text = new StringBuilder(count);
    for (int at = 0; at < count; at++) {
      text.append((char) ('0' + draws.draw(10)));
    }
    return text.toString();
  }

  private float price() {
    return (float) (draws.draw(100_000) / 100.0);
  }

  private Item item(int i) {
    Item item = new Item();
    item.itemId = digits(12);
    item.title = letters(30 + draws.draw(55));
    item.globalId = "EBAY-US";
    item.subtitle = i % 6 == 0 ? letters(46) : null;
    item.primaryCategory = new Category();
    item.primaryCategory.categoryId = digits(6);
    item.primaryCategory.categoryName = letters(33);
    item.galleryURL = "http://thumbs.example.org/m/" + unspaced(25) + ".jpg";
    item.viewItemURL = "http://www.example.org/itm/" + unspaced(52 + draws.draw(64));
    item.productId = i % 10 == 9 ? null : digits(9);
    item.paymentMethod = "PayPal";
    item.autoPay = flag();
    item.postalCode = i % 4 == 3 ? null : digits(5);
    item.location = letters(3 + draws.draw(18));
    item.country = "US";
    item.shippingInfo = shipping(i);
    item.sellingStatus = selling(i);
    item.listingInfo = listing(i);
    item.returnsAccepted = flag();
    item.condition = new Condition();
    item.condition.conditionId = "1000";
    item.condition.conditionDisplayName = "New";
    item.isMultiVariationListing = false;
    return item;
  }

  private ShippingInfo shipping(int i) {
    ShippingInfo shipping = new ShippingInfo();
    if (i % 12 != 11) {
      shipping.shippingServiceCost = price();
    }
    shipping.shippingType = "FlatWithinCountryCalculatedOutsideOfIt";
    shipping.shipToLocations = "Worldwide";
    shipping.expeditedShipping = flag();
    shipping.oneDayShippingAvailable = flag();
    shipping.handlingTime = digits(1);
    return shipping;
  }

  private SellingStatus selling(int i) {
    SellingStatus selling = new SellingStatus();
    selling.currentPrice = price();
    selling.convertedCurrentPrice = selling.currentPrice;
    if (i % 8 == 0) {
      selling.bidCount = draws.draw(40);
    }
    selling.sellingState = "Active";
    selling.timeLeft = "P0DT" + digits(2) + "H" + digits(2) + "M" + digits(2) + "S";
    return selling;
  }

  private ListingInfo listing(int i) {
    ListingInfo listing = new ListingInfo();
    listing.bestOfferEnabled = flag();
    listing.buyItNowAvailable = flag();
    if (i % 50 == 1) {
      listing.buyItNowPrice = price();
      listing.convertedBuyItNowPrice = listing.buyItNowPrice;
    }
    listing.startTime = "2012-05-" + (10 + draws.draw(20)) + "T12:00:00.000Z";
    listing.endTime = "2012-06-" + (10 + draws.draw(20)) + "T12:00:00.000Z";
    listing.listingType = "FixedPrice";
    listing.gift = false;
    return listing;
  }
}
