package org.callbench.shared;

import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;

/**
 * The naming service of one server: a program of the library in its own JVM, on a free port of the
 * server's host. It ends with the server.
 */
public final class NamingJvm implements AutoCloseable {
  private static final String SCHEME = "corbaname::";
  private static final String NAME = "SpeedService";
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(45);
  private static final long PAUSE_MS = 20;

  private final OtherJvm jvm;
  private final HeldPort port;
  private final String place;

  /** Starts the program, which may not answer immediately. */
  @FunctionalInterface
  public interface Starting {
    OtherJvm at(String host, int port) throws IOException;
  }

  /** Registers a name. It may throw any exception if the naming service does not answer. */
  @FunctionalInterface
  public interface Entering {
    void at(String place) throws Exception;
  }

  public NamingJvm(InetAddress host, Starting starting) throws IOException {
    String address = host.getHostAddress();
    port = new HeldPort(host);
    place = (address.contains(":") ? "[" + address + "]" : address) + ":" + port.number();
    try {
      jvm = starting.at(address, port.number());
    } catch (IOException failure) {
      port.close();
      throw failure;
    }
  }

  /** Registers the object's name as soon as the naming service answers. */
  public void enter(Entering entering) throws Exception {
    long until = System.nanoTime() + PATIENCE_NS;
    for (; ; ) {
      try {
        entering.at(place);
        port.close();
        return;
      } catch (Exception notYet) {
        if (!jvm.runs()) {
          throw new Failure(
              Kind.OUT_OF_RESOURCES,
              "the naming service at " + place + " ended by itself when it was started");
        }
        if (System.nanoTime() > until) {
          throw notYet;
        }
        Thread.sleep(PAUSE_MS);
      }
    }
  }

  /** What a client is told: the address of the name, as CORBA writes it. */
  public String endpoint() {
    return SCHEME + place + "#" + NAME;
  }

  /** HOST:PORT of the naming service in an endpoint. */
  public static String place(String endpoint) throws Failure {
    if (!endpoint.startsWith(SCHEME) || !endpoint.endsWith("#" + NAME)) {
      String shown = endpoint.length() <= 64 ? endpoint : endpoint.substring(0, 64);
      throw Failure.badRequest(
          "the endpoint " + shown + " is no address of a name: corbaname::HOST:PORT#" + NAME);
    }
    return endpoint.substring(SCHEME.length(), endpoint.length() - NAME.length() - 1);
  }

  @Override
  public void close() throws IOException {
    port.close();
    jvm.close();
  }
}
