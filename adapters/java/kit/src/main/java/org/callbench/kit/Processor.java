package org.callbench.kit;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Structure;
import java.util.List;

/**
 * Processor time of the whole process, and the kernel's slack in waking its threads: what Java
 * itself does not offer in nanoseconds.
 */
final class Processor {
  private static final int SELF = 0;
  private static final int SET_TIMER_SLACK = 29;

  static {
    Native.register("c");
  }

  /** struct rusage, of which only the two times are read. */
  public static final class Resources extends Structure {
    public NativeLong userSeconds;
    public NativeLong userMicroseconds;
    public NativeLong systemSeconds;
    public NativeLong systemMicroseconds;
    public NativeLong[] others = new NativeLong[14];

    @Override
    protected List<String> getFieldOrder() {
      return List.of(
          "userSeconds", "userMicroseconds", "systemSeconds", "systemMicroseconds", "others");
    }
  }

  private Processor() {}

  private static native int getrusage(int who, Resources used);

  private static native int prctl(int option, NativeLong value);

  /** What was spent since the process began, as the contract has it. */
  record Usage(String userNs, String systemNs) {}

  static Usage usage() {
    Resources used = new Resources();
    if (getrusage(SELF, used) != 0) {
      throw new IllegalStateException("the kernel does not tell this process's processor time");
    }
    return new Usage(
        nanoseconds(used.userSeconds, used.userMicroseconds),
        nanoseconds(used.systemSeconds, used.systemMicroseconds));
  }

  private static String nanoseconds(NativeLong seconds, NativeLong microseconds) {
    return Long.toString(seconds.longValue() * 1_000_000_000 + microseconds.longValue() * 1000);
  }

  /**
   * Makes the calling thread's sleeps end as soon as the kernel can, instead of up to 50 us later.
   */
  static void sharpenSleeps() {
    prctl(SET_TIMER_SLACK, new NativeLong(1));
  }
}
