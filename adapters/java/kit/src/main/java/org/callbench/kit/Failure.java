package org.callbench.kit;

import java.io.EOFException;
import java.io.InterruptedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeoutException;
import org.callbench.service.ServiceFault;

/** An error: its kind, and one sentence that a person can act on. */
public final class Failure extends Exception {
  private static final long serialVersionUID = 1L;

  /** Libraries wrap exceptions in a few layers. A longer chain is a cycle. */
  private static final int DEEPEST = 20;

  private final Kind kind;

  public Failure(Kind kind, String message) {
    this(kind, message, null);
  }

  public Failure(Kind kind, String message, Throwable cause) {
    super(message == null ? kind.contractName() : message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /** An error that the server reports. */
  public static Failure fault(String message) {
    return new Failure(Kind.FAULT, message);
  }

  public static Failure badRequest(String message) {
    return new Failure(Kind.BAD_REQUEST, message);
  }

  /**
   * Converts an exception of a library: by its innermost cause that has a kind. Otherwise it is a
   * protocol error or an internal one.
   */
  public static Failure of(Throwable thrown) {
    Throwable each = thrown;
    for (int depth = 0; each != null && depth < DEEPEST; depth++) {
      if (each instanceof Failure failure) {
        return failure;
      }
      if (each instanceof OutOfMemoryError) {
        return Memory.failure("this side's", thrown);
      }
      Kind kind = kindOf(each);
      if (kind != null) {
        return new Failure(kind, sentence(each), thrown);
      }
      each = each.getCause();
    }
    boolean ours = thrown instanceof RuntimeException || thrown instanceof Error;
    return new Failure(ours ? Kind.INTERNAL : Kind.PROTOCOL, sentence(thrown), thrown);
  }

  private static Kind kindOf(Throwable thrown) {
    if (thrown instanceof ServiceFault) {
      return Kind.FAULT;
    }
    if (thrown instanceof SocketTimeoutException
        || thrown instanceof HttpTimeoutException
        || thrown instanceof TimeoutException
        || thrown instanceof InterruptedIOException) {
      return Kind.TIMEOUT;
    }
    if (thrown instanceof ConnectException || thrown instanceof NoRouteToHostException) {
      return Kind.REFUSED;
    }
    if (thrown instanceof BindException) {
      return Kind.OUT_OF_RESOURCES;
    }
    if (thrown instanceof ClassNotFoundException || thrown instanceof NoClassDefFoundError) {
      return Kind.PROTOCOL;
    }
    if (thrown instanceof SocketException) {
      String message = String.valueOf(thrown.getMessage());
      boolean exhausted =
          message.contains("Too many open files") || message.contains("Cannot assign requested");
      return exhausted ? Kind.OUT_OF_RESOURCES : Kind.CLOSED;
    }
    if (thrown instanceof EOFException || thrown instanceof ClosedChannelException) {
      return Kind.CLOSED;
    }
    return null;
  }

  private static String sentence(Throwable thrown) {
    if (thrown instanceof ServiceFault) {
      return thrown.getMessage();
    }
    String message = oneLine(thrown.getMessage());
    if (thrown instanceof ClassNotFoundException || thrown instanceof NoClassDefFoundError) {
      return "one side has no class " + message + ", which the other sends";
    }
    String name = thrown.getClass().getSimpleName();
    return message == null || message.isEmpty() ? name : name + ": " + message;
  }

  /** RMI's messages contain those of their causes, one per line. */
  private static String oneLine(String message) {
    return message == null ? null : message.replaceAll("\\s*\\R\\s*", " ").trim();
  }
}
