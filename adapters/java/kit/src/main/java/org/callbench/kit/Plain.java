package org.callbench.kit;

import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The service's values as the maps, arrays and boxes that protocols without types know, and back.
 */
public final class Plain {
  private static final ClassValue<Field[]> MEMBERS =
      new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
          return java.util.Arrays.stream(type.getFields())
              .filter(field -> !Modifier.isStatic(field.getModifiers()))
              .toArray(Field[]::new);
        }
      };

  private Plain() {}

  /**
   * Records as maps (absent members left out), arrays as Object[] but for byte[], a char as its
   * number.
   */
  public static Object of(Object value) throws ReflectiveOperationException {
    if (value == null
        || value instanceof byte[]
        || value instanceof String
        || value instanceof Boolean) {
      return value;
    }
    if (value instanceof Character unit) {
      return (int) unit;
    }
    if (value instanceof Number) {
      return value instanceof Byte number ? Integer.valueOf(number & 0xFF) : value;
    }
    if (value.getClass().isArray()) {
      Object[] plain = new Object[Array.getLength(value)];
      for (int i = 0; i < plain.length; i++) {
        plain[i] = of(Array.get(value, i));
      }
      return plain;
    }
    Map<String, Object> plain = new LinkedHashMap<>();
    for (Field member : MEMBERS.get(value.getClass())) {
      Object its = member.get(value);
      if (its != null) {
        plain.put(member.getName(), of(its));
      }
    }
    return plain;
  }

  /**
   * Back to a type of the service; octets may be base64, a number its text; a value that does not
   * fit is an error.
   */
  public static Object to(Class<?> type, Object plain) throws ReflectiveOperationException {
    if (plain == null) {
      return null;
    }
    if (type == byte[].class && plain instanceof String text) {
      return Base64.getDecoder().decode(text);
    }
    if (type == float.class && plain instanceof String text) {
      return Float.valueOf(text);
    }
    if (type == double.class && plain instanceof String text) {
      return Double.valueOf(text);
    }
    if (type == String.class
        || type == boolean.class
        || type == Boolean.class
        || type == byte[].class) {
      return plain;
    }
    if (type.isArray()) {
      return array(
          type.getComponentType(),
          plain instanceof List<?> list ? list.toArray() : (Object[]) plain);
    }
    if (plain instanceof Number number) {
      return number(type, number);
    }
    if (!Serializable.class.isAssignableFrom(type) || !(plain instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException(
          "a " + plain.getClass().getSimpleName() + " is no " + type.getSimpleName());
    }
    Object record = type.getDeclaredConstructor().newInstance();
    for (Field member : MEMBERS.get(type)) {
      Object its = to(member.getType(), map.get(member.getName()));
      if (its != null) {
        member.set(record, its);
      }
    }
    return record;
  }

  private static Object array(Class<?> element, Object[] plain)
      throws ReflectiveOperationException {
    Object array = Array.newInstance(element, plain.length);
    for (int i = 0; i < plain.length; i++) {
      Array.set(array, i, to(element, plain[i]));
    }
    return array;
  }

  private static Object number(Class<?> type, Number number) {
    if (type == int.class || type == Integer.class) {
      return number.intValue();
    } else if (type == long.class) {
      return number.longValue();
    } else if (type == double.class) {
      return number.doubleValue();
    } else if (type == float.class || type == Float.class) {
      return number.floatValue();
    } else if (type == short.class) {
      return number.shortValue();
    } else if (type == byte.class) {
      return number.byteValue();
    }
    return (char) number.intValue();
  }
}
