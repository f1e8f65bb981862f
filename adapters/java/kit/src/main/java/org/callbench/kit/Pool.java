package org.callbench.kit;

import java.util.concurrent.atomic.AtomicLong;

/** The calls still to be made, of which clients draw portions, so that it is not fought over. */
final class Pool {
  private final AtomicLong left;
  private final long portion;

  Pool(long calls, int clients) {
    left = new AtomicLong(calls);
    portion = Math.min(256, Math.max(1, calls / clients / 16));
  }

  /** A portion, at least {@code wish} where there are so many; 0 where none is left. */
  long draw(long wish) {
    for (; ; ) {
      long now = left.get();
      long taken = Math.min(now, Math.max(wish, portion));
      if (taken == 0 || left.compareAndSet(now, now - taken)) {
        return taken;
      }
    }
  }

  boolean isEmpty() {
    return left.get() == 0;
  }

  /** Puts back what was drawn and not made. */
  void putBack(long calls) {
    left.addAndGet(calls);
  }
}
