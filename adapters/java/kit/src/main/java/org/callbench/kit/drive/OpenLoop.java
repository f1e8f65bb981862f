package org.callbench.kit.drive;

import org.callbench.kit.Call;
import org.callbench.kit.Clock;
import org.callbench.service.SpeedService;

/** The open loop: calls arrive when the schedule says, whether or not the last one was answered. */
final class OpenLoop {
  /** Woken so long before an arrival is due, a client is rarely late. */
  private static final long SPIN_NS = 60_000;

  /** A longer wait is cut into pieces, to see whether the drive is still wanted. */
  private static final long PIECE_NS = 100_000_000;

  private OpenLoop() {}

  /** Takes the next arrival whenever idle, and waits until it is due. */
  static void run(Seat seat, Arrivals arrivals) {
    Plan plan = seat.plan;
    Call.Making making = plan.call().making();
    SpeedService service = seat.client.service();
    long idleSince = seat.endedAt;
    while (true) {
      long due = arrivals.take(plan.calls(), plan.lengthNs());
      if (due < 0 || !awaitArrival(seat, seat.start + due)) {
        return;
      }
      long intended = seat.start + due;
      Object answer = null;
      Throwable thrown = null;
      long started = System.nanoTime();
      try {
        answer = making.on(service);
      } catch (Throwable failure) {
        thrown = failure;
      }
      seat.burn();
      long ended = System.nanoTime();
      seat.inCallNs += ended - started;
      seat.endedAt = ended;
      boolean right = false;
      if (thrown != null) {
        seat.failed(thrown);
      } else if (seat.judge(answer)) {
        right = true;
        seat.latency.record(ended - intended);
        seat.service.record(ended - started);
        // Waiting for a client is the server's fault; only what comes after both are there is the
        // generator's.
        seat.lateness.record(started - Math.max(intended, idleSince));
      }
      if (ended > seat.endAt) {
        seat.overran(intended, started, ended, right ? 1 : 0);
      }
      idleSince = System.nanoTime();
    }
  }

  /** False where the drive ends first. */
  private static boolean awaitArrival(Seat seat, long intended) {
    long now = System.nanoTime();
    while (now < intended && !seat.leaves(now)) {
      now = Clock.waitUntil(Math.min(Math.min(intended, now + PIECE_NS), seat.limitAt), SPIN_NS);
    }
    return !seat.leaves(now);
  }
}
