package org.callbench.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.OwnCall;
import org.callbench.kit.OwnValues;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.kit.Values;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;
import org.callbench.shared.Front;

/**
 * JSON-RPC 2.0 by POST: java.net.http's client, one per client, the JDK's own server, and Jackson,
 * which reads and writes the classes of the service.
 */
public final class JsonHttp implements Stack {
  private static final String CONTENT_TYPE = "application/json";

  /** The error codes of JSON-RPC 2.0. REFUSED is an error that the service reports. */
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

  /** An answer. Its result has the type of the operation. */
  private record Received<T>(T result, Fault error) {}

  @Override
  public Values values() {
    return OwnValues.beside(new Values(SpeedService.class), Signature.OWN, new OwnJson());
  }

  @Override
  public Map<String, OwnCall> own() {
    return Signature.OWN;
  }

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    return new Front(
        at,
        "/json",
        exchange -> {
          byte[] reply = answer(service, Front.body(exchange).readAllBytes());
          return new Front.Reply(200, CONTENT_TYPE, reply);
        });
  }

  private static byte[] answer(Service service, byte[] body) throws Exception {
    JsonNode request;
    try {
      request = Json.MAPPER.readTree(body);
    } catch (JsonProcessingException unreadable) {
      return refusal(UNREADABLE, unreadable.getOriginalMessage(), null);
    }
    JsonNode id = request.get("id");
    if (!request.path("jsonrpc").asText().equals("2.0") || !request.path("method").isTextual()) {
      return refusal(NO_REQUEST, "jsonrpc must be \"2.0\", and method a string", id);
    }
    String operation = request.get("method").textValue();
    Signature signature;
    try {
      signature = Signature.of(operation);
    } catch (Failure unknown) {
      return refusal(NO_METHOD, unknown.getMessage(), id);
    }
    try {
      Object result = service.answer(operation, arguments(signature, request.path("params")));
      return signature.mapper().writeValueAsBytes(new Reply("2.0", result, id));
    } catch (ServiceFault no) {
      return refusal(REFUSED, no.getMessage(), id);
    } catch (JsonProcessingException wrong) {
      return refusal(INVALID_PARAMS, wrong.getOriginalMessage(), id);
    }
  }

  private static Object[] arguments(Signature signature, JsonNode params)
      throws JsonProcessingException {
    List<String> names = signature.names();
    Object[] arguments = new Object[names.size()];
    for (int i = 0; i < arguments.length; i++) {
      JsonNode given = params.isArray() ? params.path(i) : params.path(names.get(i));
      if (given.isMissingNode()) {
        throw new JsonProcessingException(names.get(i) + " is missing") {
          private static final long serialVersionUID = 1L;
        };
      }
      arguments[i] = signature.mapper().treeToValue(given, signature.types().get(i));
    }
    return arguments;
  }

  private static byte[] refusal(int code, String message, JsonNode id)
      throws JsonProcessingException {
    Fault fault = new Fault(code, message);
    return Json.MAPPER.writeValueAsBytes(
        new Refusal("2.0", fault, id == null ? NullNode.instance : id));
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
      Signature signature = Signature.of(operation);
      Map<String, Object> params = new LinkedHashMap<>();
      for (int i = 0; i < arguments.length; i++) {
        params.put(signature.names().get(i), arguments[i]);
      }
      Request request = new Request("2.0", operation, params, 1);
      ObjectMapper mapper = signature.mapper();
      JavaType type =
          mapper.getTypeFactory().constructParametricType(Received.class, signature.result());
      return called(http, posts, mapper, request, type);
    };
  }

  private static Call called(
      HttpClient http,
      HttpRequest.Builder posts,
      ObjectMapper mapper,
      Request request,
      JavaType type) {
    return () -> {
      byte[] body = mapper.writeValueAsBytes(request);
      HttpResponse<byte[]> answer =
          http.send(
              posts.copy().POST(BodyPublishers.ofByteArray(body)).build(),
              BodyHandlers.ofByteArray());
      if (answer.statusCode() != 200) {
        throw new Failure(Kind.PROTOCOL, "the server answers with status " + answer.statusCode());
      }
      Received<?> reply = mapper.readValue(answer.body(), type);
      if (reply.error() != null) {
        throw Failure.fault(reply.error().message());
      }
      return reply.result();
    };
  }
}
