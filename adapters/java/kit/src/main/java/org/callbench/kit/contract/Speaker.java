package org.callbench.kit.contract;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Speaks for an adapter until `stop`, the end of stdin or SIGTERM. */
public final class Speaker {
  /** The core kills what has not ended after 5 s; whoever hangs ends by itself before that. */
  private static final long GRACE_MS = 4_000;

  /** How long a drive may go on whose core has closed our stdin. */
  private static final long LAST_DRIVE_MS = 2_000;

  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * Speaks over stdin and the descriptor that the launcher has kept the real stdout in; then the
   * process ends.
   */
  public void speak(Adapter adapter) throws IOException, InterruptedException {
    // Opened anew by its name: Java has no way to take over a descriptor. Appending cuts nothing
    // where it is a file.
    String kept = System.getProperty("callbench.stdout", "/proc/self/fd/3");
    try (OutputStream out = new FileOutputStream(kept, true)) {
      Lines lines = new Lines(System.in, this::endAfterLastDrive);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> terminate(lines), "sigterm"));
      converse(new Session(adapter, out, stopping), lines);
    }
    ended.countDown();
    // Not exit: a library's threads and hooks have no say in when the process ends.
    Runtime.getRuntime().halt(0);
  }

  private static void converse(Session session, Lines lines)
      throws IOException, InterruptedException {
    session.greet();
    boolean goesOn = true;
    while (goesOn) {
      String line = lines.next();
      if (line == Lines.END) {
        goesOn = false;
      } else if (line == Lines.TOO_LONG) {
        session.refuseLongLine();
      } else {
        goesOn = session.answer(line);
      }
    }
    session.end();
  }

  /**
   * On the thread that has read the end of stdin: what was asked before is still answered, if it
   * does not take long.
   */
  private void endAfterLastDrive() {
    leaveAfter(LAST_DRIVE_MS);
  }

  /** As a shutdown hook, which is what SIGTERM runs. */
  private void terminate(Lines lines) {
    lines.end();
    leaveAfter(0);
  }

  private void leaveAfter(long firstMs) {
    try {
      if (!ended.await(firstMs, TimeUnit.MILLISECONDS)) {
        stopping.set(true);
      }
      if (!ended.await(GRACE_MS - firstMs, TimeUnit.MILLISECONDS)) {
        System.err.println(
            "callbench: a call or a server does not end, so the adapter leaves without it");
        Runtime.getRuntime().halt(1);
      }
    } catch (InterruptedException told) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(0);
  }
}
