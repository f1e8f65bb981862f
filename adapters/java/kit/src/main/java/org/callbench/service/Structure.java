package org.callbench.service;

import java.io.Serializable;

/** What EchoStructure sends and receives. */
public final class Structure implements Serializable {
  private static final long serialVersionUID = 1L;

  public String text;
  public int[] numbers;
  public UserDetails[] users;
  public TestStructureBean[] beans;
}
