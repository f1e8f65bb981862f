package org.callbench.service;

import java.io.Serializable;

/**
 * One thing found. Subtitle, the URLs, productId, autoPay, postalCode and isMultiVariationListing
 * may be absent.
 */
public final class Item implements Serializable {
  private static final long serialVersionUID = 1L;

  public String itemId;
  public String title;
  public String globalId;
  public String subtitle;
  public Category primaryCategory;
  public String galleryURL;
  public String viewItemURL;
  public String productId;
  public String paymentMethod;
  public Boolean autoPay;
  public String postalCode;
  public String location;
  public String country;
  public ShippingInfo shippingInfo;
  public SellingStatus sellingStatus;
  public ListingInfo listingInfo;
  public boolean returnsAccepted;
  public Condition condition;
  public Boolean isMultiVariationListing;
}
