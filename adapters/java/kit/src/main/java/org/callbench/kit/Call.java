package org.callbench.kit;

import java.util.function.Predicate;
import org.callbench.service.SpeedService;

/**
 * One call of the service with its arguments, ready to be made again and again.
 *
 * @param name as contract/SERVICE.md has it
 * @param making makes it, through a client
 * @param expectation the check of an answer in constant time
 */
public record Call(String name, Making making, Predicate<Object> expectation) {
  /** Makes a call on a client's service. */
  @FunctionalInterface
  public interface Making {
    Object on(SpeedService service) throws Exception;
  }

  /** Makes a call that answers nothing. */
  @FunctionalInterface
  interface Telling {
    void on(SpeedService service) throws Exception;
  }

  static Making nothing(Telling telling) {
    return service -> {
      telling.on(service);
      return null;
    };
  }
}
