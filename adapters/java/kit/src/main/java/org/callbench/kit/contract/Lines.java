package org.callbench.kit.contract;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Reads requests line by line, on a thread of its own so that the end of stdin is noticed while a
 * drive runs.
 */
final class Lines {
  /** No line is longer, in bytes, its LF not counted. */
  static final int LONGEST = 16 << 20;

  /** A line that was longer than the contract allows, and was not kept. */
  static final String TOO_LONG = new String("too long");

  /** The end. */
  static final String END = new String("end");

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  /**
   * Starts reading; {@code atEnd} is done on the reading thread when there is nothing more to come.
   */
  Lines(InputStream from, Runnable atEnd) {
    Thread reader =
        new Thread(
            () -> {
              read(new BufferedInputStream(from, 1 << 16));
              lines.add(END);
              atEnd.run();
            },
            "lines");
    reader.setDaemon(true);
    reader.start();
  }

  /** The next line, TOO_LONG or END; both are compared by identity. */
  String next() throws InterruptedException {
    return lines.take();
  }

  /** Lets the reader of lines see an end that is not the input's. */
  void end() {
    lines.add(END);
  }

  private void read(InputStream from) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean tooLong = false;
    try {
      for (int each = from.read(); each >= 0; each = from.read()) {
        if (each == '\n') {
          lines.add(tooLong ? TOO_LONG : line.toString(StandardCharsets.UTF_8));
          line.reset();
          tooLong = false;
        } else if (line.size() == LONGEST) {
          tooLong = true;
        } else {
          line.write(each);
        }
      }
    } catch (IOException gone) {
      return;
    }
    if (line.size() > 0) {
      lines.add(tooLong ? TOO_LONG : line.toString(StandardCharsets.UTF_8));
    }
  }
}
