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
 * What stands behind every server: counts calls, waits where it is told to, and looks up answers,
 * which it holds in the library's own types. It generates nothing. Used by many threads at once.
 */
public final class Service {
  private static final int MOST_HELD = 256;

  private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();
  private final Map<Asked, Object> held = new ConcurrentHashMap<>();
  private final Queue<Asked> order = new ConcurrentLinkedQueue<>();
  private final long since = System.nanoTime();
  private final Delays delays;
  private final Values values;
  private final Asking asking;

  /** An operation with its arguments. */
  private record Asked(String operation, Object first, Object second) {}

  /** The service's own no, which is held as well. */
  private record Refusal(String sentence) {}

  /** Asks the host for an answer: an object with the member value or fault. */
  @FunctionalInterface
  public interface Asking {
    JsonObject ask(String operation, JsonObject arguments) throws Exception;
  }

  /**
   * The waits and the work that it is told to make of each call: so long each; then until the end
   * of the stall at the end of every {@code stallEveryUs}; then so long busy.
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

  Service(Delays delays, Values values, Asking asking) {
    this.delays = delays;
    this.values = values;
    this.asking = asking;
  }

  /** What was answered since last asked, faults too. */
  Map<String, Long> counted() {
    Map<String, Long> counted = new TreeMap<>();
    counts.forEach((call, count) -> counted.put(call, count.getAndSet(0)));
    counted.values().removeIf(count -> count == 0);
    return counted;
  }

  /** Counted first, so that no client sees an answer that is not counted yet. */
  public void begin(String call) {
    AtomicLong count = counts.get(call);
    if (count == null) {
      count = counts.computeIfAbsent(call, first -> new AtomicLong());
    }
    count.getAndIncrement();
    delays.pass(since);
  }

  /** Any operation by its name, for libraries that find it so. */
  public Object answer(String operation, Object... arguments) throws Exception {
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
        return held(operation, arguments[0], null);
      }
      case "GetBinaryData" -> {
        return held(operation, arguments[0], arguments[1]);
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

  /** The answer to these arguments; the first time the host is asked for it. */
  public Object held(String operation, Object first, Object second) throws ServiceFault {
    begin(operation);
    Asked asked = new Asked(operation, first, second);
    Object answer = held.get(asked);
    if (answer == null) {
      answer = held.computeIfAbsent(asked, this::ask);
      order.add(asked);
      if (held.size() > MOST_HELD) {
        held.remove(order.remove());
      }
    }
    if (answer instanceof Refusal refusal) {
      throw new ServiceFault(refusal.sentence);
    }
    return answer;
  }

  private Object ask(Asked asked) {
    try {
      JsonObject arguments = new JsonObject();
      boolean data = asked.second != null;
      arguments.add(data ? "size" : "n", values.plain(asked.first));
      if (data) {
        arguments.add("fill", values.plain(asked.second));
      }
      JsonObject said = asking.ask(asked.operation, arguments);
      JsonElement fault = said.get("fault");
      return fault == null || fault.isJsonNull()
          ? values.answer(asked.operation, said.get("value"))
          : new Refusal(fault.getAsString());
    } catch (Exception failure) {
      throw new IllegalStateException(failure.getMessage(), failure);
    }
  }
}
