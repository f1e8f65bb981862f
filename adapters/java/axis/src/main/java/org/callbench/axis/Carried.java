package org.callbench.axis;

import com.google.gson.JsonElement;
import org.callbench.kit.Values;
import org.callbench.service.SpeedService;

/** The service's types, but for Java's char, which is none of Axis's: the int of its number. */
final class Carried extends Values {
  Carried() {
    super(SpeedService.class);
  }

  /** What stands for a type. */
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
