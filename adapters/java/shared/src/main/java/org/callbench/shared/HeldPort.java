package org.callbench.shared;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;

/**
 * A free port, held by a socket that is bound but does not listen. Both sides say SO_REUSEADDR, so
 * that another process can listen at the port while it is still held here: between asking the
 * kernel for a free port and using it, nobody else gets it.
 */
public final class HeldPort implements AutoCloseable {
  private final Socket socket = new Socket();

  /** Takes any free port of {@code host}. */
  public HeldPort(InetAddress host) throws IOException {
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(host, 0));
  }

  /**
   * Fails where a port that was asked for is taken. An ORB says so in many ways, some of which hide
   * what it was.
   */
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
