package org.callbench.iiop;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.rmi.CORBA.Tie;
import javax.rmi.CORBA.Util;
import javax.rmi.PortableRemoteObject;
import org.callbench.kit.Call;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.service.Answers;
import org.callbench.service.SpeedService;
import org.callbench.shared.HeldPort;
import org.callbench.shared.NamingJvm;
import org.callbench.shared.OtherJvm;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/**
 * RMI over IIOP by GlassFish's ORB, with an ORB per client. It uses the Java interface without
 * changes, and passes its beans by value. The object is found through the ORB's own naming service.
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
   * The service interface again. The library creates its stubs with the class loader of the
   * interface, so the interface must be loaded here.
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

  /** The exported object. It is identified by Object's methods. */
  private static final class Exported extends Answers implements IiopService {
    Exported(Service service) {
      super(service);
    }
  }

  @Override
  public Server serve(Service service, Listen at) throws Exception {
    HeldPort.expectFree(at.host(), at.port());
    NamingJvm names = new NamingJvm(at.host(), RmiIiop::naming);
    ORB orb =
        orb(
            Map.of(
                HOST,
                at.host().getHostAddress(),
                "com.sun.corba.ee.ORBServerPort",
                Integer.toString(at.port())));
    Served served = new Served(names, orb, new Exported(service));
    try {
      served.begin();
    } catch (Exception | LinkageError failure) {
      served.close();
      throw Failures.of(failure);
    }
    return served;
  }

  /** The object, its ORB and its naming service. */
  private record Served(NamingJvm names, ORB orb, IiopService service) implements Server {
    void begin() throws Exception {
      PortableRemoteObject.exportObject(service);
      Tie tie = Util.getTie(service);
      tie.orb(orb);
      POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
      Names.enter(names, orb, root.servant_to_reference((Servant) tie));
      root.the_POAManager().activate();
    }

    @Override
    public String endpoint() {
      return names.endpoint();
    }

    @Override
    public void close() throws IOException {
      PortableRemoteObject.unexportObject(service);
      orb.shutdown(false);
      orb.destroy();
      names.close();
    }
  }

  @Override
  public Client connect(Connect to) throws Failure {
    String timeout = Integer.toString(to.timeoutMillis());
    ORB orb =
        orb(
            Map.of(
                HOST,
                // A client listens too, for questions about its classes, but only on loopback.
                InetAddress.getLoopbackAddress().getHostAddress(),
                "com.sun.corba.ee.transport.ORBWaitForResponseTimeout",
                timeout,
                "com.sun.corba.ee.transport.ORBTCPConnectTimeouts",
                "250:" + timeout + ":100:" + timeout));
    SpeedService service;
    try {
      service = stub(orb, to.endpoint());
    } catch (Failure failure) {
      orb.destroy();
      throw failure;
    }
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) throws Failure {
        return Call.of(service, operation, arguments);
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

  private static IiopService stub(ORB orb, String endpoint) throws Failure {
    try {
      Object found = Names.found(orb, endpoint);
      return (IiopService) PortableRemoteObject.narrow(found, IiopService.class);
    } catch (ClassCastException other) {
      throw new Failure(
          Kind.PROTOCOL, "the object named by " + endpoint + " is no SpeedService", other);
    } catch (SystemException failure) {
      throw Failures.of(failure);
    }
  }
}
