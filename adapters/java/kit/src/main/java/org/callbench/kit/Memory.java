package org.callbench.kit;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notices that this JVM's heap ran out, whoever caught the error. A server's library swallows it,
 * or loses the thread that it met, and all that the client sees of it is a time-out.
 */
public final class Memory {
  /** What the launcher lets the JVM send itself at the first error (-XX:OnOutOfMemoryError). */
  private static final String SIGNAL = "WINCH";

  private static final long MEBIBYTE = 1 << 20;
  // Found out while there is room to.
  private static final long MOST =
      Long.parseLong(
              ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                  .getVMOption("MaxHeapSize")
                  .getValue())
          / MEBIBYTE;
  private static final AtomicBoolean RAN_OUT = new AtomicBoolean();

  private Memory() {}

  /** Begins to notice. */
  public static void watch() {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> {
          if (thrown instanceof OutOfMemoryError) {
            note();
          }
          thrown.printStackTrace();
        });
    try {
      // By its name alone: the compiler warns of the class, and there is no other way to a signal.
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object noting =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                note();
                return null;
              });
      Object wanted = signal.getConstructor(String.class).newInstance(SIGNAL);
      signal.getMethod("handle", signal, handler).invoke(null, wanted, noting);
    } catch (ReflectiveOperationException none) {
      System.err.println(
          "callbench: this JVM does not tell when its heap has run out unseen: " + none);
    }
  }

  /** It has run out. */
  public static void note() {
    RAN_OUT.set(true);
  }

  /** Whether it has since last asked. */
  public static boolean ranOut() {
    return RAN_OUT.getAndSet(false);
  }

  /** That it has, and what to do: {@code whose} is "the server's" or "the client's". */
  public static Failure failure(String whose, Throwable cause) {
    return new Failure(Kind.OUT_OF_RESOURCES, whose + " " + sentence(), cause);
  }

  private static String sentence() {
    return "Java heap, of at most "
        + most()
        + " MiB, is full: give it more with CALLBENCH_JAVA_HEAP_MB (a number of MiB), or ask for less"
        + " in one call";
  }

  /**
   * The most that the heap may grow to, in MiB: Runtime's figure leaves out what a collector keeps.
   */
  public static long most() {
    return MOST;
  }
}
