package org.callbench.kit.drive;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.callbench.kit.Failure;

/** Reads the file of gaps between arrivals: nanoseconds, little-endian 64 bits each. */
public final class Schedule {
  private static final int MOST = 1 << 20;

  private Schedule() {}

  /** The gaps of the file. */
  public static long[] read(Path path) throws Failure {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(path);
    } catch (IOException failure) {
      throw Failure.badRequest("the schedule " + path + " cannot be read: " + failure.getMessage());
    }
    long[] gaps = new long[bytes.length / Long.BYTES];
    if (gaps.length == 0 || gaps.length > MOST || bytes.length % Long.BYTES != 0) {
      throw Failure.badRequest(
          "the schedule "
              + path
              + " has "
              + bytes.length
              + " bytes: it must be 1 to "
              + MOST
              + " gaps of 8 bytes");
    }
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(gaps);
    return gaps;
  }
}
