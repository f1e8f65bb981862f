package org.callbench.kit.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Memory;
import org.callbench.kit.Stack;

/** The client's side of a session: connections and single calls. */
final class Clients {
  private static final int MOST = 65_536;
  private static final long LONGEST_TIMEOUT_MS = Integer.MAX_VALUE;

  private final Adapter adapter;
  private final List<Stack.Client> connected = new ArrayList<>();

  Clients(Adapter adapter) {
    this.adapter = adapter;
  }

  /**
   * Makes all the clients and gives the connections open; where one cannot be had, the others are
   * closed again.
   */
  int connect(Request request) throws Exception {
    close();
    Stack stack = adapter.stack(request.text("stack"));
    int count = (int) request.whole("clients", 1, MOST);
    Duration timeout = Duration.ofMillis(request.whole("timeout_ms", 1, LONGEST_TIMEOUT_MS));
    Serving.refuseUnknown(request.object("options"));
    Stack.Connect to = new Stack.Connect(request.text("endpoint"), timeout);
    int connections = 0;
    try {
      for (int i = 0; i < count; i++) {
        Stack.Client client = stack.connect(to);
        connected.add(client);
        connections += client.connections();
      }
    } catch (Exception | LinkageError failure) {
      close();
      throw failure;
    }
    return connections;
  }

  /** Makes one call with the first client. */
  Object call(Call call) throws Failure {
    Stack.Client client = some(1).get(0);
    try {
      return call.making().on(client.service());
    } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError thrown) {
      Failure failure = client.failure(thrown);
      if (Memory.ranOut() && failure.kind() != Kind.OUT_OF_RESOURCES) {
        // A thread of the library's own met it, and the call waited for that thread.
        throw Memory.failure("the client's", failure);
      }
      throw failure;
    }
  }

  int count() throws Failure {
    return some(1) == null ? 0 : connected.size();
  }

  /** The first so many. */
  List<Stack.Client> some(int count) throws Failure {
    if (connected.isEmpty()) {
      throw Failure.badRequest("no client is connected: say connect first");
    }
    return connected.subList(0, count);
  }

  void close() {
    for (Stack.Client client : connected) {
      try {
        client.close();
      } catch (Exception | LinkageError failure) {
        System.err.println("callbench: a client does not close: " + failure);
      }
    }
    connected.clear();
  }
}
