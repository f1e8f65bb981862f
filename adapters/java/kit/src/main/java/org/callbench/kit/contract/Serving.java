package org.callbench.kit.contract;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.InetAddress;
import java.util.Map;
import org.callbench.kit.Failure;
import org.callbench.kit.Memory;
import org.callbench.kit.Stack;
import org.callbench.service.Delays;
import org.callbench.service.Service;

/** The server's side of a session: what is served, and what was counted. */
final class Serving {
  private static final int MOST_MICROSECONDS = Integer.MAX_VALUE;
  private static final double MOST_BURNT_US = 1e6;
  private static final int MOST_PORT = 65_535;
  private static final String[] OPTIONS = {"delay_us", "stall_us", "stall_every_us", "burn_us"};

  private final Adapter adapter;
  private Service service;
  private Stack.Server server;

  Serving(Adapter adapter) {
    this.adapter = adapter;
  }

  /** Gives the endpoint. */
  String serve(Request request) throws Exception {
    if (server != null) {
      throw Failure.badRequest("something is served already: say stop-serving first");
    }
    Stack stack = adapter.stack(request.text("stack"));
    InetAddress host = address(request.text("host"));
    int port = (int) request.optionalWhole("port", 0, MOST_PORT, 0);
    Service fresh = new Service(delays(request.object("options")));
    server = stack.serve(fresh, new Stack.Listen(host, port));
    service = fresh;
    return server.endpoint();
  }

  /** A numeric address only: a name would be looked up. */
  private static InetAddress address(String host) throws Exception {
    if (!host.matches("[0-9.]{7,15}|[0-9a-fA-F:.%]*:[0-9a-zA-Z:.%]*")) {
      throw Failure.badRequest("host is " + host + ": it must be an IP address");
    }
    return InetAddress.getByName(host);
  }

  private static Delays delays(JsonObject options) throws Failure {
    refuseUnknown(options, OPTIONS);
    long each = nanoseconds(options, "delay_us");
    long stall = nanoseconds(options, "stall_us");
    long every = nanoseconds(options, "stall_every_us");
    if (options.has("stall_us") != options.has("stall_every_us")) {
      throw Failure.badRequest("stall_us and stall_every_us must be given together");
    }
    if (options.has("stall_us") && stall >= every) {
      throw Failure.badRequest("stall_us must be less than stall_every_us");
    }
    return new Delays(each, burning(options), stall, every);
  }

  /** May have a fraction: a share of a call that takes a microsecond is a few nanoseconds. */
  private static long burning(JsonObject options) throws Failure {
    JsonElement given = options.get("burn_us");
    if (given == null || given.isJsonNull()) {
      return 0;
    }
    if (given.isJsonPrimitive() && given.getAsJsonPrimitive().isNumber()) {
      double microseconds = given.getAsDouble();
      if (microseconds >= 0 && microseconds <= MOST_BURNT_US) {
        return (long) (microseconds * 1000);
      }
    }
    throw Failure.badRequest(
        "burn_us is " + given + ": it must be a number of microseconds from 0 to 1000000");
  }

  private static long nanoseconds(JsonObject options, String name) throws Failure {
    if (!options.has(name)) {
      return 0;
    }
    String given = options.get(name).toString();
    if (!given.matches("[0-9]{1,10}") || Long.parseLong(given) > MOST_MICROSECONDS) {
      throw Failure.badRequest(
          name + " is " + given + ": it must be a whole number of microseconds");
    }
    return Long.parseLong(given) * 1000;
  }

  static void refuseUnknown(JsonObject options, String... known) throws Failure {
    for (String name : options.keySet()) {
      if (!java.util.Arrays.asList(known).contains(name)) {
        String list =
            known.length == 0 ? "none is known here" : "known are " + String.join(", ", known);
        throw Failure.badRequest("the option " + name + " is unknown: " + list);
      }
    }
  }

  Map<String, Long> counted() throws Failure {
    if (server == null) {
      throw nothingServed();
    }
    if (Memory.ranOut()) {
      throw Memory.failure("the server's", null);
    }
    return service.counted();
  }

  void stop() throws Exception {
    if (server == null) {
      throw nothingServed();
    }
    close();
  }

  void close() throws Exception {
    if (server != null) {
      Stack.Server ending = server;
      server = null;
      ending.close();
    }
  }

  private static Failure nothingServed() {
    return Failure.badRequest("nothing is served: say serve first");
  }
}
