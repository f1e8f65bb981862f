package org.callbench.cxf;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import org.callbench.service.Person;
import org.callbench.service.SearchResponse;
import org.callbench.service.SpeedService;
import org.callbench.service.Structure;

/**
 * The service as a port of SOAP 1.1, document/literal wrapped, with the names of
 * contract/SERVICE.md.
 */
@WebService(name = "SpeedService", targetNamespace = SoapService.NAMESPACE)
public interface SoapService extends SpeedService {
  String NAMESPACE = "urn:callbench:SpeedService";

  @Override
  @WebMethod(operationName = "Empty")
  void Empty();

  @Override
  @WebMethod(operationName = "Sum")
  @WebResult(name = "result")
  int Sum(@WebParam(name = "a") int a, @WebParam(name = "b") int b);

  @Override
  @WebMethod(operationName = "GetPersons")
  @WebResult(name = "result")
  Person[] GetPersons(@WebParam(name = "n") int n);

  @Override
  @WebMethod(operationName = "GetBinaryData")
  @WebResult(name = "result")
  byte[] GetBinaryData(@WebParam(name = "size") int size, @WebParam(name = "fill") String fill);

  @Override
  @WebMethod(operationName = "EchoStructure")
  @WebResult(name = "result")
  Structure EchoStructure(@WebParam(name = "structure") Structure structure);

  @Override
  @WebMethod(operationName = "EchoString")
  @WebResult(name = "result")
  String EchoString(@WebParam(name = "value") String value);

  @Override
  @WebMethod(operationName = "Hello")
  @WebResult(name = "result")
  String Hello();

  @Override
  @WebMethod(operationName = "FindItems")
  @WebResult(name = "result")
  SearchResponse FindItems(@WebParam(name = "n") int n);

  @Override
  @WebMethod(operationName = "SendBoolean")
  void SendBoolean(@WebParam(name = "value") boolean value);

  @Override
  @WebMethod(operationName = "SendByte")
  void SendByte(@WebParam(name = "value") byte value);

  @Override
  @WebMethod(operationName = "SendChar")
  void SendChar(@WebParam(name = "value") char value);

  @Override
  @WebMethod(operationName = "SendShort")
  void SendShort(@WebParam(name = "value") short value);

  @Override
  @WebMethod(operationName = "SendInt")
  void SendInt(@WebParam(name = "value") int value);

  @Override
  @WebMethod(operationName = "SendLong")
  void SendLong(@WebParam(name = "value") long value);

  @Override
  @WebMethod(operationName = "SendFloat")
  void SendFloat(@WebParam(name = "value") float value);

  @Override
  @WebMethod(operationName = "SendDouble")
  void SendDouble(@WebParam(name = "value") double value);

  @Override
  @WebMethod(operationName = "SendString")
  void SendString(@WebParam(name = "value") String value);

  @Override
  @WebMethod(operationName = "SendObject")
  void SendObject(@WebParam(name = "value") Person value);

  @Override
  @WebMethod(operationName = "SendBooleanArray")
  void SendBooleanArray(@WebParam(name = "value") boolean[] value);

  @Override
  @WebMethod(operationName = "SendByteArray")
  void SendByteArray(@WebParam(name = "value") byte[] value);

  @Override
  @WebMethod(operationName = "SendCharArray")
  void SendCharArray(@WebParam(name = "value") char[] value);

  @Override
  @WebMethod(operationName = "SendShortArray")
  void SendShortArray(@WebParam(name = "value") short[] value);

  @Override
  @WebMethod(operationName = "SendIntArray")
  void SendIntArray(@WebParam(name = "value") int[] value);

  @Override
  @WebMethod(operationName = "SendLongArray")
  void SendLongArray(@WebParam(name = "value") long[] value);

  @Override
  @WebMethod(operationName = "SendFloatArray")
  void SendFloatArray(@WebParam(name = "value") float[] value);

  @Override
  @WebMethod(operationName = "SendDoubleArray")
  void SendDoubleArray(@WebParam(name = "value") double[] value);

  @Override
  @WebMethod(operationName = "SendStringArray")
  void SendStringArray(@WebParam(name = "value") String[] value);

  @Override
  @WebMethod(operationName = "SendObjectArray")
  void SendObjectArray(@WebParam(name = "value") Person[] value);
}
