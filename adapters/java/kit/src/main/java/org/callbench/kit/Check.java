package org.callbench.kit;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;

/**
 * Compares an answer with the correct one, in the library's own types. It takes constant time and
 * does not allocate. It compares the length of a list, its last element and element k, and every
 * member of a record.
 */
public class Check {
  /** A check that was generated for the types of a call. */
  static Check of(Same.Of<Object> generated) {
    return new Check() {
      @Override
      public boolean same(Object right, Object answer, long k) {
        return right != null && answer != null ? generated.same(right, answer, k) : right == answer;
      }
    };
  }

  /** Whether the {@code k}-th answer of a client is correct. */
  public boolean same(Object right, Object answer, long k) {
    if (right == answer) {
      return true;
    } else if (right == null || answer == null) {
      return false;
    } else if (right instanceof String one) {
      return answer instanceof String other && Same.text(one, other, k);
    } else if (right instanceof Number one) {
      return answer instanceof Number other && same(one, other);
    } else if (right instanceof byte[] one) {
      return answer instanceof byte[] other && Same.bytes(one, other, k);
    } else if (right instanceof int[] one) {
      int n = one.length;
      return answer instanceof int[] other
          && other.length == n
          && (n == 0 || one[n - 1] == other[n - 1] && one[(int) (k % n)] == other[(int) (k % n)]);
    } else if (right instanceof Object[] one) {
      int n = one.length;
      return answer instanceof Object[] other
          && other.length == n
          && (n == 0
              || same(one[n - 1], other[n - 1], k)
                  && same(one[(int) (k % n)], other[(int) (k % n)], k));
    } else if (right instanceof List<?> one) {
      int n = one.size();
      return answer instanceof List<?> other
          && other.size() == n
          && (n == 0
              || same(one.get(n - 1), other.get(n - 1), k)
                  && same(one.get((int) (k % n)), other.get((int) (k % n)), k));
    } else if (right instanceof Map<?, ?> one) {
      return answer instanceof Map<?, ?> other && same(one, other, k);
    }
    return right instanceof Boolean ? right.equals(answer) : sameRecord(right, answer, k);
  }

  /** A library without types may return a number in any type. */
  private static boolean same(Number one, Number other) {
    if (one instanceof Float) {
      return Float.compare(one.floatValue(), other.floatValue()) == 0;
    } else if (one instanceof Double) {
      return Double.compare(one.doubleValue(), other.doubleValue()) == 0;
    }
    return one.longValue() == other.longValue();
  }

  private boolean same(Map<?, ?> one, Map<?, ?> other, long k) {
    if (one.size() != other.size()) {
      return false;
    }
    for (Map.Entry<?, ?> member : one.entrySet()) {
      if (!same(member.getValue(), other.get(member.getKey()), k)) {
        return false;
      }
    }
    return true;
  }

  private boolean sameRecord(Object right, Object answer, long k) {
    if (right.getClass() != answer.getClass()) {
      return false;
    }
    try {
      for (Field member : Values.members(right.getClass())) {
        if (!same(member, right, answer, k)) {
          return false;
        }
      }
      return true;
    } catch (IllegalAccessException hidden) {
      throw new IllegalStateException("a record's members must be public", hidden);
    }
  }

  /** Uses the member's own type, so that no number is boxed. */
  private boolean same(Field member, Object right, Object answer, long k)
      throws IllegalAccessException {
    Class<?> type = member.getType();
    if (type == int.class) {
      return member.getInt(right) == member.getInt(answer);
    } else if (type == long.class) {
      return member.getLong(right) == member.getLong(answer);
    } else if (type == boolean.class) {
      return member.getBoolean(right) == member.getBoolean(answer);
    } else if (type == float.class) {
      return Float.compare(member.getFloat(right), member.getFloat(answer)) == 0;
    } else if (type == double.class) {
      return Double.compare(member.getDouble(right), member.getDouble(answer)) == 0;
    }
    return same(member.get(right), member.get(answer), k);
  }
}
