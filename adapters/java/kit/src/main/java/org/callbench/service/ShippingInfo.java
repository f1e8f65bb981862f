package org.callbench.service;

import java.io.Serializable;

/** How an {@link Item} is sent; every member may be absent. */
public final class ShippingInfo implements Serializable {
  private static final long serialVersionUID = 1L;

  public Float shippingServiceCost;
  public String shippingType;
  public String shipToLocations;
  public Boolean expeditedShipping;
  public Boolean oneDayShippingAvailable;
  public String handlingTime;
}
