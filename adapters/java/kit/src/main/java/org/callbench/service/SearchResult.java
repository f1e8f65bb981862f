package org.callbench.service;

import java.io.Serializable;

/** The items of a {@link SearchResponse}. */
public final class SearchResult implements Serializable {
  private static final long serialVersionUID = 1L;

  public Item[] item;
}
