package org.callbench.grpc;

import com.google.protobuf.ByteString;

/** What generated code for a service of the user's own does with the bytes of messages. */
public final class Octets {
  private static final int ENDS = 8;
  private static final int PRIME = 31;

  private Octets() {}

  /** Whether they are the same: the length, the first byte, the last, and byte k. */
  public static boolean bytes(ByteString right, ByteString answer, long k) {
    int n = right.size();
    return answer.size() == n
        && (n == 0
            || right.byteAt(0) == answer.byteAt(0)
                && right.byteAt(n - 1) == answer.byteAt(n - 1)
                && right.byteAt((int) (k % n)) == answer.byteAt((int) (k % n)));
  }

  /** Adds their length and their ends to a mark. */
  public static int bytes(int before, ByteString value) {
    int n = value.size();
    int mark = PRIME * before + n;
    for (int i = 0; i < Math.min(n, ENDS); i++) {
      mark = PRIME * (PRIME * mark + value.byteAt(i)) + value.byteAt(n - 1 - i);
    }
    return mark;
  }
}
