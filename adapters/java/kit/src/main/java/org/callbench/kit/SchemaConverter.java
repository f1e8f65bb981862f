package org.callbench.kit;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.callbench.kit.OwnSchema.Constant;
import org.callbench.kit.OwnSchema.Field;
import org.callbench.kit.OwnSchema.Message;

/**
 * Converts the JSON of a service of the user's own by its schema. A technology makes records of
 * members, and members of records. A member is a Boolean, Integer, Long, BigInteger (uint64),
 * Float, Double, String, byte[], a constant, any value, a record, or a List or Map of these.
 */
public abstract class SchemaConverter implements OwnValues.Converter {
  private final OwnSchema schema;

  protected SchemaConverter(OwnSchema schema) {
    this.schema = schema;
  }

  /** A record of the library. A field without a value is not among the members. */
  protected abstract Object made(Class<?> type, Message message, Map<Field, Object> members)
      throws Exception;

  /** The value of a field in a record; null if it has none. */
  protected abstract Object member(Object record, Field field) throws Exception;

  /** The class of a message that a field of {@code record} holds. */
  protected abstract Class<?> type(Class<?> record, Field field) throws Exception;

  /** A constant of an enumeration. */
  protected abstract Object constant(Class<?> record, Field field, Constant constant)
      throws Exception;

  /** Whether a value is this constant. */
  protected abstract boolean is(Constant constant, Object value);

  /** Any JSON value. */
  protected abstract Object any(JsonElement plain);

  /** The JSON of any value. */
  protected abstract JsonElement any(Object value);

  @Override
  public Object read(JsonElement plain, Class<?> type) throws Exception {
    Message message = schema.messages().get(type.getSimpleName());
    JsonElement given = plain == null ? JsonNull.INSTANCE : plain;
    Map<Field, Object> members = new LinkedHashMap<>();
    for (Field field : message.fields()) {
      boolean there =
          message.wrapped() || given.isJsonObject() && given.getAsJsonObject().has(field.json());
      JsonElement its =
          message.wrapped() ? given : there ? given.getAsJsonObject().get(field.json()) : null;
      Object value = its == null ? null : field(type, field, its);
      if (value != null) {
        members.put(field, value);
      }
    }
    return made(type, message, members);
  }

  private Object field(Class<?> record, Field field, JsonElement plain) throws Exception {
    if (plain.isJsonNull() && !(field.is("one") && field.kind().equals("json"))) {
      return null;
    } else if (field.is("many")) {
      List<Object> list = new ArrayList<>();
      for (JsonElement each : plain.getAsJsonArray()) {
        list.add(value(record, field, each));
      }
      return list;
    } else if (field.is("map")) {
      Map<String, Object> map = new LinkedHashMap<>();
      for (Map.Entry<String, JsonElement> each : plain.getAsJsonObject().entrySet()) {
        map.put(each.getKey(), value(record, field, each.getValue()));
      }
      return map;
    }
    return value(record, field, plain);
  }

  private Object value(Class<?> record, Field field, JsonElement plain) throws Exception {
    return switch (field.kind()) {
      case "bool" -> plain.getAsBoolean();
      case "int32" -> plain.getAsInt();
      case "int64", "uint32" -> plain.getAsLong();
      case "uint64" -> plain.getAsBigInteger();
      case "float" -> Float.valueOf(plain.getAsString());
      case "double" -> Double.valueOf(plain.getAsString());
      case "string" -> plain.getAsString();
      case "bytes" -> Base64.getDecoder().decode(plain.getAsString());
      case "enum" -> constant(record, field, named(field, plain.getAsString()));
      case "message" -> read(plain, type(record, field));
      default -> any(plain);
    };
  }

  private Constant named(Field field, String json) throws Failure {
    for (Constant each : schema.enumerations().get(field.type())) {
      if (each.json().equals(json)) {
        return each;
      }
    }
    throw Failure.badRequest(field.type() + " has no value " + json);
  }

  @Override
  public JsonElement write(Object record) throws Exception {
    Message message = schema.messages().get(record.getClass().getSimpleName());
    JsonObject object = new JsonObject();
    for (Field field : message.fields()) {
      Object value = member(record, field);
      JsonElement plain = value == null ? empty(field) : plain(field, value);
      if (message.wrapped()) {
        return plain == null ? JsonNull.INSTANCE : plain;
      } else if (plain != null) {
        object.add(field.json(), plain);
      }
    }
    return object;
  }

  /** What JSON has for a field without a value; null: nothing, not even its key. */
  private static JsonElement empty(Field field) {
    return switch (field.shape()) {
      case "many" -> new JsonArray();
      case "map" -> new JsonObject();
      default -> field.nullable() ? JsonNull.INSTANCE : null;
    };
  }

  private JsonElement plain(Field field, Object value) throws Exception {
    if (value instanceof List<?> list && field.is("many")) {
      JsonArray array = new JsonArray();
      for (Object each : list) {
        array.add(one(field, each));
      }
      return array;
    } else if (value instanceof Map<?, ?> map && field.is("map")) {
      JsonObject object = new JsonObject();
      for (Map.Entry<?, ?> each : map.entrySet()) {
        object.add(String.valueOf(each.getKey()), one(field, each.getValue()));
      }
      return object;
    }
    return one(field, value);
  }

  private JsonElement one(Field field, Object value) throws Exception {
    return switch (field.kind()) {
      case "bool" -> new JsonPrimitive((Boolean) value);
      case "string" -> new JsonPrimitive((String) value);
      case "bytes" -> new JsonPrimitive(Base64.getEncoder().encodeToString((byte[]) value));
      case "enum" -> new JsonPrimitive(named(field, value));
      case "message" -> write(value);
      case "json" -> any(value);
      default -> number((Number) value);
    };
  }

  private String named(Field field, Object value) throws Failure {
    for (Constant each : schema.enumerations().get(field.type())) {
      if (is(each, value)) {
        return each.json();
      }
    }
    throw new Failure(Kind.PROTOCOL, field.type() + " has no value " + value);
  }

  private static JsonElement number(Number value) {
    return Double.isFinite(value.doubleValue())
        ? new JsonPrimitive(value)
        : new JsonPrimitive(value.toString());
  }
}
