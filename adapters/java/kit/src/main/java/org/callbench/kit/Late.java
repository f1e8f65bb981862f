package org.callbench.kit;

/** The calls of a client that ended after the drive's time, and after its limit. */
final class Late {
  private boolean dueLater;
  private final Beyond time = new Beyond();
  private final Beyond limit = new Beyond();

  private static final class Beyond {
    private long after;
    private long flying;
    private double part;

    void note(long moment, long started, long ended, long right) {
      after += right;
      if (started < moment) {
        double before = right * (double) (moment - started) / (ended - started);
        after -= (long) before;
        part += before - (long) before;
        flying++;
      }
    }

    void merge(Beyond other) {
      after += other.after;
      flying += other.flying;
      part += other.part;
    }
  }

  /** Counts a call, or a batch with {@code right} correct answers. */
  void note(long end, long limitAt, long due, long started, long ended, long right) {
    if (due >= end) {
      dueLater = true;
    } else {
      time.note(end, started, ended, right);
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
}
