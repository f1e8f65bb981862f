package org.callbench.kit;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Detects that the heap of this JVM was exhausted, even if a library caught the error. Otherwise
 * the client would only see a timeout.
 */
public final class Memory {
  /**
   * The signal that the JVM sends itself at the first error (-XX:OnOutOfMemoryError, set by the
   * launcher).
   */
  private static final String SIGNAL = "WINCH";

  private static final long MEBIBYTE = 1 << 20;

  // Determined while there is enough memory.
  /** In MiB. The value of Runtime excludes memory that the collector reserves. */
  static final long MOST =
      Long.parseLong(
              ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                  .getVMOption("MaxHeapSize")
                  .getValue())
          / MEBIBYTE;

  /** How long no thread may note an exhaustion until it counts as over. */
  private static final long QUIET_MS = 500;

  private static final AtomicBoolean RAN_OUT = new AtomicBoolean();

  /** Whether an exhaustion was reported. */
  private static volatile boolean answered;

  private Memory() {}

  /** Starts the detection. */
  static void watch() {
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> {
          if (thrown instanceof OutOfMemoryError) {
            note();
          }
          thrown.printStackTrace();
        });
    try {
      // By its name only: the compiler warns about this class, and there is no other way to
      // receive a signal.
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object noting =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                signalled();
                return null;
              });
      Object wanted = signal.getConstructor(String.class).newInstance(SIGNAL);
      signal.getMethod("handle", signal, handler).invoke(null, wanted, noting);
    } catch (ReflectiveOperationException none) {
      System.err.println(
          "callbench: this JVM does not tell when its heap has run out unseen: " + none);
    }
  }

  /** Notes that the heap was exhausted. */
  public static void note() {
    RAN_OUT.set(true);
  }

  /**
   * Notes the JVM's signal. It comes once, at the first error, and can be later than the answer.
   */
  private static void signalled() {
    if (!answered) {
      note();
    }
  }

  /** Whether the heap was exhausted since the last query. */
  static boolean ranOut() {
    boolean ranOut = RAN_OUT.getAndSet(false);
    if (ranOut) {
      answered = true;
    }
    return ranOut;
  }

  /**
   * Like {@link #ranOut}, and if so, waits until no more threads note it. A library answers its
   * client before its own thread ends with the error: noted after the query, the same exhaustion
   * would be reported twice.
   */
  static boolean ranOutAndQuiet() throws InterruptedException {
    boolean ranOut = ranOut();
    for (boolean more = ranOut; more; more = ranOut()) {
      Thread.sleep(QUIET_MS);
    }
    return ranOut;
  }

  /** The failure of a call, or that the heap was exhausted meanwhile on a library's thread. */
  static Failure seen(String whose, Failure failure) {
    return ranOut() && failure.kind() != Kind.OUT_OF_RESOURCES ? failure(whose, failure) : failure;
  }

  /**
   * The failure for an exhausted heap, with a remedy; {@code whose} is "the server's" or "the
   * client's".
   */
  static Failure failure(String whose, Throwable cause) {
    String sentence =
        whose
            + " Java heap, of at most "
            + MOST
            + " MiB, is full: give it more with CALLBENCH_JAVA_HEAP_MB (a number of MiB), or ask for"
            + " less in one call";
    return new Failure(Kind.OUT_OF_RESOURCES, sentence, cause);
  }

  /** The used bytes of the heap, after collections until nothing more is freed. */
  static long used() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long least = Long.MAX_VALUE;
    // A collection can free what the previous one only queued: caches, and objects with a
    // cleaner.
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
