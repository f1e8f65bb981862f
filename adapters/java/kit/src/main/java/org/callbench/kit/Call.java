package org.callbench.kit;

import java.lang.invoke.LambdaConversionException;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.callbench.service.SpeedService;

/** A prepared call of one client. It can be made repeatedly. */
@FunctionalInterface
public interface Call {
  /** Makes the call. Returns the complete answer in the library's types; null if there is none. */
  Object make() throws Exception;

  /** A call without an answer. */
  @FunctionalInterface
  interface Telling {
    void make() throws Exception;
  }

  /** The method handles of the operations, each created once. */
  Map<Method, MethodHandle> MAKERS = new ConcurrentHashMap<>();

  /** A call of an operation through a library's proxy. */
  static Call of(SpeedService service, String operation, Object... arguments) throws Failure {
    return of(MethodHandles.lookup(), SpeedService.class, service, operation, arguments);
  }

  /**
   * A call of an operation through a stub of an interface that {@code within} can access. It does
   * the same as {@code () -> stub.Sum(a, b)} in compiled code. The call itself uses no reflection.
   */
  static Call of(
      MethodHandles.Lookup within,
      Class<?> type,
      Object stub,
      String operation,
      Object... arguments)
      throws Failure {
    Method method = Values.operation(type, operation);
    MethodHandle maker = MAKERS.computeIfAbsent(method, first -> maker(within, type, first));
    try {
      Object made = maker.bindTo(stub).invokeWithArguments(arguments);
      if (made instanceof Telling telling) {
        return () -> {
          telling.make();
          return null;
        };
      }
      return (Call) made;
    } catch (Throwable never) {
      throw new Failure(Kind.INTERNAL, operation + " cannot be prepared: " + never, never);
    }
  }

  private static MethodHandle maker(MethodHandles.Lookup within, Class<?> type, Method method) {
    Class<?> answer = method.getReturnType();
    boolean tells = answer == void.class;
    MethodType bound =
        MethodType.methodType(tells ? Telling.class : Call.class, type)
            .appendParameterTypes(method.getParameterTypes());
    try {
      return LambdaMetafactory.metafactory(
              within,
              "make",
              bound,
              MethodType.methodType(tells ? void.class : Object.class),
              within.unreflect(method),
              tells ? MethodType.methodType(void.class) : MethodType.methodType(answer).wrap())
          .getTarget();
    } catch (IllegalAccessException | LambdaConversionException never) {
      throw new IllegalStateException(method + " is not to be called", never);
    }
  }
}
