package org.callbench.cxf;

import jakarta.jws.WebMethod;
import java.io.Closeable;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.util.Arrays;
import java.util.Map;
import java.util.function.BiFunction;
import javax.xml.namespace.QName;
import org.apache.cxf.binding.soap.SoapFault;
import org.apache.cxf.endpoint.Server;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.jaxws.JaxWsProxyFactoryBean;
import org.apache.cxf.jaxws.JaxWsServerFactoryBean;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.OwnCall;
import org.callbench.kit.Service;
import org.callbench.service.ServiceFault;

/**
 * The port of a service of the user's own, which has a WSDL of its own and an address of its own.
 */
final class OwnPort {
  static final Map<String, OwnCall> CALLS = OwnCall.of(OwnPort.class);

  private static final String PACKAGE = "org.callbench.own.cxf.";
  private static final String WSDL = "org/callbench/own/service.wsdl";

  private OwnPort() {}

  private static Class<?> generated(String name) throws ClassNotFoundException {
    return OwnPort.class.getClassLoader().loadClass(PACKAGE + name);
  }

  private static URL wsdl() {
    return OwnPort.class.getClassLoader().getResource(WSDL);
  }

  private static QName named(String local) throws ReflectiveOperationException {
    return new QName((String) generated("Port").getField("NAMESPACE").get(null), local);
  }

  /** The address of the port, beside that of SpeedService. */
  private static String address(String endpoint) {
    return URI.create(endpoint).resolve("/own").toString();
  }

  /** Serves the port. CXF compares it with the WSDL. */
  static Server serve(Service service, String endpoint) throws ReflectiveOperationException {
    BiFunction<String, Object, Object> answers =
        (operation, request) -> {
          try {
            return service.answer(operation, request);
          } catch (ServiceFault fault) {
            throw new SoapFault(fault.getMessage(), Fault.FAULT_CODE_CLIENT);
          } catch (Exception failure) {
            throw new Fault(failure);
          }
        };
    JaxWsServerFactoryBean factory = new JaxWsServerFactoryBean();
    factory.setServiceClass(generated("Port"));
    factory.setServiceBean(
        generated("Answering").getConstructor(BiFunction.class).newInstance(answers));
    factory.setWsdlURL(wsdl().toString());
    factory.setServiceName(named("Service"));
    factory.setEndpointName(named("Port"));
    factory.setAddress(address(endpoint));
    return factory.create();
  }

  /** A proxy of the port. */
  static Closeable connect(String endpoint) throws ReflectiveOperationException {
    JaxWsProxyFactoryBean factory = new JaxWsProxyFactoryBean();
    factory.setServiceClass(generated("Port"));
    factory.setWsdlURL(wsdl().toString());
    factory.setServiceName(named("Service"));
    factory.setEndpointName(named("Port"));
    factory.setAddress(address(endpoint));
    return (Closeable) factory.create();
  }

  /** A call through a proxy. */
  static Call call(Closeable port, String operation, Object[] arguments) throws Exception {
    Class<?> type = generated("Port");
    Method method =
        Arrays.stream(type.getMethods())
            .filter(each -> each.getAnnotation(WebMethod.class).operationName().equals(operation))
            .findFirst()
            .orElseThrow(() -> new Failure(Kind.PROTOCOL, "the port has no " + operation));
    return Call.of(MethodHandles.lookup(), type, port, method.getName(), arguments);
  }
}
