package org.callbench.cxf;

import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.net.BindException;
import java.net.ServerSocket;
import java.util.Map;
import org.apache.cxf.binding.soap.SoapFault;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.interceptor.Fault;
import org.apache.cxf.jaxws.JaxWsProxyFactoryBean;
import org.apache.cxf.jaxws.JaxWsServerFactoryBean;
import org.apache.cxf.transport.http.HTTPConduit;
import org.apache.cxf.transports.http.configuration.HTTPClientPolicy;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.OwnCall;
import org.callbench.kit.OwnValues;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.kit.Values;
import org.callbench.service.Answers;
import org.callbench.service.Item;
import org.callbench.service.Person;
import org.callbench.service.SearchResponse;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;
import org.callbench.service.Structure;
import org.callbench.service.TestStructureBean;
import org.callbench.service.UserDetails;

/** SOAP by Apache CXF with its own client, and Jetty as the server. */
public final class Cxf implements Stack {
  private static final int TRIES = 5;

  @Override
  public Server serve(Service service, Listen at) throws Exception {
    for (int attempt = 1; ; attempt++) {
      String endpoint = "http://" + at.at(at.port() == 0 ? free(at) : at.port()) + "/soap";
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

  @Override
  public Values values() {
    Values others = new Values(SpeedService.class);
    return OwnValues.beside(others, OwnPort.CALLS, new OwnXml());
  }

  @Override
  public Map<String, OwnCall> own() {
    return OwnPort.CALLS;
  }

  private static Server started(Service service, String endpoint)
      throws ReflectiveOperationException {
    JaxWsServerFactoryBean factory = new JaxWsServerFactoryBean();
    factory.setServiceClass(SoapService.class);
    factory.setServiceBean(new Answering(service));
    factory.setAddress(endpoint);
    org.apache.cxf.endpoint.Server server = factory.create();
    org.apache.cxf.endpoint.Server own =
        OwnPort.CALLS.isEmpty() ? null : OwnPort.serve(service, endpoint);
    return new Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() {
        if (own != null) {
          own.destroy();
        }
        server.destroy();
      }
    };
  }

  /** The service. Its refusals become SOAP faults. */
  private static final class Answering extends Answers implements SoapService {
    Answering(Service service) {
      super(service);
    }

    private static SoapFault soap(ServiceFault fault) {
      return new SoapFault(fault.getMessage(), Fault.FAULT_CODE_CLIENT);
    }

    @Override
    public Person[] GetPersons(int n) {
      try {
        return super.GetPersons(n);
      } catch (ServiceFault fault) {
        throw soap(fault);
      }
    }

    @Override
    public byte[] GetBinaryData(int size, String fill) {
      try {
        return super.GetBinaryData(size, fill);
      } catch (ServiceFault fault) {
        throw soap(fault);
      }
    }

    @Override
    public SearchResponse FindItems(int n) {
      try {
        return super.FindItems(n);
      } catch (ServiceFault fault) {
        throw soap(fault);
      }
    }
  }

  @Override
  public Client connect(Connect to) throws ReflectiveOperationException {
    JaxWsProxyFactoryBean factory = new JaxWsProxyFactoryBean();
    factory.setServiceClass(SoapService.class);
    factory.setAddress(to.endpoint());
    SoapService port = (SoapService) factory.create();
    limit(port, to);
    Closeable own = OwnPort.CALLS.isEmpty() ? null : OwnPort.connect(to.endpoint());
    if (own != null) {
      limit(own, to);
    }
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) throws Exception {
        if (OwnPort.CALLS.containsKey(operation)) {
          return OwnPort.call(own, operation, arguments);
        }
        Call call = Call.of(MethodHandles.lookup(), SoapService.class, port, operation, arguments);
        return switch (operation) {
          case "GetPersons", "EchoStructure", "FindItems" -> () -> whole(call.make());
          default -> call;
        };
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
        if (own != null) {
          own.close();
        }
      }
    };
  }

  /** Sets the time-outs of a proxy. */
  private static void limit(Object port, Connect to) {
    HTTPClientPolicy policy = new HTTPClientPolicy();
    policy.setConnectionTimeout(to.timeoutMillis());
    policy.setReceiveTimeout(to.timeoutMillis());
    ((HTTPConduit) ClientProxy.getClient(port).getConduit()).setClient(policy);
  }

  /** In document/literal, an empty list is not written, so it is null when it is read. */
  private static Object whole(Object answer) {
    if (answer == null) {
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
