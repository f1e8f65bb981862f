package org.callbench.jacorb;

import org.callbench.corba.Fault;
import org.callbench.corba.Person;
import org.callbench.corba.SearchResponse;
import org.callbench.corba.SpeedServicePOA;
import org.callbench.corba.Structure;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;
import org.omg.CORBA.UNKNOWN;

/** The service behind the skeleton that IDL made. */
final class Servant extends SpeedServicePOA {
  private final SpeedService service;

  Servant(SpeedService service) {
    this.service = service;
  }

  /** Makes an answer. */
  @FunctionalInterface
  private interface Making {
    Object make() throws Exception;
  }

  /** Calls what answers nothing. */
  @FunctionalInterface
  private interface Telling {
    void tell() throws Exception;
  }

  private static <T> T refusing(Class<T> type, Making making) throws Fault {
    try {
      return type.cast(Mapping.to(type, making.make()));
    } catch (ServiceFault fault) {
      throw new Fault(fault.getMessage());
    } catch (Exception failure) {
      throw unknown(failure);
    }
  }

  private static <T> T made(Class<T> type, Making making) {
    try {
      return refusing(type, making);
    } catch (Fault never) {
      throw unknown(never);
    }
  }

  private static void told(Telling telling) {
    try {
      telling.tell();
    } catch (Exception failure) {
      throw unknown(failure);
    }
  }

  private static UNKNOWN unknown(Exception failure) {
    UNKNOWN unknown = new UNKNOWN(failure.toString());
    unknown.initCause(failure);
    return unknown;
  }

  private static <T> T own(Class<T> type, Object value) throws ReflectiveOperationException {
    return type.cast(Mapping.to(type, value));
  }

  @Override
  public void Empty() {
    told(service::Empty);
  }

  @Override
  public int Sum(int a, int b) {
    return made(Integer.class, () -> service.Sum(a, b));
  }

  @Override
  public Person[] GetPersons(int n) throws Fault {
    return refusing(Person[].class, () -> service.GetPersons(n));
  }

  @Override
  public byte[] GetBinaryData(int size, String fill) throws Fault {
    return refusing(byte[].class, () -> service.GetBinaryData(size, fill));
  }

  @Override
  public Structure EchoStructure(Structure value) {
    return made(
        Structure.class,
        () -> service.EchoStructure(own(org.callbench.service.Structure.class, value)));
  }

  @Override
  public String EchoString(String value) {
    return made(String.class, () -> service.EchoString(value));
  }

  @Override
  public String Hello() {
    return made(String.class, service::Hello);
  }

  @Override
  public SearchResponse FindItems(int n) throws Fault {
    return refusing(SearchResponse.class, () -> service.FindItems(n));
  }

  @Override
  public void SendBoolean(boolean value) {
    told(() -> service.SendBoolean(value));
  }

  @Override
  public void SendByte(byte value) {
    told(() -> service.SendByte(value));
  }

  @Override
  public void SendChar(char value) {
    told(() -> service.SendChar(value));
  }

  @Override
  public void SendShort(short value) {
    told(() -> service.SendShort(value));
  }

  @Override
  public void SendInt(int value) {
    told(() -> service.SendInt(value));
  }

  @Override
  public void SendLong(long value) {
    told(() -> service.SendLong(value));
  }

  @Override
  public void SendFloat(float value) {
    told(() -> service.SendFloat(value));
  }

  @Override
  public void SendDouble(double value) {
    told(() -> service.SendDouble(value));
  }

  @Override
  public void SendString(String value) {
    told(() -> service.SendString(value));
  }

  @Override
  public void SendObject(Person value) {
    told(() -> service.SendObject(own(org.callbench.service.Person.class, value)));
  }

  @Override
  public void SendBooleanArray(boolean[] value) {
    told(() -> service.SendBooleanArray(value));
  }

  @Override
  public void SendByteArray(byte[] value) {
    told(() -> service.SendByteArray(value));
  }

  @Override
  public void SendCharArray(char[] value) {
    told(() -> service.SendCharArray(value));
  }

  @Override
  public void SendShortArray(short[] value) {
    told(() -> service.SendShortArray(value));
  }

  @Override
  public void SendIntArray(int[] value) {
    told(() -> service.SendIntArray(value));
  }

  @Override
  public void SendLongArray(long[] value) {
    told(() -> service.SendLongArray(value));
  }

  @Override
  public void SendFloatArray(float[] value) {
    told(() -> service.SendFloatArray(value));
  }

  @Override
  public void SendDoubleArray(double[] value) {
    told(() -> service.SendDoubleArray(value));
  }

  @Override
  public void SendStringArray(String[] value) {
    told(() -> service.SendStringArray(value));
  }

  @Override
  public void SendObjectArray(Person[] value) {
    told(() -> service.SendObjectArray(own(org.callbench.service.Person[].class, value)));
  }
}
