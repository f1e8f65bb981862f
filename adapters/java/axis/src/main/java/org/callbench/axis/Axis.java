package org.callbench.axis;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Map;
import javax.xml.namespace.QName;
import org.apache.axis.AxisFault;
import org.apache.axis.Constants;
import org.apache.axis.SimpleTargetedChain;
import org.apache.axis.client.Call;
import org.apache.axis.client.Service;
import org.apache.axis.configuration.SimpleProvider;
import org.apache.axis.description.OperationDesc;
import org.apache.axis.encoding.TypeMapping;
import org.apache.axis.soap.SOAPConstants;
import org.apache.axis.transport.http.CommonsHTTPSender;
import org.apache.axis.utils.JavaUtils;
import org.apache.commons.httpclient.MultiThreadedHttpConnectionManager;
import org.apache.commons.httpclient.NoHttpResponseException;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Operations;
import org.callbench.kit.Stack;
import org.callbench.kit.http.Front;
import org.callbench.service.SpeedService;

/**
 * SOAP 1.1, rpc/encoded, by Apache Axis 1.4 over commons-httpclient and the JDK's HTTP server. It
 * stands in for webMethods GLUE, which nobody can get any more.
 */
public final class Axis implements Stack {
  @Override
  public Server serve(SpeedService service, Listen at) throws IOException {
    return new Front(at, "/axis/services/SpeedService", new Answering(service));
  }

  /** Axis's sender, its connections kept and not asked before each call whether they are stale. */
  private static final class Sender extends CommonsHTTPSender {
    private static final long serialVersionUID = 1L;

    @Override
    protected void initialize() {
      super.initialize();
      connectionManager.getParams().setStaleCheckingEnabled(false);
    }

    void close() {
      ((MultiThreadedHttpConnectionManager) connectionManager).shutdown();
    }
  }

  /** One client, with an engine and a connection of its own; a Call a call, as a stub makes it. */
  private static final class Caller implements Client {
    private final Sender sender = new Sender();
    private final Service service;
    private final Map<String, OperationDesc> operations;
    private final Connect to;
    private final SpeedService proxy = Operations.through(this::call);

    Caller(Connect to) {
      this.to = to;
      SimpleProvider configuration = new SimpleProvider();
      configuration.deployTransport("http", new SimpleTargetedChain(sender));
      service = new Service(configuration);
      Description.register(service.getEngine().getTypeMappingRegistry());
      operations =
          Description.operations(
              (TypeMapping)
                  service
                      .getEngine()
                      .getTypeMappingRegistry()
                      .getTypeMapping(Constants.URI_SOAP11_ENC));
    }

    private Object call(Method operation, Object[] arguments) throws Exception {
      Call call = (Call) service.createCall();
      call.setTargetEndpointAddress(to.endpoint());
      call.setTimeout(to.timeoutMillis());
      call.setOperation(operations.get(operation.getName()));
      call.setOperationName(new QName(Description.NAMESPACE, operation.getName()));
      call.setSOAPVersion(SOAPConstants.SOAP11_CONSTANTS);
      call.setUseSOAPAction(true);
      call.setSOAPActionURI("");
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = Description.carried(arguments[i]);
      }
      Object answer = call.invoke(arguments);
      Class<?> type = operation.getReturnType();
      return type == void.class ? null : JavaUtils.convert(answer, type);
    }

    @Override
    public SpeedService service() {
      return proxy;
    }

    @Override
    public Failure failure(Throwable thrown) {
      if (thrown.getCause() instanceof NoHttpResponseException cut) {
        return new Failure(Kind.CLOSED, cut.getMessage(), thrown);
      }
      boolean said =
          thrown instanceof AxisFault fault
              && fault.getCause() == null
              && Constants.URI_SOAP11_ENV.equals(fault.getFaultCode().getNamespaceURI());
      return said ? Failure.fault(((AxisFault) thrown).getFaultString()) : Failure.of(thrown);
    }

    @Override
    public void close() {
      sender.close();
    }
  }

  @Override
  public Client connect(Connect to) {
    return new Caller(to);
  }
}
