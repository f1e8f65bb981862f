package org.callbench.grpc;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import org.callbench.proto.BooleanArrayHolder;
import org.callbench.proto.BooleanHolder;
import org.callbench.proto.ByteArrayHolder;
import org.callbench.proto.ByteHolder;
import org.callbench.proto.CharArrayHolder;
import org.callbench.proto.CharHolder;
import org.callbench.proto.CountRequest;
import org.callbench.proto.DoubleArrayHolder;
import org.callbench.proto.DoubleHolder;
import org.callbench.proto.FloatArrayHolder;
import org.callbench.proto.FloatHolder;
import org.callbench.proto.GetBinaryDataAnswer;
import org.callbench.proto.GetBinaryDataRequest;
import org.callbench.proto.GetPersonsAnswer;
import org.callbench.proto.IntArrayHolder;
import org.callbench.proto.IntHolder;
import org.callbench.proto.LongArrayHolder;
import org.callbench.proto.LongHolder;
import org.callbench.proto.Nothing;
import org.callbench.proto.ObjectArrayHolder;
import org.callbench.proto.ObjectHolder;
import org.callbench.proto.Person;
import org.callbench.proto.SearchResponse;
import org.callbench.proto.ShortArrayHolder;
import org.callbench.proto.ShortHolder;
import org.callbench.proto.SpeedServiceGrpc;
import org.callbench.proto.StringArrayHolder;
import org.callbench.proto.StringHolder;
import org.callbench.proto.StructureHolder;
import org.callbench.proto.SumAnswer;
import org.callbench.proto.SumRequest;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;

/**
 * The service behind gRPC's generated skeleton. A refusal is INVALID_ARGUMENT with the sentence.
 */
final class Answerer extends SpeedServiceGrpc.SpeedServiceImplBase {
  private static final Nothing NOTHING = Nothing.getDefaultInstance();

  private final SpeedService service;

  Answerer(SpeedService service) {
    this.service = service;
  }

  /** Makes an answer. */
  @FunctionalInterface
  private interface Making<T> {
    T make() throws Exception;
  }

  /** Calls what answers nothing. */
  @FunctionalInterface
  private interface Telling {
    void tell() throws Exception;
  }

  private static Nothing nothing(Telling telling) throws Exception {
    telling.tell();
    return NOTHING;
  }

  private static <T> void answer(StreamObserver<T> to, Making<T> making) {
    T made;
    try {
      made = making.make();
    } catch (ServiceFault fault) {
      to.onError(Status.INVALID_ARGUMENT.withDescription(fault.getMessage()).asRuntimeException());
      return;
    } catch (Exception failure) {
      to.onError(Status.INTERNAL.withDescription(failure.toString()).asRuntimeException());
      return;
    }
    to.onNext(made);
    to.onCompleted();
  }

  @Override
  public void empty(Nothing it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(service::Empty));
  }

  @Override
  public void sum(SumRequest it, StreamObserver<SumAnswer> to) {
    answer(to, () -> SumAnswer.newBuilder().setResult(service.Sum(it.getA(), it.getB())).build());
  }

  @Override
  public void getPersons(CountRequest it, StreamObserver<GetPersonsAnswer> to) {
    answer(
        to,
        () -> {
          List<Person> persons = Records.persons(service.GetPersons(it.getN()));
          return GetPersonsAnswer.newBuilder().addAllResult(persons).build();
        });
  }

  @Override
  public void getBinaryData(GetBinaryDataRequest it, StreamObserver<GetBinaryDataAnswer> to) {
    answer(
        to,
        () -> {
          byte[] bytes = service.GetBinaryData(it.getSize(), it.getFill());
          return GetBinaryDataAnswer.newBuilder()
              .setResult(UnsafeByteOperations.unsafeWrap(bytes))
              .build();
        });
  }

  @Override
  public void echoStructure(StructureHolder it, StreamObserver<StructureHolder> to) {
    answer(
        to,
        () -> {
          org.callbench.service.Structure echoed =
              service.EchoStructure(Records.structure(it.getStructure()));
          return StructureHolder.newBuilder().setStructure(Records.structure(echoed)).build();
        });
  }

  @Override
  public void echoString(StringHolder it, StreamObserver<StringHolder> to) {
    answer(to, () -> StringHolder.newBuilder().setValue(service.EchoString(it.getValue())).build());
  }

  @Override
  public void hello(Nothing it, StreamObserver<StringHolder> to) {
    answer(to, () -> StringHolder.newBuilder().setValue(service.Hello()).build());
  }

  @Override
  public void findItems(CountRequest it, StreamObserver<SearchResponse> to) {
    answer(to, () -> Search.response(service.FindItems(it.getN())));
  }

  @Override
  public void sendBoolean(BooleanHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendBoolean(it.getValue())));
  }

  @Override
  public void sendByte(ByteHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendByte((byte) it.getValue())));
  }

  @Override
  public void sendChar(CharHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendChar((char) it.getValue())));
  }

  @Override
  public void sendShort(ShortHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendShort((short) it.getValue())));
  }

  @Override
  public void sendInt(IntHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendInt(it.getValue())));
  }

  @Override
  public void sendLong(LongHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendLong(it.getValue())));
  }

  @Override
  public void sendFloat(FloatHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendFloat(it.getValue())));
  }

  @Override
  public void sendDouble(DoubleHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendDouble(it.getValue())));
  }

  @Override
  public void sendString(StringHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendString(it.getValue())));
  }

  @Override
  public void sendObject(ObjectHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendObject(Records.person(it.getValue()))));
  }

  @Override
  public void sendBooleanArray(BooleanArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendBooleanArray(Arrays.booleans(it))));
  }

  @Override
  public void sendByteArray(ByteArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendByteArray(Arrays.bytes(it))));
  }

  @Override
  public void sendCharArray(CharArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendCharArray(Arrays.chars(it))));
  }

  @Override
  public void sendShortArray(ShortArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendShortArray(Arrays.shorts(it))));
  }

  @Override
  public void sendIntArray(IntArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendIntArray(Arrays.ints(it))));
  }

  @Override
  public void sendLongArray(LongArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendLongArray(Arrays.longs(it))));
  }

  @Override
  public void sendFloatArray(FloatArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendFloatArray(Arrays.floats(it))));
  }

  @Override
  public void sendDoubleArray(DoubleArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendDoubleArray(Arrays.doubles(it))));
  }

  @Override
  public void sendStringArray(StringArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendStringArray(Arrays.strings(it))));
  }

  @Override
  public void sendObjectArray(ObjectArrayHolder it, StreamObserver<Nothing> to) {
    answer(to, () -> nothing(() -> service.SendObjectArray(Arrays.objects(it))));
  }
}
