package org.callbench.service;

import java.io.Serializable;

/** What FindItems answers. */
public final class SearchResponse implements Serializable {
  private static final long serialVersionUID = 1L;

  public String ack;
  public String version;
  public String timestamp;
  public SearchResult searchResult;
  public Pagination paginationOutput;
  public String itemSearchURL;
}
