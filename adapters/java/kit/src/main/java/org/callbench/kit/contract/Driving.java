package org.callbench.kit.contract;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.callbench.kit.Arguments;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Histogram;
import org.callbench.kit.Kind;
import org.callbench.kit.Processor;
import org.callbench.kit.drive.Drive;
import org.callbench.kit.drive.Plan;
import org.callbench.kit.drive.Schedule;

/** From the core's wish for a drive to a plan, and from its outcome to what the core is told. */
final class Driving {
  /** No common start is further off: a mistaken clock should not look like a hang. */
  private static final long FURTHEST_START_NS = 60_000_000_000L;

  private static final long MOST = 1L << 53;

  private final Clients clients;
  private final double readingNs;
  private final AtomicBoolean stopping;

  Driving(Clients clients, double readingNs, AtomicBoolean stopping) {
    this.clients = clients;
    this.readingNs = readingNs;
    this.stopping = stopping;
  }

  JsonObject drive(Request request, Predicate<JsonObject> tell) throws Failure {
    Plan plan = plan(request);
    int connected = clients.count();
    int wanted = (int) request.optionalWhole("clients", 1, connected, connected);
    AtomicReference<Processor.Usage> before = new AtomicReference<>();
    AtomicReference<Processor.Usage> after = new AtomicReference<>();
    Drive.Outcome outcome =
        new Drive(clients.some(wanted), plan, stopping, readingNs)
            .run(
                Processor::sharpenSleeps,
                () -> before.set(Processor.usage()),
                () -> after.set(Processor.usage()),
                (atNs, calls, errors) -> tell.test(interval(atNs, calls, errors)));
    if (outcome.note() != null) {
      System.err.println(
          "callbench: the first failure of the drive: " + outcome.note().getMessage());
    }
    return done(outcome, before.get(), after.get());
  }

  private static Plan plan(Request request) throws Failure {
    Call call = Arguments.call(request.text("call"), request.object("arguments"));
    String timing = request.optionalText("timing");
    Plan.Timing read = timing == null ? Plan.Timing.AUTO : timing(timing);
    long thinkNs = request.optionalWhole("think_ns", 0, MOST, 0);
    String schedule = request.optionalText("schedule");
    if (schedule != null && thinkNs > 0) {
      throw Failure.badRequest(
          "schedule and think_ns exclude each other: an open loop does not think");
    }
    if (schedule != null && read == Plan.Timing.BATCH) {
      throw Failure.badRequest(
          "schedule and timing batch exclude each other: arrivals come one by one");
    }
    if (thinkNs > 0 && read == Plan.Timing.BATCH) {
      throw Failure.badRequest("think_ns and timing batch exclude each other: say timing each");
    }
    long startAtNs = request.optionalWhole("start_at_ns", 0, MOST, 0);
    if (startAtNs > System.nanoTime() + FURTHEST_START_NS) {
      throw Failure.badRequest(
          "start_at_ns is "
              + startAtNs
              + ": it must be within a minute of the monotonic clock's now");
    }
    return new Plan(
        call,
        request.whole("calls", 0, MOST),
        request.nanoseconds("seconds"),
        request.nanoseconds("limit_seconds"),
        read,
        thinkNs,
        schedule == null ? null : Schedule.read(Path.of(schedule)),
        startAtNs,
        request.optionalWhole("burn_ns", 0, MOST, 0));
  }

  private static Plan.Timing timing(String name) throws Failure {
    try {
      return Plan.Timing.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw Failure.badRequest("timing is " + name + ": it must be each, batch or auto");
    }
  }

  private static JsonObject interval(long atNs, long calls, long errors) {
    JsonObject interval = Session.is("interval");
    interval.addProperty("at_ns", atNs);
    interval.addProperty("calls", calls);
    interval.addProperty("errors", errors);
    return interval;
  }

  private static JsonObject done(
      Drive.Outcome outcome, Processor.Usage before, Processor.Usage after) {
    JsonObject errors = new JsonObject();
    for (Kind kind : Kind.values()) {
      if (outcome.errors()[kind.ordinal()] > 0) {
        errors.addProperty(kind.said(), outcome.errors()[kind.ordinal()]);
      }
    }
    JsonObject processor = new JsonObject();
    processor.add("start", before.json());
    processor.add("end", after.json());
    boolean batched = outcome.batch() > 1;
    JsonObject done = Session.is("done");
    done.addProperty("calls", outcome.calls());
    done.add("errors", errors);
    done.addProperty("elapsed_ns", outcome.elapsedNs());
    done.addProperty("window_ns", outcome.window().ns());
    done.addProperty("answered", outcome.window().answered());
    done.addProperty("in_flight", outcome.window().inFlight());
    done.addProperty("in_flight_part", outcome.window().inFlightPart());
    done.addProperty("timed", batched ? "batch" : "each");
    done.addProperty("batch", outcome.batch());
    histogram(done, "latency", batched ? null : outcome.latency());
    histogram(done, "service", outcome.service());
    histogram(done, "lateness", outcome.lateness());
    done.addProperty("in_call_ns", Long.toString(outcome.inCallNs()));
    done.addProperty("think_ns", Long.toString(outcome.thinkNs()));
    done.add(
        "gap_ns",
        outcome.gapNs() < 0
            ? JsonNull.INSTANCE
            : new JsonPrimitive(Long.toString(outcome.gapNs())));
    done.add("processor", processor);
    done.addProperty("threads", outcome.threads());
    return done;
  }

  private static void histogram(JsonObject done, String name, Histogram histogram) {
    done.add(name, histogram == null ? JsonNull.INSTANCE : histogram.sparse());
  }
}
