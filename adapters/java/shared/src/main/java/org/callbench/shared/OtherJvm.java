package org.callbench.shared;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program of a technology's library in a JVM of its own, as its users run it: a naming service.
 * It ends with this process, however this one ends, since it listens to a pipe from here.
 *
 * <p>What it prints goes to this process's log.
 */
public final class OtherJvm implements AutoCloseable {
  /** Small and quick to start: it answers a few questions, and none while anything is measured. */
  private static final List<String> FRUGAL =
      List.of("-XX:-UsePerfData", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m");

  private final Process process;

  private OtherJvm(Process process) {
    this.process = process;
  }

  /**
   * Starts the class {@code main} with the jars of the technology that {@code one} belongs to.
   *
   * @param flags of the JVM, such as system properties
   */
  public static OtherJvm start(Class<?> one, List<String> flags, String main, String... arguments)
      throws IOException {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(FRUGAL);
    words.addAll(flags);
    words.addAll(List.of("-cp", jars(one), Tied.class.getName(), main));
    words.addAll(List.of(arguments));
    ProcessBuilder starting = new ProcessBuilder(words);
    // This process's own stdout is its log already.
    starting.redirectOutput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
    return new OtherJvm(starting.start());
  }

  private static String jars(Class<?> one) throws IOException {
    StringBuilder jars = new StringBuilder(System.getProperty("java.class.path"));
    if (one.getClassLoader() instanceof URLClassLoader technology) {
      for (URL jar : technology.getURLs()) {
        try {
          jars.append(File.pathSeparator).append(Path.of(jar.toURI()));
        } catch (URISyntaxException impossible) {
          throw new IOException(impossible);
        }
      }
    }
    return jars.toString();
  }

  /** Whether it has not ended. */
  public boolean runs() {
    return process.isAlive();
  }

  /** Ends it at once. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
