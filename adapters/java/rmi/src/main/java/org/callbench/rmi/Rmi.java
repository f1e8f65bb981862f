package org.callbench.rmi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.NoSuchObjectException;
import java.rmi.ServerError;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.RMISocketFactory;
import java.rmi.server.UnicastRemoteObject;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Stack;
import org.callbench.service.SpeedService;

/** RMI over JRMP with a registry, both on ports of their own. */
public final class Rmi implements Stack {
  private static final String NAME = "SpeedService";

  /**
   * The time-out of the sockets that a client makes. RMI has no way to give it to one client alone:
   * a stub's own factory would be sent by the server.
   */
  private static volatile int timeoutMillis;

  /** Installs the sockets that clients get. */
  public Rmi() throws IOException {
    RMISocketFactory.setSocketFactory(new ClientSockets());
  }

  /** Sockets with a time-out. */
  private static final class ClientSockets extends RMISocketFactory {
    @Override
    public Socket createSocket(String host, int port) throws IOException {
      Socket socket = new Socket();
      socket.connect(new InetSocketAddress(host, port), timeoutMillis);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(timeoutMillis);
      return socket;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
      return new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
    }
  }

  /**
   * Listens on one address alone, and remembers the socket, so that its port is known and it can be
   * closed.
   */
  private static final class Listeners implements RMIServerSocketFactory {
    private final InetAddress host;
    private ServerSocket made;

    Listeners(InetAddress host) {
      this.host = host;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
      made = new ServerSocket(port, 0, host);
      return made;
    }

    void close() throws IOException {
      made.close();
    }
  }

  @Override
  public Server serve(SpeedService service, Listen at) throws Exception {
    System.setProperty("java.rmi.server.hostname", at.host().getHostAddress());
    Listeners forRegistry = new Listeners(at.host());
    Listeners forCalls = new Listeners(at.host());
    Registry registry = LocateRegistry.createRegistry(at.port(), null, forRegistry);
    registry.rebind(NAME, UnicastRemoteObject.exportObject(service, 0, null, forCalls));
    String endpoint =
        "rmi://" + at.host().getHostAddress() + ":" + forRegistry.made.getLocalPort() + "/" + NAME;
    // The server holds the object: an exported one that nobody refers to is collected.
    return new Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() throws IOException {
        withdraw(service);
        withdraw(registry);
        forCalls.close();
        forRegistry.close();
      }
    };
  }

  private static void withdraw(java.rmi.Remote exported) throws NoSuchObjectException {
    UnicastRemoteObject.unexportObject(exported, true);
  }

  @Override
  public Client connect(Connect to) throws Exception {
    timeoutMillis = to.timeoutMillis();
    java.net.URI place = java.net.URI.create(to.endpoint());
    Registry registry = LocateRegistry.getRegistry(place.getHost(), place.getPort());
    SpeedService stub = (SpeedService) registry.lookup(NAME);
    return new Client() {
      @Override
      public SpeedService service() {
        return stub;
      }

      @Override
      public Failure failure(Throwable thrown) {
        if (thrown instanceof ServerError && thrown.getCause() instanceof OutOfMemoryError) {
          return new Failure(
              Kind.OUT_OF_RESOURCES, "the server's Java heap is full; its log has more", thrown);
        }
        return thrown instanceof NoSuchObjectException
            ? new Failure(Kind.CLOSED, "the server has withdrawn its object", thrown)
            : Failure.of(thrown);
      }
    };
  }
}
