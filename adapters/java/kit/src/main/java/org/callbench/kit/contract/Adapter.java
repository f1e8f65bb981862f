package org.callbench.kit.contract;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.callbench.kit.Clock;
import org.callbench.kit.Failure;
import org.callbench.kit.Memory;
import org.callbench.kit.Stack;
import org.callbench.kit.Technologies;

/** What the adapter is, and its stacks. */
public final class Adapter {
  private static final int CONTRACT = 1;
  private static final String NAME = "java";
  private static final String VERSION = "0.1.0";
  private static final String[] FEATURES = {"closed", "think", "open", "burn", "heap"};
  private static final int SHOWN = 64;

  private final Technologies technologies;
  private final double readingNs = Clock.readingNs();

  public Adapter(Technologies technologies) {
    this.technologies = technologies;
  }

  double readingNs() {
    return readingNs;
  }

  /** The stack of this full name. */
  Stack stack(String name) throws Failure {
    String own = NAME + "/";
    if (!name.startsWith(own) || !technologies.names().contains(name.substring(own.length()))) {
      String shown = name.length() <= SHOWN ? name : name.substring(0, SHOWN);
      throw Failure.badRequest("stack " + shown + " is not one of mine: hello lists them");
    }
    return technologies.stack(name.substring(own.length()));
  }

  JsonObject hello() {
    JsonObject clock = new JsonObject();
    clock.addProperty("name", "CLOCK_MONOTONIC");
    clock.addProperty("resolution_ns", Clock.resolutionNs());
    clock.addProperty("reading_ns", readingNs);
    JsonObject hello = Session.is("hello");
    hello.addProperty("contract", CONTRACT);
    hello.addProperty("adapter", NAME);
    hello.addProperty("language", "java");
    hello.addProperty("version", VERSION);
    hello.addProperty("runtime", runtime());
    JsonObject libraries = new JsonObject();
    for (Map.Entry<String, String> each : technologies.libraries().entrySet()) {
      libraries.addProperty(each.getKey(), each.getValue());
    }
    hello.add("libraries", libraries);
    hello.add("clock", clock);
    JsonArray features = new JsonArray();
    for (String feature : FEATURES) {
      features.add(feature);
    }
    hello.add("features", features);
    JsonArray stacks = new JsonArray();
    for (String name : technologies.names()) {
      stacks.add(NAME + "/" + name);
    }
    hello.add("stacks", stacks);
    hello.add("unavailable", new JsonObject());
    return hello;
  }

  /** With what the JVM made of the processors it may use: on one it picks another collector. */
  private static String runtime() {
    StringBuilder collectors = new StringBuilder();
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      collectors.append(collectors.isEmpty() ? "" : " + ").append(each.getName());
    }
    return System.getProperty("java.vm.name")
        + " "
        + System.getProperty("java.vm.version")
        + ", "
        + collectors
        + ", processors "
        + Runtime.getRuntime().availableProcessors()
        + ", heap at most "
        + Memory.most()
        + " MiB";
  }
}
