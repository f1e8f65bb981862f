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

/** The program, {@code Runner FOLDER}: contract/RUNNER.md for the stacks of that folder. */
public final class Runner {
  private static final String[] FEATURES = {
    "closed", "think", "ramp-up", "open", "burn", "heap", "trace"
  };

  /** Stands for the answer of a call that the service refuses: none is right. */
  private static final Object REFUSED = new Object();

  /** Whoever hangs is left behind after so long: the host waits for 1.5 s. */
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

  public static void main(String[] folder) throws Exception {
    Memory.watch();
    Runner runner = new Runner(new Technologies(Path.of(folder[0])));
    Thread sigterm =
        new Thread(
            () -> {
              runner.host.end();
              runner.leave();
            });
    Runtime.getRuntime().addShutdownHook(sigterm);
    runner.speak();
    // Not exit: a library's threads and hooks have no say in when the process ends.
    Runtime.getRuntime().halt(0);
  }

  /** There is nobody any more: drives end, and what hangs is left behind. */
  private void leave() {
    stopping.set(true);
    try {
      if (!ended.await(GRACE_MS, TimeUnit.MILLISECONDS)) {
        System.err.println("callbench: a call or a server does not end; the runner does");
      }
    } catch (InterruptedException told) {
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
      return act(request, Host.JSON.fromJson(request, Asked.class));
    } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError thrown) {
      Failure failure = Failure.of(thrown);
      if (thrown != failure || thrown.getCause() != null) {
        thrown.printStackTrace();
      }
      String message = failure.getMessage();
      host.say("error", lastId, Map.of("kind", failure.kind().said(), "message", message));
      return true;
    }
  }

  /** The members of all requests but drive and prepare, which have many. */
  private record Asked(
      @SerializedName("do") String what,
      String stack,
      String host,
      int port,
      Service.Delays delays,
      String endpoint,
      int clients,
      long timeoutMs) {}

  private boolean act(JsonObject request, Asked asked) throws Exception {
    switch (String.valueOf(asked.what)) {
      case "serve" -> say("serving", Map.of("endpoint", serve(asked)));
      case "stop-serving" -> {
        stopServing();
        say("stopped-serving", Map.of());
      }
      case "counted" -> say("counts", counts());
      case "connect" -> say("connected", Map.of("connections", connect(asked)));
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
      default -> throw Failure.badRequest("there is nothing to do called " + asked.what);
    }
    return true;
  }

  private void say(String is, Object members) {
    host.say(is, lastId, members);
  }

  private String serve(Asked asked) throws Exception {
    Stack serving = technologies.stack(asked.stack);
    Service fresh = new Service(asked.delays, serving.values(), host::ask);
    InetAddress address = InetAddress.getByName(asked.host);
    server = serving.serve(fresh, new Stack.Listen(address, asked.port));
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

  private Map<String, Object> counts() throws Failure {
    if (Memory.ranOut()) {
      throw Memory.failure("the server's", null);
    }
    return Map.of("calls", service.counted(), "processor", Processor.usage());
  }

  /** Makes all the clients, or none; gives the connections open. */
  private int connect(Asked asked) throws Exception {
    disconnect();
    stack = technologies.stack(asked.stack);
    Stack.Connect to = new Stack.Connect(asked.endpoint, Duration.ofMillis(asked.timeoutMs));
    int connections = 0;
    try {
      for (int i = 0; i < asked.clients; i++) {
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
    for (int place = 0; place < plan.clients; place++) {
      Stack.Client client = clients.get(place);
      Call[] prepared = new Call[arguments.size()];
      for (int i = 0; i < prepared.length; i++) {
        prepared[i] = client.call(operation, arguments.get(i));
      }
      drive.loops.add(new Loop(drive, place, client, prepared, right.toArray(), stack.check()));
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

  /** With what the JVM made of the processors it may use: on one it picks another collector. */
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
