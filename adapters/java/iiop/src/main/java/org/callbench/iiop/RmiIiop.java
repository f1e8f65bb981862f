package org.callbench.iiop;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.rmi.CORBA.Tie;
import javax.rmi.CORBA.Util;
import javax.rmi.PortableRemoteObject;
import org.callbench.kit.Failure;
import org.callbench.kit.Operations;
import org.callbench.kit.Stack;
import org.callbench.kit.beside.NamingJvm;
import org.callbench.kit.beside.OtherJvm;
import org.callbench.service.SpeedService;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/**
 * RMI over IIOP by GlassFish's ORB, an ORB a client: Java's interface as it is, its beans by value.
 * The object is found through the ORB's own naming service.
 */
public final class RmiIiop implements Stack {
  private static final String HOST = "com.sun.corba.ee.ORBServerHost";

  private static ORB orb(Map<String, String> more) {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "com.sun.corba.ee.impl.orb.ORBImpl");
    properties.put("com.sun.corba.ee.ORBUseDynamicStub", "true");
    properties.putAll(more);
    return ORB.init(new String[0], properties);
  }

  /**
   * The service again: the library makes its stubs where the interface was loaded, and must be
   * visible there.
   */
  public interface IiopService extends SpeedService {}

  private static OtherJvm naming(String host, int port) throws IOException {
    return OtherJvm.start(
        RmiIiop.class,
        List.of("-D" + HOST + "=" + host),
        "com.sun.corba.ee.impl.naming.cosnaming.TransientNameServer",
        "-ORBInitialPort",
        Integer.toString(port));
  }

  private static IiopService exported(SpeedService service) {
    return (IiopService)
        Proxy.newProxyInstance(
            IiopService.class.getClassLoader(),
            new Class<?>[] {IiopService.class},
            (proxy, method, arguments) ->
                method.getDeclaringClass() == Object.class
                    ? identity(proxy, method, arguments)
                    : Operations.invoke(service, method, arguments));
  }

  /** An exported object is found again by what Object says of it. */
  private static Object identity(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "equals" -> proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> IiopService.class.getName();
    };
  }

  @Override
  public Server serve(SpeedService service, Listen at) throws Exception {
    String host = at.host().getHostAddress();
    NamingJvm names = new NamingJvm(at.host(), RmiIiop::naming);
    ORB orb =
        orb(Map.of(HOST, host, "com.sun.corba.ee.ORBServerPort", Integer.toString(at.port())));
    IiopService exported = exported(service);
    PortableRemoteObject.exportObject(exported);
    Tie tie = Util.getTie(exported);
    tie.orb(orb);
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    Names.enter(names, orb, root.servant_to_reference((Servant) tie));
    root.the_POAManager().activate();
    return new Server() {
      @Override
      public String endpoint() {
        return names.endpoint();
      }

      @Override
      public void close() throws IOException {
        PortableRemoteObject.unexportObject(exported);
        orb.shutdown(false);
        orb.destroy();
        names.close();
      }
    };
  }

  @Override
  public Client connect(Connect to) throws Exception {
    String timeout = Integer.toString(to.timeoutMillis());
    ORB orb =
        orb(
            Map.of(
                HOST,
                // A client listens too, for questions about its classes; not to everybody.
                InetAddress.getLoopbackAddress().getHostAddress(),
                "com.sun.corba.ee.transport.ORBWaitForResponseTimeout",
                timeout,
                "com.sun.corba.ee.transport.ORBTCPConnectTimeouts",
                "250:" + timeout + ":100:" + timeout));
    Object found = Names.found(orb, to.endpoint());
    SpeedService service = (IiopService) PortableRemoteObject.narrow(found, IiopService.class);
    return new Client() {
      @Override
      public SpeedService service() {
        return service;
      }

      @Override
      public Failure failure(Throwable thrown) {
        return Failures.of(thrown);
      }

      @Override
      public void close() {
        orb.shutdown(false);
        orb.destroy();
      }
    };
  }
}
