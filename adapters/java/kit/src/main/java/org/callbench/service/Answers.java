package org.callbench.service;

import org.callbench.kit.Service;

/** The service for libraries that call a Java interface. */
public class Answers implements SpeedService {
  private static final String SEND = "Send";

  private final Service service;

  public Answers(Service service) {
    this.service = service;
  }

  @Override
  public void Empty() {
    service.begin("Empty");
  }

  @Override
  public int Sum(int a, int b) {
    service.begin("Sum");
    return a + b;
  }

  @Override
  public Person[] GetPersons(int n) throws ServiceFault {
    return (Person[]) service.cached("GetPersons", n, null);
  }

  @Override
  public byte[] GetBinaryData(int size, String fill) throws ServiceFault {
    return (byte[]) service.cached("GetBinaryData", size, fill);
  }

  @Override
  public Structure EchoStructure(Structure structure) {
    service.begin("EchoStructure");
    return structure;
  }

  @Override
  public String EchoString(String value) {
    service.begin("EchoString");
    return value;
  }

  @Override
  public String Hello() {
    service.begin("Hello");
    return "Hello World";
  }

  @Override
  public SearchResponse FindItems(int n) throws ServiceFault {
    return (SearchResponse) service.cached("FindItems", n, null);
  }

  @Override
  public void SendBoolean(boolean value) {
    service.begin(SEND);
  }

  @Override
  public void SendBooleanArray(boolean[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendByte(byte value) {
    service.begin(SEND);
  }

  @Override
  public void SendByteArray(byte[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendChar(char value) {
    service.begin(SEND);
  }

  @Override
  public void SendCharArray(char[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendShort(short value) {
    service.begin(SEND);
  }

  @Override
  public void SendShortArray(short[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendInt(int value) {
    service.begin(SEND);
  }

  @Override
  public void SendIntArray(int[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendLong(long value) {
    service.begin(SEND);
  }

  @Override
  public void SendLongArray(long[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendFloat(float value) {
    service.begin(SEND);
  }

  @Override
  public void SendFloatArray(float[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendDouble(double value) {
    service.begin(SEND);
  }

  @Override
  public void SendDoubleArray(double[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendString(String value) {
    service.begin(SEND);
  }

  @Override
  public void SendStringArray(String[] value) {
    service.begin(SEND);
  }

  @Override
  public void SendObject(Person value) {
    service.begin(SEND);
  }

  @Override
  public void SendObjectArray(Person[] value) {
    service.begin(SEND);
  }
}
