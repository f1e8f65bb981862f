package org.callbench.kit;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
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
  /** In MiB. Runtime's figure leaves out what a collector keeps. */
  static final long MOST =
      Long.parseLong(
              ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                  .getVMOption("MaxHeapSize")
                  .getValue())
          / MEBIBYTE;

  private static final AtomicBoolean RAN_OUT = new AtomicBoolean();

  private Memory() {}

  /** Begins to notice. */
  static void watch() {
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
  static boolean ranOut() {
    return RAN_OUT.getAndSet(false);
  }

  /**
   * The failure of a call, or that the heap ran out meanwhile, on a thread of the library's own.
   */
  static Failure seen(String whose, Failure failure) {
    return ranOut() && failure.kind() != Kind.OUT_OF_RESOURCES ? failure(whose, failure) : failure;
  }

  /** That it has run out, and what to do: {@code whose} is "the server's" or "the client's". */
  static Failure failure(String whose, Throwable cause) {
    String sentence =
        whose
            + " Java heap, of at most "
            + MOST
            + " MiB, is full: give it more with CALLBENCH_JAVA_HEAP_MB (a number of MiB), or ask for"
            + " less in one call";
    return new Failure(Kind.OUT_OF_RESOURCES, sentence, cause);
  }

  /** What the heap holds that is still in use, in bytes, collected until nothing more is freed. */
  static long used() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    // A collection can free what the one before it only queued: caches, and what has a cleaner.
    for (int i = 0; i < 5; i++) {
      memory.gc();
      long used = memory.getHeapMemoryUsage().getUsed();
      if (used >= least) {
        break;
      }
      least = used;
    }
    return least;
  }
}
