package org.callbench.kit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** The plan of a load loop, with the names of contract/LOOP.md. gaps is null for a closed loop. */
final class Plan {
  int place;
  int clients;
  long calls;
  long start;
  long startAtNs;
  long lengthNs;
  long limitNs;
  String timing;
  long thinkNs;
  long rampUpNs;
  long burnNs;
  long[] gaps;
  double readingNs;

  /**
   * The last part of a think time or of the wait for an arrival, during which the thread reads the
   * clock.
   */
  long spinNs;

  private static final long THINK_SPIN_NS = 5_000;
  private static final long ARRIVAL_SPIN_NS = 60_000;

  /** From a drive request. Its gaps are in a file. */
  static Plan of(JsonObject request, double readingNs) throws IOException {
    JsonElement file = request.remove("gaps");
    boolean open = file != null && !file.isJsonNull();
    Plan plan = Host.JSON.fromJson(request, Plan.class);
    plan.gaps = open ? gaps(Path.of(file.getAsString())) : null;
    plan.readingNs = readingNs;
    plan.spinNs = open ? ARRIVAL_SPIN_NS : THINK_SPIN_NS;
    return plan;
  }

  private static long[] gaps(Path file) throws IOException {
    byte[] octets = Files.readAllBytes(file);
    long[] gaps = new long[octets.length / Long.BYTES];
    ByteBuffer.wrap(octets).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(gaps);
    return gaps;
  }
}
