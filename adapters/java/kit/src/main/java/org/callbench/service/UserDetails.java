package org.callbench.service;

import java.io.Serializable;

/** One user of a {@link Structure}. */
public final class UserDetails implements Serializable {
  private static final long serialVersionUID = 1L;

  public String userName;
  public String fullName;
  public String email;
  public int age;
  public boolean active;
  public long created;
}
