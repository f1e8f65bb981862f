package org.callbench.kit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.callbench.kit.drive.Drive;
import org.callbench.kit.drive.Plan;
import org.callbench.service.Delays;
import org.callbench.service.Service;
import org.callbench.service.SpeedService;
import org.callbench.service.SplitMix64;

/**
 * What the kit costs a call: slices of two bare clock readings a call against slices of the load
 * loop driving a client that does nothing, every call timed, in pairs whose order is drawn, and
 * what a client's thread allocates meanwhile. bench/java_kit.py starts it.
 */
public final class HarnessCost {
  private static final int CALLS = 20_000;
  private static final int WARM_UP = 100;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final AtomicLong client = new AtomicLong();
  private final AtomicLong allocated = new AtomicLong();
  private final Call empty = new Call("Empty", service -> null, answer -> answer == null);
  private final SpeedService idle = new Service(Delays.NONE);
  private long sink;

  private HarnessCost() {}

  /** {@code HarnessCost [PAIRS]} prints medians of the pairs. */
  public static void main(String[] arguments) throws Failure {
    int pairs = arguments.length == 0 ? 501 : Integer.parseInt(arguments[0]);
    new HarnessCost().measure(pairs);
  }

  private void measure(int pairs) throws Failure {
    for (int i = 0; i < WARM_UP; i++) {
      bare();
      driven();
    }
    SplitMix64 coin = new SplitMix64(System.nanoTime());
    double[] bare = new double[pairs];
    double[] driven = new double[pairs];
    double[] ratios = new double[pairs];
    long[] bytes = new long[pairs];
    for (int i = 0; i < pairs; i++) {
      boolean bareFirst = coin.draw(2) == 0;
      if (bareFirst) {
        bare[i] = bare();
      }
      driven[i] = driven();
      bytes[i] = allocated.get();
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

  /**
   * Nanoseconds a call of the load loop: check, histogram, pool, progress, stop rule, everything.
   */
  private double driven() throws Failure {
    Plan plan = new Plan(empty, CALLS, 0, 60_000_000_000L, Plan.Timing.EACH, 0, null, 0, 0);
    Stack.Client nothing = () -> idle;
    Drive.Outcome outcome =
        new Drive(List.of(nothing), plan, new AtomicBoolean(), 0)
            .run(
                () -> client.set(Thread.currentThread().getId()),
                () -> allocated.set(threads.getThreadAllocatedBytes(client.get())),
                () ->
                    allocated.set(threads.getThreadAllocatedBytes(client.get()) - allocated.get()),
                (atNs, calls, errors) -> true);
    return outcome.elapsedNs() / (double) outcome.calls();
  }
}
