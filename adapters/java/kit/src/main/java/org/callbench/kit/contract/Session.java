package org.callbench.kit.contract;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.callbench.kit.Arguments;
import org.callbench.kit.Call;
import org.callbench.kit.Canonical;
import org.callbench.kit.Failure;
import org.callbench.kit.Heap;
import org.callbench.kit.Kind;
import org.callbench.kit.Processor;

/** One conversation with the core: which request does what. */
public final class Session {
  private final OutputStream out;
  private final Adapter adapter;
  private final AtomicBoolean stopping;
  private final Serving serving;
  private final Clients clients;
  private long lastId;

  /** Speaks for an adapter; {@code stopping} raised from outside ends drives early. */
  public Session(Adapter adapter, OutputStream out, AtomicBoolean stopping) {
    this.adapter = adapter;
    this.out = out;
    this.stopping = stopping;
    serving = new Serving(adapter);
    clients = new Clients(adapter);
  }

  /** The clock reading that `auto` timing is decided by is the one that hello says. */
  public void greet() throws IOException {
    say(adapter.hello());
  }

  /** Answers one line; false after `stop`. Fails where the core cannot be written to. */
  public boolean answer(String line) throws IOException {
    JsonObject members = Request.parsed(line);
    long id = Request.id(members);
    // Ids rise by one, so that a line without a readable id still has one.
    lastId = id == 0 ? lastId + 1 : id;
    boolean stops = false;
    JsonObject said;
    try {
      if (id == 0) {
        throw Failure.badRequest("the request has no id: it must be a whole number from 1 on");
      }
      Request request = Request.of(members);
      stops = request.what().equals("stop");
      said = act(lastId, request);
    } catch (Exception | LinkageError | OutOfMemoryError | StackOverflowError thrown) {
      said = error(Failure.of(thrown));
      log(thrown);
    }
    said.addProperty("id", lastId);
    say(said);
    return !stops;
  }

  /** Answers a line that was too long to keep. */
  public void refuseLongLine() throws IOException {
    JsonObject said =
        error(Failure.badRequest("the line is longer than " + Lines.LONGEST + " bytes"));
    said.addProperty("id", ++lastId);
    say(said);
  }

  /** Closes what is open. */
  public void end() {
    clients.close();
    try {
      serving.close();
    } catch (Exception | LinkageError failure) {
      log(failure);
    }
  }

  private JsonObject act(long id, Request request) throws Exception {
    return switch (request.what()) {
      case "serve" -> {
        JsonObject said = is("serving");
        said.addProperty("endpoint", serving.serve(request));
        yield said;
      }
      case "stop-serving" -> {
        serving.stop();
        yield is("stopped-serving");
      }
      case "connect" -> {
        JsonObject said = is("connected");
        said.addProperty("connections", clients.connect(request));
        yield said;
      }
      case "call" -> returned(request);
      case "drive" ->
          new Driving(clients, adapter.readingNs(), stopping)
              .drive(request, interval -> tell(id, interval));
      case "counted" -> counts();
      case "heap" -> {
        JsonObject said = is("heap");
        said.addProperty("used_bytes", Heap.usedBytes());
        yield said;
      }
      case "disconnect" -> {
        clients.close();
        yield is("disconnected");
      }
      case "stop" -> {
        end();
        yield is("stopped");
      }
      case "serve-all", "channel", "codec" ->
          throw new Failure(
              Kind.UNSUPPORTED,
              "the adapter java has no " + request.what() + ": hello lists its features");
      default -> throw Failure.badRequest("there is nothing to do called " + request.what());
    };
  }

  private JsonObject returned(Request request) throws Failure {
    Call call = Arguments.call(request.text("call"), request.object("arguments"));
    JsonObject said = is("returned");
    try {
      Object value = clients.call(call);
      said.add("value", new Text(Canonical.digestIfLarge(Canonical.text(value))).element());
    } catch (Failure failure) {
      if (failure.kind() != Kind.FAULT) {
        throw failure;
      }
      JsonObject fault = new JsonObject();
      fault.addProperty("message", failure.getMessage());
      said.add("fault", fault);
    }
    return said;
  }

  /** A canonical text as a part of a line. */
  private record Text(String text) {
    JsonElement element() {
      return com.google.gson.JsonParser.parseString(text);
    }
  }

  private JsonObject counts() throws Failure {
    JsonObject calls = new JsonObject();
    for (Map.Entry<String, Long> each : serving.counted().entrySet()) {
      calls.addProperty(each.getKey(), each.getValue());
    }
    JsonObject said = is("counts");
    said.add("calls", calls);
    said.add("processor", Processor.usage().json());
    return said;
  }

  static JsonObject is(String what) {
    JsonObject said = new JsonObject();
    said.addProperty("is", what);
    return said;
  }

  private static JsonObject error(Failure failure) {
    JsonObject said = is("error");
    said.addProperty("kind", failure.kind().said());
    String message = failure.getMessage();
    said.addProperty(
        "message", message == null || message.isEmpty() ? failure.kind().said() : message);
    return said;
  }

  /** The whole story of what a library threw, for people; the core gets one sentence. */
  private static void log(Throwable thrown) {
    if (!(thrown instanceof Failure failure) || failure.getCause() != null) {
      thrown.printStackTrace();
    }
  }

  private boolean tell(long id, JsonObject interval) {
    interval.addProperty("id", id);
    try {
      say(interval);
      return true;
    } catch (IOException deaf) {
      return false;
    }
  }

  /** One write, so that a line is never seen half. */
  private void say(JsonObject said) throws IOException {
    out.write((said + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
