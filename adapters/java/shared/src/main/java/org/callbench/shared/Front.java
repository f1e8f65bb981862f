package org.callbench.shared;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.callbench.kit.Memory;
import org.callbench.kit.Stack;

/**
 * The JDK's HTTP server, for all technologies without their own server. It uses a thread per
 * request.
 */
public final class Front implements Stack.Server {
  private static final int MANY = 500;

  private final HttpServer server;
  private final ExecutorService threads;
  private final String endpoint;

  /** Creates the body of an answer from a request. */
  @FunctionalInterface
  public interface Answering {
    /** The answer to send. */
    Reply answer(HttpExchange exchange) throws Exception;
  }

  /**
   * An answer.
   *
   * @param status of HTTP
   */
  public record Reply(int status, String contentType, byte[] body) {}

  /** Answers at this path. */
  public Front(Stack.Listen at, String path, Answering answering) throws IOException {
    this(at, path, asHandler(answering));
  }

  /** Lets a library's own handler answer at this path. */
  public Front(Stack.Listen at, String path, HttpHandler handler) throws IOException {
    server = HttpServer.create(new InetSocketAddress(at.host(), at.port()), MANY);
    ClassLoader ours = Thread.currentThread().getContextClassLoader();
    threads =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "server");
              thread.setDaemon(true);
              thread.setContextClassLoader(ours);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext(path, handler);
    server.start();
    String host = at.host().getHostAddress();
    String shown = host.contains(":") ? "[" + host + "]" : host;
    endpoint = "http://" + shown + ":" + server.getAddress().getPort() + path;
  }

  /**
   * The body of a request, buffered as in a servlet container. The JDK's own stream takes a lock
   * for every byte, and libraries made for containers read byte by byte.
   */
  public static InputStream body(HttpExchange exchange) {
    return new BufferedInputStream(exchange.getRequestBody());
  }

  private static HttpHandler asHandler(Answering answering) {
    return exchange -> {
      try (exchange) {
        Reply reply = answering.answer(exchange);
        exchange.getResponseHeaders().set("Content-Type", reply.contentType);
        exchange.sendResponseHeaders(reply.status, reply.body.length == 0 ? -1 : reply.body.length);
        if (reply.body.length > 0) {
          exchange.getResponseBody().write(reply.body);
        }
      } catch (IOException gone) {
        throw gone;
      } catch (OutOfMemoryError full) {
        Memory.note();
        throw new IOException(full);
      } catch (Exception | LinkageError failure) {
        failure.printStackTrace();
        throw new IOException(failure);
      }
    };
  }

  @Override
  public String endpoint() {
    return endpoint;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
