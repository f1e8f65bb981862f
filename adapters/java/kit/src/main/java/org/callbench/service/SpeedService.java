package org.callbench.service;

import java.rmi.Remote;

/**
 * The service of contract/SERVICE.md. Its operations and parameters have the same names, because
 * many protocols send them.
 *
 * <p>It extends Remote and declares all exceptions, so that RMI can use it without changes. Other
 * libraries ignore this.
 */
public interface SpeedService extends Remote {
  void Empty() throws Exception;

  int Sum(int a, int b) throws Exception;

  Person[] GetPersons(int n) throws Exception;

  byte[] GetBinaryData(int size, String fill) throws Exception;

  Structure EchoStructure(Structure structure) throws Exception;

  String EchoString(String value) throws Exception;

  String Hello() throws Exception;

  SearchResponse FindItems(int n) throws Exception;

  void SendBoolean(boolean value) throws Exception;

  void SendByte(byte value) throws Exception;

  void SendChar(char value) throws Exception;

  void SendShort(short value) throws Exception;

  void SendInt(int value) throws Exception;

  void SendLong(long value) throws Exception;

  void SendFloat(float value) throws Exception;

  void SendDouble(double value) throws Exception;

  void SendString(String value) throws Exception;

  void SendObject(Person value) throws Exception;

  void SendBooleanArray(boolean[] value) throws Exception;

  void SendByteArray(byte[] value) throws Exception;

  void SendCharArray(char[] value) throws Exception;

  void SendShortArray(short[] value) throws Exception;

  void SendIntArray(int[] value) throws Exception;

  void SendLongArray(long[] value) throws Exception;

  void SendFloatArray(float[] value) throws Exception;

  void SendDoubleArray(double[] value) throws Exception;

  void SendStringArray(String[] value) throws Exception;

  void SendObjectArray(Person[] value) throws Exception;
}
