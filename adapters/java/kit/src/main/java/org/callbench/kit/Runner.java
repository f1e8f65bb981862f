package org.callbench.kit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.annotations.SerializedName;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * The program, {@code Runner FOLDER [CLASSES]}: contract/RUNNER.md for the stacks of that folder.
 * CLASSES are the calls of a service of the user's own.
 */
public final class Runner {
  private static final String[] FEATURES = {
    "closed", "think", "ramp-up", "open", "burn", "heap", "trace"
  };

  /** A marker for the answer of a call that the service refuses: no answer is correct. */
  private static final Object REFUSED = new Object();

  /** The time until the process ends even if something hangs. The host waits for 1.5 s. */
  private static final long GRACE_MS = 1_200;

  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final double readingNs = Clock.readingNs();
  private final List<Stack.Client> clients = new ArrayList<>();
  private final Host host = new Host(this::leave);
  private final Technologies technologies;
  private Service service;
  private Stack.Server server;

  /** The stack of the clients. */
  private Stack stack;

  private String operation;
  private final List<Object[]> arguments = new ArrayList<>();
  private final List<Object> right = new ArrayList<>();
  private long lastId;

  private Runner(Technologies technologies) throws IOException {
    this.technologies = technologies;
  }

  public static void main(String[] folders) throws Exception {
    Memory.watch();
    Path own = folders.length > 1 ? Path.of(folders[1]) : null;
    Runner runner = new Runner(new Technologies(Path.of(folders[0]), own));
    Thread sigterm =
        new Thread(
            () -> {
              runner.host.end();
              runner.leave();
            });
    Runtime.getRuntime().addShutdownHook(sigterm);
    runner.speak();
    // Not exit(): threads and shutdown hooks of libraries must not delay the end.
    Runtime.getRuntime().halt(0);
  }

  /** The host has gone: drives end, and the process exits even if something hangs. */
  private void leave() {
    stopping.set(true);
    try {
      if (!ended.await(GRACE_MS, TimeUnit.MILLISECONDS)) {
        System.err.println("callbench: a call or a server does not end; the runner does");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(ended.getCount() == 0 ? 0 : 1);
  }

  private void speak() throws InterruptedException {
    host.say("ready", 0, ready());
    boolean goesOn = true;
    while (goesOn) {
      JsonObject request = host.next();
      goesOn = request != null && answer(request);
    }
    disconnect();
    try {
      stopServing();
    } catch (Exception | LinkageError failure) {
      failure.printStackTrace();
    }
    ended.countDown();
  }

  /** Answers a request; false after `stop`. */
  private boolean answer(JsonObject request) {
    lastId = request.has("id") ? request.get("id").getAsLong() : lastId + 1;
    try {
      if (request == Host.TOO_LARGE) {
        throw Memory.failure("this side's", null);
      }
      return act(request, Host.JSON.fromJson(request, Members.class));
    } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError thrown) {
      Failure failure = Failure.of(thrown);
      if (thrown != failure || thrown.getCause() != null) {
        thrown.printStackTrace();
      }
      String message = failure.getMessage();
      host.say("error", lastId, Map.of("kind", failure.kind().contractName(), "message", message));
      return true;
    }
  }

  /** The members of all requests except drive and prepare, which have many. */
  private record Members(
      @SerializedName("do") String what,
      String stack,
      String host,
      int port,
      Service.Delays delays,
      String endpoint,
      int clients,
      long timeoutMs) {}

  private boolean act(JsonObject request, Members members) throws Exception {
    switch (String.valueOf(members.what)) {
      case "serve" -> say("serving", Map.of("endpoint", serve(members)));
      case "stop-serving" -> {
        stopServing();
        say("stopped-serving", Map.of());
      }
      case "counted" -> say("counts", counts());
      case "connect" -> say("connected", Map.of("connections", connect(members)));
      case "disconnect" -> {
        disconnect();
        say("disconnected", Map.of());
      }
      case "prepare" -> {
        prepare(request.get("call").getAsString(), request.getAsJsonArray("payloads"));
        say("prepared", Map.of());
      }
      case "call" -> say("returned", returned());
      case "drive" -> say("done", drive(Plan.of(request, readingNs)));
      case "trace" -> say("traced", Trace.played(request.getAsJsonObject("trace")));
      case "heap" -> say("heap", Map.of("used_bytes", Memory.used()));
      case "stop" -> {
        say("stopped", Map.of());
        return false;
      }
      default -> throw Failure.badRequest("there is nothing to do called " + members.what);
    }
    return true;
  }

  private void say(String is, Object members) {
    host.say(is, lastId, members);
  }

  private String serve(Members members) throws Exception {
    Stack serving = technologies.stack(members.stack);
    Service fresh = new Service(members.delays, serving.values(), host::ask, serving.own());
    InetAddress address = InetAddress.getByName(members.host);
    server = serving.serve(fresh, new Stack.Listen(address, members.port));
    service = fresh;
    return server.endpoint();
  }

  private void stopServing() throws Exception {
    Stack.Server ending = server;
    server = null;
    if (ending != null) {
      ending.close();
    }
  }

  private Map<String, Object> counts() throws Exception {
    if (Memory.ranOutAndQuiet()) {
      throw Memory.failure("the server's", null);
    }
    return Map.of("calls", service.counted(), "processor", Processor.usage());
  }

  /** Connects all clients, or none. Returns the number of open connections. */
  private int connect(Members members) throws Exception {
    disconnect();
    stack = technologies.stack(members.stack);
    Stack.Connect to = new Stack.Connect(members.endpoint, Duration.ofMillis(members.timeoutMs));
    int connections = 0;
    try {
      for (int i = 0; i < members.clients; i++) {
        Stack.Client client = stack.connect(to);
        clients.add(client);
        connections += client.connections();
      }
    } catch (Exception | LinkageError failure) {
      disconnect();
      throw failure;
    }
    return connections;
  }

  private void disconnect() {
    for (Stack.Client client : clients) {
      try {
        client.close();
      } catch (Exception | LinkageError failure) {
        System.err.println("callbench: a client does not close: " + failure);
      }
    }
    clients.clear();
    forget();
  }

  private void forget() {
    operation = null;
    arguments.clear();
    right.clear();
  }

  private void prepare(String wanted, JsonArray payloads) throws Exception {
    forget();
    Values values = stack.values();
    for (JsonElement each : payloads) {
      JsonObject payload = each.getAsJsonObject();
      arguments.add(values.arguments(wanted, payload.getAsJsonObject("arguments")));
      right.add(payload.has("fault") ? REFUSED : values.answer(wanted, payload.get("answer")));
    }
    operation = wanted;
  }

  private Map<String, Object> returned() throws Exception {
    Stack.Client client = clients.get(0);
    try {
      Object answer = client.call(operation, arguments.get(0)).make();
      return Map.of("value", stack.values().plain(answer));
    } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError thrown) {
      Failure failure = Memory.seen("the client's", client.failure(thrown));
      if (failure.kind() != Kind.FAULT) {
        throw failure;
      }
      return Map.of("fault", Map.of("message", failure.getMessage()));
    }
  }

  private Drive.Done drive(Plan plan) throws Exception {
    Drive drive = new Drive(plan, Clock.MONOTONIC, stopping);
    OwnCall own = stack.own().get(operation);
    Check check = own == null ? stack.check() : Check.of(own.check());
    for (int place = 0; place < plan.clients; place++) {
      Stack.Client client = clients.get(place);
      Call[] prepared = new Call[arguments.size()];
      for (int i = 0; i < prepared.length; i++) {
        prepared[i] = client.call(operation, arguments.get(i));
      }
      drive.loops.add(new Loop(drive, place, client, prepared, right.toArray(), check));
    }
    return drive.run(
        Processor::sharpenSleeps,
        (atNs, calls, errors) ->
            say("interval", Map.of("at_ns", atNs, "calls", calls, "errors", errors)));
  }

  private Map<String, Object> ready() {
    Map<String, Object> clock =
        Map.of(
            "name",
            "CLOCK_MONOTONIC",
            "resolution_ns",
            Clock.resolutionNs(),
            "reading_ns",
            readingNs);
    return Map.of(
        "runner",
        1,
        "language",
        "java",
        "version",
        "0.1.0",
        "runtime",
        runtime(),
        "libraries",
        technologies.libraries(),
        "clock",
        clock,
        "features",
        FEATURES,
        "stacks",
        technologies.names(),
        "unavailable",
        Map.of());
  }

  /**
   * Includes what the JVM derives from its processors: with only one, it selects another collector.
   */
  private static String runtime() {
    String collectors =
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(" + "));
    return "%s %s, %s, processors %d, heap at most %d MiB"
        .formatted(
            System.getProperty("java.vm.name"),
            System.getProperty("java.vm.version"),
            collectors,
            Runtime.getRuntime().availableProcessors(),
            Memory.MOST);
  }
}
