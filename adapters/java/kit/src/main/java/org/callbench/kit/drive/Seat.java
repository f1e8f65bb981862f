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

  final Late late = new Late();

  /** How long it thinks before its first call. */
  final long firstThoughtNs;

  /** Whether it left before the drive was over. */
  boolean gaveUp;

  long endAt;
  private long held;
  private int errorsInARow;

  Seat(Drive drive, Plan plan, Stack.Client client, long firstThoughtNs) {
    this.drive = drive;
    this.firstThoughtNs = firstThoughtNs;
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

  /**
   * Until when a client that would think until {@code at} does: the end, where no call is left to
   * be made after it.
   */
  long thinksUntil(long now, long at) {
    return Math.min(at, held == 0 && drive.pool.isEmpty() ? Math.max(endAt, now) : limitAt);
  }

  /**
   * Takes in a call, or a batch of so many right ones, that ended after the time was over. {@code
   * due} is when an arrival was intended, or when a client of a closed loop was let go on.
   */
  void overran(long due, long started, long ended, long right) {
    late.note(endAt, limitAt, due, started, ended, right);
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
    gaveUp |= errorsInARow >= HOPELESS || drive.stopping.get();
  }
}
