package org.callbench.kit;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/** What the JVM's heap holds that is still in use. */
public final class Heap {
  /** A collection can free what the one before it only queued: caches, and what has a cleaner. */
  private static final int MOST_COLLECTIONS = 5;

  private Heap() {}

  /** Bytes, after collecting until nothing more comes free. */
  public static long usedBytes() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < MOST_COLLECTIONS; i++) {
      memory.gc();
      long used = memory.getHeapMemoryUsage().getUsed();
      if (used >= least) {
        break;
      }
      least = used;
    }
    return least;
  }
}
