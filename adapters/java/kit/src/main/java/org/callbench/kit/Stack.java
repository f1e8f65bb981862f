package org.callbench.kit;

import java.net.InetAddress;
import java.time.Duration;
import org.callbench.service.SpeedService;

/** One thing under test. The load loop, the protocol of the runner and the clock are the kit's. */
public interface Stack {
  /** Where a server listens. Port 0: any free one. */
  record Listen(InetAddress host, int port) {
    /** An address with a port, as URLs write it. */
    public String at(int number) {
      String address = host.getHostAddress();
      return (address.contains(":") ? "[" + address + "]" : address) + ":" + number;
    }
  }

  /** How a client connects. */
  record Connect(String endpoint, Duration timeout) {
    /** For libraries that take the time-out so. */
    public int timeoutMillis() {
      return (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    }
  }

  /** Starts to answer calls with {@code service}, on {@code at} only. */
  Server serve(Service service, Listen at) throws Exception;

  /** Makes one client, ready to call. */
  Client connect(Connect to) throws Exception;

  /** The types that a user of the library holds: by default those of SpeedService. */
  default Values values() {
    return new Values(SpeedService.class);
  }

  /** How answers in those types are checked. */
  default Check check() {
    return new Check();
  }

  /** A running server. */
  interface Server {
    /** What connect is given, opaque to the core. */
    String endpoint();

    /** Ends listeners, connections, threads, processes. */
    void close() throws Exception;
  }

  /** One client, used by one thread at a time. */
  @FunctionalInterface
  interface Client {
    /** Prepares a remote call; the arguments are in the library's types, and of many clients. */
    Call call(String operation, Object[] arguments) throws Exception;

    /** A client of a library that makes an object with the service's own operations. */
    static Client of(SpeedService service) {
      return (operation, arguments) -> Call.of(service, operation, arguments);
    }

    /** Connections held open between calls. */
    default int connections() {
      return 1;
    }

    /** What a call's exception means. */
    default Failure failure(Throwable thrown) {
      return Failure.of(thrown);
    }

    /** Gives up its connection. */
    default void close() throws Exception {}
  }
}
