package org.callbench.axis;

import com.google.gson.JsonElement;
import org.callbench.kit.Values;
import org.callbench.service.SpeedService;

/** The types of the service. Axis has no char, so it is sent as the int of its number. */
final class Carried extends Values {
  Carried() {
    super(SpeedService.class);
  }

  /** The type that replaces a type. */
  static Class<?> type(Class<?> type) {
    if (type == char.class) {
      return int.class;
    }
    return type == char[].class ? int[].class : type;
  }

  @Override
  protected Object of(Class<?> type, JsonElement plain) throws Exception {
    return super.of(type(type), plain);
  }
}
