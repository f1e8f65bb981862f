package org.callbench.json;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.callbench.kit.Failure;
import org.callbench.kit.OwnCall;
import org.callbench.kit.Values;
import org.callbench.service.SpeedService;

/**
 * What JSON-RPC needs to know of an operation.
 *
 * @param names of the parameters
 * @param types of the parameters
 * @param mapper reads and writes these types
 */
record Signature(List<String> names, List<Class<?>> types, Class<?> result, ObjectMapper mapper) {
  /** The calls of a service of the user's own. */
  static final Map<String, OwnCall> OWN = OwnCall.of(Signature.class);

  private static final Map<String, Signature> KNOWN = new ConcurrentHashMap<>();

  static Signature of(String operation) throws Failure {
    Signature signature = KNOWN.get(operation);
    if (signature == null) {
      OwnCall own = OWN.get(operation);
      signature = own == null ? of(Values.operation(SpeedService.class, operation)) : of(own);
      KNOWN.put(operation, signature);
    }
    return signature;
  }

  private static Signature of(OwnCall own) {
    return new Signature(
        List.of(OwnCall.PARAMETER), List.of(own.request()), own.answer(), Json.OWN);
  }

  private static Signature of(Method method) {
    Class<?> answer = method.getReturnType();
    return new Signature(
        Arrays.stream(method.getParameters()).map(Parameter::getName).toList(),
        List.of(method.getParameterTypes()),
        answer == void.class ? Object.class : answer,
        Json.MAPPER);
  }
}
