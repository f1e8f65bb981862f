package org.callbench.service;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What GetBinaryData answers. */
public final class Binary {
  private static final int LONGEST_FILL_SHOWN = 64;

  private Binary() {}

  /** The bytes of this size and fill. */
  public static byte[] of(int size, String fill) throws ServiceFault {
    return switch (String.valueOf(fill)) {
      case "article" -> article(size / 4);
      case "random" -> random(size);
      case "zero" -> new byte[size];
      case "text" -> text(size);
      default ->
          throw new ServiceFault(
              "fill is "
                  + shortened(String.valueOf(fill))
                  + ": it must be article, random, zero or text");
    };
  }

  private static byte[] article(int integers) {
    SplitMix64 generator = new SplitMix64(1);
    ByteBuffer bytes = ByteBuffer.allocate(integers * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < integers; i++) {
      bytes.putInt(generator.draw(integers));
    }
    return bytes.array();
  }

  private static byte[] random(int size) {
    SplitMix64 generator = new SplitMix64(2);
    ByteBuffer bytes = ByteBuffer.allocate((size + 7) / 8 * 8).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      bytes.putLong(generator.next());
    }
    return Arrays.copyOf(bytes.array(), size);
  }

  private static byte[] text(int size) {
    SplitMix64 generator = new SplitMix64(3);
    byte[] bytes = new byte[size];
    int at = 0;
    while (at < size) {
      byte[] word =
          (Names.FIRST[generator.draw(Names.COUNT)] + " ").getBytes(StandardCharsets.US_ASCII);
      int taken = Math.min(word.length, size - at);
      System.arraycopy(word, 0, bytes, at, taken);
      at += taken;
    }
    return bytes;
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_FILL_SHOWN ? text : text.substring(0, LONGEST_FILL_SHOWN);
  }
}
