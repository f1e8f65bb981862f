package org.callbench.grpc;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.ListValue;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.grpc.ServiceDescriptor;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.callbench.kit.OwnCall;
import org.callbench.kit.OwnSchema;
import org.callbench.kit.OwnSchema.Constant;
import org.callbench.kit.OwnSchema.Field;
import org.callbench.kit.SchemaConverter;

/** The messages of a service of the user's own: fields are found by their numbers. */
final class OwnMessages extends SchemaConverter {
  static final Map<String, OwnCall> CALLS = OwnCall.of(OwnMessages.class);

  OwnMessages() {
    super(OwnSchema.of(OwnMessages.class));
  }

  /** The services that were generated: one, or none. */
  static List<ServiceDescriptor> services() {
    if (CALLS.isEmpty()) {
      return List.of();
    }
    try {
      Class<?> calls = OwnMessages.class.getClassLoader().loadClass("org.callbench.own.grpc.Calls");
      return List.of((ServiceDescriptor) calls.getField("SERVICE").get(null));
    } catch (ReflectiveOperationException broken) {
      throw new IllegalStateException("the generated stubs are broken: " + broken, broken);
    }
  }

  private static Message.Builder builder(Class<?> type) throws ReflectiveOperationException {
    return (Message.Builder) type.getMethod("newBuilder").invoke(null);
  }

  @Override
  protected Object made(Class<?> type, OwnSchema.Message message, Map<Field, Object> members)
      throws ReflectiveOperationException {
    Message.Builder record = builder(type);
    for (Map.Entry<Field, Object> each : members.entrySet()) {
      FieldDescriptor field =
          record.getDescriptorForType().findFieldByNumber(each.getKey().number());
      if (each.getValue() instanceof List<?> list) {
        list.forEach(value -> record.addRepeatedField(field, inMessage(field, value)));
      } else if (each.getValue() instanceof Map<?, ?> map) {
        map.forEach(
            (key, value) -> record.addRepeatedField(field, entry(record, field, key, value)));
      } else {
        record.setField(field, inMessage(field, each.getValue()));
      }
    }
    return record.build();
  }

  private static Message entry(
      Message.Builder record, FieldDescriptor field, Object key, Object value) {
    FieldDescriptor keys = field.getMessageType().findFieldByNumber(1);
    FieldDescriptor values = field.getMessageType().findFieldByNumber(2);
    String text = (String) key;
    Object typed =
        switch (keys.getJavaType()) {
          case STRING -> text;
          case BOOLEAN -> Boolean.valueOf(text);
          case INT -> new BigInteger(text).intValue();
          default -> new BigInteger(text).longValue();
        };
    return record
        .newBuilderForField(field)
        .setField(keys, typed)
        .setField(values, inMessage(values, value))
        .build();
  }

  /** Protobuf has unsigned numbers in signed types. */
  private static Object inMessage(FieldDescriptor field, Object value) {
    return switch (field.getJavaType()) {
      case INT -> ((Number) value).intValue();
      case LONG -> ((Number) value).longValue();
      case BYTE_STRING -> ByteString.copyFrom((byte[]) value);
      case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown((Integer) value);
      default -> value;
    };
  }

  @Override
  protected Object member(Object record, Field field) {
    Message message = (Message) record;
    FieldDescriptor its = message.getDescriptorForType().findFieldByNumber(field.number());
    if (its.isMapField()) {
      Map<String, Object> map = new LinkedHashMap<>();
      for (Object each : (List<?>) message.getField(its)) {
        MapEntry<?, ?> entry = (MapEntry<?, ?>) each;
        FieldDescriptor keys = its.getMessageType().findFieldByNumber(1);
        FieldDescriptor values = its.getMessageType().findFieldByNumber(2);
        map.put(
            String.valueOf(outside(keys, entry.getField(keys))),
            outside(values, entry.getField(values)));
      }
      return map;
    } else if (its.isRepeated()) {
      return ((List<?>) message.getField(its)).stream().map(each -> outside(its, each)).toList();
    }
    return !its.hasPresence() || message.hasField(its) ? outside(its, message.getField(its)) : null;
  }

  private static Object outside(FieldDescriptor field, Object value) {
    return switch (field.getType()) {
      case UINT32, FIXED32 -> Integer.toUnsignedLong((Integer) value);
      case UINT64, FIXED64 -> new BigInteger(Long.toUnsignedString((Long) value));
      case BYTES -> ((ByteString) value).toByteArray();
      case ENUM -> ((EnumValueDescriptor) value).getNumber();
      default -> value;
    };
  }

  @Override
  protected Class<?> type(Class<?> record, Field field) throws ClassNotFoundException {
    return record.getClassLoader().loadClass(record.getPackageName() + "." + field.type());
  }

  @Override
  protected Object constant(Class<?> record, Field field, Constant constant) {
    return constant.number();
  }

  @Override
  protected boolean is(Constant constant, Object value) {
    return value.equals(constant.number());
  }

  @Override
  protected Value any(JsonElement plain) {
    Value.Builder value = Value.newBuilder();
    if (plain.isJsonArray()) {
      ListValue.Builder list = ListValue.newBuilder();
      plain.getAsJsonArray().forEach(each -> list.addValues(any(each)));
      value.setListValue(list);
    } else if (plain.isJsonObject()) {
      Struct.Builder members = Struct.newBuilder();
      plain
          .getAsJsonObject()
          .entrySet()
          .forEach(each -> members.putFields(each.getKey(), any(each.getValue())));
      value.setStructValue(members);
    } else if (plain.isJsonNull()) {
      value.setNullValue(NullValue.NULL_VALUE);
    } else if (plain.getAsJsonPrimitive().isBoolean()) {
      value.setBoolValue(plain.getAsBoolean());
    } else if (plain.getAsJsonPrimitive().isNumber()) {
      value.setNumberValue(plain.getAsDouble());
    } else {
      value.setStringValue(plain.getAsString());
    }
    return value.build();
  }

  @Override
  protected JsonElement any(Object any) {
    Value value = (Value) any;
    switch (value.getKindCase()) {
      case LIST_VALUE -> {
        JsonArray list = new JsonArray();
        value.getListValue().getValuesList().forEach(each -> list.add(any((Object) each)));
        return list;
      }
      case STRUCT_VALUE -> {
        JsonObject members = new JsonObject();
        value
            .getStructValue()
            .getFieldsMap()
            .forEach((key, each) -> members.add(key, any((Object) each)));
        return members;
      }
      case BOOL_VALUE -> {
        return new JsonPrimitive(value.getBoolValue());
      }
      case NUMBER_VALUE -> {
        return number(value.getNumberValue());
      }
      case STRING_VALUE -> {
        return new JsonPrimitive(value.getStringValue());
      }
      default -> {
        return JsonNull.INSTANCE;
      }
    }
  }

  /** A whole number has no point in JSON. */
  private static JsonPrimitive number(double value) {
    boolean whole = value == Math.rint(value) && Math.abs(value) < 1L << 53;
    return whole ? new JsonPrimitive((long) value) : new JsonPrimitive(value);
  }
}
