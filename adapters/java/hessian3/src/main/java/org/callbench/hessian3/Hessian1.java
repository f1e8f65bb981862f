package org.callbench.hessian3;

import com.caucho.hessian.client.HessianProxyFactory;
import com.caucho.hessian.io.HessianInput;
import com.caucho.hessian.io.HessianOutput;
import com.caucho.hessian.io.SerializerFactory;
import com.caucho.hessian.server.HessianSkeleton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.service.Answers;
import org.callbench.service.SpeedService;
import org.callbench.shared.Front;

/** Hessian 1 over HttpURLConnection and the JDK's HTTP server. */
public final class Hessian1 implements Stack {
  private static final String CONTENT_TYPE = "application/x-hessian";

  private final boolean chunked;

  /** {@code tuning}: `stock` as the library comes, `tuned` without its chunked requests. */
  public Hessian1(String tuning) {
    chunked = tuning.equals("stock");
  }

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    HessianSkeleton skeleton = new HessianSkeleton(new Answers(service), SpeedService.class);
    SerializerFactory types = new SerializerFactory();
    return new Front(
        at,
        "/hessian",
        exchange -> {
          HessianInput in = new HessianInput(Front.body(exchange));
          in.setSerializerFactory(types);
          ByteArrayOutputStream answer = new ByteArrayOutputStream();
          HessianOutput out = new HessianOutput(answer);
          out.setSerializerFactory(types);
          skeleton.invoke(in, out);
          return new Front.Reply(200, CONTENT_TYPE, answer.toByteArray());
        });
  }

  @Override
  public Client connect(Connect to) throws Exception {
    HessianProxyFactory factory = new HessianProxyFactory();
    factory.setHessian2Request(false);
    factory.setHessian2Reply(false);
    factory.setChunkedPost(chunked);
    factory.setReadTimeout(to.timeoutMillis());
    SpeedService service = (SpeedService) factory.create(SpeedService.class, to.endpoint());
    return Client.of(service);
  }
}
