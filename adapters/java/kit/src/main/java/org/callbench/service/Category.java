package org.callbench.service;

import java.io.Serializable;

/** Where an {@link Item} is filed. */
public final class Category implements Serializable {
  private static final long serialVersionUID = 1L;

  public String categoryId;
  public String categoryName;
}
