package org.callbench.kit.contract;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import org.callbench.kit.Failure;

/** A request of the core and its members. */
final class Request {
  private static final int SHOWN = 64;

  private final JsonObject members;
  private final String what;

  private Request(JsonObject members, String what) {
    this.members = members;
    this.what = what;
  }

  /** The line as a JSON object, or null. */
  static JsonObject parsed(String line) {
    try {
      JsonElement element = JsonParser.parseString(line);
      return element.isJsonObject() ? element.getAsJsonObject() : null;
    } catch (JsonParseException | StackOverflowError none) {
      return null;
    }
  }

  static Request of(JsonObject members) throws Failure {
    if (members == null) {
      throw Failure.badRequest("the line is no JSON object");
    }
    JsonElement what = members.get("do");
    if (what == null || !what.isJsonPrimitive()) {
      throw Failure.badRequest("the request has no do: it must say what to do");
    }
    return new Request(members, what.getAsString());
  }

  /** The id of a line, or 0 where it has none. */
  static long id(JsonObject members) {
    JsonElement id = members == null ? null : members.get("id");
    if (id != null && id.isJsonPrimitive()) {
      String digits = id.getAsString();
      if (id.getAsJsonPrimitive().isNumber() && digits.matches("[1-9][0-9]{0,15}")) {
        return Long.parseLong(digits);
      }
    }
    return 0;
  }

  String what() {
    return what;
  }

  private Failure wrong(String name, String right) {
    JsonElement given = members.get(name);
    String shown = String.valueOf(given);
    shown = shown.length() <= SHOWN ? shown : shown.substring(0, SHOWN);
    String told = given == null ? "is missing" : "is " + shown;
    return Failure.badRequest(
        "the request to do "
            + what
            + " is not understood: "
            + name
            + " "
            + told
            + ": it must be "
            + right);
  }

  String text(String name) throws Failure {
    JsonElement given = members.get(name);
    if (given == null || !given.isJsonPrimitive() || !given.getAsJsonPrimitive().isString()) {
      throw wrong(name, "a string");
    }
    return given.getAsString();
  }

  /** The text of an optional member, or null. */
  String optionalText(String name) throws Failure {
    JsonElement given = members.get(name);
    return given == null || given.isJsonNull() ? null : text(name);
  }

  long whole(String name, long least, long most) throws Failure {
    JsonElement given = members.get(name);
    if (given != null && given.isJsonPrimitive() && given.getAsString().matches("-?[0-9]{1,18}")) {
      long number = Long.parseLong(given.getAsString());
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw wrong(name, "a whole number from " + least + " to " + most);
  }

  long optionalWhole(String name, long least, long most, long absent) throws Failure {
    JsonElement given = members.get(name);
    return given == null || given.isJsonNull() ? absent : whole(name, least, most);
  }

  /** Seconds as nanoseconds. */
  long nanoseconds(String name) throws Failure {
    JsonElement given = members.get(name);
    if (given != null && given.isJsonPrimitive() && given.getAsJsonPrimitive().isNumber()) {
      double seconds = given.getAsDouble();
      if (seconds >= 0 && seconds <= 1e6) {
        return (long) (seconds * 1e9);
      }
    }
    throw wrong(name, "a number of seconds from 0 to 1000000");
  }

  /** An object; one without members where it is left out. */
  JsonObject object(String name) throws Failure {
    JsonElement given = members.get(name);
    if (given == null) {
      return new JsonObject();
    }
    if (!given.isJsonObject()) {
      throw wrong(name, "an object");
    }
    return given.getAsJsonObject();
  }
}
