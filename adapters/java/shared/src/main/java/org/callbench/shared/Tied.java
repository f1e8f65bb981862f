package org.callbench.shared;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * {@code Tied CLASS ARGUMENT...}: the program CLASS, ended as soon as the pipe to its stdin breaks,
 * as it does when the process that started it is gone, killed or not.
 */
public final class Tied {
  private Tied() {}

  /** Halts rather than exits: a library's last deeds are to write files. */
  private static void endWithIt(InputStream pipe) {
    try {
      while (pipe.read() >= 0) {
        // Nothing is ever said; the end is what is waited for.
        continue;
      }
    } catch (IOException broken) {
      System.err.println("callbench: the process that started this one is gone: " + broken);
    }
    Runtime.getRuntime().halt(0);
  }

  public static void main(String[] arguments) throws ReflectiveOperationException {
    InputStream pipe = System.in;
    Thread watch = new Thread(() -> endWithIt(pipe), "tie");
    watch.setDaemon(true);
    watch.start();
    String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
    Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
  }
}
