package org.callbench.kit;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** The clock of the load loop: the monotonic one, or that of a golden trace. In nanoseconds. */
interface Clock {
  /** One reading. */
  long now();

  /** Sleeps until {@code moment}; {@code now} is the last reading. */
  void sleep(long now, long moment);

  /** The monotonic clock, which System.nanoTime reads on Linux. */
  Clock MONOTONIC =
      new Clock() {
        @Override
        public long now() {
          return System.nanoTime();
        }

        @Override
        public void sleep(long now, long moment) {
          LockSupport.parkNanos(moment - now);
        }
      };

  /** The cost of a reading: the median of many rounds, so that interruptions do not matter. */
  static double readingNs() {
    double[] rounds = new double[102];
    for (int round = 0; round < rounds.length; round++) {
      long start = System.nanoTime();
      long last = start;
      for (int i = 0; i < 2000; i++) {
        last = System.nanoTime();
      }
      rounds[round] = (last - start) / 2000.0;
    }
    // The first half is for the compiler.
    double[] measured = Arrays.copyOfRange(rounds, 51, 102);
    Arrays.sort(measured);
    return measured[25];
  }

  /** The step of the clock: the greatest common divisor of a thousand differences. */
  static long resolutionNs() {
    long step = 0;
    for (int i = 0; i < 1000; i++) {
      long first = System.nanoTime();
      long next = first;
      while (next == first) {
        next = System.nanoTime();
      }
      for (long other = next - first; other != 0; ) {
        long rest = step % other;
        step = other;
        other = rest;
      }
    }
    return step;
  }
}
