package org.callbench.service;

import java.io.Serializable;

/** Which page of how many. */
public final class Pagination implements Serializable {
  private static final long serialVersionUID = 1L;

  public int pageNumber;
  public int entriesPerPage;
  public int totalPages;
  public int totalEntries;
}
