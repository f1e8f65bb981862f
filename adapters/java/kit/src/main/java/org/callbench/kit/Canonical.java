package org.callbench.kit;

import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;

/** Canonical JSON, in which adapters tell the core what a call answered: one text for one value. */
public final class Canonical {
  /** The longest canonical text that crosses the contract as it is, in bytes. */
  private static final int LONGEST = 4096;

  private static final String HEX_DIGITS = "0123456789abcdef";

  private final StringBuilder out = new StringBuilder();

  private Canonical() {}

  /** The text of a value of the service; null is nothing. */
  public static String text(Object value) {
    Canonical canonical = new Canonical();
    canonical.write(value);
    return canonical.out.toString();
  }

  /** The text as it crosses the contract: itself, or its digest where it is long. */
  public static String digestIfLarge(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= LONGEST) {
      return text;
    }
    return "{\"sha256\":\"" + digest(bytes) + "\",\"bytes\":" + bytes.length + "}";
  }

  private static String digest(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every Java has SHA-256", missing);
    }
  }

  private void write(Object value) {
    if (value == null
        || value instanceof Boolean
        || value instanceof Integer
        || value instanceof Short) {
      out.append(value);
    } else if (value instanceof Byte number) {
      out.append(number & 0xFF);
    } else if (value instanceof Character unit) {
      out.append((int) unit);
    } else if (value instanceof Long number) {
      out.append('"').append(number.longValue()).append('"');
    } else if (value instanceof Float number) {
      out.append(String.format("\"0x%08x\"", Float.floatToRawIntBits(number)));
    } else if (value instanceof Double number) {
      out.append(String.format("\"0x%016x\"", Double.doubleToRawLongBits(number)));
    } else if (value instanceof String text) {
      string(text);
    } else if (value instanceof byte[] bytes) {
      out.append("{\"octets\":")
          .append(bytes.length)
          .append(",\"sha256\":\"")
          .append(digest(bytes))
          .append("\"}");
    } else if (value.getClass().isArray()) {
      array(value);
    } else if (value instanceof Serializable) {
      record(value);
    } else {
      throw new IllegalArgumentException("the service has no value of " + value.getClass());
    }
  }

  private void array(Object array) {
    out.append('[');
    int length = Array.getLength(array);
    for (int i = 0; i < length; i++) {
      if (i > 0) {
        out.append(',');
      }
      write(Array.get(array, i));
    }
    out.append(']');
  }

  private static final ClassValue<Field[]> MEMBERS =
      new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
          return Arrays.stream(type.getFields())
              .filter(field -> !Modifier.isStatic(field.getModifiers()))
              .sorted(Comparator.comparing(Field::getName))
              .toArray(Field[]::new);
        }
      };

  /** A member that is absent is null, and left out. */
  private void record(Object record) {
    out.append('{');
    boolean first = true;
    for (Field member : MEMBERS.get(record.getClass())) {
      Object value;
      try {
        value = member.get(record);
      } catch (IllegalAccessException hidden) {
        throw new IllegalArgumentException(
            "the members of " + record.getClass() + " must be public", hidden);
      }
      if (value != null) {
        out.append(first ? "" : ",");
        first = false;
        string(member.getName());
        out.append(':');
        write(value);
      }
    }
    out.append('}');
  }

  private void string(String text) {
    if (!valid(text)) {
      out.append("{\"utf16\":[");
      for (int i = 0; i < text.length(); i++) {
        out.append(i > 0 ? "," : "").append((int) text.charAt(i));
      }
      out.append("]}");
      return;
    }
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      character(text.charAt(i));
    }
    out.append('"');
  }

  private static boolean valid(String text) {
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (Character.isHighSurrogate(unit)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(unit)) {
        return false;
      }
    }
    return true;
  }

  private void character(char unit) {
    switch (unit) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (unit < ' ') {
          out.append("\\u00")
              .append(HEX_DIGITS.charAt(unit >> 4))
              .append(HEX_DIGITS.charAt(unit & 15));
        } else {
          out.append(unit);
        }
      }
    }
  }
}
