package org.callbench.kit.drive;

import java.util.concurrent.atomic.AtomicLong;
import org.callbench.kit.Clock;
import org.callbench.kit.Failure;
import org.callbench.kit.Histogram;
import org.callbench.kit.Kind;
import org.callbench.kit.Memory;
import org.callbench.kit.Stack;

/**
 * A client's place in a drive: its connection, its share of the calls, what it has seen, and when
 * it must leave.
 */
final class Seat {
  /** A client leaves after so many errors in a row. */
  private static final int HOPELESS = 100;

  final Stack.Client client;
  final Drive drive;
  final Plan plan;
  final Histogram latency = new Histogram();
  final Histogram service;
  final Histogram lateness;
  final long[] errors = new long[Kind.values().length];

  /** What the reporter reads: written without a fence, by this client alone. */
  final AtomicLong shownCalls = new AtomicLong();

  final AtomicLong shownErrors = new AtomicLong();

  long start;
  long limitAt;
  long calls;
  long inCallNs;
  long thinkNs;

  /** Between calls, by the same readings that end one and begin the next. */
  long gapNs;

  /** When the last call ended. */
  long endedAt;

  /** When the last call, or the thought after it, ended. */
  long leftAt;

  private long endAt;
  private long held;
  private int errorsInARow;

  Seat(Drive drive, Plan plan, Stack.Client client) {
    this.drive = drive;
    this.plan = plan;
    this.client = client;
    boolean open = plan.schedule() != null;
    service = open ? new Histogram() : null;
    lateness = open ? new Histogram() : null;
  }

  void begin(long at) {
    start = at;
    limitAt = at + plan.limitNs();
    endAt = Math.min(at + plan.lengthNs(), limitAt);
  }

  /** How many calls may be made now, at most {@code wish}; 0: the drive is over for this client. */
  long admit(long now, long wish) {
    if (held == 0) {
      held = drive.pool.draw(wish);
      if (held == 0) {
        // All calls have been drawn: on until the time is over.
        return now < endAt && !leaves(now) ? wish : 0;
      }
    }
    if (leaves(now)) {
      return 0;
    }
    long admitted = Math.min(held, wish);
    held -= admitted;
    return admitted;
  }

  /** Whether nothing more may be begun, whatever is left to do. */
  boolean leaves(long now) {
    return now >= limitAt || errorsInARow >= HOPELESS || drive.stopping.get();
  }

  /** Is busy for as long as the plan wants each call to be slower. */
  void burn() {
    if (plan.burnNs() > 0) {
      Clock.burn(plan.burnNs());
    }
  }

  /**
   * Counts to the end of the drive: who was done earlier stood idle, and a thought beyond the end
   * is not part of it.
   */
  void countUntil(long end) {
    gapNs += Math.max(0, end - leftAt);
    thinkNs = Math.max(0, thinkNs - Math.max(0, leftAt - end));
  }

  /** Checks and counts one answer; whether it was right. */
  boolean judge(Object answer) {
    if (plan.call().expectation().test(answer)) {
      calls++;
      errorsInARow = 0;
      shownCalls.setPlain(calls);
      return true;
    }
    wrong(Kind.WRONG_ANSWER);
    return false;
  }

  void failed(Throwable thrown) {
    Failure failure = client.failure(thrown);
    if (Memory.ranOut() && failure.kind() != Kind.OUT_OF_RESOURCES) {
      failure = Memory.failure("the client's", failure);
    }
    wrong(failure.kind());
    drive.note(failure);
  }

  private void wrong(Kind kind) {
    errors[kind.ordinal()]++;
    errorsInARow++;
    shownErrors.setPlain(shownErrors.getPlain() + 1);
  }

  /** Whoever leaves early leaves its calls to the others. */
  void leave() {
    drive.pool.putBack(held);
    held = 0;
  }
}
