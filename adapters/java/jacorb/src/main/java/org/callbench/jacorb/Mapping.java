package org.callbench.jacorb;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.omg.CORBA.portable.IDLEntity;

/**
 * The service's records as the structs that IDL made, and back: members of the same names. What may
 * be absent is null on the one side and a union on the other.
 */
final class Mapping {
  private static final ClassValue<Field[]> MEMBERS =
      new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
          return Arrays.stream(type.getFields())
              .filter(field -> !Modifier.isStatic(field.getModifiers()))
              .toArray(Field[]::new);
        }
      };

  private static final ClassValue<Union> UNIONS =
      new ClassValue<>() {
        @Override
        protected Union computeValue(Class<?> type) {
          return Union.of(type);
        }
      };

  /** A union's methods; null for what is no union. */
  private record Union(Method discriminator, Method read, Method write) {
    static Union of(Class<?> type) {
      Method discriminator = named(type, "discriminator", 0);
      return discriminator == null
          ? null
          : new Union(discriminator, named(type, "there", 0), named(type, "there", 1));
    }

    private static Method named(Class<?> type, String name, int parameters) {
      return Arrays.stream(type.getMethods())
          .filter(
              method -> method.getName().equals(name) && method.getParameterCount() == parameters)
          .findFirst()
          .orElse(null);
    }
  }

  private Mapping() {}

  /** The value as the other side's type; what is no record is itself. */
  static Object to(Class<?> type, Object value) throws ReflectiveOperationException {
    if (value instanceof IDLEntity && UNIONS.get(value.getClass()) != null) {
      Union union = UNIONS.get(value.getClass());
      return Boolean.TRUE.equals(union.discriminator.invoke(value))
          ? union.read.invoke(value)
          : null;
    }
    Union union = IDLEntity.class.isAssignableFrom(type) ? UNIONS.get(type) : null;
    if (union != null) {
      Object maybe = type.getDeclaredConstructor().newInstance();
      if (value != null) {
        union.write.invoke(maybe, value);
      }
      return maybe;
    }
    if (value == null || type.isInstance(value) || type.isPrimitive()) {
      return value;
    }
    return type.isArray() ? array(type.getComponentType(), value) : record(type, value);
  }

  private static Object array(Class<?> element, Object value) throws ReflectiveOperationException {
    Object array = Array.newInstance(element, Array.getLength(value));
    for (int i = 0; i < Array.getLength(array); i++) {
      Array.set(array, i, to(element, Array.get(value, i)));
    }
    return array;
  }

  private static Object record(Class<?> type, Object value) throws ReflectiveOperationException {
    Object record = type.getDeclaredConstructor().newInstance();
    Class<?> other = value.getClass();
    for (Field member : MEMBERS.get(type)) {
      member.set(record, to(member.getType(), other.getField(member.getName()).get(value)));
    }
    return record;
  }
}
