package org.callbench.xmlrpc;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import org.apache.xmlrpc.XmlRpcException;
import org.apache.xmlrpc.XmlRpcRequest;
import org.apache.xmlrpc.client.XmlRpcClient;
import org.apache.xmlrpc.client.XmlRpcClientConfigImpl;
import org.apache.xmlrpc.client.XmlRpcSun15HttpTransportFactory;
import org.apache.xmlrpc.server.XmlRpcServerConfigImpl;
import org.apache.xmlrpc.webserver.WebServer;
import org.callbench.kit.Failure;
import org.callbench.kit.Operations;
import org.callbench.kit.Plain;
import org.callbench.kit.Stack;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;

/**
 * Apache XML-RPC: its client over HttpURLConnection, its own web server. Methods are called
 * SpeedService.NAME.
 */
public final class XmlRpc implements Stack {
  private static final String PREFIX = "SpeedService.";

  /** The fault code of the service's own no. */
  private static final int REFUSED = 1;

  @Override
  public Server serve(SpeedService service, Listen at) throws IOException {
    WebServer server = new WebServer(at.port(), at.host());
    XmlRpcServerConfigImpl config = new XmlRpcServerConfigImpl();
    config.setEnabledForExtensions(true);
    config.setKeepAliveEnabled(true);
    config.setContentLengthOptional(false);
    server.getXmlRpcServer().setConfig(config);
    server.getXmlRpcServer().setHandlerMapping(name -> request -> answer(service, request));
    server.start();
    String host = at.host().getHostAddress();
    String endpoint =
        "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.getPort() + "/";
    return new Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() {
        server.shutdown();
      }
    };
  }

  private static Object answer(SpeedService service, XmlRpcRequest request) throws XmlRpcException {
    try {
      String name = request.getMethodName();
      Method operation =
          Operations.named(name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name);
      Class<?>[] types = operation.getParameterTypes();
      Object[] arguments = new Object[types.length];
      for (int i = 0; i < types.length; i++) {
        arguments[i] = Plain.to(types[i], request.getParameter(i));
      }
      return Plain.of(Operations.invoke(service, operation, arguments));
    } catch (ServiceFault fault) {
      throw new XmlRpcException(REFUSED, fault.getMessage());
    } catch (Exception failure) {
      throw new XmlRpcException(failure.toString(), failure);
    }
  }

  @Override
  public Client connect(Connect to) throws IOException {
    XmlRpcClientConfigImpl config = new XmlRpcClientConfigImpl();
    config.setServerURL(URI.create(to.endpoint()).toURL());
    config.setEnabledForExtensions(true);
    config.setConnectionTimeout(to.timeoutMillis());
    config.setReplyTimeout(to.timeoutMillis());
    XmlRpcClient client = new XmlRpcClient();
    client.setTransportFactory(new XmlRpcSun15HttpTransportFactory(client));
    client.setConfig(config);
    SpeedService service =
        Operations.through(
            (operation, arguments) -> {
              Object[] plain = new Object[arguments.length];
              for (int i = 0; i < plain.length; i++) {
                plain[i] = Plain.of(arguments[i]);
              }
              Object answer = client.execute(PREFIX + operation.getName(), plain);
              return operation.getReturnType() == void.class
                  ? null
                  : Plain.to(operation.getReturnType(), answer);
            });
    return new Client() {
      @Override
      public SpeedService service() {
        return service;
      }

      @Override
      public Failure failure(Throwable thrown) {
        return thrown instanceof XmlRpcException refused && refused.code == REFUSED
            ? Failure.fault(refused.getMessage())
            : Failure.of(thrown);
      }
    };
  }
}
