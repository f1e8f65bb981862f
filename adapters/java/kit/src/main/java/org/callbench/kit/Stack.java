package org.callbench.kit;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import org.callbench.service.SpeedService;

/** One thing under test. The kit has the load loop, the runner protocol and the clock. */
public interface Stack {
  /** Where a server listens. Port 0: any free port. */
  record Listen(InetAddress host, int port) {
    /** An address with a port, as URLs write it. */
    public String at(int number) {
      String address = host.getHostAddress();
      return (address.contains(":") ? "[" + address + "]" : address) + ":" + number;
    }
  }

  /** How a client connects. */
  record Connect(String endpoint, Duration timeout) {
    /** For libraries that need the timeout in milliseconds. */
    public int timeoutMillis() {
      return (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    }
  }

  /** Starts to answer calls with {@code service}, only at {@code at}. */
  Server serve(Service service, Listen at) throws Exception;

  /** Creates a client that is ready to call. */
  Client connect(Connect to) throws Exception;

  /** The types of the library's users: by default those of SpeedService. */
  default Values values() {
    return new Values(SpeedService.class);
  }

  /** The calls of a service of the user's own in these types, if it carries them. */
  default Map<String, OwnCall> own() {
    return Map.of();
  }

  /** The check of answers in these types. */
  default Check check() {
    return new Check();
  }

  /** A running server. */
  interface Server {
    /** The address for connect. The core does not interpret it. */
    String endpoint();

    /** Ends listeners, connections, threads, processes. */
    void close() throws Exception;
  }

  /** A client. Only one thread uses it at a time. */
  @FunctionalInterface
  interface Client {
    /**
     * Prepares a remote call. The arguments have the library's types; several clients may share
     * them.
     */
    Call call(String operation, Object[] arguments) throws Exception;

    /** A client of a library that creates an object with the operations of the service. */
    static Client of(SpeedService service) {
      return (operation, arguments) -> Call.of(service, operation, arguments);
    }

    /** The connections that stay open between calls. */
    default int connections() {
      return 1;
    }

    /** Converts an exception of a call to a failure. */
    default Failure failure(Throwable thrown) {
      return Failure.of(thrown);
    }

    /** Closes its connection. */
    default void close() throws Exception {}
  }
}
