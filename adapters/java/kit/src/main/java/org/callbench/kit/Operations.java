package org.callbench.kit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.callbench.service.SpeedService;

/** The service's operations by name, for libraries that find an operation by its name alone. */
public final class Operations {
  private static final Map<String, Method> BY_NAME = new HashMap<>();

  static {
    for (Method method : SpeedService.class.getMethods()) {
      BY_NAME.put(method.getName(), method);
    }
  }

  /** Makes a call by its operation. */
  @FunctionalInterface
  public interface Caller {
    Object call(Method operation, Object[] arguments) throws Exception;
  }

  private Operations() {}

  /** The operation of this name. */
  public static Method named(String name) throws Failure {
    Method method = BY_NAME.get(name);
    if (method == null) {
      throw new Failure(Kind.PROTOCOL, "the service has no operation " + Arguments.shortened(name));
    }
    return method;
  }

  /** Every operation. */
  public static Iterable<Method> all() {
    return BY_NAME.values();
  }

  /** Calls an operation of a service; what it throws is thrown. */
  public static Object invoke(SpeedService service, Method operation, Object... arguments)
      throws Exception {
    try {
      return operation.invoke(service, arguments);
    } catch (InvocationTargetException thrown) {
      if (thrown.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw thrown;
    }
  }

  /** A service whose every operation is made by {@code caller}. */
  public static SpeedService through(Caller caller) {
    Object[] none = {};
    return (SpeedService)
        Proxy.newProxyInstance(
            SpeedService.class.getClassLoader(),
            new Class<?>[] {SpeedService.class},
            (proxy, method, arguments) ->
                caller.call(method, arguments == null ? none : arguments));
  }
}
