package org.callbench.kit.drive;

import org.callbench.kit.Call;
import org.callbench.kit.Clock;
import org.callbench.service.SpeedService;

/** The closed loop: a client calls again when it was answered and has thought. */
final class ClosedLoop {
  /** So many calls decide how the rest are timed. */
  private static final int HANDFUL = 16;

  /** A call of fewer clock readings than this is timed in batches. */
  private static final double READINGS = 20;

  /** How long a batch should take: long beside a clock reading, short beside an interval. */
  private static final double BATCH_NS = 100_000;

  private static final long MOST = 4096;

  /** A thought is slept but for its last so many nanoseconds. */
  private static final long THINK_SPIN_NS = 60_000;

  private ClosedLoop() {}

  static void run(Seat seat) {
    Plan.Timing timing = seat.plan.timing();
    if (timing == Plan.Timing.EACH || seat.plan.thinkNs() > 0) {
      each(seat, think(seat), Long.MAX_VALUE);
      return;
    }
    if (!each(seat, seat.endedAt, HANDFUL)) {
      return;
    }
    long size =
        seat.drive.agreeOnBatch(batchOf(timing, seat.latency.median(), seat.drive.readingNs));
    if (size == 1) {
      each(seat, seat.endedAt, Long.MAX_VALUE);
    } else {
      batches(seat, size);
    }
  }

  /**
   * Calls a batch, given what a typical call took by the clock (below 0: none was right); 1: each
   * call is timed.
   */
  static long batchOf(Plan.Timing timing, long typicalNs, double readingNs) {
    if (typicalNs < 0 || (timing == Plan.Timing.AUTO && typicalNs >= READINGS * readingNs)) {
      return 1;
    }
    double call = Math.max(1, typicalNs - readingNs);
    return Math.max(1, Math.min(MOST, (long) (BATCH_NS / call)));
  }

  /**
   * Whoever thinks was in the middle of it when the drive began: the rest of that thought. Gives
   * when it was over.
   */
  private static long think(Seat seat) {
    long from = seat.endedAt;
    if (seat.firstThoughtNs == 0) {
      return from;
    }
    long begun =
        Clock.waitUntil(seat.thinksUntil(from, seat.start + seat.firstThoughtNs), THINK_SPIN_NS);
    seat.thinkNs += Math.max(0, begun - from);
    seat.leftAt = begun;
    return begun;
  }

  /**
   * At most {@code most} calls from the moment {@code from} on, with the clock read around each;
   * whether the drive goes on. Nothing is allocated here.
   */
  private static boolean each(Seat seat, long from, long most) {
    Call.Making making = seat.plan.call().making();
    SpeedService service = seat.client.service();
    long thinkNs = seat.plan.thinkNs();
    long ended = from;
    for (long made = 0; made < most; made++) {
      if (seat.admit(ended, 1) == 0) {
        return false;
      }
      Object answer = null;
      Throwable thrown = null;
      long started = System.nanoTime();
      try {
        answer = making.on(service);
      } catch (Throwable failure) {
        thrown = failure;
      }
      seat.burn();
      seat.gapNs += started - ended;
      final long due = ended;
      ended = System.nanoTime();
      seat.inCallNs += ended - started;
      seat.endedAt = ended;
      seat.leftAt = ended;
      boolean right = false;
      if (thrown != null) {
        seat.failed(thrown);
      } else if (seat.judge(answer)) {
        right = true;
        seat.latency.record(ended - started);
      }
      if (ended > seat.endAt) {
        seat.overran(due, started, ended, right ? 1 : 0);
      }
      if (thinkNs > 0) {
        long thought = Clock.waitUntil(seat.thinksUntil(ended, ended + thinkNs), THINK_SPIN_NS);
        seat.thinkNs += thought - ended;
        seat.leftAt = thought;
        // The time that decides whether to go on; endedAt stays the end of the last call.
        ended = thought;
      }
    }
    return true;
  }

  /** Batches until the drive is over. */
  private static void batches(Seat seat, long size) {
    Call.Making making = seat.plan.call().making();
    SpeedService service = seat.client.service();
    long now = seat.endedAt;
    while (true) {
      long batch = seat.admit(now, size);
      if (batch == 0) {
        return;
      }
      final long before = seat.calls;
      long started = System.nanoTime();
      for (long made = 0; made < batch; made++) {
        boolean right = false;
        try {
          Object answer = making.on(service);
          seat.burn();
          right = seat.judge(answer);
        } catch (Throwable failure) {
          seat.burn();
          seat.failed(failure);
        }
        if (!right && seat.leaves(started)) {
          break;
        }
      }
      seat.gapNs += started - now;
      final long due = now;
      now = System.nanoTime();
      if (now > seat.endAt) {
        seat.overran(due, started, now, seat.calls - before);
      }
      seat.inCallNs += now - started;
      seat.endedAt = now;
      seat.leftAt = now;
    }
  }
}
