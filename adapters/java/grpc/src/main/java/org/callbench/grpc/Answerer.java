package org.callbench.grpc;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.util.List;
import org.callbench.kit.Service;
import org.callbench.proto.CountRequest;
import org.callbench.proto.GetBinaryDataRequest;
import org.callbench.proto.Nothing;
import org.callbench.proto.StringHolder;
import org.callbench.proto.SumAnswer;
import org.callbench.proto.SumRequest;
import org.callbench.service.ServiceFault;

/**
 * The service behind gRPC, with its messages. A refusal is INVALID_ARGUMENT with the sentence.
 *
 * @param service answers
 */
record Answerer(Service service) {
  private static final Nothing NOTHING = Nothing.getDefaultInstance();
  private static final StringHolder HELLO =
      StringHolder.newBuilder().setValue("Hello World").build();

  /** Binds every operation of every service, as the generated skeletons do. */
  List<ServerServiceDefinition> bound() {
    return Messages.services().stream().map(this::bound).toList();
  }

  private ServerServiceDefinition bound(ServiceDescriptor service) {
    ServerServiceDefinition.Builder bound = ServerServiceDefinition.builder(service);
    for (MethodDescriptor<?, ?> each : service.getMethods()) {
      String operation = each.getBareMethodName();
      bound.addMethod(
          Messages.method(operation),
          ServerCalls.asyncUnaryCall((request, to) -> answer(operation, request, to)));
    }
    return bound.build();
  }

  private void answer(String operation, Message request, StreamObserver<Message> to) {
    Message answer;
    try {
      answer = answer(operation, request);
    } catch (ServiceFault fault) {
      to.onError(Status.INVALID_ARGUMENT.withDescription(fault.getMessage()).asRuntimeException());
      return;
    } catch (Exception failure) {
      to.onError(Status.INTERNAL.withDescription(failure.toString()).asRuntimeException());
      return;
    }
    to.onNext(answer);
    to.onCompleted();
  }

  private Message answer(String operation, Message request) throws Exception {
    if (request instanceof CountRequest it) {
      return (Message) service.cached(operation, it.getN(), null);
    } else if (request instanceof GetBinaryDataRequest it) {
      return (Message) service.cached(operation, it.getSize(), it.getFill());
    } else if (request instanceof SumRequest it) {
      Object sum = service.answer(operation, it.getA(), it.getB());
      return SumAnswer.newBuilder().setResult((Integer) sum).build();
    }
    Object answer = service.answer(operation, request);
    if (operation.equals("Hello")) {
      return HELLO;
    }
    return answer instanceof Message echoed ? echoed : NOTHING;
  }
}
