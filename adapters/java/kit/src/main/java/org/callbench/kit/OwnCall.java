package org.callbench.kit;

import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * A call of a service of the user's own, in the types of one library's users. Generated code makes
 * it. Its one parameter is {@link #PARAMETER}.
 *
 * @param request the type of the request
 * @param answer the type of the answer
 * @param check whether an answer is right, in constant time
 * @param mark a number by which a request is found among many. Equal requests have the same
 */
public record OwnCall(
    Class<?> request, Class<?> answer, Same.Of<Object> check, ToIntFunction<Object> mark) {
  public static final String PARAMETER = "request";

  /** The class with the calls, in a package for each technology. */
  private static final String GENERATED = "org.callbench.own.%s.Calls";

  /** The calls that were compiled for a technology, by name; empty without such a service. */
  @SuppressWarnings("unchecked") // Generated code has this type.
  public static Map<String, OwnCall> of(Class<?> technology) {
    String last = technology.getPackageName();
    String name = GENERATED.formatted(last.substring(last.lastIndexOf('.') + 1));
    try {
      return (Map<String, OwnCall>)
          technology.getClassLoader().loadClass(name).getField("ALL").get(null);
    } catch (ClassNotFoundException none) {
      return Map.of();
    } catch (ReflectiveOperationException broken) {
      throw new IllegalStateException(name + " does not fit this kit: " + broken, broken);
    }
  }

  /** A request as the key of its answer: its mark is computed once. */
  record Request(int mark, Object value) {
    @Override
    public int hashCode() {
      return mark;
    }
  }
}
