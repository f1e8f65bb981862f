package org.callbench.service;

/** An error that the service reports, in one sentence. */
public final class ServiceFault extends Exception {
  private static final long serialVersionUID = 1L;

  public ServiceFault(String message) {
    super(message);
  }
}
