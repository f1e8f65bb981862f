package org.callbench.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.Map;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.kit.Values;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;
import org.callbench.shared.Front;

/**
 * JSON-RPC 2.0 by POST: java.net.http's client, one for each client, the JDK's own server, and
 * Jackson, which reads and writes the service's classes.
 */
public final class JsonHttp implements Stack {
  private static final String CONTENT_TYPE = "application/json";

  /** The codes of JSON-RPC 2.0; REFUSED is the service's own no. */
  private static final int UNREADABLE = -32700;

  private static final int NO_REQUEST = -32600;
  private static final int NO_METHOD = -32601;
  private static final int INVALID_PARAMS = -32602;
  private static final int REFUSED = -32000;

  private record Request(String jsonrpc, String method, Map<String, Object> params, int id) {}

  private record Fault(int code, String message) {}

  private record Reply(
      String jsonrpc,
      @JsonInclude(JsonInclude.Include.ALWAYS) Object result,
      @JsonInclude(JsonInclude.Include.ALWAYS) JsonNode id) {}

  private record Refusal(
      String jsonrpc, Fault error, @JsonInclude(JsonInclude.Include.ALWAYS) JsonNode id) {}

  /** What a client reads, whose result has the operation's type. */
  private record Said<T>(T result, Fault error) {}

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    return new Front(
        at,
        "/json",
        exchange -> {
          Object said = answer(service, Front.body(exchange).readAllBytes());
          return new Front.Reply(200, CONTENT_TYPE, Json.MAPPER.writeValueAsBytes(said));
        });
  }

  private static Object answer(Service service, byte[] body) throws Exception {
    JsonNode asked;
    try {
      asked = Json.MAPPER.readTree(body);
    } catch (JsonProcessingException unreadable) {
      return refusal(UNREADABLE, unreadable.getOriginalMessage(), null);
    }
    JsonNode id = asked.get("id");
    if (!asked.path("jsonrpc").asText().equals("2.0") || !asked.path("method").isTextual()) {
      return refusal(NO_REQUEST, "jsonrpc must be \"2.0\", and method a string", id);
    }
    String operation = asked.get("method").textValue();
    Method method;
    try {
      method = Values.operation(SpeedService.class, operation);
    } catch (Failure unknown) {
      return refusal(NO_METHOD, unknown.getMessage(), id);
    }
    try {
      Object result = service.answer(operation, arguments(method, asked.path("params")));
      return new Reply("2.0", result, id);
    } catch (ServiceFault no) {
      return refusal(REFUSED, no.getMessage(), id);
    } catch (JsonProcessingException wrong) {
      return refusal(INVALID_PARAMS, wrong.getOriginalMessage(), id);
    }
  }

  private static Object[] arguments(Method method, JsonNode params) throws JsonProcessingException {
    Parameter[] wanted = method.getParameters();
    Object[] arguments = new Object[wanted.length];
    for (int i = 0; i < wanted.length; i++) {
      JsonNode given = params.isArray() ? params.path(i) : params.path(wanted[i].getName());
      if (given.isMissingNode()) {
        throw new JsonProcessingException(wanted[i].getName() + " is missing") {
          private static final long serialVersionUID = 1L;
        };
      }
      arguments[i] = Json.MAPPER.treeToValue(given, wanted[i].getType());
    }
    return arguments;
  }

  private static Refusal refusal(int code, String message, JsonNode id) {
    return new Refusal("2.0", new Fault(code, message), id == null ? NullNode.instance : id);
  }

  @Override
  public Client connect(Connect to) {
    HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(to.timeout())
            .build();
    HttpRequest.Builder posts =
        HttpRequest.newBuilder(URI.create(to.endpoint()))
            .timeout(to.timeout())
            .header("Content-Type", CONTENT_TYPE);
    return (operation, arguments) -> {
      Method method = Values.operation(SpeedService.class, operation);
      Map<String, Object> params = new LinkedHashMap<>();
      Parameter[] parameters = method.getParameters();
      for (int i = 0; i < parameters.length; i++) {
        params.put(parameters[i].getName(), arguments[i]);
      }
      Request request = new Request("2.0", operation, params, 1);
      JavaType type =
          Json.MAPPER
              .getTypeFactory()
              .constructParametricType(
                  Said.class,
                  method.getReturnType() == void.class ? Object.class : method.getReturnType());
      return called(http, posts, request, type);
    };
  }

  private static Call called(
      HttpClient http, HttpRequest.Builder posts, Request request, JavaType type) {
    return () -> {
      byte[] body = Json.MAPPER.writeValueAsBytes(request);
      HttpResponse<byte[]> answer =
          http.send(
              posts.copy().POST(BodyPublishers.ofByteArray(body)).build(),
              BodyHandlers.ofByteArray());
      if (answer.statusCode() != 200) {
        throw new Failure(Kind.PROTOCOL, "the server answers with status " + answer.statusCode());
      }
      Said<?> said = Json.MAPPER.readValue(answer.body(), type);
      if (said.error() != null) {
        throw Failure.fault(said.error().message());
      }
      return said.result();
    };
  }
}
