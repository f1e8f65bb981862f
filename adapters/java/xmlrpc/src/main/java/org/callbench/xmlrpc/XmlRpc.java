package org.callbench.xmlrpc;

import java.io.IOException;
import java.net.URI;
import org.apache.xmlrpc.XmlRpcException;
import org.apache.xmlrpc.XmlRpcRequest;
import org.apache.xmlrpc.client.XmlRpcClient;
import org.apache.xmlrpc.client.XmlRpcClientConfigImpl;
import org.apache.xmlrpc.client.XmlRpcSun15HttpTransportFactory;
import org.apache.xmlrpc.server.XmlRpcServerConfigImpl;
import org.apache.xmlrpc.webserver.WebServer;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.kit.Values;
import org.callbench.service.ServiceFault;
import org.callbench.shared.Maps;

/**
 * Apache XML-RPC: its client over HttpURLConnection, its own web server. Methods are called
 * SpeedService.NAME.
 */
public final class XmlRpc implements Stack {
  private static final String PREFIX = "SpeedService.";

  /** The fault code of the service's own no. */
  private static final int REFUSED = 1;

  @Override
  public Values values() {
    return new Maps(false);
  }

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    WebServer server = new WebServer(at.port(), at.host());
    XmlRpcServerConfigImpl config = new XmlRpcServerConfigImpl();
    config.setEnabledForExtensions(true);
    config.setKeepAliveEnabled(true);
    config.setContentLengthOptional(false);
    server.getXmlRpcServer().setConfig(config);
    server.getXmlRpcServer().setHandlerMapping(name -> request -> answer(service, request));
    server.start();
    String endpoint = "http://" + at.at(server.getPort()) + "/";
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

  /** Parameters and answers are what the library hands over and takes. */
  private static Object answer(Service service, XmlRpcRequest request) throws XmlRpcException {
    try {
      String name = request.getMethodName();
      Object[] arguments = new Object[request.getParameterCount()];
      for (int i = 0; i < arguments.length; i++) {
        arguments[i] = request.getParameter(i);
      }
      return service.answer(
          name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name, arguments);
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
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) {
        String method = PREFIX + operation;
        return () -> client.execute(method, arguments);
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
