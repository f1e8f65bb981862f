package org.callbench.kit.drive;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls still to be made, shared by all clients, which draw in portions so that its counter is
 * not fought over.
 */
final class Pool {
  private static final long MOST = 256;

  private final AtomicLong left;
  private final long portion;

  /**
   * A portion is small beside a client's fair share, so that a slow client keeps the others waiting
   * for a short time only.
   */
  Pool(long calls, int clients) {
    left = new AtomicLong(calls);
    portion = Math.max(1, Math.min(MOST, calls / clients / 16));
  }

  /**
   * A portion of at least one call, or 0 where none is left. At least {@code wish} where there are
   * enough.
   */
  long draw(long wish) {
    long most = Math.max(portion, wish);
    while (true) {
      long now = left.get();
      long taken = Math.min(now, most);
      if (taken == 0 || left.compareAndSet(now, now - taken)) {
        return taken;
      }
    }
  }

  boolean isEmpty() {
    return left.get() == 0;
  }

  /** Puts back what was drawn and will not be used. */
  void putBack(long calls) {
    left.addAndGet(calls);
  }
}
