package org.callbench.service;

import java.io.Serializable;

/** What state an {@link Item} is in; every member may be absent. */
public final class Condition implements Serializable {
  private static final long serialVersionUID = 1L;

  public String conditionId;
  public String conditionDisplayName;
}
