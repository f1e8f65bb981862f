package org.callbench.shared;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;

/**
 * A free port, reserved by a socket that is bound but does not listen. Both sides set SO_REUSEADDR,
 * so that another process can listen on the port while it is reserved here. No other process can
 * take it in between.
 */
public final class HeldPort implements AutoCloseable {
  private final Socket socket = new Socket();

  /** Reserves any free port of {@code host}. */
  public HeldPort(InetAddress host) throws IOException {
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(host, 0));
  }

  /** Fails if the requested port is in use. The error messages of ORBs often hide this cause. */
  public static void expectFree(InetAddress host, int port) throws Failure {
    try (ServerSocket socket = new ServerSocket(port, 1, host)) {
      assert socket.isBound();
    } catch (IOException taken) {
      throw new Failure(
          Kind.OUT_OF_RESOURCES,
          "the port "
              + host.getHostAddress()
              + ":"
              + port
              + " cannot be had: "
              + taken.getMessage(),
          taken);
    }
  }

  /** The port's number. */
  public int number() {
    return socket.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
