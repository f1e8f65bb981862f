package org.callbench.kit;

/** The error kinds of contract/CONTRACT.md. */
public enum Kind {
  TIMEOUT("timeout"),
  REFUSED("refused"),
  CLOSED("closed"),
  PROTOCOL("protocol"),
  FAULT("fault"),
  WRONG_ANSWER("wrong-answer"),
  TOO_LARGE("too-large"),
  CANNOT_CARRY("cannot-carry"),
  OUT_OF_RESOURCES("out-of-resources"),
  BAD_REQUEST("bad-request"),
  UNSUPPORTED("unsupported"),
  INTERNAL("internal");

  private final String said;

  Kind(String said) {
    this.said = said;
  }

  /** The name in the contract. */
  public String said() {
    return said;
  }
}
