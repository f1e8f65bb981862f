package org.callbench.cxf;

import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.net.BindException;
import java.net.ServerSocket;
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
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.service.Answers;
import org.callbench.service.Item;
import org.callbench.service.Person;
import org.callbench.service.SearchResponse;
import org.callbench.service.ServiceFault;
import org.callbench.service.Structure;
import org.callbench.service.TestStructureBean;
import org.callbench.service.UserDetails;

/** SOAP by Apache CXF, its own client, Jetty as the server. */
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

  private static Server started(Service service, String endpoint) {
    JaxWsServerFactoryBean factory = new JaxWsServerFactoryBean();
    factory.setServiceClass(SoapService.class);
    factory.setServiceBean(new Answering(service));
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
  public Client connect(Connect to) {
    JaxWsProxyFactoryBean factory = new JaxWsProxyFactoryBean();
    factory.setServiceClass(SoapService.class);
    factory.setAddress(to.endpoint());
    SoapService port = (SoapService) factory.create();
    HTTPClientPolicy policy = new HTTPClientPolicy();
    policy.setConnectionTimeout(to.timeoutMillis());
    policy.setReceiveTimeout(to.timeoutMillis());
    ((HTTPConduit) ClientProxy.getClient(port).getConduit()).setClient(policy);
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) throws Failure {
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
      }
    };
  }

  /** A list without elements leaves no trace in document/literal, and is null when it is read. */
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
