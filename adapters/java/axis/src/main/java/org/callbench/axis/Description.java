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
import org.callbench.service.SpeedService;
import org.callbench.service.Structure;
import org.callbench.service.TestStructureBean;
import org.callbench.service.UserDetails;

/**
 * The description of the service for Axis, on both sides: its operations, and its records as beans.
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

  /** Registers the records. */
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

  /** A new description of every operation, by its name. Axis modifies them. */
  static Map<String, OperationDesc> operations(TypeMapping types) {
    Map<String, OperationDesc> operations = new HashMap<>();
    for (Method method : SpeedService.class.getMethods()) {
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
      Class<?> type = Carried.type(each.getType());
      operation.addParameter(
          new ParameterDesc(
              new QName("", each.getName()),
              ParameterDesc.IN,
              types.getTypeQName(type),
              type,
              false,
              false));
    }
    Class<?> answer = Carried.type(method.getReturnType());
    operation.setReturnClass(answer);
    operation.setReturnType(answer == void.class ? Constants.XSD_ANY : types.getTypeQName(answer));
    operation.setReturnQName(new QName("", method.getName() + "Return"));
    operation.setMethod(method);
    return operation;
  }
}
