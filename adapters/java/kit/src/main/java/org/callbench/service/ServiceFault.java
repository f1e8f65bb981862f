package org.callbench.service;

/** The server's own "no", in one sentence. */
public final class ServiceFault extends Exception {
  private static final long serialVersionUID = 1L;

  public ServiceFault(String message) {
    super(message);
  }
}
