package org.callbench.rmi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.NoSuchObjectException;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.ServerError;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.ExportException;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.RMISocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.service.Answers;
import org.callbench.service.SpeedService;

/** RMI over JRMP with a registry, each on its own port. */
public final class Rmi implements Stack {
  private static final String NAME = "SpeedService";
  private static final Pattern ADDRESS = Pattern.compile("rmi://(.+):([0-9]{1,5})/" + NAME);
  private static final int SHOWN = 64;

  /**
   * The timeout of client sockets. RMI cannot set it for a single client: the server would send the
   * factory of a stub.
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
   * Listens on one address only, and keeps the socket, so that its port is known and it can be
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
  public Server serve(Service service, Listen at) throws Exception {
    System.setProperty("java.rmi.server.hostname", at.host().getHostAddress());
    Listeners forRegistry = new Listeners(at.host());
    Listeners forCalls = new Listeners(at.host());
    Answers exported = new Answers(service);
    Registry registry = registry(at, forRegistry);
    try {
      registry.rebind(NAME, UnicastRemoteObject.exportObject(exported, 0, null, forCalls));
    } catch (Exception | LinkageError failure) {
      withdraw(registry);
      forRegistry.close();
      throw failure;
    }
    String endpoint =
        "rmi://" + at.host().getHostAddress() + ":" + forRegistry.made.getLocalPort() + "/" + NAME;
    // The server keeps a reference to the object: otherwise, it would be collected.
    return new Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() throws IOException {
        withdraw(exported);
        withdraw(registry);
        forCalls.close();
        forRegistry.close();
      }
    };
  }

  private static Registry registry(Listen at, Listeners listeners) throws Exception {
    try {
      return LocateRegistry.createRegistry(at.port(), null, listeners);
    } catch (ExportException failure) {
      throw new Failure(
          Kind.OUT_OF_RESOURCES,
          "the registry cannot have the port "
              + at.host().getHostAddress()
              + ":"
              + at.port()
              + ": "
              + Failure.of(failure).getMessage(),
          failure);
    }
  }

  private static void withdraw(java.rmi.Remote exported) throws NoSuchObjectException {
    UnicastRemoteObject.unexportObject(exported, true);
  }

  @Override
  public Client connect(Connect to) throws Failure {
    timeoutMillis = to.timeoutMillis();
    SpeedService stub = found(to.endpoint());
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) throws Failure {
        return Call.of(stub, operation, arguments);
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

  /** The object with the name of this endpoint in the registry. */
  private static SpeedService found(String endpoint) throws Failure {
    Matcher address = ADDRESS.matcher(endpoint);
    if (!address.matches()) {
      String shown = endpoint.length() <= SHOWN ? endpoint : endpoint.substring(0, SHOWN);
      throw Failure.badRequest(
          "the endpoint " + shown + " is no address of RMI: rmi://HOST:PORT/" + NAME);
    }
    String place = address.group(1) + ":" + address.group(2);
    try {
      Registry registry =
          LocateRegistry.getRegistry(address.group(1), Integer.parseInt(address.group(2)));
      return (SpeedService) registry.lookup(NAME);
    } catch (NotBoundException unknown) {
      throw new Failure(Kind.REFUSED, "the registry at " + place + " knows no " + NAME, unknown);
    } catch (RemoteException failure) {
      Failure why = Failure.of(failure);
      throw new Failure(
          why.kind(), "the registry at " + place + " is not reached: " + why.getMessage(), failure);
    }
  }
}
