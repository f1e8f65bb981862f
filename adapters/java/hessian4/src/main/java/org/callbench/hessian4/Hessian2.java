package org.callbench.hessian4;

import com.caucho.hessian.client.HessianProxyFactory;
import com.caucho.hessian.server.HessianSkeleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.service.Answers;
import org.callbench.service.SpeedService;
import org.callbench.shared.Front;

/** Hessian 2 over HttpURLConnection and the JDK's HTTP server. */
public final class Hessian2 implements Stack {
  private static final String CONTENT_TYPE = "x-application/hessian";

  private final boolean chunked;

  /** {@code tuning}: `stock` as the library comes, `tuned` without its chunked requests. */
  public Hessian2(String tuning) {
    chunked = tuning.equals("stock");
  }

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    HessianSkeleton skeleton = new HessianSkeleton(new Answers(service), SpeedService.class);
    return new Front(
        at,
        "/hessian",
        exchange -> {
          ByteArrayOutputStream answer = new ByteArrayOutputStream();
          skeleton.invoke(exchange.getRequestBody(), answer);
          return new Front.Reply(200, CONTENT_TYPE, answer.toByteArray());
        });
  }

  @Override
  public Client connect(Connect to) throws Exception {
    HessianProxyFactory factory = new HessianProxyFactory();
    factory.setHessian2Request(true);
    factory.setChunkedPost(chunked);
    factory.setConnectTimeout(to.timeoutMillis());
    factory.setReadTimeout(to.timeoutMillis());
    SpeedService service = (SpeedService) factory.create(SpeedService.class, to.endpoint());
    return Client.of(service);
  }
}
