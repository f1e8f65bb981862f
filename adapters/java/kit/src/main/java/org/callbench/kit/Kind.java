package org.callbench.kit;

import java.util.Locale;

/** The error kinds of contract/CONTRACT.md. */
public enum Kind {
  TIMEOUT,
  REFUSED,
  CLOSED,
  PROTOCOL,
  FAULT,
  WRONG_ANSWER,
  TOO_LARGE,
  CANNOT_CARRY,
  OUT_OF_RESOURCES,
  BAD_REQUEST,
  UNSUPPORTED,
  INTERNAL;

  private final String contractName = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** The name in the contract. */
  public String contractName() {
    return contractName;
  }
}
