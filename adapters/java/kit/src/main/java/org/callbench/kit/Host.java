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
 * The connection with the host: stdin, and the descriptor in which the launcher keeps the real
 * stdout. A thread reads the lines, because answers and the end can come at any time.
 */
final class Host {
  /** Converts member names to those of the contract. */
  static final Gson JSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .serializeNulls()
          .create();

  private static final JsonObject END = new JsonObject();

  /** A marker for a request that did not fit into the heap. */
  static final JsonObject TOO_LARGE = new JsonObject();

  // Opened by its name, because Java cannot use an existing descriptor. Append mode does not
  // truncate it if it is a file.
  private final OutputStream out = new FileOutputStream("/proc/self/fd/3", true);
  private final BlockingQueue<JsonObject> requests = new LinkedBlockingQueue<>();
  private final Map<Long, CompletableFuture<JsonObject>> pending = new ConcurrentHashMap<>();
  private final AtomicLong asks = new AtomicLong();

  /** {@code atEnd} runs on the reading thread at the end of the input. */
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

  /** Wakes up a waiting reader for an end that is not the end of the input. */
  void end() {
    requests.add(END);
  }

  /** Sends an answer; {@code members} is a record or a map. */
  void say(String is, long id, Object members) {
    JsonObject message = JSON.toJsonTree(members).getAsJsonObject();
    message.addProperty("is", is);
    message.addProperty("id", id);
    write(message);
  }

  /** A single write, so that nobody sees half a line. */
  private synchronized void write(JsonObject message) {
    try {
      out.write((message + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    } catch (IOException gone) {
      // The end of stdin follows.
      System.err.println("callbench: the host is gone: " + gone);
    }
  }

  /** Requests an answer of the service from the host, and waits for it. */
  JsonObject ask(String operation, JsonObject arguments) throws Exception {
    long number = asks.incrementAndGet();
    CompletableFuture<JsonObject> answer = new CompletableFuture<>();
    pending.put(number, answer);
    say("ask", number, Map.of("ask", number, "call", operation, "arguments", arguments));
    try {
      return answer.get();
    } catch (ExecutionException full) {
      throw new OutOfMemoryError(full.getMessage());
    } finally {
      pending.remove(number);
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

  /** Reads a line; it is empty if it did not fit into the heap. */
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
      // The lost line may be an answer that is awaited. The host has only one request in
      // progress.
      Memory.note();
      List<CompletableFuture<JsonObject>> waiting = List.copyOf(pending.values());
      OutOfMemoryError full = new OutOfMemoryError("a line of the host does not fit");
      waiting.forEach(answer -> answer.completeExceptionally(full));
      if (waiting.isEmpty()) {
        requests.add(TOO_LARGE);
      }
    } else if (!read.isJsonObject()) {
      requests.add(new JsonObject());
    } else if (read.getAsJsonObject().has("ask")) {
      JsonObject message = read.getAsJsonObject();
      CompletableFuture<JsonObject> waiting = pending.get(message.get("ask").getAsLong());
      if (waiting != null) {
        waiting.complete(message);
      }
    } else {
      requests.add(read.getAsJsonObject());
    }
  }
}
