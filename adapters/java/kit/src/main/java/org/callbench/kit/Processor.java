package org.callbench.kit;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Structure;
import java.util.List;

/**
 * The processor time of the whole process, and the precision of the kernel's wake-ups. Java itself
 * does not offer them in nanoseconds.
 */
final class Processor {
  private static final int SELF = 0;
  private static final int SET_TIMER_SLACK = 29;

  static {
    Native.register("c");
  }

  /** struct rusage. Only the two times are used. */
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

  /** The processor time since the process began, in the form of the contract. */
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
   * Lets the calling thread's sleeps end as exactly as the kernel can, instead of up to 50 us late.
   */
  static void sharpenSleeps() {
    prctl(SET_TIMER_SLACK, new NativeLong(1));
  }
}
