package org.callbench.kit;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The host at the other end of stdin, and of the descriptor that the launcher has kept the real
 * stdout in. Lines are read on a thread of its own: an answer can come at any time, and so can the
 * end.
 */
final class Host {
  /** Names as the contract writes them. */
  static final Gson JSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .serializeNulls()
          .create();

  private static final JsonObject END = new JsonObject();

  /** Stands for a request that the heap had no room for. */
  static final JsonObject TOO_LARGE = new JsonObject();

  // Opened anew by its name: Java has no way to take over a descriptor. Appending cuts nothing
  // where it is a file.
  private final OutputStream out = new FileOutputStream("/proc/self/fd/3", true);
  private final BlockingQueue<JsonObject> requests = new LinkedBlockingQueue<>();
  private final Map<Long, CompletableFuture<JsonObject>> asked = new ConcurrentHashMap<>();
  private final AtomicLong asks = new AtomicLong();

  /** {@code atEnd} is done on the reading thread when there is nothing more to come. */
  Host(Runnable atEnd) throws IOException {
    Thread reader =
        new Thread(
            () -> {
              read();
              end();
              atEnd.run();
            },
            "lines");
    reader.setDaemon(true);
    reader.start();
  }

  /** The next request; null at the end. */
  JsonObject next() throws InterruptedException {
    JsonObject request = requests.take();
    return request == END ? null : request;
  }

  /** Lets the one who waits for a request see an end that is not the input's. */
  void end() {
    requests.add(END);
  }

  /** Says what answers a request, or belongs to it: {@code members} is a record or a map. */
  void say(String is, long id, Object members) {
    JsonObject said = JSON.toJsonTree(members).getAsJsonObject();
    said.addProperty("is", is);
    said.addProperty("id", id);
    write(said);
  }

  /** One write, so that a line is never seen half. */
  private synchronized void write(JsonObject said) {
    try {
      out.write((said + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException gone) {
      // The end of stdin follows.
      System.err.println("callbench: the host is gone: " + gone);
    }
  }

  /** Asks for an answer of the service, and waits for it. */
  JsonObject ask(String operation, JsonObject arguments) throws Exception {
    long number = asks.incrementAndGet();
    CompletableFuture<JsonObject> answer = new CompletableFuture<>();
    asked.put(number, answer);
    say("ask", number, Map.of("ask", number, "call", operation, "arguments", arguments));
    try {
      return answer.get();
    } catch (ExecutionException full) {
      throw new OutOfMemoryError(full.getMessage());
    } finally {
      asked.remove(number);
    }
  }

  private void read() {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
    try {
      for (String line = line(lines); line != null; line = line(lines)) {
        take(line);
      }
    } catch (IOException gone) {
      System.err.println("callbench: the host is gone: " + gone);
    }
  }

  /** A line; an empty one where the heap has no room for it. */
  private static String line(BufferedReader lines) throws IOException {
    try {
      return lines.readLine();
    } catch (OutOfMemoryError full) {
      for (int each = 0; each >= 0 && each != '\n'; each = lines.read()) {
        continue;
      }
      return "";
    }
  }

  private void take(String line) {
    JsonElement read;
    try {
      read = line.isEmpty() ? null : JsonParser.parseString(line);
    } catch (OutOfMemoryError full) {
      read = null;
    } catch (JsonParseException | StackOverflowError none) {
      read = new JsonObject();
    }
    if (read == null) {
      // It was an answer where one is waited for: the host has one request under way at a time.
      Memory.note();
      List<CompletableFuture<JsonObject>> waiting = List.copyOf(asked.values());
      OutOfMemoryError full = new OutOfMemoryError("a line of the host does not fit");
      waiting.forEach(answer -> answer.completeExceptionally(full));
      if (waiting.isEmpty()) {
        requests.add(TOO_LARGE);
      }
    } else if (!read.isJsonObject()) {
      requests.add(new JsonObject());
    } else if (read.getAsJsonObject().has("ask")) {
      JsonObject said = read.getAsJsonObject();
      CompletableFuture<JsonObject> waiting = asked.get(said.get("ask").getAsLong());
      if (waiting != null) {
        waiting.complete(said);
      }
    } else {
      requests.add(read.getAsJsonObject());
    }
  }
}
