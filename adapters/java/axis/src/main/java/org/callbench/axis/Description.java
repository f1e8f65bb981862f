package org.callbench.axis;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.HashMap;
import java.util.Map;
import javax.xml.namespace.QName;
import org.apache.axis.Constants;
import org.apache.axis.constants.Style;
import org.apache.axis.constants.Use;
import org.apache.axis.description.OperationDesc;
import org.apache.axis.description.ParameterDesc;
import org.apache.axis.encoding.TypeMapping;
import org.apache.axis.encoding.TypeMappingRegistry;
import org.callbench.kit.Operations;
import org.callbench.service.Category;
import org.callbench.service.Condition;
import org.callbench.service.Item;
import org.callbench.service.ListingInfo;
import org.callbench.service.Pagination;
import org.callbench.service.Person;
import org.callbench.service.SearchResponse;
import org.callbench.service.SearchResult;
import org.callbench.service.SellingStatus;
import org.callbench.service.ShippingInfo;
import org.callbench.service.Structure;
import org.callbench.service.TestStructureBean;
import org.callbench.service.UserDetails;

/**
 * The service as Axis must be told it, on both sides: its operations, and its records as beans.
 *
 * <p>Java's char is none of XML Schema's types, and none of Axis's: it travels as the int of its
 * number.
 */
final class Description {
  static final String NAMESPACE = "urn:callbench:SpeedService";

  private static final Class<?>[] RECORDS = {
    Person.class,
    UserDetails.class,
    TestStructureBean.class,
    Structure.class,
    Category.class,
    Condition.class,
    ShippingInfo.class,
    SellingStatus.class,
    ListingInfo.class,
    Item.class,
    Pagination.class,
    SearchResult.class,
    SearchResponse.class,
  };

  private Description() {}

  /** Enters the records among the types that travel. */
  static void register(TypeMappingRegistry registry) {
    TypeMapping types = (TypeMapping) registry.createTypeMapping();
    types.setSupportedEncodings(new String[] {Constants.URI_SOAP11_ENC});
    for (Class<?> record : RECORDS) {
      QName name = new QName(NAMESPACE, record.getSimpleName());
      Record bean = new Record(record, name);
      types.register(record, name, bean.new Writing(), bean.new Reading());
    }
    registry.register(Constants.URI_SOAP11_ENC, types);
  }

  /** A fresh description of every operation, by its name. Axis writes into them. */
  static Map<String, OperationDesc> operations(TypeMapping types) {
    Map<String, OperationDesc> operations = new HashMap<>();
    for (Method method : Operations.all()) {
      operations.put(method.getName(), operation(method, types));
    }
    return operations;
  }

  private static OperationDesc operation(Method method, TypeMapping types) {
    OperationDesc operation = new OperationDesc();
    operation.setName(method.getName());
    operation.setElementQName(new QName(NAMESPACE, method.getName()));
    operation.setStyle(Style.RPC);
    operation.setUse(Use.ENCODED);
    for (Parameter each : method.getParameters()) {
      Class<?> type = carried(each.getType());
      operation.addParameter(
          new ParameterDesc(
              new QName("", each.getName()),
              ParameterDesc.IN,
              types.getTypeQName(type),
              type,
              false,
              false));
    }
    Class<?> answer = carried(method.getReturnType());
    operation.setReturnClass(answer);
    operation.setReturnType(answer == void.class ? Constants.XSD_ANY : types.getTypeQName(answer));
    operation.setReturnQName(new QName("", method.getName() + "Return"));
    operation.setMethod(method);
    return operation;
  }

  private static Class<?> carried(Class<?> type) {
    if (type == char.class) {
      return int.class;
    }
    return type == char[].class ? int[].class : type;
  }

  /** A char as its number; everything else is itself. */
  static Object carried(Object value) {
    if (value instanceof Character unit) {
      return (int) unit;
    }
    if (!(value instanceof char[] units)) {
      return value;
    }
    int[] numbers = new int[units.length];
    for (int i = 0; i < units.length; i++) {
      numbers[i] = units[i];
    }
    return numbers;
  }

  /** And back, for a parameter of this type. */
  static Object own(Class<?> type, Object carried) {
    if (type == char.class) {
      return (char) (int) (Integer) carried;
    }
    if (type != char[].class) {
      return carried;
    }
    int[] numbers = (int[]) carried;
    char[] units = new char[numbers.length];
    for (int i = 0; i < units.length; i++) {
      units[i] = (char) numbers[i];
    }
    return units;
  }
}
