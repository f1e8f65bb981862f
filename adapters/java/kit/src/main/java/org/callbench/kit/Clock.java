package org.callbench.kit;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * The monotonic clock, which System.nanoTime reads on Linux: what a reading costs, and waiting for
 * a moment of it.
 */
public final class Clock {
  private static final int ROUNDS = 51;
  private static final int READINGS = 2000;

  private Clock() {}

  /**
   * The cost of one reading in nanoseconds: the median of rounds, which interruptions do not move.
   */
  public static double readingNs() {
    long[] rounds = new long[ROUNDS];
    // Once to be compiled, once to be measured.
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < ROUNDS; i++) {
        rounds[i] = round();
      }
    }
    Arrays.sort(rounds);
    return rounds[ROUNDS / 2] / (double) READINGS;
  }

  private static long round() {
    long start = System.nanoTime();
    long last = start;
    for (int i = 0; i < READINGS; i++) {
      last = System.nanoTime();
    }
    return last - start;
  }

  /** The step of the clock: the greatest common divisor of a thousand differences. */
  public static long resolutionNs() {
    long step = 0;
    for (int i = 0; i < 1000; i++) {
      long first = System.nanoTime();
      long next = System.nanoTime();
      while (next == first) {
        next = System.nanoTime();
      }
      step = commonDivisor(step, next - first);
    }
    return step;
  }

  static long commonDivisor(long one, long other) {
    return other == 0 ? one : commonDivisor(other, one % other);
  }

  /** Keeps the processor busy for so long. */
  public static void burn(long lengthNs) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < lengthNs) {
      Thread.onSpinWait();
    }
  }

  /**
   * Waits until {@code target}, asleep but for the last {@code spinNs}, and gives the reading that
   * ended the wait.
   */
  public static long waitUntil(long target, long spinNs) {
    long time = System.nanoTime();
    while (time < target) {
      if (target - time > spinNs) {
        LockSupport.parkNanos(target - time - spinNs);
      } else {
        Thread.onSpinWait();
      }
      time = System.nanoTime();
    }
    return time;
  }
}
