package org.callbench.service;

import java.util.concurrent.locks.LockSupport;

/**
 * The waits and the work that a service is told to make, so that the instrument can be tested
 * against a known answer. Nanoseconds.
 */
public final class Delays {
  /** No wait at all. */
  public static final Delays NONE = new Delays(0, 0, 0, 0);

  private final long each;
  private final long burn;
  private final long stall;
  private final long stallEvery;
  private final long since = System.nanoTime();

  /**
   * @param each how long every call waits
   * @param burn how long every call then keeps a processor busy
   * @param stall how long the whole service stands still at the end of every {@code stallEvery}; 0:
   *     never
   */
  public Delays(long each, long burn, long stall, long stallEvery) {
    this.each = each;
    this.burn = burn;
    this.stall = stall;
    this.stallEvery = stallEvery;
  }

  void pass() {
    if (each > 0) {
      sleep(each);
    }
    if (stall > 0) {
      long left = left(System.nanoTime() - since);
      if (left > 0) {
        sleep(left);
      }
    }
    if (burn > 0) {
      long start = System.nanoTime();
      while (System.nanoTime() - start < burn) {
        Thread.onSpinWait();
      }
    }
  }

  /**
   * How long a call still waits that comes so long after the start: until the end of the stall that
   * it falls into.
   */
  long left(long elapsed) {
    long left = stallEvery - elapsed % stallEvery;
    return left <= stall ? left : 0;
  }

  private static void sleep(long nanoseconds) {
    long until = System.nanoTime() + nanoseconds;
    long left = nanoseconds;
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = until - System.nanoTime();
    }
  }
}
