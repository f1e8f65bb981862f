package org.callbench.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import org.callbench.service.Delays;
import org.callbench.service.Service;
import org.callbench.service.ServiceFault;
import org.junit.jupiter.api.Test;

/** contract/golden/service.json: what every implementation of the service must reproduce. */
final class GoldenTest {
  @Test
  void everyVectorIsReproduced() throws Exception {
    Path file = Path.of(System.getenv("CALLBENCH_HOME"), "contract", "golden", "service.json");
    Service service = new Service(Delays.NONE);
    int seen = 0;
    for (JsonElement each : JsonParser.parseString(Files.readString(file)).getAsJsonArray()) {
      JsonObject vector = each.getAsJsonObject();
      check(vector, service);
      seen++;
    }
    assertTrue(seen > 50);
  }

  private static void check(JsonObject vector, Service service) throws Exception {
    JsonObject arguments = vector.getAsJsonObject("arguments");
    Call call = Arguments.call(vector.get("call").getAsString(), arguments);
    if (vector.has("sent")) {
      String sent = Canonical.digestIfLarge(Canonical.text(Send.value(new Arguments(arguments))));
      assertEquals(vector.get("sent"), JsonParser.parseString(sent), arguments.toString());
    }
    try {
      Object answer = call.making().on(service);
      assertTrue(call.expectation().test(answer), vector.toString());
      String text = Canonical.digestIfLarge(Canonical.text(answer));
      assertEquals(vector.get("value"), JsonParser.parseString(text), arguments.toString());
    } catch (ServiceFault fault) {
      assertEquals(
          vector.getAsJsonObject("fault").get("message").getAsString(), fault.getMessage());
    }
  }
}
