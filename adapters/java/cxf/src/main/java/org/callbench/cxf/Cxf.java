package org.callbench.cxf;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.BindException;
import java.net.ServerSocket;
import org.apache.cxf.binding.soap.SoapFault;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.jaxws.JaxWsProxyFactoryBean;
import org.apache.cxf.jaxws.JaxWsServerFactoryBean;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.transports.http.configuration.HTTPClientPolicy;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Operations;
import org.callbench.kit.Stack;
import org.callbench.service.Item;
import org.callbench.service.Person;
import org.callbench.service.SearchResponse;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;
import org.callbench.service.Structure;
import org.callbench.service.TestStructureBean;
import org.callbench.service.UserDetails;

/** SOAP by Apache CXF, its own client, Jetty as the server. */
public final class Cxf implements Stack {
  private static final int TRIES = 5;

  @Override
  public Server serve(SpeedService service, Listen at) throws Exception {
    String host = at.host().getHostAddress();
    String shown = host.contains(":") ? "[" + host + "]" : host;
    for (int attempt = 1; ; attempt++) {
      String endpoint = "http://" + shown + ":" + (at.port() == 0 ? free(at) : at.port()) + "/soap";
      try {
        return started(service, endpoint);
      } catch (Fault taken) {
        if (!(taken.getCause() instanceof BindException) || attempt == TRIES) {
          throw taken;
        }
      }
    }
  }

  /** CXF must know the port before it listens. */
  private static int free(Listen at) throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, at.host())) {
      return socket.getLocalPort();
    }
  }

  private static Server started(SpeedService service, String endpoint) {
    JaxWsServerFactoryBean factory = new JaxWsServerFactoryBean();
    factory.setServiceClass(SoapService.class);
    factory.setServiceBean(implementation(service));
    factory.setAddress(endpoint);
    org.apache.cxf.endpoint.Server server = factory.create();
    return new Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() {
        server.destroy();
      }
    };
  }

  /** The service, its refusals as SOAP's faults. */
  private static SoapService implementation(SpeedService service) {
    return (SoapService)
        Proxy.newProxyInstance(
            SoapService.class.getClassLoader(),
            new Class<?>[] {SoapService.class},
            (proxy, method, arguments) -> {
              if (method.getDeclaringClass() == Object.class) {
                return method.invoke(service, arguments);
              }
              try {
                Method operation = Operations.named(method.getName());
                return Operations.invoke(service, operation, arguments);
              } catch (ServiceFault fault) {
                throw new SoapFault(fault.getMessage(), Fault.FAULT_CODE_CLIENT);
              }
            });
  }

  @Override
  public Client connect(Connect to) {
    JaxWsProxyFactoryBean factory = new JaxWsProxyFactoryBean();
    factory.setServiceClass(SoapService.class);
    factory.setAddress(to.endpoint());
    SoapService port = (SoapService) factory.create();
    HTTPClientPolicy policy = new HTTPClientPolicy();
    policy.setConnectionTimeout(to.timeoutMillis());
    policy.setReceiveTimeout(to.timeoutMillis());
    ((HTTPConduit) ClientProxy.getClient(port).getConduit()).setClient(policy);
    SpeedService service =
        Operations.through(
            (operation, arguments) ->
                whole(operation, Operations.invoke(port, operation, arguments)));
    return new Client() {
      @Override
      public SpeedService service() {
        return service;
      }

      @Override
      public Failure failure(Throwable thrown) {
        if (thrown.getCause() instanceof SoapFault fault) {
          return Failure.fault(fault.getMessage());
        }
        Failure failure = Failure.of(thrown);
        boolean cut = failure.kind() == Kind.INTERNAL && thrown.getCause() instanceof IOException;
        return cut ? new Failure(Kind.CLOSED, thrown.getCause().toString(), thrown) : failure;
      }

      @Override
      public void close() throws IOException {
        ((Closeable) port).close();
      }
    };
  }

  /** A list without elements leaves no trace in document/literal, and is null when it is read. */
  private static Object whole(Method operation, Object answer) {
    if (answer == null && operation.getReturnType() == Person[].class) {
      return new Person[0];
    }
    if (answer instanceof Structure structure) {
      structure.numbers = structure.numbers == null ? new int[0] : structure.numbers;
      structure.users = structure.users == null ? new UserDetails[0] : structure.users;
      structure.beans = structure.beans == null ? new TestStructureBean[0] : structure.beans;
    }
    if (answer instanceof SearchResponse found && found.searchResult.item == null) {
      found.searchResult.item = new Item[0];
    }
    return answer;
  }
}
