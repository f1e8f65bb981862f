package org.callbench.axis;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.xml.namespace.QName;
import org.apache.axis.encoding.Deserializer;
import org.apache.axis.encoding.Serializer;
import org.apache.axis.encoding.ser.BaseDeserializerFactory;
import org.apache.axis.encoding.ser.BaseSerializerFactory;
import org.apache.axis.encoding.ser.BeanDeserializer;
import org.apache.axis.encoding.ser.BeanSerializer;
import org.apache.axis.utils.BeanPropertyDescriptor;
import org.apache.axis.utils.FieldPropertyDescriptor;

/**
 * A record as an Axis bean. For a public field with an array, Axis would write the elements side by
 * side, and nothing for an empty array. A bean with getters, as Axis generates it from a WSDL, has
 * an array in SOAP encoding. So has this one.
 */
final class Record {
  private final Class<?> type;
  private final QName name;
  private final Map<String, BeanPropertyDescriptor> members = new LinkedHashMap<>();

  Record(Class<?> type, QName name) {
    this.type = type;
    this.name = name;
    Arrays.stream(type.getFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .forEach(field -> members.put(field.getName(), new Member(field)));
  }

  /** A public field. Arrays are not expanded. */
  private static final class Member extends FieldPropertyDescriptor {
    Member(Field field) {
      super(field.getName(), field);
    }

    @Override
    public boolean isIndexed() {
      return false;
    }

    @Override
    public boolean isArray() {
      return false;
    }
  }

  /** Writes it. One instance is enough, because it keeps no state of a call. */
  final class Writing extends BaseSerializerFactory {
    private static final long serialVersionUID = 1L;

    Writing() {
      super(BeanSerializer.class, name, type);
    }

    @Override
    public javax.xml.rpc.encoding.Serializer getSerializerAs(String mechanism) {
      Serializer made =
          new BeanSerializer(
              type, name, null, members.values().toArray(BeanPropertyDescriptor[]::new));
      return made;
    }
  }

  /** Reads it. */
  final class Reading extends BaseDeserializerFactory {
    private static final long serialVersionUID = 1L;

    Reading() {
      super(BeanDeserializer.class, name, type);
    }

    @Override
    public javax.xml.rpc.encoding.Deserializer getDeserializerAs(String mechanism) {
      Deserializer made = new BeanDeserializer(type, name, null, members);
      return made;
    }
  }
}
