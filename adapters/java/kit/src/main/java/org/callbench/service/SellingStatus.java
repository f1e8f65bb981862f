package org.callbench.service;

import java.io.Serializable;

/** How far the sale of an {@link Item} is; bidCount may be absent. */
public final class SellingStatus implements Serializable {
  private static final long serialVersionUID = 1L;

  public float currentPrice;
  public float convertedCurrentPrice;
  public Integer bidCount;
  public String sellingState;
  public String timeLeft;
}
