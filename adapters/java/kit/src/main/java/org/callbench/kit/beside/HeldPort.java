package org.callbench.kit.beside;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

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

  /** The port's number. */
  public int number() {
    return socket.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
