package org.callbench.kit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Map;
import org.callbench.service.SpeedService;

/**
 * Converts the plain values of contract/RUNNER.md to the types of a library's users, and back. By
 * default, these are the types of an interface's operations, and records with public members. It is
 * never used in the timed region.
 */
public class Values {
  /** The interface with the operations. */
  private final Class<?> service;

  public Values(Class<?> service) {
    this.service = service;
  }

  /** The operation with this name. */
  public static Method operation(Class<?> service, String name) throws Failure {
    for (Method method : service.getMethods()) {
      if (method.getName().equals(name)) {
        return method;
      }
    }
    String shown = name.length() <= 64 ? name : name.substring(0, 64);
    throw new Failure(Kind.PROTOCOL, "the service has no operation " + shown);
  }

  /** The arguments of an operation in their order. */
  public Object[] arguments(String operation, JsonObject plain) throws Exception {
    Parameter[] named = operation(SpeedService.class, operation).getParameters();
    Class<?>[] types = operation(service, operation).getParameterTypes();
    Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = of(types[i], plain.get(named[i].getName()));
    }
    return arguments;
  }

  /** The answer of an operation. */
  public Object answer(String operation, JsonElement plain) throws Exception {
    Class<?> type = operation(service, operation).getReturnType();
    return type == void.class ? null : of(type, plain);
  }

  /** A value of this type; null if it is absent. */
  protected Object of(Class<?> type, JsonElement plain) throws Exception {
    if (plain == null || plain.isJsonNull()) {
      return null;
    } else if (type == String.class) {
      return text(plain);
    } else if (type == byte[].class && plain.isJsonPrimitive()) {
      return Base64.getDecoder().decode(plain.getAsString());
    } else if (type.isArray()) {
      return list(type.getComponentType(), plain.getAsJsonArray());
    } else if (plain.isJsonObject()) {
      return record(type, plain.getAsJsonObject());
    } else if (type == boolean.class || type == Boolean.class) {
      return plain.getAsBoolean();
    } else if (type == float.class || type == Float.class) {
      return Float.valueOf(plain.getAsString());
    } else if (type == double.class) {
      return Double.valueOf(plain.getAsString());
    }
    long whole = plain.getAsLong();
    if (type == int.class || type == Integer.class) {
      return (int) whole;
    } else if (type == short.class) {
      return (short) whole;
    } else if (type == byte.class) {
      return (byte) whole;
    }
    return type == char.class ? (Object) (char) whole : (Object) whole;
  }

  /** A list of values of this type. */
  protected Object list(Class<?> element, JsonArray plain) throws Exception {
    Object list = Array.newInstance(element, plain.size());
    for (int i = 0; i < plain.size(); i++) {
      Array.set(list, i, of(element, plain.get(i)));
    }
    return list;
  }

  /** A record by its members. */
  protected Object record(Class<?> type, JsonObject plain) throws Exception {
    Object record = type.getDeclaredConstructor().newInstance();
    for (Field member : members(type)) {
      Object its = of(member.getType(), plain.get(member.getName()));
      if (its != null) {
        member.set(record, its);
      }
    }
    return record;
  }

  private static final ClassValue<Field[]> MEMBERS =
      new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
          return Arrays.stream(type.getFields())
              .filter(field -> !Modifier.isStatic(field.getModifiers()))
              .toArray(Field[]::new);
        }
      };

  /** The public members of a record. */
  public static Field[] members(Class<?> type) {
    return MEMBERS.get(type);
  }

  /** A string, or a text given as its UTF-16 units. */
  protected static String text(JsonElement plain) {
    if (!plain.isJsonObject()) {
      return plain.getAsString();
    }
    StringBuilder text = new StringBuilder();
    plain.getAsJsonObject().getAsJsonArray("utf16").forEach(u -> text.append((char) u.getAsInt()));
    return text.toString();
  }

  /** Any value of a library as a plain one. */
  public JsonElement plain(Object value) throws Exception {
    if (value == null) {
      return JsonNull.INSTANCE;
    } else if (value instanceof Boolean it) {
      return new JsonPrimitive(it);
    } else if (value instanceof Character unit) {
      return new JsonPrimitive((int) unit);
    } else if (value instanceof Number number) {
      return number(number);
    } else if (value instanceof String text) {
      return plain(text);
    } else if (value instanceof byte[] octets) {
      return new JsonPrimitive(Base64.getEncoder().encodeToString(octets));
    } else if (value instanceof Collection<?> list) {
      return plain(list.toArray());
    } else if (value.getClass().isArray()) {
      JsonArray list = new JsonArray();
      for (int i = 0; i < Array.getLength(value); i++) {
        list.add(plain(Array.get(value, i)));
      }
      return list;
    }
    JsonObject record = new JsonObject();
    if (value instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> member : map.entrySet()) {
        record.add(String.valueOf(member.getKey()), plain(member.getValue()));
      }
    } else {
      for (Field member : members(value.getClass())) {
        record.add(member.getName(), plain(member.get(value)));
      }
    }
    return record;
  }

  private static JsonElement number(Number number) {
    if (number instanceof Byte octet) {
      return new JsonPrimitive(octet & 0xFF);
    }
    double value = number.doubleValue();
    if (number instanceof Long || !Double.isFinite(value)) {
      return new JsonPrimitive(number.toString());
    }
    return value == 0 && 1 / value < 0 ? new JsonPrimitive("-0") : new JsonPrimitive(number);
  }

  private static JsonElement plain(String text) {
    if (StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      return new JsonPrimitive(text);
    }
    JsonArray units = new JsonArray();
    text.chars().forEach(units::add);
    JsonObject spelt = new JsonObject();
    spelt.add("utf16", units);
    return spelt;
  }
}
