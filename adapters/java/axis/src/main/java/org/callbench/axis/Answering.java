package org.callbench.axis;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import javax.xml.namespace.QName;
import org.apache.axis.AxisFault;
import org.apache.axis.Constants;
import org.apache.axis.Message;
import org.apache.axis.MessageContext;
import org.apache.axis.configuration.SimpleProvider;
import org.apache.axis.constants.Style;
import org.apache.axis.constants.Use;
import org.apache.axis.description.JavaServiceDesc;
import org.apache.axis.description.OperationDesc;
import org.apache.axis.encoding.TypeMapping;
import org.apache.axis.handlers.soap.SOAPService;
import org.apache.axis.providers.java.JavaProvider;
import org.apache.axis.providers.java.RPCProvider;
import org.apache.axis.server.AxisServer;
import org.apache.axis.utils.XMLUtils;
import org.callbench.kit.Service;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;
import org.callbench.shared.Front;
import org.w3c.dom.Document;

/**
 * Axis behind the JDK's HTTP server, with an AxisServer per thread. Calls change Axis's tables
 * without a lock, so simultaneous calls would fail now and then.
 */
final class Answering implements Front.Answering {
  private static final String NAME = "SpeedService";
  private static final QName CLIENT = new QName(Constants.URI_SOAP11_ENV, "Client");
  private static final String XML = "text/xml; charset=utf-8";

  private final Service service;
  private final ThreadLocal<AxisServer> servers = ThreadLocal.withInitial(this::server);

  Answering(Service service) {
    this.service = service;
  }

  /** Calls the service. Its refusals become SOAP faults. */
  private static final class Provider extends RPCProvider {
    private static final long serialVersionUID = 1L;

    /** Axis could write a provider to a file, but this one is never written. */
    private final transient Service service;

    Provider(Service service) {
      this.service = service;
    }

    @Override
    protected Object makeNewServiceObject(MessageContext context, String name) {
      return service;
    }

    @Override
    protected Class<?> getServiceClass(String name, SOAPService of, MessageContext context) {
      return SpeedService.class;
    }

    @Override
    protected Object invokeMethod(
        MessageContext context, Method method, Object object, Object[] arguments) throws Exception {
      try {
        return service.answer(method.getName(), arguments);
      } catch (ServiceFault fault) {
        throw new AxisFault(CLIENT, fault.getMessage(), null, null);
      }
    }
  }

  private AxisServer server() {
    SOAPService deployed = new SOAPService(new Provider(service));
    deployed.setName(NAME);
    deployed.setStyle(Style.RPC);
    deployed.setUse(Use.ENCODED);
    deployed.setOption(JavaProvider.OPTION_CLASSNAME, SpeedService.class.getName());
    deployed.setOption(JavaProvider.OPTION_ALLOWEDMETHODS, "*");
    Description.register(deployed.getTypeMappingRegistry());
    JavaServiceDesc description = (JavaServiceDesc) deployed.getServiceDescription();
    description.setName(NAME);
    description.setDefaultNamespace(Description.NAMESPACE);
    description.setImplClass(SpeedService.class);
    TypeMapping types = description.getTypeMapping();
    for (OperationDesc operation : Description.operations(types).values()) {
      description.addOperationDesc(operation);
    }
    SimpleProvider configuration = new SimpleProvider();
    configuration.deployService(NAME, deployed);
    return new AxisServer(configuration);
  }

  @Override
  public Front.Reply answer(HttpExchange exchange) throws Exception {
    AxisServer server = servers.get();
    MessageContext context = new MessageContext(server);
    context.setTargetService(NAME);
    if (exchange.getRequestMethod().equals("GET")) {
      return described(server, context, exchange);
    }
    Message request =
        new Message(
            exchange.getRequestBody(),
            false,
            exchange.getRequestHeaders().getFirst("Content-Type"),
            null);
    context.setRequestMessage(request);
    int status = 200;
    Message answer;
    try {
      server.invoke(context);
      answer = context.getResponseMessage();
    } catch (AxisFault fault) {
      status = 500;
      answer = new Message(fault);
      answer.setMessageContext(context);
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    answer.writeTo(body);
    return new Front.Reply(status, XML, body.toByteArray());
  }

  /** The WSDL that Axis generates for the service. */
  private static Front.Reply described(
      AxisServer server, MessageContext context, HttpExchange exchange) throws AxisFault {
    String host = exchange.getRequestHeaders().getFirst("Host");
    context.setProperty(
        MessageContext.TRANS_URL, "http://" + host + exchange.getRequestURI().getPath());
    server.generateWSDL(context);
    Document description = (Document) context.getProperty("WSDL");
    String text = XMLUtils.DocumentToString(description);
    return new Front.Reply(200, XML, text.getBytes(StandardCharsets.UTF_8));
  }
}
