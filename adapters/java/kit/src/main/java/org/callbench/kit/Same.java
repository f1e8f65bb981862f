package org.callbench.kit;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What generated code for a service of the user's own does with values. {@code same} looks at some
 * elements of what is long, {@code whole} at everything, and {@code mark} makes a number for a hash
 * table of lengths and ends.
 */
public final class Same {
  public static final byte[] NO_BYTES = {};

  /** Strings up to this length are compared as a whole, and maps up to this size. */
  private static final int WHOLE = 64;

  private static final int ENDS = 8;
  private static final int PRIME = 31;

  private Same() {}

  /** Compares two values; {@code k} is the number of the answer. */
  @FunctionalInterface
  public interface Of<T> {
    boolean same(T right, T answer, long k);
  }

  /** Adds a value to the mark of what came before it. */
  @FunctionalInterface
  public interface Mark<T> {
    int mark(int before, T value);
  }

  /** Strings. */
  public static boolean text(String right, String answer, long k) {
    int n = right.length();
    if (n <= WHOLE) {
      return right.equals(answer);
    }
    int at = (int) (k % n);
    return answer.length() == n
        && right.charAt(n - 1) == answer.charAt(n - 1)
        && right.charAt(at) == answer.charAt(at);
  }

  /** Bytes. */
  public static boolean bytes(byte[] right, byte[] answer, long k) {
    int n = right.length;
    return answer.length == n
        && (n == 0
            || right[0] == answer[0]
                && right[n - 1] == answer[n - 1]
                && right[(int) (k % n)] == answer[(int) (k % n)]);
  }

  /** Values that are compared as a whole: numbers, enumerations, any JSON. */
  public static boolean value(Object right, Object answer, long k) {
    return whole(right, answer);
  }

  /** Values that may be null. */
  public static <T> boolean maybe(T right, T answer, long k, Of<? super T> of) {
    return right == null || answer == null ? right == answer : of.same(right, answer, k);
  }

  /**
   * Lists: the length, the last element and element k. Some libraries have null for no elements.
   */
  public static <T> boolean list(
      List<? extends T> right, List<? extends T> answer, long k, Of<? super T> of) {
    int n = right.size();
    if (answer.size() != n) {
      return false;
    }
    int at = n == 0 ? 0 : (int) (k % n);
    return n == 0
        || maybe(right.get(n - 1), answer.get(n - 1), k, of)
            && maybe(right.get(at), answer.get(at), k, of);
  }

  /** Maps: the number of entries and, of many, the last entry and entry k. */
  public static <T> boolean map(
      Map<?, ? extends T> right, Map<?, ? extends T> answer, long k, Of<? super T> of) {
    int n = right.size();
    if (answer.size() != n) {
      return false;
    }
    int at = n == 0 ? 0 : (int) (k % n);
    Iterator<? extends Map.Entry<?, ? extends T>> entries = right.entrySet().iterator();
    for (int i = 0; i < n; i++) {
      Map.Entry<?, ? extends T> entry = entries.next();
      if (n <= WHOLE || i == at || i == n - 1) {
        T found = answer.get(entry.getKey());
        if (!maybe(entry.getValue(), found, k, of)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether two values are equal in everything. Numbers of any JSON are equal as doubles. */
  public static boolean whole(Object one, Object other) {
    if (one == other) {
      return true;
    } else if (one instanceof byte[] bytes) {
      return other instanceof byte[] others && Arrays.equals(bytes, others);
    } else if (one instanceof List<?> list) {
      return other instanceof List<?> others && wholeList(list, others);
    } else if (one instanceof Map<?, ?> map) {
      return other instanceof Map<?, ?> others && wholeMap(map, others);
    } else if (one instanceof Number number && other instanceof Number found) {
      return number.getClass() == found.getClass()
          ? number.equals(found)
          : number.doubleValue() == found.doubleValue();
    }
    return Objects.equals(one, other);
  }

  private static boolean wholeList(List<?> one, List<?> other) {
    int n = one.size();
    boolean same = other.size() == n;
    for (int i = 0; same && i < n; i++) {
      same = whole(one.get(i), other.get(i));
    }
    return same;
  }

  private static boolean wholeMap(Map<?, ?> one, Map<?, ?> other) {
    boolean same = one.size() == other.size();
    for (Map.Entry<?, ?> entry : one.entrySet()) {
      same =
          same
              && other.containsKey(entry.getKey())
              && whole(entry.getValue(), other.get(entry.getKey()));
    }
    return same;
  }

  /** Adds a number. */
  public static int mark(int before, int value) {
    return PRIME * before + value;
  }

  /** Adds a string: its length and its ends. */
  public static int text(int before, String value) {
    int n = value.length();
    int mark = PRIME * before + n;
    for (int i = 0; i < Math.min(n, ENDS); i++) {
      mark = PRIME * (PRIME * mark + value.charAt(i)) + value.charAt(n - 1 - i);
    }
    return mark;
  }

  /** Adds bytes: their length and their ends. */
  public static int bytes(int before, byte[] value) {
    int n = value.length;
    int mark = PRIME * before + n;
    for (int i = 0; i < Math.min(n, ENDS); i++) {
      mark = PRIME * (PRIME * mark + value[i]) + value[n - 1 - i];
    }
    return mark;
  }

  /** Adds a value that may be null. */
  public static <T> int maybe(int before, T value, Mark<? super T> of) {
    return value == null ? PRIME * before : of.mark(PRIME * before + 1, value);
  }

  /** Adds a list: its length, its first element and its last. */
  public static <T> int list(int before, List<? extends T> values, Mark<? super T> of) {
    int n = values.size();
    int mark = PRIME * before + n;
    return n == 0 ? mark : maybe(maybe(mark, values.get(0), of), values.get(n - 1), of);
  }

  /** Adds a map: its size and, of a few entries, each in any order. */
  public static <T> int map(int before, Map<?, ? extends T> values, Mark<? super T> of) {
    int entries = 0;
    if (values.size() <= ENDS) {
      for (Map.Entry<?, ? extends T> entry : values.entrySet()) {
        entries += maybe(value(0, entry.getKey()), entry.getValue(), of);
      }
    }
    return PRIME * (PRIME * before + values.size()) + entries;
  }

  /** Adds a number, an enumeration, or any JSON. */
  public static int value(int before, Object value) {
    if (value instanceof String text) {
      return text(before, text);
    } else if (value instanceof Number number) {
      return PRIME * before + Double.hashCode(number.doubleValue());
    } else if (value instanceof List<?> list) {
      return list(before, list, Same::value);
    } else if (value instanceof Map<?, ?> map) {
      return PRIME * before + map.size();
    } else if (value instanceof Enum<?> constant) {
      return PRIME * before + constant.ordinal();
    }
    return PRIME * before + Objects.hashCode(value);
  }
}
