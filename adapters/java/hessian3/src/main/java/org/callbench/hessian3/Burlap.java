package org.callbench.hessian3;

import com.caucho.burlap.client.BurlapProxyFactory;
import com.caucho.burlap.io.BurlapInput;
import com.caucho.burlap.io.BurlapOutput;
import com.caucho.burlap.server.BurlapSkeleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLConnection;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.service.Answers;
import org.callbench.service.SpeedService;
import org.callbench.shared.Front;

/** Burlap, Hessian 1 in XML, over HttpURLConnection and the JDK's HTTP server. */
public final class Burlap implements Stack {
  /**
   * The service interface again. The library creates its proxy with the class loader of the
   * interface, so the interface must be loaded here.
   */
  public interface BurlapService extends SpeedService {}

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    BurlapSkeleton skeleton = new BurlapSkeleton(new Answers(service), SpeedService.class);
    return new Front(
        at,
        "/burlap",
        exchange -> {
          BurlapInput in = new BurlapInput(Front.body(exchange));
          ByteArrayOutputStream answer = new ByteArrayOutputStream();
          skeleton.invoke(in, new BurlapOutput(answer));
          return new Front.Reply(200, "text/xml", answer.toByteArray());
        });
  }

  /** The library has no timeout of its own. */
  private static final class Connections extends BurlapProxyFactory {
    private final int timeoutMillis;

    Connections(int timeoutMillis) {
      this.timeoutMillis = timeoutMillis;
    }

    @Override
    protected URLConnection openConnection(URL url) throws IOException {
      URLConnection connection = super.openConnection(url);
      connection.setConnectTimeout(timeoutMillis);
      connection.setReadTimeout(timeoutMillis);
      return connection;
    }
  }

  @Override
  public Client connect(Connect to) throws Exception {
    Connections factory = new Connections(to.timeoutMillis());
    SpeedService service = (SpeedService) factory.create(BurlapService.class, to.endpoint());
    return Client.of(service);
  }
}
