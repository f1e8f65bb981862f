package org.callbench.kit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigInteger;
import org.callbench.service.Generate;
import org.callbench.service.Service;
import org.callbench.service.Structure;

/** Reads a call from its name and the arguments of the contract. */
public final class Arguments {
  /** The most elements or characters that a content makes. */
  static final int MOST_ELEMENTS = 16_777_216;

  private static final BigInteger BEYOND_SEED = BigInteger.ONE.shiftLeft(64);
  private static final int SHOWN = 64;

  private final JsonObject members;

  Arguments(JsonObject members) {
    this.members = members;
  }

  /** The call of this name. Members that it does not take are ignored. */
  public static Call call(String name, JsonObject members) throws Failure {
    Arguments given = new Arguments(members);
    return switch (name) {
      case "Empty" -> new Call(name, Call.nothing(service -> service.Empty()), Expectation.NOTHING);
      case "Hello" -> new Call(name, service -> service.Hello(), "Hello World"::equals);
      case "Sum" -> sum(given.integer("a"), given.integer("b"));
      case "GetPersons" -> persons(given.integer("n"));
      case "FindItems" -> items(given.integer("n"));
      case "GetBinaryData" -> binary(given.integer("size"), given.text("fill"));
      case "EchoStructure" -> structure(given.integer("n"));
      case "EchoString" -> echo(given.source() ? Literal.text(given.value()) : given.string());
      case "Send" -> Send.call(given);
      default -> throw Failure.badRequest("the service has no call " + shortened(name));
    };
  }

  private static Call sum(int a, int b) {
    return new Call("Sum", service -> service.Sum(a, b), Integer.valueOf(a + b)::equals);
  }

  private static Call persons(int n) {
    return new Call("GetPersons", service -> service.GetPersons(n), Expectation.persons(n));
  }

  private static Call items(int n) {
    return new Call("FindItems", service -> service.FindItems(n), Expectation.items(n));
  }

  private static Call binary(int size, String fill) {
    return new Call(
        "GetBinaryData",
        service -> service.GetBinaryData(size, fill),
        Expectation.octets(size, fill));
  }

  /** n itself never travels, so no server could refuse it. */
  private static Call structure(int n) throws Failure {
    if (n < 0 || n > Service.MOST) {
      throw Failure.badRequest("n is " + n + ": it must be from 0 to " + Service.MOST);
    }
    Structure sent = Generate.structure(n);
    return new Call(
        "EchoStructure", service -> service.EchoStructure(sent), Expectation.structure(sent));
  }

  private static Call echo(String value) {
    return new Call("EchoString", service -> service.EchoString(value), Expectation.echo(value));
  }

  /** Whether the value is spelt out, not made from a content. */
  boolean source() throws Failure {
    boolean value = members.has("value");
    if (value && members.has("content")) {
      throw Failure.badRequest("value and content exclude each other: leave one of them out");
    }
    if (!value && !members.has("content")) {
      throw missing("value or content");
    }
    return value;
  }

  JsonElement value() {
    return members.get("value");
  }

  /** The scalar string that a content makes. */
  String string() throws Failure {
    int count = count();
    return switch (content()) {
      case "fixed" -> "A".repeat(count);
      case "random" -> Generate.letters(new org.callbench.service.SplitMix64(seed()), count);
      default -> new String(Generate.plane(seed(), count));
    };
  }

  String content() throws Failure {
    String content = text("content");
    if (!content.equals("fixed") && !content.equals("random") && !content.equals("bmp")) {
      throw wrong("content", members.get("content"), "fixed, random or bmp");
    }
    return content;
  }

  /** As the bits of an unsigned number. */
  long seed() throws Failure {
    JsonElement given = members.get("seed");
    if (given == null) {
      return 1;
    }
    String digits = given.isJsonPrimitive() ? given.getAsString() : "";
    if (digits.matches("[0-9]{1,20}")) {
      BigInteger seed = new BigInteger(digits);
      if (seed.compareTo(BEYOND_SEED) < 0) {
        return seed.longValue();
      }
    }
    throw wrong(
        "seed",
        given,
        "a whole number from 0 to 18446744073709551615, as a number or a decimal string");
  }

  int count() throws Failure {
    JsonElement given = members.get("count");
    if (given == null) {
      throw missing("count");
    }
    return (int) Literal.whole("count", given, 0, MOST_ELEMENTS);
  }

  int integer(String name) throws Failure {
    JsonElement given = members.get(name);
    if (given == null) {
      throw missing(name);
    }
    return (int) Literal.whole(name, given, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  String text(String name) throws Failure {
    JsonElement given = members.get(name);
    if (given == null) {
      throw missing(name);
    }
    if (!given.isJsonPrimitive() || !given.getAsJsonPrimitive().isString()) {
      throw wrong(name, given, "a string");
    }
    return given.getAsString();
  }

  private static Failure missing(String name) {
    return Failure.badRequest("the argument " + name + " is missing");
  }

  static Failure wrong(String name, JsonElement given, String right) {
    return Failure.badRequest(
        name + " is " + shortened(given.toString()) + ": it must be " + right);
  }

  static String shortened(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN);
  }
}
