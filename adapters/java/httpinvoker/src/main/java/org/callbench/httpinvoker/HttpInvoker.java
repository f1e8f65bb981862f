package org.callbench.httpinvoker;

import java.io.Closeable;
import java.io.IOException;
import org.apache.http.NoHttpResponseException;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.service.Answers;
import org.callbench.service.SpeedService;
import org.callbench.shared.Front;
import org.springframework.remoting.httpinvoker.HttpComponentsHttpInvokerRequestExecutor;
import org.springframework.remoting.httpinvoker.HttpInvokerProxyFactoryBean;
import org.springframework.remoting.httpinvoker.HttpInvokerRequestExecutor;
import org.springframework.remoting.httpinvoker.SimpleHttpInvokerRequestExecutor;
import org.springframework.remoting.httpinvoker.SimpleHttpInvokerServiceExporter;

/**
 * Spring's HttpInvoker over HttpURLConnection or Apache's HttpClient, and the JDK's HTTP server.
 */
@SuppressWarnings("deprecation")
public final class HttpInvoker implements Stack {
  private final boolean withHttpClient;

  /** {@code client}: `HttpURLConnection` or `HttpClient`. */
  public HttpInvoker(String client) {
    withHttpClient = client.equals("HttpClient");
  }

  @Override
  public Server serve(Service service, Listen at) throws IOException {
    SimpleHttpInvokerServiceExporter exporter = new SimpleHttpInvokerServiceExporter();
    exporter.setService(new Answers(service));
    exporter.setServiceInterface(SpeedService.class);
    exporter.afterPropertiesSet();
    return new Front(at, "/httpinvoker", exporter);
  }

  @Override
  public Client connect(Connect to) {
    HttpInvokerRequestExecutor executor = withHttpClient ? httpClient(to) : plain(to);
    HttpInvokerProxyFactoryBean factory = new HttpInvokerProxyFactoryBean();
    factory.setServiceUrl(to.endpoint());
    factory.setServiceInterface(SpeedService.class);
    factory.setHttpInvokerRequestExecutor(executor);
    factory.setBeanClassLoader(Thread.currentThread().getContextClassLoader());
    factory.afterPropertiesSet();
    SpeedService service = (SpeedService) factory.getObject();
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) throws Failure {
        return Call.of(service, operation, arguments);
      }

      @Override
      public Failure failure(Throwable thrown) {
        boolean cut = thrown.getCause() instanceof NoHttpResponseException;
        return cut ? new Failure(Kind.CLOSED, thrown.getMessage(), thrown) : Failure.of(thrown);
      }

      @Override
      public void close() throws IOException {
        if (executor instanceof HttpComponentsHttpInvokerRequestExecutor pooled
            && pooled.getHttpClient() instanceof Closeable client) {
          client.close();
        }
      }
    };
  }

  private static HttpInvokerRequestExecutor plain(Connect to) {
    SimpleHttpInvokerRequestExecutor executor = new SimpleHttpInvokerRequestExecutor();
    executor.setConnectTimeout(to.timeoutMillis());
    executor.setReadTimeout(to.timeoutMillis());
    return executor;
  }

  private static HttpInvokerRequestExecutor httpClient(Connect to) {
    HttpComponentsHttpInvokerRequestExecutor executor =
        new HttpComponentsHttpInvokerRequestExecutor();
    executor.setConnectTimeout(to.timeoutMillis());
    executor.setReadTimeout(to.timeoutMillis());
    return executor;
  }
}
