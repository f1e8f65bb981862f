package org.callbench.grpc;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.callbench.kit.Values;
import org.callbench.proto.SearchResponse;
import org.callbench.proto.SpeedServiceGrpc;
import org.callbench.service.SpeedService;

/** The messages that Protocol Buffers generated, which are what a user of gRPC holds. */
final class Messages extends Values {
  private static final Map<String, MethodDescriptor<Message, Message>> METHODS = new HashMap<>();

  static {
    for (ServiceDescriptor service : services()) {
      for (MethodDescriptor<?, ?> each : service.getMethods()) {
        @SuppressWarnings("unchecked") // All are generated messages.
        MethodDescriptor<Message, Message> method = (MethodDescriptor<Message, Message>) each;
        METHODS.put(method.getBareMethodName(), method);
      }
    }
  }

  Messages() {
    super(SpeedService.class);
  }

  /** SpeedService, and a service of the user's own. */
  static List<ServiceDescriptor> services() {
    List<ServiceDescriptor> services = new ArrayList<>(OwnMessages.services());
    services.add(SpeedServiceGrpc.getServiceDescriptor());
    return services;
  }

  static MethodDescriptor<Message, Message> method(String operation) {
    return METHODS.get(operation);
  }

  private static Message.Builder builder(MethodDescriptor.Marshaller<Message> of) {
    return ((PrototypeMarshaller<Message>) of).getMessagePrototype().newBuilderForType();
  }

  @Override
  public Object[] arguments(String operation, JsonObject plain) {
    Message.Builder request = builder(method(operation).getRequestMarshaller());
    return new Object[] {filled(request, plain)};
  }

  /** An answer is a message of its own, or in the one member of one. */
  @Override
  public Message answer(String operation, JsonElement plain) {
    Message.Builder answer = builder(method(operation).getResponseMarshaller());
    List<FieldDescriptor> members = answer.getDescriptorForType().getFields();
    boolean there = plain != null && !plain.isJsonNull();
    if (!there || members.isEmpty()) {
      return answer.build();
    } else if (answer instanceof SearchResponse.Builder) {
      return filled(answer, plain.getAsJsonObject());
    }
    JsonObject wrapped = new JsonObject();
    wrapped.add(members.get(0).getName(), plain);
    return filled(answer, wrapped);
  }

  /** The names of SERVICE.md have no underscores, and capitals elsewhere. */
  private static String bare(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }

  private static Message filled(Message.Builder message, JsonObject plain) {
    Map<String, JsonElement> members = new HashMap<>();
    plain.entrySet().forEach(each -> members.put(bare(each.getKey()), each.getValue()));
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      JsonElement its = members.getOrDefault(bare(field.getName()), JsonNull.INSTANCE);
      if (its.isJsonArray()) {
        for (JsonElement each : its.getAsJsonArray()) {
          message.addRepeatedField(field, value(message, field, each));
        }
      } else if (!its.isJsonNull()) {
        message.setField(field, value(message, field, its));
      }
    }
    return message.build();
  }

  private static Object value(Message.Builder of, FieldDescriptor field, JsonElement plain) {
    return switch (field.getJavaType()) {
      case MESSAGE -> filled(of.newBuilderForField(field), plain.getAsJsonObject());
      case BYTE_STRING ->
          UnsafeByteOperations.unsafeWrap(Base64.getDecoder().decode(plain.getAsString()));
      case STRING -> text(plain);
      case BOOLEAN -> plain.getAsBoolean();
      case INT -> plain.getAsInt();
      case LONG -> plain.getAsLong();
      case FLOAT -> Float.valueOf(plain.getAsString());
      case DOUBLE -> Double.valueOf(plain.getAsString());
      case ENUM -> throw new IllegalStateException("the service has no enum");
    };
  }

  @Override
  public JsonElement plain(Object value) throws Exception {
    if (value instanceof ByteString octets) {
      return super.plain(octets.toByteArray());
    }
    if (!(value instanceof Message message)) {
      return super.plain(value);
    }
    List<FieldDescriptor> fields = message.getDescriptorForType().getFields();
    if (fields.isEmpty()) {
      return JsonNull.INSTANCE;
    }
    String name = message.getDescriptorForType().getName();
    if (name.endsWith("Answer") || name.endsWith("Holder")) {
      return plain(message, fields.get(0));
    }
    Map<String, String> names = new HashMap<>();
    Class<?> record = Class.forName(SpeedService.class.getPackageName() + "." + name);
    for (java.lang.reflect.Field member : members(record)) {
      names.put(bare(member.getName()), member.getName());
    }
    JsonObject plain = new JsonObject();
    for (FieldDescriptor field : fields) {
      if (!field.hasPresence() || message.hasField(field)) {
        plain.add(names.get(bare(field.getName())), plain(message, field));
      }
    }
    return plain;
  }

  private JsonElement plain(Message message, FieldDescriptor field) throws Exception {
    if (!field.isRepeated()) {
      return plain(message.getField(field));
    }
    JsonArray list = new JsonArray();
    for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
      list.add(plain(message.getRepeatedField(field, i)));
    }
    return list;
  }
}
