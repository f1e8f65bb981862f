package org.callbench.kit;

import java.net.InetAddress;
import java.time.Duration;
import org.callbench.service.SpeedService;

/** One thing under test. The load loop, the contract and the clock are the kit's. */
public interface Stack {
  /** Where a server listens. Port 0: any free one. */
  record Listen(InetAddress host, int port) {}

  /** How a client connects. */
  record Connect(String endpoint, Duration timeout) {
    /** For libraries that take the time-out so. */
    public int timeoutMillis() {
      return (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    }
  }

  /** Starts to answer calls with {@code service}, on {@code at} only. */
  Server serve(SpeedService service, Listen at) throws Exception;

  /** Makes one client, ready to call. */
  Client connect(Connect to) throws Exception;

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
    /** Each call of it is a remote call. */
    SpeedService service();

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
