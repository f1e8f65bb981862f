package org.callbench.service;

import java.io.Serializable;

/** How an {@link Item} is offered; every member may be absent. */
public final class ListingInfo implements Serializable {
  private static final long serialVersionUID = 1L;

  public Boolean bestOfferEnabled;
  public Boolean buyItNowAvailable;
  public Float buyItNowPrice;
  public Float convertedBuyItNowPrice;
  public String startTime;
  public String endTime;
  public String listingType;
  public Boolean gift;
}
