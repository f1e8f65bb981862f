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

/** A call with its arguments, of one client, ready to be made again and again. */
@FunctionalInterface
public interface Call {
  /** What it answers, complete, in the types that a user of the library reads; null is nothing. */
  Object make() throws Exception;

  /** A call that answers nothing. */
  @FunctionalInterface
  interface Telling {
    void make() throws Exception;
  }

  /** What makes the calls of an operation, so that each is made once. */
  Map<Method, MethodHandle> MAKERS = new ConcurrentHashMap<>();

  /** An operation of the service, on a library's proxy. */
  static Call of(SpeedService service, String operation, Object... arguments) throws Failure {
    return of(MethodHandles.lookup(), SpeedService.class, service, operation, arguments);
  }

  /**
   * The operation of an interface that {@code within} sees, on its stub: what a compiler makes of
   * {@code () -> stub.Sum(a, b)}, without 26 of them written out. Nothing is reflected in the call
   * itself.
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
