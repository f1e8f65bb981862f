package org.callbench.kit.drive;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.callbench.kit.Clock;
import org.callbench.kit.Failure;
import org.callbench.kit.Histogram;
import org.callbench.kit.Kind;
import org.callbench.kit.Stack;

/**
 * The load loop: one thread a client. Nothing is allocated and no lock is taken between two calls
 * of a closed loop.
 */
public final class Drive {
  private static final long INTERVAL_NS = 100_000_000;
  private static final long START_SPIN_NS = 60_000;

  final Pool pool;
  final AtomicBoolean stopping;
  final double readingNs;
  private final Plan plan;
  private final Arrivals arrivals;
  private final List<Seat> seats = new ArrayList<>();
  private final AtomicLong batch = new AtomicLong();
  private final AtomicReference<Failure> noted = new AtomicReference<>();
  private volatile long start;

  /**
   * Hears how far a drive is, ten times a second: nanoseconds since the start, calls and errors.
   */
  @FunctionalInterface
  public interface Reporter {
    /** False where nobody listens any more. */
    boolean interval(long atNs, long calls, long errors);
  }

  /** What the clients do besides calling: before they start, on their threads. */
  @FunctionalInterface
  public interface Preparation {
    void onThread();
  }

  /**
   * What a drive came to. Times in nanoseconds, summed over clients but for elapsedNs.
   *
   * @param batch calls a batch; 1: each call was timed, and latency holds them
   * @param gapNs of a closed loop, the time that was neither in a call nor a thought, by the loop's
   *     own readings; of an open one -1
   * @param note the first failure met, or null
   */
  public record Outcome(
      long calls,
      long[] errors,
      long elapsedNs,
      Late.Window window,
      long batch,
      Histogram latency,
      Histogram service,
      Histogram lateness,
      long inCallNs,
      long thinkNs,
      long gapNs,
      int threads,
      Failure note) {}

  /** Lets the clients call as the plan says, once {@link #run} is said. */
  public Drive(
      List<? extends Stack.Client> clients, Plan plan, AtomicBoolean stopping, double readingNs) {
    this.plan = plan;
    this.stopping = stopping;
    this.readingNs = readingNs;
    pool = new Pool(plan.calls(), clients.size());
    arrivals = plan.schedule() == null ? null : new Arrivals(plan.schedule());
    for (Stack.Client client : clients) {
      seats.add(new Seat(this, plan, client, plan.firstThoughtNs(seats.size(), clients.size())));
    }
  }

  /**
   * Runs it to its end; {@code begin} and {@code end} are done right before the start and right
   * after the last call.
   */
  public Outcome run(Preparation preparation, Runnable begin, Runnable end, Reporter reporter)
      throws Failure {
    CountDownLatch arrived = new CountDownLatch(seats.size());
    CountDownLatch opened = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(seats.size());
    CountDownLatch left = new CountDownLatch(1);
    for (Seat seat : seats) {
      Runnable attending =
          () -> {
            try {
              preparation.onThread();
              arrived.countDown();
              opened.await();
              attend(seat);
            } catch (InterruptedException stopped) {
              seat.failed(stopped);
            } finally {
              ended.countDown();
            }
            // A thread stays until the processor time has been read.
            awaitQuietly(left);
          };
      Thread thread = new Thread(attending, "client");
      thread.setDaemon(true);
      try {
        thread.start();
      } catch (OutOfMemoryError none) {
        stopping.set(true);
        opened.countDown();
        left.countDown();
        throw new Failure(
            Kind.OUT_OF_RESOURCES, "a client thread cannot be started: " + none.getMessage());
      }
    }
    try {
      arrived.await();
      begin.run();
      start = Math.max(plan.startAtNs(), System.nanoTime() + 100_000 + 10_000L * seats.size());
      opened.countDown();
      watch(ended, reporter);
      end.run();
    } catch (InterruptedException stopped) {
      throw new Failure(Kind.INTERNAL, "the drive was interrupted");
    } finally {
      left.countDown();
    }
    return sumUp();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void attend(Seat seat) {
    seat.begin(start);
    seat.endedAt = Clock.waitUntil(start, START_SPIN_NS);
    seat.leftAt = seat.endedAt;
    seat.gapNs = seat.endedAt - start;
    try {
      if (arrivals == null) {
        ClosedLoop.run(seat);
      } else {
        OpenLoop.run(seat, arrivals);
      }
    } catch (OutOfMemoryError none) {
      // Met outside a call: the rest of this client's time is nobody's.
      seat.endedAt = System.nanoTime();
      seat.leftAt = seat.endedAt;
      seat.gaveUp = true;
      seat.failed(none);
    } finally {
      seat.leave();
    }
  }

  /** Reports until every client has ended, and once when the time is over. */
  private void watch(CountDownLatch ended, Reporter reporter) throws InterruptedException {
    long tick = start + INTERVAL_NS;
    long over = start + endNs();
    long next = over > start ? Math.min(tick, over) : tick;
    while (!ended.await(next - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      long calls = 0;
      long errors = 0;
      for (Seat seat : seats) {
        calls += seat.shownCalls.getPlain();
        errors += seat.shownErrors.getPlain();
      }
      if (!reporter.interval(Math.max(0, System.nanoTime() - start), calls, errors)) {
        stopping.set(true);
      }
      if (next == tick) {
        tick += INTERVAL_NS;
      }
      next = over > next ? Math.min(tick, over) : tick;
    }
  }

  /** When the time is over, since the start. */
  private long endNs() {
    return Math.min(plan.lengthNs(), plan.limitNs());
  }

  /** The first client that knows decides for all. */
  long agreeOnBatch(long size) {
    batch.compareAndSet(0, size);
    return batch.get();
  }

  /** Remembers the first failure, for the log. */
  void note(Failure failure) {
    noted.compareAndSet(null, failure);
  }

  private Outcome sumUp() {
    Seat first = seats.get(0);
    long[] errors = new long[Kind.values().length];
    long calls = 0;
    long inCallNs = 0;
    long thinkNs = 0;
    long gapNs = 0;
    long endedAt = start;
    boolean gaveUp = true;
    for (Seat seat : seats) {
      endedAt = Math.max(endedAt, seat.endedAt);
    }
    for (Seat seat : seats) {
      seat.countUntil(endedAt);
      calls += seat.calls;
      inCallNs += seat.inCallNs;
      thinkNs += seat.thinkNs;
      gapNs += seat.gapNs;
      gaveUp &= seat.gaveUp;
      for (int kind = 0; kind < errors.length; kind++) {
        errors[kind] += seat.errors[kind];
      }
      if (seat != first) {
        first.late.merge(seat.late);
        first.latency.merge(seat.latency);
        if (first.service != null) {
          first.service.merge(seat.service);
          first.lateness.merge(seat.lateness);
        }
      }
    }
    long elapsedNs = Math.max(1, endedAt - start);
    return new Outcome(
        calls,
        errors,
        elapsedNs,
        first.late.window(endNs(), plan.limitNs(), elapsedNs, calls, gaveUp),
        Math.max(1, batch.get()),
        first.latency,
        first.service,
        first.lateness,
        inCallNs,
        thinkNs,
        arrivals == null ? gapNs : -1,
        seats.size(),
        noted.get());
  }
}
