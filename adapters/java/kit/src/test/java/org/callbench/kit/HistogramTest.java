package org.callbench.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.callbench.service.SplitMix64;
import org.junit.jupiter.api.Test;

final class HistogramTest {
  @Test
  void everyBucketBeginsAtItsLowerBoundAndIsAsWideAsTheContractSays() {
    SplitMix64 draws = new SplitMix64(5);
    for (int i = 0; i < 100_000; i++) {
      long value = draws.next() >>> (22 + draws.draw(42));
      int index = Histogram.index(value);
      long lower = Histogram.lowerBound(index);
      assertTrue(
          lower <= value && value < Histogram.lowerBound(index + 1), () -> value + " in " + index);
      assertEquals(index, Histogram.index(lower));
    }
  }

  @Test
  void whatIsMergedHasCountSumAndEndsOfBoth() {
    Histogram one = new Histogram();
    Histogram other = new Histogram();
    one.record(5);
    other.record(1L << 50);
    one.merge(other);
    assertEquals(2, one.count());
    assertEquals((1L << 50) + 5, one.sum());
    assertEquals("[[5,1],[4607,1]]", one.sparse().get("buckets").toString());
  }
}
