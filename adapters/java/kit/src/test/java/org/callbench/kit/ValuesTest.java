package org.callbench.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.callbench.service.Person;
import org.callbench.service.SpeedService;
import org.callbench.service.Structure;
import org.junit.jupiter.api.Test;

/** Plain values become the types of the service and plain values again, and are checked in them. */
final class ValuesTest {
  private static final String STRUCTURE =
      """
      {"text":"t","numbers":[1,2],"users":[{"userName":"u","fullName":"f","email":"e","age":3,\
      "active":true,"created":"-9223372036854775808"}],"beans":[{"id":1,"name":"n",\
      "description":"d","amount":1.5,"flag":false,"related":[4,5]}]}""";

  private final Values values = new Values(SpeedService.class);
  private final Check check = new Check();

  private Object sent(String operation, String plain) throws Exception {
    JsonObject arguments = new JsonObject();
    arguments.add(operation.equals("EchoStructure") ? "structure" : "value", parsed(plain));
    return values.arguments(operation, arguments)[0];
  }

  private static JsonElement parsed(String plain) {
    return JsonParser.parseString(plain);
  }

  @Test
  void whatIsReadIsWrittenAgain() throws Exception {
    String[][] all = {
      {"SendByte", "200"},
      {"SendChar", "55296"},
      {"SendShort", "-32768"},
      {"SendLong", "\"9223372036854775807\""},
      {"SendFloat", "\"NaN\""},
      {"SendDouble", "\"-0\""},
      {"SendDoubleArray", "[1.5,\"-Infinity\"]"},
      {"SendString", "{\"utf16\":[55296,65]}"},
      {"SendByteArray", "\"AP8=\""},
      {"SendObject", "{\"ID\":1,\"FirstName\":\"A\",\"LastName\":\"\\u00e9\"}"},
      {"EchoStructure", STRUCTURE},
    };
    for (String[] each : all) {
      assertEquals(parsed(each[1]), values.plain(sent(each[0], each[1])), each[0]);
    }
  }

  @Test
  void everyFieldOfARecordIsLookedAt() throws Exception {
    Object right = sent("EchoStructure", STRUCTURE);
    for (String[] change :
        new String[][] {{"\"t\"", "\"x\""}, {"[1,2]", "[1,3]"}, {"[4,5]", "[4]"}, {"08", "07"}}) {
      Object answer = sent("EchoStructure", STRUCTURE.replace(change[0], change[1]));
      assertFalse(check.same(right, answer, 0), change[0]);
    }
    assertTrue(check.same(right, sent("EchoStructure", STRUCTURE), 1));
    assertFalse(check.same(right, new Structure(), 0));
  }

  @Test
  void ofAListTheLastElementIsLookedAtAndTheOthersInTurn() {
    Person[] right = {new Person(1, "A", "B"), new Person(2, "A", "B"), new Person(3, "A", "B")};
    Person[] answer = {right[0], new Person(2, "A", "C"), right[2]};
    assertTrue(check.same(right, answer, 0));
    assertFalse(check.same(right, answer, 4));
    assertFalse(check.same(right, new Person[] {right[0], right[1]}, 0));
    assertFalse(check.same(new Object(), null, 0));
  }

  @Test
  void anOperationThatIsNotThereIsNamed() {
    Failure none = assertThrows(Failure.class, () -> Values.operation(SpeedService.class, "Dance"));
    assertEquals("the service has no operation Dance", none.getMessage());
  }
}
