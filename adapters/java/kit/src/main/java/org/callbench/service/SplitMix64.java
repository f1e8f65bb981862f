package org.callbench.service;

/** Steele, Lea and Flood's generator, whose state is one word. */
public final class SplitMix64 {
  private long state;

  public SplitMix64(long seed) {
    state = seed;
  }

  /** The next 64 bits. */
  public long next() {
    state += 0x9E3779B97F4A7C15L;
    long z = state;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** A number below {@code below}, which is from 1 to 2^32 - 1. */
  public int draw(long below) {
    return (int) (((next() >>> 32) * below) >>> 32);
  }
}
