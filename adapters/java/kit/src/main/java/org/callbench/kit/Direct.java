package org.callbench.kit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.callbench.service.Answers;
import org.callbench.service.SpeedService;

/** Calls the service directly. Its times are those of the kit itself. An instrument. */
public final class Direct implements Stack {
  private final Map<String, SpeedService> served = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();

  @Override
  public Server serve(Service service, Listen at) {
    String endpoint = "direct:" + numbers.incrementAndGet();
    served.put(endpoint, new Answers(service));
    return new Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() {
        served.remove(endpoint);
      }
    };
  }

  @Override
  public Client connect(Connect to) throws Failure {
    SpeedService service = served.get(to.endpoint());
    if (service == null) {
      throw new Failure(Kind.REFUSED, "nothing is served at " + to.endpoint());
    }
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) throws Failure {
        return Call.of(service, operation, arguments);
      }

      @Override
      public int connections() {
        return 0;
      }
    };
  }
}
