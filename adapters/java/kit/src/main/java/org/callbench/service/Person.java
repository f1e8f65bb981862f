package org.callbench.service;

import java.io.Serializable;

/** A name with a number. */
public final class Person implements Serializable {
  private static final long serialVersionUID = 1L;

  public int ID;
  public String FirstName;
  public String LastName;

  /** For libraries, which fill the members themselves. */
  public Person() {}

  public Person(int ID, String FirstName, String LastName) {
    this.ID = ID;
    this.FirstName = FirstName;
    this.LastName = LastName;
  }
}
