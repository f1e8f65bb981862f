package org.callbench.kit;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/** The script of a golden trace: the clock of a load loop, and its stack. */
final class Trace implements Clock {
  private static final int MOST_MADE = 1000;
  private static final Object RIGHT = "right";

  private List<Scripted> calls;
  private long clockStartNs;
  private long readingTakesNs;
  private long oversleepsNs;
  private long time;
  private int next;

  private record Scripted(long takesNs, String answer) {}

  /** The result, and the clock readings around each call or batch. */
  record Traced(Drive.Done done, List<long[]> made) {}

  @Override
  public long now() {
    long now = time;
    time += readingTakesNs;
    return now;
  }

  @Override
  public void sleep(long now, long moment) {
    time = Math.max(time, moment + oversleepsNs);
  }

  private Object call() throws Failure {
    Scripted call = calls.get(next);
    next = (next + 1) % calls.size();
    time += call.takesNs;
    if (call.answer.equals("right") || call.answer.equals("wrong")) {
      return call.answer;
    }
    Kind kind = Kind.valueOf(call.answer.toUpperCase(Locale.ROOT).replace('-', '_'));
    throw new Failure(kind, "scripted");
  }

  /** Replays a trace. */
  static Traced played(JsonObject trace) {
    Plan plan = Host.JSON.fromJson(trace.get("plan"), Plan.class);
    Trace script = Host.JSON.fromJson(trace.get("script"), Trace.class);
    script.time = script.clockStartNs;
    Drive drive = new Drive(plan, script, new AtomicBoolean());
    drive.made = new ArrayList<>();
    Call[] prepared = {script::call};
    Object[] right = {RIGHT};
    Stack.Client client = (operation, arguments) -> prepared[0];
    Loop loop = new Loop(drive, plan.place, client, prepared, right, new Check());
    drive.loops.add(loop);
    loop.run(plan.start);
    int most = Math.min(MOST_MADE, drive.made.size());
    return new Traced(drive.done(plan.start, null), drive.made.subList(0, most));
  }
}
