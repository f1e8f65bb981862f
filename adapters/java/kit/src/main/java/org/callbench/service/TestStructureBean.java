package org.callbench.service;

import java.io.Serializable;

/** One bean of a {@link Structure}. */
public final class TestStructureBean implements Serializable {
  private static final long serialVersionUID = 1L;

  public int id;
  public String name;
  public String description;
  public double amount;
  public boolean flag;
  public int[] related;
}
