package org.callbench.kit.drive;

/**
 * What of the calls lay beyond the end of a drive's time, or even beyond its limit: the rest lies
 * within the window, which is what a rate is of. A call in flight at its end counts by the part of
 * its own time before.
 */
public final class Late {
  private final Flight time = new Flight();
  private final Flight limit = new Flight();

  /** Whether a call was due when the time was over: the number of calls bounds the drive, then. */
  private boolean dueLater;

  /** A moment that calls went beyond. */
  private static final class Flight {
    /** Right answers that came after it. */
    long after;

    /** Calls, right or wrong, that had begun and not ended. */
    long flying;

    /** Of those answered rightly, the parts of their time before it, added up. */
    double part;

    void note(long end, long started, long ended, long right) {
      after += right;
      if (started < end) {
        double before = right * (double) (end - started) / (ended - started);
        // Of a batch, whole calls were answered before.
        after -= (long) before;
        part += before - (long) before;
        flying++;
      }
    }

    void merge(Flight other) {
      after += other.after;
      flying += other.flying;
      part += other.part;
    }
  }

  /** Takes in a call, or a batch of so many right ones, that ended after the time was over. */
  void note(long endAt, long limitAt, long due, long started, long ended, long right) {
    if (due >= endAt) {
      dueLater = true;
    } else {
      time.note(endAt, started, ended, right);
    }
    if (ended > limitAt) {
      limit.note(limitAt, started, ended, right);
    }
  }

  void merge(Late other) {
    dueLater |= other.dueLater;
    time.merge(other.time);
    limit.merge(other.limit);
  }

  /**
   * The window of a drive that ended after {@code elapsedNs}, given its time and its limit since
   * the start. Where all clients gave up before the time was over, it ends with them.
   */
  Window window(long endNs, long limitNs, long elapsedNs, long calls, boolean gaveUp) {
    Flight flight = dueLater ? limit : time;
    long ns = endNs;
    if (dueLater) {
      ns = Math.min(elapsedNs, limitNs);
    } else if (gaveUp) {
      ns = Math.min(elapsedNs, endNs);
    }
    return new Window(Math.max(1, ns), calls - flight.after, flight.flying, flight.part);
  }

  /**
   * The window of a drive.
   *
   * @param answered rightly within it
   * @param inFlight begun within it and ended later, rightly or wrongly
   * @param inFlightPart of those answered rightly, the parts of their time within it, added up
   */
  public record Window(long ns, long answered, long inFlight, double inFlightPart) {}
}
