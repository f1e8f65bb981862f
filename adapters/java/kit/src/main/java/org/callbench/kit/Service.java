package org.callbench.kit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.callbench.service.ServiceFault;

/**
 * The service behind every server. It counts calls, adds requested delays, and looks up answers,
 * which it keeps in the library's own types. It generates no answers. Many threads use it at once.
 */
public final class Service {
  private static final int MOST_HELD = 256;

  /** Those of a service of the user's own. A client holds all of its pairs too. */
  private static final int MOST_OWN = 1 << 16;

  private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
  private final Map<Key, Object> cached = new ConcurrentHashMap<>();
  private final Queue<Key> order = new ConcurrentLinkedQueue<>();
  private final long since = System.nanoTime();
  private final Delays delays;
  private final Values values;
  private final AnswerSource asking;
  private final Map<String, OwnCall> own;
  private final int most;

  /** An operation with its arguments. */
  private record Key(String operation, Object first, Object second) {}

  /** An error that the service reports. It is kept as well. */
  private record Refusal(String sentence) {}

  /** Requests an answer from the host: an object with the member value or fault. */
  @FunctionalInterface
  public interface AnswerSource {
    JsonObject ask(String operation, JsonObject arguments) throws Exception;
  }

  /**
   * The requested delays: each call waits for delayUs. Then it waits for the end of the stall at
   * the end of every {@code stallEveryUs}. Then it is busy for burnUs.
   */
  record Delays(double delayUs, double stallUs, double stallEveryUs, double burnUs) {
    void pass(long since) {
      sleep(nanoseconds(delayUs));
      if (stallUs > 0) {
        long every = nanoseconds(stallEveryUs);
        long left = every - (System.nanoTime() - since) % every;
        sleep(left <= nanoseconds(stallUs) ? left : 0);
      }
      if (burnUs > 0) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanoseconds(burnUs)) {
          Thread.onSpinWait();
        }
      }
    }

    private static long nanoseconds(double microseconds) {
      return (long) (microseconds * 1000);
    }

    private static void sleep(long length) {
      long until = length > 0 ? System.nanoTime() + length : 0;
      for (long left = length; left > 0; left = until - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }
  }

  Service(Delays delays, Values values, AnswerSource asking, Map<String, OwnCall> own) {
    this.delays = delays;
    this.values = values;
    this.asking = asking;
    this.own = own;
    most = own.isEmpty() ? MOST_HELD : MOST_OWN;
  }

  /** The answered calls since the last request for counts, including faults. */
  Map<String, Long> counted() {
    Map<String, Long> counted = new TreeMap<>();
    counts.forEach((call, count) -> counted.put(call, count.getAndSet(0)));
    counted.values().removeIf(count -> count == 0);
    return counted;
  }

  /** The call is counted first, so that no client sees an answer that is not counted yet. */
  public void begin(String call) {
    AtomicLong count = counts.get(call);
    if (count == null) {
      count = counts.computeIfAbsent(call, first -> new AtomicLong());
    }
    count.getAndIncrement();
    delays.pass(since);
  }

  /** Any operation by its name, for libraries that find operations this way. */
  public Object answer(String operation, Object... arguments) throws Exception {
    OwnCall call = own.get(operation);
    if (call != null) {
      int mark = call.mark().applyAsInt(arguments[0]);
      return cached(operation, new OwnCall.Request(mark, arguments[0]), null);
    }
    switch (operation) {
      case "Empty" -> begin(operation);
      case "Sum" -> {
        begin(operation);
        return (Integer) arguments[0] + (Integer) arguments[1];
      }
      case "Hello" -> {
        begin(operation);
        return "Hello World";
      }
      case "EchoStructure", "EchoString" -> {
        begin(operation);
        return arguments[0];
      }
      case "GetPersons", "FindItems" -> {
        return cached(operation, arguments[0], null);
      }
      case "GetBinaryData" -> {
        return cached(operation, arguments[0], arguments[1]);
      }
      default -> {
        if (!operation.startsWith("Send")) {
          throw new Failure(Kind.PROTOCOL, "the service has no operation " + operation);
        }
        begin("Send");
      }
    }
    return null;
  }

  /** The answer for these arguments. It is requested from the host at the first use. */
  public Object cached(String operation, Object first, Object second) throws ServiceFault {
    begin(operation);
    Key key = new Key(operation, first, second);
    Object answer = cached.get(key);
    if (answer == null) {
      answer = cached.computeIfAbsent(key, this::ask);
      order.add(key);
      if (cached.size() > most) {
        cached.remove(order.remove());
      }
    }
    if (answer instanceof Refusal refusal) {
      throw new ServiceFault(refusal.sentence);
    }
    return answer;
  }

  private Object ask(Key key) {
    try {
      JsonObject arguments = new JsonObject();
      boolean data = key.second != null;
      if (key.first instanceof OwnCall.Request request) {
        arguments.add(OwnCall.PARAMETER, values.plain(request.value()));
      } else {
        arguments.add(data ? "size" : "n", values.plain(key.first));
      }
      if (data) {
        arguments.add("fill", values.plain(key.second));
      }
      JsonObject said = asking.ask(key.operation, arguments);
      JsonElement fault = said.get("fault");
      return fault == null || fault.isJsonNull()
          ? values.answer(key.operation, said.get("value"))
          : new Refusal(fault.getAsString());
    } catch (Exception failure) {
      throw new IllegalStateException(failure.getMessage(), failure);
    }
  }
}
