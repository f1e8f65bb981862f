package org.callbench.kit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The remaining calls. Clients take them in portions, so that they rarely compete for the counter.
 */
final class Pool {
  private final AtomicLong left;
  private final long portion;

  Pool(long calls, int clients) {
    left = new AtomicLong(calls);
    portion = Math.min(256, Math.max(1, calls / clients / 16));
  }

  /** Takes a portion: at least {@code wanted} calls if there are enough; 0 if none is left. */
  long draw(long wanted) {
    for (; ; ) {
      long now = left.get();
      long taken = Math.min(now, Math.max(wanted, portion));
      if (taken == 0 || left.compareAndSet(now, now - taken)) {
        return taken;
      }
    }
  }

  boolean isEmpty() {
    return left.get() == 0;
  }

  /** Returns calls that will not be made. */
  void putBack(long calls) {
    left.addAndGet(calls);
  }
}
