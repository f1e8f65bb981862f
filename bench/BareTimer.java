import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * A bare timer loop in Java: wakes at each of a row of moments and notes how late it was, parked but
 * for the last 60 us, as the kit waits. {@code BareTimer GAP_NS COUNT} prints the lateness in
 * nanoseconds at p50, p99 and p99.9, and the processor time in nanoseconds.
 */
public final class BareTimer {
  private static final long SPIN_NS = 60_000;
  private static final long WARM_UP_NS = 1_000_000_000;

  private BareTimer() {}

  public static void main(String[] arguments) {
    long gap = Long.parseLong(arguments[0]);
    int count = Integer.parseInt(arguments[1]);
    late(gap, (int) Math.min(count, WARM_UP_NS / gap));
    long before = used();
    long[] late = late(gap, count);
    long used = used() - before;
    Arrays.sort(late);
    System.out.println(
        late[count / 2] + " " + late[count * 99 / 100] + " " + late[(int) (count * 999L / 1000)] + " " + used);
  }

  private static long[] late(long gap, int count) {
    long[] late = new long[count];
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      long due = start + (i + 1) * gap;
      long idle = System.nanoTime();
      long now = idle;
      while (now - due < 0) {
        if (due - now > SPIN_NS) {
          LockSupport.parkNanos(due - SPIN_NS - now);
        }
        now = System.nanoTime();
      }
      // As in the kit: from the later of the moment it was due and the moment the loop was idle.
      late[i] = now - Math.max(due, idle);
    }
    return late;
  }

  private static long used() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
