package org.callbench.kit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import org.callbench.service.Person;

/**
 * Values that the arguments spell out: canonical JSON, and where a person would rather write one, a
 * plain number.
 */
final class Literal {
  private Literal() {}

  /** One value of a type of Send, boxed. */
  static Object scalar(String type, JsonElement given) throws Failure {
    return switch (type) {
      case "boolean" -> bool(given);
      case "byte" -> (byte) whole("value", given, 0, 255);
      case "char" -> unit(given);
      case "short" -> (short) whole("value", given, Short.MIN_VALUE, Short.MAX_VALUE);
      case "int" -> (int) whole("value", given, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case "long" ->
          whole(
              "value",
              spelt(given) ? number(given.getAsString()) : given,
              Long.MIN_VALUE,
              Long.MAX_VALUE);
      case "float" -> floating(given);
      case "double" -> doubled(given);
      case "string" -> text(given);
      default -> person(given);
    };
  }

  /** An array of them, of the primitive type where there is one. */
  static Object array(String type, Class<?> element, JsonElement given) throws Failure {
    JsonArray items = list(given);
    Object array = Array.newInstance(element, items.size());
    for (int i = 0; i < items.size(); i++) {
      Array.set(array, i, scalar(type, items.get(i)));
    }
    return array;
  }

  /** A string, or one spelt as its UTF-16 units. */
  static String text(JsonElement given) throws Failure {
    if (spelt(given)) {
      return given.getAsString();
    }
    if (given.isJsonObject() && given.getAsJsonObject().has("utf16")) {
      StringBuilder text = new StringBuilder();
      for (JsonElement each : list(given.getAsJsonObject().get("utf16"))) {
        text.append(unit(each));
      }
      return text.toString();
    }
    throw Arguments.wrong("value", given, "a string");
  }

  static long whole(String name, JsonElement given, long least, long most) throws Failure {
    if (given.isJsonPrimitive() && given.getAsJsonPrimitive().isNumber()) {
      String digits = given.getAsString();
      if (digits.matches("-?[0-9]{1,19}")) {
        BigDecimal number = new BigDecimal(digits);
        if (number.compareTo(BigDecimal.valueOf(least)) >= 0
            && number.compareTo(BigDecimal.valueOf(most)) <= 0) {
          return number.longValue();
        }
      }
    }
    throw Arguments.wrong(name, given, "a whole number from " + least + " to " + most);
  }

  private static boolean spelt(JsonElement given) {
    return given.isJsonPrimitive() && given.getAsJsonPrimitive().isString();
  }

  /** The decimal string as a JSON number, whatever it holds: whoever reads it checks. */
  private static JsonElement number(String digits) throws Failure {
    try {
      return new com.google.gson.JsonPrimitive(new BigDecimal(digits));
    } catch (NumberFormatException none) {
      throw Failure.badRequest(
          "value is " + Arguments.shortened(digits) + ": it must be a decimal string of 64 bits");
    }
  }

  private static JsonArray list(JsonElement given) throws Failure {
    if (!given.isJsonArray()) {
      throw Arguments.wrong("value", given, "an array");
    }
    return given.getAsJsonArray();
  }

  private static boolean bool(JsonElement given) throws Failure {
    if (!given.isJsonPrimitive() || !given.getAsJsonPrimitive().isBoolean()) {
      throw Arguments.wrong("value", given, "true or false");
    }
    return given.getAsBoolean();
  }

  private static char unit(JsonElement given) throws Failure {
    return (char) whole("value", given, 0, Character.MAX_VALUE);
  }

  private static float floating(JsonElement given) throws Failure {
    if (spelt(given) && given.getAsString().matches("0x[0-9a-fA-F]{8}")) {
      return Float.intBitsToFloat(Integer.parseUnsignedInt(given.getAsString().substring(2), 16));
    }
    if (given.isJsonPrimitive() && given.getAsJsonPrimitive().isNumber()) {
      return (float) given.getAsDouble();
    }
    throw Arguments.wrong("value", given, "a number, or 0x and 8 hexadecimal digits");
  }

  private static double doubled(JsonElement given) throws Failure {
    if (spelt(given) && given.getAsString().matches("0x[0-9a-fA-F]{16}")) {
      return Double.longBitsToDouble(Long.parseUnsignedLong(given.getAsString().substring(2), 16));
    }
    if (given.isJsonPrimitive() && given.getAsJsonPrimitive().isNumber()) {
      return given.getAsDouble();
    }
    throw Arguments.wrong("value", given, "a number, or 0x and 16 hexadecimal digits");
  }

  private static Person person(JsonElement given) throws Failure {
    if (!given.isJsonObject()) {
      throw Arguments.wrong("value", given, "a Person: ID, FirstName and LastName");
    }
    JsonObject members = given.getAsJsonObject();
    for (String name : new String[] {"ID", "FirstName", "LastName"}) {
      if (!members.has(name)) {
        throw Arguments.wrong("value", given, "a Person: ID, FirstName and LastName");
      }
    }
    int id = (int) whole("value", members.get("ID"), Integer.MIN_VALUE, Integer.MAX_VALUE);
    return new Person(id, text(members.get("FirstName")), text(members.get("LastName")));
  }
}
