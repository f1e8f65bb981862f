package org.callbench.json;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import org.callbench.kit.OwnValues;

/** The plain values of a service of the user's own are its JSON, which Jackson reads and writes. */
final class OwnJson implements OwnValues.Converter {
  @Override
  public Object read(JsonElement plain, Class<?> type) throws Exception {
    return Json.OWN.readValue(String.valueOf(plain), type);
  }

  @Override
  public JsonElement write(Object value) throws Exception {
    return JsonParser.parseString(Json.OWN.writeValueAsString(value));
  }
}
