package org.callbench.kit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the kit costs a call: slices of two bare clock readings a call against slices of the load
 * loop driving a client that does nothing, every call timed, in pairs whose order is drawn, and
 * what the loop allocates meanwhile. bench/java_kit.py starts it.
 */
public final class HarnessCost {
  private static final int CALLS = 20_000;
  private static final int WARM_UP = 100;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final Call[] empty = {() -> null};
  private final Object[] nothing = {null};
  private long allocated;
  private long sink;

  private HarnessCost() {}

  /** {@code HarnessCost [PAIRS]} prints medians of the pairs. */
  public static void main(String[] arguments) {
    int pairs = arguments.length == 0 ? 501 : Integer.parseInt(arguments[0]);
    new HarnessCost().measure(pairs);
  }

  private void measure(int pairs) {
    for (int i = 0; i < WARM_UP; i++) {
      bare();
      driven();
    }
    Random coin = new Random();
    double[] bare = new double[pairs];
    double[] driven = new double[pairs];
    double[] ratios = new double[pairs];
    long[] bytes = new long[pairs];
    for (int i = 0; i < pairs; i++) {
      boolean bareFirst = coin.nextBoolean();
      if (bareFirst) {
        bare[i] = bare();
      }
      driven[i] = driven();
      bytes[i] = allocated;
      if (!bareFirst) {
        bare[i] = bare();
      }
      ratios[i] = driven[i] / bare[i];
    }
    Arrays.sort(bytes);
    System.out.printf(
        Locale.ROOT,
        "two readings %.1f ns, a call %.1f ns, ratio %.2f (medians of %d pairs); allocated in a drive of %d calls: %d bytes (median)%n",
        median(bare),
        median(driven),
        median(ratios),
        pairs,
        CALLS,
        bytes[pairs / 2]);
    if (sink == 0) {
      System.out.println("the clock stands still");
    }
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  /** Nanoseconds a call of a loop that does nothing but read the clock twice. */
  private double bare() {
    long start = System.nanoTime();
    long sum = 0;
    for (int i = 0; i < CALLS; i++) {
      long started = System.nanoTime();
      long ended = System.nanoTime();
      sum += ended - started;
    }
    sink += sum;
    return (System.nanoTime() - start) / (double) CALLS;
  }

  /** Nanoseconds a call of the load loop: check, histogram, pool, counters, stop rule, everything. */
  private double driven() {
    Plan plan = new Plan();
    plan.clients = 1;
    plan.calls = CALLS;
    plan.limitNs = 60_000_000_000L;
    plan.timing = "each";
    Drive drive = new Drive(plan, Clock.MONOTONIC, new AtomicBoolean());
    Stack.Client client = (operation, arguments) -> empty[0];
    Loop loop = new Loop(drive, 0, client, empty, nothing, new Check());
    long me = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(me);
    long start = System.nanoTime();
    loop.run(start);
    allocated = threads.getThreadAllocatedBytes(me) - before;
    return (loop.ended - start) / (double) loop.calls;
  }
}
