package org.callbench.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** One drive: a thread per client, from a common start to the end of the last one. */
final class Drive {
  private static final long INTERVAL_NS = 100_000_000;

  final Plan plan;
  final Clock clock;
  final Pool pool;
  final AtomicBoolean stopping;
  final List<Loop> loops = new ArrayList<>();

  /** The clock readings around each call or batch of a trace; otherwise null. */
  List<long[]> made;

  private final AtomicLong batch = new AtomicLong();
  private final Map<String, String> errorMessages = new TreeMap<>();
  private long arrivals;
  private int place;
  private long due;

  /** The result of a drive for the host. Times are sums over the clients, except for elapsedNs. */
  record Done(
      long calls,
      Map<String, Long> errors,
      Map<String, String> errorMessages,
      long elapsedNs,
      long batch,
      Histogram.Sparse latency,
      Histogram.Sparse service,
      Histogram.Sparse lateness,
      String inCallNs,
      String thinkNs,
      String gapNs,
      Late late,
      boolean gaveUp,
      int threads,
      Map<String, Processor.Usage> processor) {}

  /** Receives the progress: nanoseconds since the start, calls and errors. */
  @FunctionalInterface
  interface Reporter {
    void interval(long atNs, long calls, long errors);
  }

  Drive(Plan plan, Clock clock, AtomicBoolean stopping) {
    this.plan = plan;
    this.clock = clock;
    this.stopping = stopping;
    pool = new Pool(plan.calls, plan.clients);
  }

  /** The first client that knows it decides for all. */
  long agreeOnBatch(long calls) {
    batch.compareAndSet(0, calls);
    return batch.get();
  }

  /** When the next arrival of an open loop is intended; the smallest number if there is none. */
  synchronized long arrival(long start) {
    long next = due + plan.gaps[place];
    if (arrivals >= plan.calls && next >= plan.lengthNs) {
      return Long.MIN_VALUE;
    }
    arrivals++;
    place = place + 1 == plan.gaps.length ? 0 : place + 1;
    due = next;
    return start + next;
  }

  /** Keeps the first message of each kind of error. */
  synchronized void say(Kind kind, String sentence) {
    errorMessages.putIfAbsent(
        kind.contractName(), sentence == null ? kind.contractName() : sentence);
  }

  /** Runs the drive with the machine's clock; {@code begin} runs on each client's thread. */
  Done run(Runnable begin, Reporter reporter) throws Exception {
    CountDownLatch awake = new CountDownLatch(loops.size());
    CountDownLatch opened = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(loops.size());
    CountDownLatch measured = new CountDownLatch(1);
    long[] start = new long[1];
    for (Loop loop : loops) {
      Runnable attending =
          () -> {
            begin.run();
            awake.countDown();
            await(opened);
            try {
              loop.run(start[0]);
            } finally {
              ended.countDown();
            }
            // A thread stays alive until the processor time has been read.
            await(measured);
          };
      Thread thread = new Thread(attending, "client");
      thread.setDaemon(true);
      try {
        thread.start();
      } catch (OutOfMemoryError none) {
        stopping.set(true);
        opened.countDown();
        measured.countDown();
        throw new Failure(
            Kind.OUT_OF_RESOURCES, "a client thread cannot be started: " + none.getMessage());
      }
    }
    await(awake);
    final Processor.Usage before = Processor.usage();
    start[0] = Math.max(plan.startAtNs, clock.now() + 100_000 + 10_000L * loops.size());
    opened.countDown();
    watch(start[0], ended, reporter);
    Processor.Usage after = Processor.usage();
    measured.countDown();
    return done(start[0], Map.of("start", before, "end", after));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException never) {
      throw new IllegalStateException("nobody interrupts a drive", never);
    }
  }

  /** Reports ten times a second until every client has ended, and once when the time is over. */
  private void watch(long start, CountDownLatch ended, Reporter reporter)
      throws InterruptedException {
    long over = start + Math.min(plan.lengthNs, plan.limitNs);
    long tick = start + INTERVAL_NS;
    long next = over > start ? Math.min(tick, over) : tick;
    while (!ended.await(next - clock.now(), TimeUnit.NANOSECONDS)) {
      long calls = 0;
      long errors = 0;
      for (Loop loop : loops) {
        calls += loop.shownCalls.getPlain();
        errors += loop.shownErrors.getPlain();
      }
      reporter.interval(Math.max(0, clock.now() - start), calls, errors);
      if (next == tick) {
        tick += INTERVAL_NS;
      }
      next = over > next ? Math.min(tick, over) : tick;
    }
  }

  /** The result. */
  Done done(long start, Map<String, Processor.Usage> processor) {
    long end = start;
    for (Loop loop : loops) {
      end = Math.max(end, loop.ended);
    }
    Loop all = loops.get(0);
    long gap = 0;
    long think = 0;
    boolean gaveUp = true;
    for (Loop loop : loops) {
      gap += loop.gap + Math.max(0, end - loop.left);
      think += loop.think - Math.max(0, loop.left - end);
      gaveUp &= loop.gaveUp;
      if (loop != all) {
        all.merge(loop);
      }
    }
    Map<String, Long> errors = new TreeMap<>();
    for (Kind kind : Kind.values()) {
      errors.put(kind.contractName(), all.errors[kind.ordinal()]);
    }
    errors.values().removeIf(count -> count == 0);
    long size = Math.max(1, batch.get());
    return new Done(
        all.calls,
        errors,
        errorMessages,
        Math.max(1, end - start),
        size,
        size > 1 ? null : all.latency.sparse(),
        plan.gaps == null ? null : all.service.sparse(),
        plan.gaps == null ? null : all.lateness.sparse(),
        Long.toString(all.inCall),
        Long.toString(think),
        plan.gaps == null ? Long.toString(gap) : null,
        all.late,
        gaveUp,
        loops.size(),
        processor);
  }
}
