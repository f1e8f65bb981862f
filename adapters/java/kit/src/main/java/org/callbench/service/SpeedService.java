package org.callbench.service;

import java.rmi.Remote;

/**
 * The service of contract/SERVICE.md. Operations and parameters have the names that it gives them,
 * since many protocols send them.
 *
 * <p>Remote, and declaring any exception, so that RMI can carry it as it is; to others that means
 * nothing.
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
