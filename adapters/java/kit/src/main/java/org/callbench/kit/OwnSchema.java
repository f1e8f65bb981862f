package org.callbench.kit;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The schema of a service of the user's own, for libraries that do not know its JSON. It lies
 * beside the generated classes.
 *
 * @param messages by the names of their classes
 * @param enumerations names as JSON has them, with their numbers
 */
public record OwnSchema(Map<String, Message> messages, Map<String, List<Constant>> enumerations) {
  private static final String FILE = "org/callbench/own/schema.json";

  /** A message. If it is wrapped, its JSON is that of its only field. */
  public record Message(String name, boolean wrapped, List<Field> fields) {}

  /**
   * A field.
   *
   * @param json its key
   * @param member its name in a class
   * @param kind of a value: the names of src/callbench/model/service/schema.py
   * @param shape one, optional, many or map; one of a oneof is optional
   * @param type the message or the enumeration
   * @param nullable whether JSON has null for an optional field without a value
   */
  public record Field(
      String json,
      String member,
      int number,
      String kind,
      String shape,
      String type,
      boolean nullable) {
    public boolean is(String expected) {
      return shape.equals(expected);
    }
  }

  /** A value of an enumeration: its name in JSON, its number and the name of its constant. */
  public record Constant(String json, int number, String constant) {}

  /** The one that this technology's loader sees; it is there if a service is. */
  public static OwnSchema of(Class<?> technology) {
    try (InputStream file = technology.getClassLoader().getResourceAsStream(FILE)) {
      return file == null
          ? new OwnSchema(Map.of(), Map.of())
          : new Gson()
              .fromJson(new InputStreamReader(file, StandardCharsets.UTF_8), OwnSchema.class);
    } catch (IOException broken) {
      throw new IllegalStateException(FILE + " cannot be read: " + broken, broken);
    }
  }
}
