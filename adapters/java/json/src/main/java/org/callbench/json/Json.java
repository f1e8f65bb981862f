package org.callbench.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;

/**
 * Jackson, configured for the service's JSON: a byte is 0 to 255, a char is the number of its
 * UTF-16 unit, and an absent member is left out.
 */
final class Json {
  static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .serializationInclusion(JsonInclude.Include.NON_NULL)
          .addModule(
              new SimpleModule()
                  .addSerializer(Byte.class, new OctetWriter())
                  .addSerializer(Character.class, new UnitWriter())
                  .addSerializer(char[].class, new UnitsWriter())
                  .addDeserializer(char[].class, new UnitsReader()))
          .build();

  /**
   * Jackson for the classes of a service of the user's own: a null leaves a field as it is without
   * it, so that a list is never null.
   */
  static final ObjectMapper OWN =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
          .build()
          .setDefaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP));

  private Json() {}

  private static final class OctetWriter extends JsonSerializer<Byte> {
    @Override
    public void serialize(Byte value, JsonGenerator out, SerializerProvider all)
        throws IOException {
      out.writeNumber(value & 0xFF);
    }
  }

  private static final class UnitWriter extends JsonSerializer<Character> {
    @Override
    public void serialize(Character value, JsonGenerator out, SerializerProvider all)
        throws IOException {
      out.writeNumber((int) value);
    }
  }

  private static final class UnitsWriter extends JsonSerializer<char[]> {
    @Override
    public void serialize(char[] value, JsonGenerator out, SerializerProvider all)
        throws IOException {
      out.writeStartArray(value, value.length);
      for (char unit : value) {
        out.writeNumber((int) unit);
      }
      out.writeEndArray();
    }
  }

  private static final class UnitsReader extends JsonDeserializer<char[]> {
    @Override
    public char[] deserialize(JsonParser in, DeserializationContext all) throws IOException {
      int[] units = all.readValue(in, int[].class);
      char[] value = new char[units.length];
      for (int i = 0; i < units.length; i++) {
        value[i] = (char) units[i];
      }
      return value;
    }
  }
}
