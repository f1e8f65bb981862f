package org.callbench.axis;

import java.io.IOException;
import java.util.Map;
import javax.xml.namespace.QName;
import javax.xml.rpc.ServiceException;
import org.apache.axis.AxisFault;
import org.apache.axis.Constants;
import org.apache.axis.SimpleTargetedChain;
import org.apache.axis.configuration.SimpleProvider;
import org.apache.axis.description.OperationDesc;
import org.apache.axis.encoding.TypeMapping;
import org.apache.axis.soap.SOAPConstants;
import org.apache.axis.transport.http.CommonsHTTPSender;
import org.apache.axis.utils.JavaUtils;
import org.apache.commons.httpclient.MultiThreadedHttpConnectionManager;
import org.apache.commons.httpclient.NoHttpResponseException;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.kit.Values;
import org.callbench.service.SpeedService;
import org.callbench.shared.Front;

/**
 * SOAP 1.1, rpc/encoded, by Apache Axis 1.4 over commons-httpclient and the JDK's HTTP server. It
 * replaces webMethods GLUE, which is no longer available.
 */
public final class Axis implements Stack {
  @Override
  public Values values() {
    return new Carried();
  }

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    return new Front(at, "/axis/services/SpeedService", new Answering(service));
  }

  /**
   * Axis's sender. It keeps its connections and does not check before each call whether they are
   * stale.
   */
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

  /**
   * A client with its own engine and connection. It creates a Call for each call, as a stub does.
   */
  private static final class Caller implements Client {
    private final Sender sender = new Sender();
    private final org.apache.axis.client.Service service;
    private final Map<String, OperationDesc> operations;
    private final Connect to;

    Caller(Connect to) {
      this.to = to;
      SimpleProvider configuration = new SimpleProvider();
      configuration.deployTransport("http", new SimpleTargetedChain(sender));
      service = new org.apache.axis.client.Service(configuration);
      Description.register(service.getEngine().getTypeMappingRegistry());
      operations =
          Description.operations(
              (TypeMapping)
                  service
                      .getEngine()
                      .getTypeMappingRegistry()
                      .getTypeMapping(Constants.URI_SOAP11_ENC));
    }

    @Override
    public Call call(String operation, Object[] arguments) throws Failure {
      OperationDesc description = operations.get(operation);
      QName name = new QName(Description.NAMESPACE, operation);
      Class<?> type = Values.operation(SpeedService.class, operation).getReturnType();
      return () -> {
        Object answer = made(description, name).invoke(arguments);
        return type == void.class ? null : JavaUtils.convert(answer, type);
      };
    }

    private org.apache.axis.client.Call made(OperationDesc operation, QName name)
        throws ServiceException {
      org.apache.axis.client.Call call = (org.apache.axis.client.Call) service.createCall();
      call.setTargetEndpointAddress(to.endpoint());
      call.setTimeout(to.timeoutMillis());
      call.setOperation(operation);
      call.setOperationName(name);
      call.setSOAPVersion(SOAPConstants.SOAP11_CONSTANTS);
      call.setUseSOAPAction(true);
      call.setSOAPActionURI("");
      return call;
    }

    @Override
    public Failure failure(Throwable thrown) {
      if (thrown.getCause() instanceof NoHttpResponseException cut) {
        return new Failure(Kind.CLOSED, cut.getMessage(), thrown);
      }
      boolean isFault =
          thrown instanceof AxisFault fault
              && fault.getCause() == null
              && Constants.URI_SOAP11_ENV.equals(fault.getFaultCode().getNamespaceURI());
      return isFault ? Failure.fault(((AxisFault) thrown).getFaultString()) : Failure.of(thrown);
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
