package org.callbench.shared;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.callbench.kit.Values;
import org.callbench.service.SpeedService;

/**
 * The service's values for libraries without types: records as maps without absent members, a char
 * and a byte as their numbers.
 */
public final class Maps extends Values {
  private final boolean lists;

  /** Lists as List, or as Object[]. */
  public Maps(boolean lists) {
    super(SpeedService.class);
    this.lists = lists;
  }

  @Override
  protected Object of(Class<?> type, JsonElement plain) throws Exception {
    Object value = super.of(type, plain);
    if (value instanceof Character unit) {
      return (int) unit;
    }
    return value instanceof Byte octet ? (Object) (octet & 0xFF) : value;
  }

  @Override
  protected Object list(Class<?> element, JsonArray plain) throws Exception {
    List<Object> list = new ArrayList<>(plain.size());
    for (JsonElement each : plain) {
      list.add(of(element, each));
    }
    return lists ? list : list.toArray();
  }

  @Override
  protected Object record(Class<?> type, JsonObject plain) throws Exception {
    Map<String, Object> record = new LinkedHashMap<>();
    for (Field member : members(type)) {
      Object its = of(member.getType(), plain.get(member.getName()));
      if (its != null) {
        record.put(member.getName(), its);
      }
    }
    return record;
  }
}
