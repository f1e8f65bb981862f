package org.callbench.kit.drive;

/** The one queue of arrivals still to come, replayed from the gaps that the core wrote. */
final class Arrivals {
  private final long[] gaps;
  private long number;
  private int place;
  private long due;

  Arrivals(long[] gaps) {
    this.gaps = gaps;
  }

  /**
   * When the next arrival is due, in nanoseconds since the start; -1 where it comes after the calls
   * and the length asked for.
   */
  synchronized long take(long calls, long lengthNs) {
    long next = due + gaps[place];
    if (number >= calls && next >= lengthNs) {
      return -1;
    }
    number++;
    place = place + 1 == gaps.length ? 0 : place + 1;
    due = next;
    return next;
  }
}
