package org.callbench.kit.drive;

import org.callbench.kit.Call;

/**
 * One drive. Times in nanoseconds.
 *
 * @param calls it ends when so many have been made, right or wrong, and lengthNs have passed
 * @param limitNs it ends after so long in any case
 * @param thinkNs how long a client of a closed loop thinks between calls
 * @param schedule gaps between arrivals of an open loop, replayed in a circle; null: a closed loop
 * @param startAtNs the common start, on the monotonic clock; in the past: at once
 * @param burnNs every call keeps its client busy for so much longer: a slower client stack, to see
 *     what the rate owes to it
 */
public record Plan(
    Call call,
    long calls,
    long lengthNs,
    long limitNs,
    Timing timing,
    long thinkNs,
    long[] schedule,
    long startAtNs,
    long burnNs) {
  /**
   * How long the client at {@code place} of so many thinks before its first call: those who think
   * are not in step, so that the first thoughts end evenly spread over one of them.
   */
  long firstThoughtNs(int place, int clients) {
    return (long) (thinkNs * ((2.0 * place + 1) / (2.0 * clients)));
  }

  /** How calls are timed. */
  public enum Timing {
    /** Two clock readings a call. */
    EACH,
    /** Two clock readings a batch. */
    BATCH,
    /** Batches where a call takes less than 20 clock readings. */
    AUTO
  }
}
