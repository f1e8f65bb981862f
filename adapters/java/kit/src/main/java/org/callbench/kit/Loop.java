package org.callbench.kit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The load loop of one client, with the names of contract/LOOP.md. Times are in nanoseconds.
 * Between two calls of a closed loop, nothing is allocated and no lock is taken.
 */
final class Loop {
  private static final long START_SPIN_NS = 30_000;
  private static final int MAX_ERRORS_IN_A_ROW = 100;

  /** The calls that determine how the others are timed. */
  private static final int SAMPLE_CALLS = 16;

  private static final long PIECE_NS = 100_000_000;
  private static final long DONE = Long.MIN_VALUE;

  final Late late = new Late();
  final Histogram latency = new Histogram();
  final Histogram service;
  final Histogram lateness;
  final long[] errors = new long[Kind.values().length];

  /** For the reporter. Only this client writes it, without a fence. */
  final AtomicLong shownCalls = new AtomicLong();

  final AtomicLong shownErrors = new AtomicLong();

  long calls;
  long inCall;
  long think;
  long gap;

  /** When the last call, or ramp-up, ended. */
  long ended;

  /** When the last call or the think time after it ended. */
  long left;

  boolean gaveUp;

  private final Drive drive;
  private final Plan plan;
  private final Clock clock;
  private final int place;
  private final Stack.Client client;
  private final Call[] prepared;
  private final Object[] right;
  private final Check check;
  private long start;
  private long end;
  private long limit;
  private long held;
  private int next;
  private long made;
  private int errorsInARow;
  private Throwable thrown;

  /** {@code prepared} are the client's calls, {@code right} their answers, in rotation. */
  Loop(Drive drive, int place, Stack.Client client, Call[] prepared, Object[] right, Check check) {
    this.drive = drive;
    this.plan = drive.plan;
    this.clock = drive.clock;
    this.place = place;
    this.client = client;
    this.prepared = prepared;
    this.right = right;
    this.check = check;
    service = plan.gaps == null ? null : new Histogram();
    lateness = plan.gaps == null ? null : new Histogram();
  }

  /** Drives from the common start to the end. */
  void run(long from) {
    start = from;
    limit = start + plan.limitNs;
    end = Math.min(start + plan.lengthNs, limit);
    long t = waitUntil(start, START_SPIN_NS);
    gap = t - start;
    left = t;
    ended = t;
    try {
      if (plan.gaps == null) {
        closed(begun(t));
      } else {
        open(t);
      }
    } catch (OutOfMemoryError none) {
      // An error outside of a call: the rest of this client's time does not count.
      left = ended = clock.now();
      gaveUp = true;
      failed(none);
    } finally {
      drive.pool.putBack(held);
      gaveUp |= errorsInARow >= MAX_ERRORS_IN_A_ROW || drive.stopping.get();
    }
  }

  private long begun(long t) {
    if (plan.rampUpNs > 0) {
      long first = Math.min(start + plan.rampUpNs * place / plan.clients, limit);
      long begun = waitUntil(first, plan.spinNs);
      gap += Math.max(0, begun - t);
      ended = begun;
      left = begun;
    } else if (plan.thinkNs > 0) {
      long part = plan.thinkNs * (2L * place + 1) / (2L * plan.clients);
      long first = Math.min(start + part, limit);
      long begun = waitUntil(thinksUntil(t, first), plan.spinNs);
      think += Math.max(0, begun - t);
      left = begun;
    }
    return left;
  }

  private void closed(long t) {
    if (plan.timing.equals("each") || plan.thinkNs > 0) {
      each(t, Long.MAX_VALUE);
      return;
    }
    long reached = each(t, SAMPLE_CALLS);
    if (reached != DONE) {
      long batch = drive.agreeOnBatch(batch());
      if (batch == 1) {
        each(reached, Long.MAX_VALUE);
      } else {
        batches(reached, batch);
      }
    }
  }

  private long batch() {
    long median = latency.median();
    double reading = plan.readingNs;
    if (median < 0 || plan.timing.equals("auto") && median >= 20 * reading) {
      return 1;
    }
    return Math.max(1, Math.min(4096, (long) (100_000 / Math.max(1, median - reading))));
  }

  /**
   * Makes at most {@code most} calls and reads the clock around each. Returns the time, or DONE.
   */
  private long each(long from, long most) {
    long t = from;
    for (long i = 0; i < most; i++) {
      if (admit(t, 1) == 0) {
        return DONE;
      }
      long started = clock.now();
      Object answer = call();
      gap += started - t;
      final long due = t;
      t = clock.now();
      ended(started, t);
      boolean holds = holds(answer);
      if (holds) {
        latency.record(t - started);
      }
      if (t > end) {
        late.note(end, limit, due, started, t, holds ? 1 : 0);
      }
      if (plan.thinkNs > 0) {
        long thought = waitUntil(thinksUntil(t, t + plan.thinkNs), plan.spinNs);
        think += thought - t;
        left = thought;
        t = thought;
      }
    }
    return t;
  }

  private void batches(long from, long batch) {
    long t = from;
    for (long k = admit(t, batch); k > 0; k = admit(t, batch)) {
      final long before = calls;
      long started = clock.now();
      for (long i = 0; i < k; i++) {
        if (!holds(call()) && leaves(started)) {
          break;
        }
      }
      gap += started - t;
      final long due = t;
      t = clock.now();
      ended(started, t);
      if (t > end) {
        late.note(end, limit, due, started, t, calls - before);
      }
    }
  }

  private void open(long from) {
    long idleSince = from;
    for (long i = drive.arrival(start); i != DONE; i = drive.arrival(start)) {
      long n = clock.now();
      while (n < i && !leaves(n)) {
        n = waitUntil(Math.min(i, Math.min(n + PIECE_NS, limit)), plan.spinNs);
      }
      if (leaves(n)) {
        return;
      }
      long started = clock.now();
      Object answer = call();
      long t = clock.now();
      ended(started, t);
      boolean holds = holds(answer);
      if (holds) {
        latency.record(t - i);
        service.record(t - started);
        // Waiting for a free client is caused by the server. The rest of the delay is caused by
        // the generator.
        lateness.record(started - Math.max(i, idleSince));
      }
      if (t > end) {
        late.note(end, limit, i, started, t, holds ? 1 : 0);
      }
      idleSince = clock.now();
    }
  }

  /** Handles the end of a call or batch at {@code t}. */
  private void ended(long started, long t) {
    inCall += t - started;
    ended = t;
    left = t;
    if (drive.made != null) {
      drive.made.add(new long[] {started, t});
    }
  }

  /**
   * Makes a call, and keeps the client busy afterwards if requested. Exceptions are kept for the
   * check.
   */
  private Object call() {
    Object answer = null;
    try {
      answer = prepared[next].make();
    } catch (Throwable failure) {
      thrown = failure;
    }
    if (plan.burnNs > 0) {
      long stop = clock.now() + plan.burnNs;
      while (clock.now() < stop) {
        Thread.onSpinWait();
      }
    }
    return answer;
  }

  private boolean holds(Object answer) {
    Object expected = right[next];
    next = next + 1 == prepared.length ? 0 : next + 1;
    long k = made++;
    if (thrown != null) {
      Throwable failure = thrown;
      thrown = null;
      failed(failure);
      return false;
    }
    if (!check.same(expected, answer, k)) {
      wrong(Kind.WRONG_ANSWER);
      drive.say(Kind.WRONG_ANSWER, "the answer is not the right one");
      return false;
    }
    errorsInARow = 0;
    shownCalls.lazySet(++calls);
    return true;
  }

  private void failed(Throwable failure) {
    Failure why = Memory.seen("the client's", client.failure(failure));
    wrong(why.kind());
    drive.say(why.kind(), why.getMessage());
  }

  private void wrong(Kind kind) {
    errors[kind.ordinal()]++;
    errorsInARow++;
    shownErrors.lazySet(shownErrors.getPlain() + 1);
  }

  /** Adds the statistics of another client. */
  void merge(Loop other) {
    calls += other.calls;
    inCall += other.inCall;
    for (int kind = 0; kind < errors.length; kind++) {
      errors[kind] += other.errors[kind];
    }
    late.merge(other.late);
    latency.merge(other.latency);
    if (service != null) {
      service.merge(other.service);
      lateness.merge(other.lateness);
    }
  }

  private boolean leaves(long n) {
    return n >= limit || errorsInARow >= MAX_ERRORS_IN_A_ROW || drive.stopping.get();
  }

  private long admit(long n, long wanted) {
    if (held == 0) {
      held = drive.pool.draw(wanted);
      if (held == 0) {
        return n < end && !leaves(n) ? wanted : 0;
      }
    }
    if (leaves(n)) {
      return 0;
    }
    long k = Math.min(held, wanted);
    held -= k;
    return k;
  }

  private long thinksUntil(long n, long t) {
    return Math.min(t, held == 0 && drive.pool.isEmpty() ? Math.max(end, n) : limit);
  }

  private long waitUntil(long moment, long spin) {
    for (; ; ) {
      long n = clock.now();
      if (n >= moment) {
        return n;
      } else if (n < moment - spin) {
        clock.sleep(n, moment - spin);
      } else {
        Thread.onSpinWait();
      }
    }
  }
}
