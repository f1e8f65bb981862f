package org.callbench.grpc;

import java.util.function.Consumer;
import org.callbench.proto.Category;
import org.callbench.proto.Condition;
import org.callbench.proto.Item;
import org.callbench.proto.ListingInfo;
import org.callbench.proto.Pagination;
import org.callbench.proto.SearchResponse;
import org.callbench.proto.SearchResult;
import org.callbench.proto.SellingStatus;
import org.callbench.proto.ShippingInfo;

/** The search result as messages, and back. What may be absent is null on the Java side. */
final class Search {
  private Search() {}

  private static <T> void maybe(T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  static SearchResponse response(org.callbench.service.SearchResponse it) {
    SearchResult.Builder result = SearchResult.newBuilder();
    for (org.callbench.service.Item each : it.searchResult.item) {
      result.addItem(item(each));
    }
    return SearchResponse.newBuilder()
        .setAck(it.ack)
        .setVersion(it.version)
        .setTimestamp(it.timestamp)
        .setSearchResult(result)
        .setPaginationOutput(pagination(it.paginationOutput))
        .setItemSearchUrl(it.itemSearchURL)
        .build();
  }

  static org.callbench.service.SearchResponse response(SearchResponse it) {
    org.callbench.service.SearchResponse response = new org.callbench.service.SearchResponse();
    response.ack = it.getAck();
    response.version = it.getVersion();
    response.timestamp = it.getTimestamp();
    response.searchResult = new org.callbench.service.SearchResult();
    response.searchResult.item =
        it.getSearchResult().getItemList().stream()
            .map(Search::item)
            .toArray(org.callbench.service.Item[]::new);
    response.paginationOutput = pagination(it.getPaginationOutput());
    response.itemSearchURL = it.getItemSearchUrl();
    return response;
  }

  private static Category category(org.callbench.service.Category it) {
    Category.Builder to = Category.newBuilder();
    to.setCategoryId(it.categoryId);
    to.setCategoryName(it.categoryName);
    return to.build();
  }

  private static org.callbench.service.Category category(Category it) {
    org.callbench.service.Category to = new org.callbench.service.Category();
    to.categoryId = it.getCategoryId();
    to.categoryName = it.getCategoryName();
    return to;
  }

  private static Condition condition(org.callbench.service.Condition it) {
    Condition.Builder to = Condition.newBuilder();
    maybe(it.conditionId, to::setConditionId);
    maybe(it.conditionDisplayName, to::setConditionDisplayName);
    return to.build();
  }

  private static org.callbench.service.Condition condition(Condition it) {
    org.callbench.service.Condition to = new org.callbench.service.Condition();
    to.conditionId = it.hasConditionId() ? it.getConditionId() : null;
    to.conditionDisplayName = it.hasConditionDisplayName() ? it.getConditionDisplayName() : null;
    return to;
  }

  private static ShippingInfo shipping(org.callbench.service.ShippingInfo it) {
    ShippingInfo.Builder to = ShippingInfo.newBuilder();
    maybe(it.shippingServiceCost, to::setShippingServiceCost);
    maybe(it.shippingType, to::setShippingType);
    maybe(it.shipToLocations, to::setShipToLocations);
    maybe(it.expeditedShipping, to::setExpeditedShipping);
    maybe(it.oneDayShippingAvailable, to::setOneDayShippingAvailable);
    maybe(it.handlingTime, to::setHandlingTime);
    return to.build();
  }

  private static org.callbench.service.ShippingInfo shipping(ShippingInfo it) {
    org.callbench.service.ShippingInfo to = new org.callbench.service.ShippingInfo();
    to.shippingServiceCost = it.hasShippingServiceCost() ? it.getShippingServiceCost() : null;
    to.shippingType = it.hasShippingType() ? it.getShippingType() : null;
    to.shipToLocations = it.hasShipToLocations() ? it.getShipToLocations() : null;
    to.expeditedShipping = it.hasExpeditedShipping() ? it.getExpeditedShipping() : null;
    to.oneDayShippingAvailable =
        it.hasOneDayShippingAvailable() ? it.getOneDayShippingAvailable() : null;
    to.handlingTime = it.hasHandlingTime() ? it.getHandlingTime() : null;
    return to;
  }

  private static SellingStatus selling(org.callbench.service.SellingStatus it) {
    SellingStatus.Builder to = SellingStatus.newBuilder();
    to.setCurrentPrice(it.currentPrice);
    to.setConvertedCurrentPrice(it.convertedCurrentPrice);
    maybe(it.bidCount, to::setBidCount);
    to.setSellingState(it.sellingState);
    to.setTimeLeft(it.timeLeft);
    return to.build();
  }

  private static org.callbench.service.SellingStatus selling(SellingStatus it) {
    org.callbench.service.SellingStatus to = new org.callbench.service.SellingStatus();
    to.currentPrice = it.getCurrentPrice();
    to.convertedCurrentPrice = it.getConvertedCurrentPrice();
    to.bidCount = it.hasBidCount() ? it.getBidCount() : null;
    to.sellingState = it.getSellingState();
    to.timeLeft = it.getTimeLeft();
    return to;
  }

  private static ListingInfo listing(org.callbench.service.ListingInfo it) {
    ListingInfo.Builder to = ListingInfo.newBuilder();
    maybe(it.bestOfferEnabled, to::setBestOfferEnabled);
    maybe(it.buyItNowAvailable, to::setBuyItNowAvailable);
    maybe(it.buyItNowPrice, to::setBuyItNowPrice);
    maybe(it.convertedBuyItNowPrice, to::setConvertedBuyItNowPrice);
    maybe(it.startTime, to::setStartTime);
    maybe(it.endTime, to::setEndTime);
    maybe(it.listingType, to::setListingType);
    maybe(it.gift, to::setGift);
    return to.build();
  }

  private static org.callbench.service.ListingInfo listing(ListingInfo it) {
    org.callbench.service.ListingInfo to = new org.callbench.service.ListingInfo();
    to.bestOfferEnabled = it.hasBestOfferEnabled() ? it.getBestOfferEnabled() : null;
    to.buyItNowAvailable = it.hasBuyItNowAvailable() ? it.getBuyItNowAvailable() : null;
    to.buyItNowPrice = it.hasBuyItNowPrice() ? it.getBuyItNowPrice() : null;
    to.convertedBuyItNowPrice =
        it.hasConvertedBuyItNowPrice() ? it.getConvertedBuyItNowPrice() : null;
    to.startTime = it.hasStartTime() ? it.getStartTime() : null;
    to.endTime = it.hasEndTime() ? it.getEndTime() : null;
    to.listingType = it.hasListingType() ? it.getListingType() : null;
    to.gift = it.hasGift() ? it.getGift() : null;
    return to;
  }

  private static Item item(org.callbench.service.Item it) {
    Item.Builder to = Item.newBuilder();
    to.setItemId(it.itemId);
    to.setTitle(it.title);
    to.setGlobalId(it.globalId);
    maybe(it.subtitle, to::setSubtitle);
    to.setPrimaryCategory(category(it.primaryCategory));
    maybe(it.galleryURL, to::setGalleryUrl);
    maybe(it.viewItemURL, to::setViewItemUrl);
    maybe(it.productId, to::setProductId);
    to.setPaymentMethod(it.paymentMethod);
    maybe(it.autoPay, to::setAutoPay);
    maybe(it.postalCode, to::setPostalCode);
    to.setLocation(it.location);
    to.setCountry(it.country);
    to.setShippingInfo(shipping(it.shippingInfo));
    to.setSellingStatus(selling(it.sellingStatus));
    to.setListingInfo(listing(it.listingInfo));
    to.setReturnsAccepted(it.returnsAccepted);
    to.setCondition(condition(it.condition));
    maybe(it.isMultiVariationListing, to::setIsMultiVariationListing);
    return to.build();
  }

  private static org.callbench.service.Item item(Item it) {
    org.callbench.service.Item to = new org.callbench.service.Item();
    to.itemId = it.getItemId();
    to.title = it.getTitle();
    to.globalId = it.getGlobalId();
    to.subtitle = it.hasSubtitle() ? it.getSubtitle() : null;
    to.primaryCategory = category(it.getPrimaryCategory());
    to.galleryURL = it.hasGalleryUrl() ? it.getGalleryUrl() : null;
    to.viewItemURL = it.hasViewItemUrl() ? it.getViewItemUrl() : null;
    to.productId = it.hasProductId() ? it.getProductId() : null;
    to.paymentMethod = it.getPaymentMethod();
    to.autoPay = it.hasAutoPay() ? it.getAutoPay() : null;
    to.postalCode = it.hasPostalCode() ? it.getPostalCode() : null;
    to.location = it.getLocation();
    to.country = it.getCountry();
    to.shippingInfo = shipping(it.getShippingInfo());
    to.sellingStatus = selling(it.getSellingStatus());
    to.listingInfo = listing(it.getListingInfo());
    to.returnsAccepted = it.getReturnsAccepted();
    to.condition = condition(it.getCondition());
    to.isMultiVariationListing =
        it.hasIsMultiVariationListing() ? it.getIsMultiVariationListing() : null;
    return to;
  }

  private static Pagination pagination(org.callbench.service.Pagination it) {
    Pagination.Builder to = Pagination.newBuilder();
    to.setPageNumber(it.pageNumber);
    to.setEntriesPerPage(it.entriesPerPage);
    to.setTotalPages(it.totalPages);
    to.setTotalEntries(it.totalEntries);
    return to.build();
  }

  private static org.callbench.service.Pagination pagination(Pagination it) {
    org.callbench.service.Pagination to = new org.callbench.service.Pagination();
    to.pageNumber = it.getPageNumber();
    to.entriesPerPage = it.getEntriesPerPage();
    to.totalPages = it.getTotalPages();
    to.totalEntries = it.getTotalEntries();
    return to;
  }
}
