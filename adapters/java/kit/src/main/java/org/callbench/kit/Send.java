package org.callbench.kit;

import java.lang.reflect.Array;
import java.util.Map;
import org.callbench.service.Generate;
import org.callbench.service.Person;
import org.callbench.service.SplitMix64;

/** The call Send: the value by its type, and the operation that carries it. */
final class Send {
  private static final Map<String, Class<?>> TYPES =
      Map.of(
          "boolean", boolean.class,
          "byte", byte.class,
          "char", char.class,
          "short", short.class,
          "int", int.class,
          "long", long.class,
          "float", float.class,
          "double", double.class,
          "string", String.class,
          "object", Person.class);

  private Send() {}

  static Call call(Arguments given) throws Failure {
    Object value = value(given);
    boolean array = value.getClass().isArray();
    return new Call(
        "Send", Call.nothing(array ? ofArray(value) : ofScalar(value)), Expectation.NOTHING);
  }

  /** What is sent: boxed, or an array of the primitive type. */
  static Object value(Arguments given) throws Failure {
    String name = given.text("type");
    boolean array = name.endsWith("[]");
    String type = array ? name.substring(0, name.length() - 2) : name;
    Class<?> element = TYPES.get(type);
    if (element == null) {
      throw Failure.badRequest(
          "type is "
              + Arguments.shortened(name)
              + ": it must be boolean, byte, char, short, int, long, float, double, string or"
              + " object, or one of these with [] behind it");
    }
    if (!given.source()) {
      return made(given, name, type, element, array);
    }
    return array
        ? Literal.array(type, element, given.value())
        : Literal.scalar(type, given.value());
  }

  /** What a content makes. */
  private static Object made(
      Arguments given, String name, String type, Class<?> element, boolean array) throws Failure {
    String content = given.content();
    if (type.equals("string") && !array) {
      return given.string();
    }
    if (content.equals("bmp")) {
      if (!name.equals("char[]")) {
        throw Failure.badRequest("content bmp is for string and char[], not for " + name);
      }
      return Generate.plane(given.seed(), given.count());
    }
    SplitMix64 generator = content.equals("random") ? new SplitMix64(given.seed()) : null;
    if (!array) {
      return generator == null ? fixed(type) : random(type, generator);
    }
    Object made = Array.newInstance(element, given.count());
    for (int i = 0; i < Array.getLength(made); i++) {
      Array.set(made, i, generator == null ? fixed(type) : random(type, generator));
    }
    return made;
  }

  private static Object fixed(String type) {
    return switch (type) {
      case "boolean" -> true;
      case "byte" -> (byte) 42;
      case "char" -> 'A';
      case "short" -> (short) 4242;
      case "int" -> 42_424_242;
      case "long" -> 4_242_424_242_424_242L;
      case "float" -> 42.25F;
      case "double" -> 42.4242;
      case "string" -> "Hello World";
      default -> Generate.person(42);
    };
  }

  private static Object random(String type, SplitMix64 generator) {
    return switch (type) {
      case "boolean" -> (generator.next() & 1) == 1;
      case "byte" -> (byte) (generator.next() >>> 56);
      case "char" -> Generate.letter(generator);
      case "short" -> (short) (generator.next() >>> 48);
      case "int" -> (int) (generator.next() >>> 32);
      case "long" -> generator.next();
      case "float" -> generator.draw(1L << 24) / 256F;
      case "double" -> (generator.next() >>> 11) * 0x1p-53;
      case "string" -> Generate.letters(generator, 8);
      default -> Generate.person(generator.draw(256));
    };
  }

  private static Call.Telling ofScalar(Object value) {
    if (value instanceof Boolean it) {
      boolean plain = it;
      return service -> service.SendBoolean(plain);
    } else if (value instanceof Byte it) {
      byte plain = it;
      return service -> service.SendByte(plain);
    } else if (value instanceof Character it) {
      char plain = it;
      return service -> service.SendChar(plain);
    } else if (value instanceof Short it) {
      short plain = it;
      return service -> service.SendShort(plain);
    } else if (value instanceof Integer it) {
      int plain = it;
      return service -> service.SendInt(plain);
    } else if (value instanceof Long it) {
      long plain = it;
      return service -> service.SendLong(plain);
    } else if (value instanceof Float it) {
      float plain = it;
      return service -> service.SendFloat(plain);
    } else if (value instanceof Double it) {
      double plain = it;
      return service -> service.SendDouble(plain);
    } else if (value instanceof String text) {
      return service -> service.SendString(text);
    }
    Person person = (Person) value;
    return service -> service.SendObject(person);
  }

  private static Call.Telling ofArray(Object value) {
    if (value instanceof boolean[] it) {
      return service -> service.SendBooleanArray(it);
    } else if (value instanceof byte[] it) {
      return service -> service.SendByteArray(it);
    } else if (value instanceof char[] it) {
      return service -> service.SendCharArray(it);
    } else if (value instanceof short[] it) {
      return service -> service.SendShortArray(it);
    } else if (value instanceof int[] it) {
      return service -> service.SendIntArray(it);
    } else if (value instanceof long[] it) {
      return service -> service.SendLongArray(it);
    } else if (value instanceof float[] it) {
      return service -> service.SendFloatArray(it);
    } else if (value instanceof double[] it) {
      return service -> service.SendDoubleArray(it);
    } else if (value instanceof String[] it) {
      return service -> service.SendStringArray(it);
    }
    Person[] persons = (Person[]) value;
    return service -> service.SendObjectArray(persons);
  }
}
