package org.callbench.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The two lists of names that persons, users and text are made from: contract/names of the
 * installation.
 */
final class Names {
  static final int COUNT = 256;
  static final String[] FIRST = lines("first.txt");
  static final String[] LAST = lines("last.txt");

  private Names() {}

  private static String[] lines(String name) {
    String home = System.getenv("CALLBENCH_HOME");
    if (home == null) {
      throw new IllegalStateException(
          "CALLBENCH_HOME is not set: it must name the root of the installation");
    }
    Path file = Path.of(home, "contract", "names", name);
    try {
      String[] lines = Files.readAllLines(file, StandardCharsets.US_ASCII).toArray(String[]::new);
      if (lines.length != COUNT) {
        throw new IllegalStateException(
            file + " has " + lines.length + " lines instead of " + COUNT);
      }
      return lines;
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot read " + file, failure);
    }
  }
}
