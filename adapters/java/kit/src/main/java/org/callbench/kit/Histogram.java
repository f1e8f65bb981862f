package org.callbench.kit;

import java.util.ArrayList;
import java.util.List;

/** The log-linear histogram of contract/CONTRACT.md. */
final class Histogram {
  private static final int BITS = 7;

  /** Larger values count in the last bucket: 2^42 ns are 73 minutes. */
  private static final long END = 1L << 42;

  private final long[] buckets = new long[index(END - 1) + 1];
  private long count;
  private long sum;
  private long least = Long.MAX_VALUE;
  private long greatest;

  /** The bucket of a value from 0 to below END. */
  static int index(long value) {
    if (value < 1 << BITS) {
      return (int) value;
    }
    int octave = 63 - Long.numberOfLeadingZeros(value);
    return ((octave - BITS + 1) << BITS) + (int) (value >>> (octave - BITS)) - (1 << BITS);
  }

  /** The smallest value of a bucket. */
  static long lowerBound(int index) {
    if (index < 1 << BITS) {
      return index;
    }
    int above = (index >> BITS) - 1;
    return ((1L << BITS) + (index & ((1 << BITS) - 1))) << above;
  }

  /** Records a time in nanoseconds. */
  void record(long value) {
    buckets[index(Math.min(value, END - 1))]++;
    count++;
    sum += value;
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }

  /** Adds another histogram. */
  void merge(Histogram other) {
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] += other.buckets[i];
    }
    count += other.count;
    sum += other.sum;
    least = Math.min(least, other.least);
    greatest = Math.max(greatest, other.greatest);
  }

  /** The lower bound of the bucket that contains the median, or -1 if the histogram is empty. */
  long median() {
    long before = 0;
    for (int i = 0; i < buckets.length; i++) {
      before += buckets[i];
      if (before * 2 >= count && before > 0) {
        return lowerBound(i);
      }
    }
    return -1;
  }

  /** The form of the contract. */
  record Sparse(long count, String sumNs, long minNs, long maxNs, List<long[]> buckets) {}

  Sparse sparse() {
    List<long[]> filled = new ArrayList<>();
    for (int i = 0; i < buckets.length; i++) {
      if (buckets[i] > 0) {
        filled.add(new long[] {i, buckets[i]});
      }
    }
    return new Sparse(count, Long.toString(sum), count == 0 ? 0 : least, greatest, filled);
  }
}
