package org.callbench.grpc;

import java.util.concurrent.TimeUnit;
import org.callbench.proto.BooleanHolder;
import org.callbench.proto.ByteHolder;
import org.callbench.proto.CharHolder;
import org.callbench.proto.CountRequest;
import org.callbench.proto.DoubleHolder;
import org.callbench.proto.FloatHolder;
import org.callbench.proto.GetBinaryDataRequest;
import org.callbench.proto.IntHolder;
import org.callbench.proto.LongHolder;
import org.callbench.proto.Nothing;
import org.callbench.proto.ObjectHolder;
import org.callbench.proto.ShortHolder;
import org.callbench.proto.SpeedServiceGrpc;
import org.callbench.proto.StringHolder;
import org.callbench.proto.StructureHolder;
import org.callbench.proto.SumRequest;
import org.callbench.service.Person;
import org.callbench.service.SearchResponse;
import org.callbench.service.SpeedService;
import org.callbench.service.Structure;

/** The service through a blocking stub. */
final class Caller implements SpeedService {
  private static final Nothing NOTHING = Nothing.getDefaultInstance();

  private final SpeedServiceGrpc.SpeedServiceBlockingStub stub;
  private final long timeoutMillis;

  Caller(SpeedServiceGrpc.SpeedServiceBlockingStub stub, long timeoutMillis) {
    this.stub = stub;
    this.timeoutMillis = timeoutMillis;
  }

  /** A deadline is a moment, so each call has its own. */
  private SpeedServiceGrpc.SpeedServiceBlockingStub stub() {
    return stub.withDeadlineAfter(timeoutMillis, TimeUnit.MILLISECONDS);
  }

  private static CountRequest count(int n) {
    return CountRequest.newBuilder().setN(n).build();
  }

  @Override
  public void Empty() {
    stub().empty(NOTHING);
  }

  @Override
  public int Sum(int a, int b) {
    return stub().sum(SumRequest.newBuilder().setA(a).setB(b).build()).getResult();
  }

  @Override
  public Person[] GetPersons(int n) {
    return Records.persons(stub().getPersons(count(n)).getResultList());
  }

  @Override
  public byte[] GetBinaryData(int size, String fill) {
    GetBinaryDataRequest request =
        GetBinaryDataRequest.newBuilder().setSize(size).setFill(fill).build();
    return stub().getBinaryData(request).getResult().toByteArray();
  }

  @Override
  public Structure EchoStructure(Structure structure) {
    StructureHolder holder =
        StructureHolder.newBuilder().setStructure(Records.structure(structure)).build();
    return Records.structure(stub().echoStructure(holder).getStructure());
  }

  @Override
  public String EchoString(String value) {
    return stub().echoString(StringHolder.newBuilder().setValue(value).build()).getValue();
  }

  @Override
  public String Hello() {
    return stub().hello(NOTHING).getValue();
  }

  @Override
  public SearchResponse FindItems(int n) {
    return Search.response(stub().findItems(count(n)));
  }

  @Override
  public void SendBoolean(boolean value) {
    stub().sendBoolean(BooleanHolder.newBuilder().setValue(value).build());
  }

  @Override
  public void SendByte(byte value) {
    stub().sendByte(ByteHolder.newBuilder().setValue(value & 0xFF).build());
  }

  @Override
  public void SendChar(char value) {
    stub().sendChar(CharHolder.newBuilder().setValue(value).build());
  }

  @Override
  public void SendShort(short value) {
    stub().sendShort(ShortHolder.newBuilder().setValue(value).build());
  }

  @Override
  public void SendInt(int value) {
    stub().sendInt(IntHolder.newBuilder().setValue(value).build());
  }

  @Override
  public void SendLong(long value) {
    stub().sendLong(LongHolder.newBuilder().setValue(value).build());
  }

  @Override
  public void SendFloat(float value) {
    stub().sendFloat(FloatHolder.newBuilder().setValue(value).build());
  }

  @Override
  public void SendDouble(double value) {
    stub().sendDouble(DoubleHolder.newBuilder().setValue(value).build());
  }

  @Override
  public void SendString(String value) {
    stub().sendString(StringHolder.newBuilder().setValue(value).build());
  }

  @Override
  public void SendObject(Person value) {
    stub().sendObject(ObjectHolder.newBuilder().setValue(Records.person(value)).build());
  }

  @Override
  public void SendBooleanArray(boolean[] value) {
    stub().sendBooleanArray(Arrays.booleans(value));
  }

  @Override
  public void SendByteArray(byte[] value) {
    stub().sendByteArray(Arrays.bytes(value));
  }

  @Override
  public void SendCharArray(char[] value) {
    stub().sendCharArray(Arrays.chars(value));
  }

  @Override
  public void SendShortArray(short[] value) {
    stub().sendShortArray(Arrays.shorts(value));
  }

  @Override
  public void SendIntArray(int[] value) {
    stub().sendIntArray(Arrays.ints(value));
  }

  @Override
  public void SendLongArray(long[] value) {
    stub().sendLongArray(Arrays.longs(value));
  }

  @Override
  public void SendFloatArray(float[] value) {
    stub().sendFloatArray(Arrays.floats(value));
  }

  @Override
  public void SendDoubleArray(double[] value) {
    stub().sendDoubleArray(Arrays.doubles(value));
  }

  @Override
  public void SendStringArray(String[] value) {
    stub().sendStringArray(Arrays.strings(value));
  }

  @Override
  public void SendObjectArray(Person[] value) {
    stub().sendObjectArray(Arrays.objects(value));
  }
}
