package org.callbench.jacorb;

import org.callbench.corba.Fault;
import org.callbench.corba.Person;
import org.callbench.corba.SearchResponse;
import org.callbench.corba.SpeedServicePOA;
import org.callbench.corba.Structure;
import org.callbench.kit.Service;
import org.callbench.service.ServiceFault;

/** The service behind the skeleton generated from the IDL, with its structs. */
final class Servant extends SpeedServicePOA {
  private static final String SEND = "Send";

  private final Service service;

  Servant(Service service) {
    this.service = service;
  }

  private Object cached(String operation, Object first, Object second) throws Fault {
    try {
      return service.cached(operation, first, second);
    } catch (ServiceFault fault) {
      throw new Fault(fault.getMessage());
    }
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
  public Person[] GetPersons(int n) throws Fault {
    return (Person[]) cached("GetPersons", n, null);
  }

  @Override
  public byte[] GetBinaryData(int size, String fill) throws Fault {
    return (byte[]) cached("GetBinaryData", size, fill);
  }

  @Override
  public Structure EchoStructure(Structure value) {
    service.begin("EchoStructure");
    return value;
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
  public SearchResponse FindItems(int n) throws Fault {
    return (SearchResponse) cached("FindItems", n, null);
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
