package org.callbench.kit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Several threads note one exhaustion of the heap; it is reported once. */
final class MemoryTest {
  @Test
  void anExhaustionIsReportedOnceThoughALaterThreadNotesItToo() throws Exception {
    Memory.note();
    assertTrue(Memory.ranOut());
    assertFalse(Memory.ranOut());

    Memory.note();
    Thread later = new Thread(MemoryTest::noteLater);
    later.start();
    assertTrue(Memory.ranOutAndQuiet());
    later.join();
    assertFalse(Memory.ranOutAndQuiet());
  }

  private static void noteLater() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException none) {
      throw new IllegalStateException(none);
    }
    Memory.note();
  }
}
