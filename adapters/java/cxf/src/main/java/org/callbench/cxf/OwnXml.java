package org.callbench.cxf;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Map;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.OwnSchema;
import org.callbench.kit.OwnSchema.Constant;
import org.callbench.kit.OwnSchema.Field;
import org.callbench.kit.SchemaConverter;

/** The classes of a service of the user's own for JAXB. Any JSON value is its text. */
final class OwnXml extends SchemaConverter {
  OwnXml() {
    super(OwnSchema.of(OwnXml.class));
  }

  @Override
  protected Object made(Class<?> type, OwnSchema.Message message, Map<Field, Object> members)
      throws Exception {
    Object record = type.getConstructor().newInstance();
    for (Map.Entry<Field, Object> each : members.entrySet()) {
      carried(each.getValue());
      type.getField(each.getKey().member()).set(record, each.getValue());
    }
    return record;
  }

  /** XML 1.0 lacks some characters. */
  private static void carried(Object value) throws Failure {
    if (value instanceof String text) {
      int bad = text.codePoints().filter(each -> !inXml(each)).findFirst().orElse(-1);
      if (bad >= 0) {
        throw new Failure(
            Kind.CANNOT_CARRY, "XML 1.0 cannot hold the character U+%04X".formatted(bad));
      }
    } else if (value instanceof List<?> list) {
      for (Object each : list) {
        carried(each);
      }
    } else if (value instanceof Map<?, ?> map) {
      for (Map.Entry<?, ?> each : map.entrySet()) {
        carried(each.getKey());
        carried(each.getValue());
      }
    }
  }

  private static boolean inXml(int character) {
    return character >= 0x20
            && !Character.isSurrogate((char) character)
            && character != 0xFFFE
            && character != 0xFFFF
        || character == '\t'
        || character == '\n'
        || character == '\r'
        || character >= 0x10000;
  }

  @Override
  protected Object member(Object record, Field field) throws ReflectiveOperationException {
    return record.getClass().getField(field.member()).get(record);
  }

  @Override
  protected Class<?> type(Class<?> record, Field field) throws ClassNotFoundException {
    return record.getClassLoader().loadClass(record.getPackageName() + "." + field.type());
  }

  @Override
  protected Object constant(Class<?> record, Field field, Constant constant)
      throws ReflectiveOperationException {
    return type(record, field).getField(constant.constant()).get(null);
  }

  @Override
  protected boolean is(Constant constant, Object value) {
    return ((Enum<?>) value).name().equals(constant.constant());
  }

  @Override
  protected String any(JsonElement plain) {
    return plain.toString();
  }

  @Override
  protected JsonElement any(Object value) {
    return JsonParser.parseString((String) value);
  }
}
