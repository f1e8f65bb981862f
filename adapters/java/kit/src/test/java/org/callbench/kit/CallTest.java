package org.callbench.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;
import java.util.Map;
import org.callbench.service.Answers;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;
import org.junit.jupiter.api.Test;

/** Prepared calls of the service, which asks for an answer once. */
final class CallTest {
  private int asked;

  private JsonObject ask(String operation, JsonObject arguments) {
    asked++;
    JsonObject said = new JsonObject();
    said.addProperty("fault", operation + arguments);
    return said;
  }

  @Test
  void itIsMadeWithItsArguments() throws Exception {
    Service.Delays none = new Service.Delays(0, 0, 0, 0);
    Service service = new Service(none, new Values(SpeedService.class), this::ask, Map.of());
    SpeedService answers = new Answers(service);
    assertEquals(Integer.MIN_VALUE, Call.of(answers, "Sum", Integer.MAX_VALUE, 1).make());
    assertNull(Call.of(answers, "SendCharArray", new char[] {'a'}).make());
    for (int i = 0; i < 3; i++) {
      Call refused = Call.of(answers, "GetBinaryData", 1, "sand");
      ServiceFault why = assertThrows(ServiceFault.class, refused::make);
      assertEquals("GetBinaryData{\"size\":1,\"fill\":\"sand\"}", why.getMessage());
    }
    assertEquals(1, asked);
    assertEquals("{GetBinaryData=3, Send=1, Sum=1}", service.counted().toString());
    assertEquals("{}", service.counted().toString());
  }
}
