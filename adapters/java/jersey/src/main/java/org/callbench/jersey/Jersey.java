package org.callbench.jersey;

import jakarta.ws.rs.client.ClientBuilder;
import jakarta.ws.rs.client.Entity;
import jakarta.ws.rs.client.WebTarget;
import jakarta.ws.rs.core.GenericType;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.lang.reflect.Parameter;
import java.net.URI;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.kit.Values;
import org.callbench.service.SpeedService;
import org.callbench.shared.Maps;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.jersey.client.ClientConfig;
import org.glassfish.jersey.client.ClientProperties;
import org.glassfish.jersey.client.RequestEntityProcessing;
import org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpServerFactory;
import org.glassfish.jersey.jackson.JacksonFeature;
import org.glassfish.jersey.server.ResourceConfig;

/**
 * A POST of the parameters as a JSON object to /rest/OPERATION. The answer is {"result": value}; a
 * refusal is {"error": sentence} with status 400.
 */
public final class Jersey implements Stack {
  private static final int REFUSED = Response.Status.BAD_REQUEST.getStatusCode();

  private final boolean buffered;

  /** {@code tuning}: `stock` as the library comes, `tuned` with requests sent in one piece. */
  public Jersey(String tuning) {
    buffered = tuning.equals("tuned");
  }

  @Override
  public Values values() {
    return new Maps(true);
  }

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    ResourceConfig config = new ResourceConfig();
    config.register(new Resource(service)).register(new ServerMethods(service));
    config.register(JacksonFeature.withoutExceptionMappers());
    URI uri = URI.create("http://" + at.at(at.port()) + "/");
    HttpServer server = GrizzlyHttpServerFactory.createHttpServer(uri, config, false);
    server.start();
    String endpoint = "http://" + at.at(server.getListener("grizzly").getPort()) + "/rest/";
    return new Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() {
        server.shutdownNow();
      }
    };
  }

  @Override
  public Client connect(Connect to) {
    ClientConfig config = new ClientConfig().register(JacksonFeature.withoutExceptionMappers());
    config.property(ClientProperties.CONNECT_TIMEOUT, to.timeoutMillis());
    config.property(ClientProperties.READ_TIMEOUT, to.timeoutMillis());
    if (buffered) {
      config.property(ClientProperties.REQUEST_ENTITY_PROCESSING, RequestEntityProcessing.BUFFERED);
    }
    jakarta.ws.rs.client.Client client = ClientBuilder.newClient(config);
    WebTarget root = client.target(to.endpoint());
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) throws Failure {
        Map<String, Object> members = new LinkedHashMap<>();
        Parameter[] parameters = Values.operation(SpeedService.class, operation).getParameters();
        for (int i = 0; i < parameters.length; i++) {
          members.put(parameters[i].getName(), arguments[i]);
        }
        return operation.equals("GetBinaryData")
            ? () -> Base64.getDecoder().decode((String) post(root, operation, members))
            : () -> post(root, operation, members);
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }

  private static Object post(WebTarget root, String operation, Map<String, Object> members)
      throws Failure {
    try (Response response =
        root.path(operation).request(MediaType.APPLICATION_JSON_TYPE).post(Entity.json(members))) {
      Map<String, Object> content = response.readEntity(new GenericType<Map<String, Object>>() {});
      if (response.getStatus() == REFUSED) {
        throw Failure.fault(String.valueOf(content.get("error")));
      }
      if (response.getStatus() != Response.Status.OK.getStatusCode()) {
        throw new Failure(
            Kind.PROTOCOL, "the server answered with the status " + response.getStatus());
      }
      return content.get("result");
    }
  }
}
