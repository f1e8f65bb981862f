package org.callbench.grpc;

import com.google.protobuf.Message;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.callbench.kit.Call;
import org.callbench.kit.Check;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.OwnCall;
import org.callbench.kit.OwnValues;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.kit.Values;
import org.callbench.proto.SpeedServiceGrpc;

/** gRPC with blocking stubs and a channel per client. */
public final class Grpc implements Stack {
  /** More than the largest answer of the service. The library's own limit is 4 MiB. */
  private static final int LARGEST = 300 << 20;

  @Override
  public Values values() {
    return OwnValues.beside(new Messages(), OwnMessages.CALLS, new OwnMessages());
  }

  @Override
  public Map<String, OwnCall> own() {
    return OwnMessages.CALLS;
  }

  @Override
  public Check check() {
    return new Answers();
  }

  @Override
  public Stack.Server serve(Service service, Listen at) throws IOException {
    io.grpc.Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(at.host(), at.port()))
            .maxInboundMessageSize(LARGEST)
            .addServices(new Answerer(service).bound())
            .build()
            .start();
    String endpoint = at.at(server.getPort());
    return new Stack.Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() throws InterruptedException {
        server.shutdownNow().awaitTermination(2, TimeUnit.SECONDS);
      }
    };
  }

  @Override
  public Client connect(Connect to) throws Failure, InterruptedException {
    ManagedChannel channel =
        NettyChannelBuilder.forTarget(to.endpoint())
            .usePlaintext()
            .maxInboundMessageSize(LARGEST)
            .build();
    ready(channel, to);
    SpeedServiceGrpc.SpeedServiceBlockingStub stub = SpeedServiceGrpc.newBlockingStub(channel);
    long timeout = to.timeout().toMillis();
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) {
        MethodDescriptor<Message, Message> method = Messages.method(operation);
        Message request = (Message) arguments[0];
        return () -> {
          // A deadline is a point in time, so each call has its own. The rest is what the stub's
          // methods do.
          var due = stub.withDeadlineAfter(timeout, TimeUnit.MILLISECONDS);
          return ClientCalls.blockingUnaryCall(
              due.getChannel(), method, due.getCallOptions(), request);
        };
      }

      @Override
      public Failure failure(Throwable thrown) {
        return thrown instanceof StatusRuntimeException status ? of(status) : Failure.of(thrown);
      }

      @Override
      public void close() {
        channel.shutdownNow();
      }
    };
  }

  /** A channel connects when it is first used, but a client must be ready before. */
  private static void ready(ManagedChannel channel, Connect to)
      throws Failure, InterruptedException {
    long end = System.nanoTime() + to.timeout().toNanos();
    while (channel.getState(true) != ConnectivityState.READY) {
      if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE
          || System.nanoTime() > end) {
        channel.shutdownNow();
        throw new Failure(Kind.REFUSED, "no connection to " + to.endpoint());
      }
      Thread.sleep(1);
    }
  }

  private static Failure of(StatusRuntimeException thrown) {
    Status status = thrown.getStatus();
    return switch (status.getCode()) {
      case INVALID_ARGUMENT -> Failure.fault(status.getDescription());
      case DEADLINE_EXCEEDED -> new Failure(Kind.TIMEOUT, thrown.getMessage(), thrown);
      case UNAVAILABLE -> {
        Failure inner = Failure.of(thrown.getCause() == null ? thrown : thrown.getCause());
        boolean refused = inner.kind() == Kind.REFUSED;
        yield new Failure(refused ? Kind.REFUSED : Kind.CLOSED, thrown.getMessage(), thrown);
      }
      case RESOURCE_EXHAUSTED -> new Failure(Kind.TOO_LARGE, thrown.getMessage(), thrown);
      case CANCELLED -> new Failure(Kind.CLOSED, thrown.getMessage(), thrown);
      default -> new Failure(Kind.PROTOCOL, thrown.getMessage(), thrown);
    };
  }
}
