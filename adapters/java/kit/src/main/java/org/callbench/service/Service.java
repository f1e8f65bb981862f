package org.callbench.service;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** Answers calls and counts them. Used by many threads at once. */
public final class Service implements SpeedService {
  /** The largest n of any call. */
  public static final int MOST = 1_000_000;

  /** The largest size of GetBinaryData, in bytes. */
  public static final int LARGEST = 268_435_456;

  private static final int EMPTY = 0;
  private static final int SEND = 1;
  private static final int SUM = 2;
  private static final int GET_PERSONS = 3;
  private static final int GET_BINARY_DATA = 4;
  private static final int ECHO_STRUCTURE = 5;
  private static final int ECHO_STRING = 6;
  private static final int HELLO = 7;
  private static final int FIND_ITEMS = 8;
  private static final String[] CALLS = {
    "Empty",
    "Send",
    "Sum",
    "GetPersons",
    "GetBinaryData",
    "EchoStructure",
    "EchoString",
    "Hello",
    "FindItems"
  };

  private final AtomicLongArray counts = new AtomicLongArray(CALLS.length);
  private final Delays delays;
  private volatile LastBinary lastBinary;

  private record LastBinary(int size, String fill, byte[] bytes) {}

  public Service(Delays delays) {
    this.delays = delays;
  }

  /**
   * What was answered since last asked, by call, without the calls that were not made. Faults
   * count.
   */
  public Map<String, Long> counted() {
    Map<String, Long> counted = new TreeMap<>();
    for (int call = 0; call < CALLS.length; call++) {
      long count = counts.getAndSet(call, 0);
      if (count > 0) {
        counted.put(CALLS[call], count);
      }
    }
    return counted;
  }

  /** Counted first, so that no client sees an answer that is not counted yet. */
  private void begin(int call) {
    counts.getAndIncrement(call);
    delays.pass();
  }

  private static int within(String parameter, int value, int most) throws ServiceFault {
    if (value < 0 || value > most) {
      throw new ServiceFault(parameter + " is " + value + ": it must be from 0 to " + most);
    }
    return value;
  }

  @Override
  public void Empty() {
    begin(EMPTY);
  }

  @Override
  public int Sum(int a, int b) {
    begin(SUM);
    return a + b;
  }

  @Override
  public Person[] GetPersons(int n) throws ServiceFault {
    begin(GET_PERSONS);
    return Generate.persons(within("n", n, MOST));
  }

  /**
   * A copy of the last one made where it is asked for again: making it anew would measure the
   * generator.
   */
  @Override
  public byte[] GetBinaryData(int size, String fill) throws ServiceFault {
    begin(GET_BINARY_DATA);
    within("size", size, LARGEST);
    LastBinary last = lastBinary;
    if (last == null || last.size != size || !last.fill.equals(fill)) {
      last = new LastBinary(size, fill, Binary.of(size, fill));
      lastBinary = last;
    }
    return Arrays.copyOf(last.bytes, last.bytes.length);
  }

  @Override
  public Structure EchoStructure(Structure structure) {
    begin(ECHO_STRUCTURE);
    return structure;
  }

  @Override
  public String EchoString(String value) {
    begin(ECHO_STRING);
    return value;
  }

  @Override
  public String Hello() {
    begin(HELLO);
    return "Hello World";
  }

  @Override
  public SearchResponse FindItems(int n) throws ServiceFault {
    begin(FIND_ITEMS);
    return Search.response(within("n", n, MOST));
  }

  @Override
  public void SendBoolean(boolean value) {
    begin(SEND);
  }

  @Override
  public void SendByte(byte value) {
    begin(SEND);
  }

  @Override
  public void SendChar(char value) {
    begin(SEND);
  }

  @Override
  public void SendShort(short value) {
    begin(SEND);
  }

  @Override
  public void SendInt(int value) {
    begin(SEND);
  }

  @Override
  public void SendLong(long value) {
    begin(SEND);
  }

  @Override
  public void SendFloat(float value) {
    begin(SEND);
  }

  @Override
  public void SendDouble(double value) {
    begin(SEND);
  }

  @Override
  public void SendString(String value) {
    begin(SEND);
  }

  @Override
  public void SendObject(Person value) {
    begin(SEND);
  }

  @Override
  public void SendBooleanArray(boolean[] value) {
    begin(SEND);
  }

  @Override
  public void SendByteArray(byte[] value) {
    begin(SEND);
  }

  @Override
  public void SendCharArray(char[] value) {
    begin(SEND);
  }

  @Override
  public void SendShortArray(short[] value) {
    begin(SEND);
  }

  @Override
  public void SendIntArray(int[] value) {
    begin(SEND);
  }

  @Override
  public void SendLongArray(long[] value) {
    begin(SEND);
  }

  @Override
  public void SendFloatArray(float[] value) {
    begin(SEND);
  }

  @Override
  public void SendDoubleArray(double[] value) {
    begin(SEND);
  }

  @Override
  public void SendStringArray(String[] value) {
    begin(SEND);
  }

  @Override
  public void SendObjectArray(Person[] value) {
    begin(SEND);
  }
}
