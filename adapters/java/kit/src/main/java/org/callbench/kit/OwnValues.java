package org.callbench.kit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;

/**
 * The values of calls of a service of the user's own, whose plain values are the service's JSON,
 * besides those of Callbench's calls.
 */
public final class OwnValues extends Values {
  private final Values others;
  private final Map<String, OwnCall> calls;
  private final Converter converter;

  /** Converts the service's JSON to the library's types, and back. */
  public interface Converter {
    /** A value of this type. */
    Object read(JsonElement plain, Class<?> type) throws Exception;

    /** The JSON of a value. */
    JsonElement write(Object value) throws Exception;
  }

  private OwnValues(Values others, Map<String, OwnCall> calls, Converter converter) {
    super(null);
    this.others = others;
    this.calls = calls;
    this.converter = converter;
  }

  /** The values of all calls. They are {@code others} alone if there is no service. */
  public static Values beside(Values others, Map<String, OwnCall> calls, Converter converter) {
    return calls.isEmpty() ? others : new OwnValues(others, calls, converter);
  }

  @Override
  public Object[] arguments(String operation, JsonObject plain) throws Exception {
    OwnCall call = calls.get(operation);
    return call == null
        ? others.arguments(operation, plain)
        : new Object[] {converter.read(plain.get(OwnCall.PARAMETER), call.request())};
  }

  @Override
  public Object answer(String operation, JsonElement plain) throws Exception {
    OwnCall call = calls.get(operation);
    return call == null ? others.answer(operation, plain) : converter.read(plain, call.answer());
  }

  @Override
  public JsonElement plain(Object value) throws Exception {
    boolean own =
        calls.values().stream()
            .anyMatch(call -> call.answer().isInstance(value) || call.request().isInstance(value));
    return own ? converter.write(value) : others.plain(value);
  }
}
