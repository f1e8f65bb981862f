package org.callbench.jacorb;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.callbench.corba.SpeedServiceHelper;
import org.callbench.corba.SpeedServiceOperations;
import org.callbench.kit.Call;
import org.callbench.kit.Check;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Service;
import org.callbench.kit.Stack;
import org.callbench.kit.Values;
import org.callbench.shared.HeldPort;
import org.callbench.shared.NamingJvm;
import org.callbench.shared.OtherJvm;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * CORBA by JacORB, with an ORB per client. The object is found through JacORB's own naming service.
 * Each server starts one.
 */
public final class JacOrb implements Stack {
  private static ORB orb(Map<String, String> more) {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    properties.put("jacorb.log.default.verbosity", "0");
    properties.put("jacorb.orb.print_version", "off");
    properties.putAll(more);
    return ORB.init(new String[0], properties);
  }

  @Override
  public Values values() {
    return new Structs();
  }

  @Override
  public Check check() {
    return new Structs.Answers();
  }

  @Override
  public Server serve(Service service, Listen at) throws Exception {
    HeldPort.expectFree(at.host(), at.port());
    NamingJvm names = new NamingJvm(at.host(), JacOrb::naming);
    ORB orb =
        orb(Map.of("OAIAddr", at.host().getHostAddress(), "OAPort", Integer.toString(at.port())));
    Served served = new Served(names, orb);
    try {
      served.begin(service);
    } catch (Exception | LinkageError failure) {
      served.close();
      throw Failures.of(failure);
    }
    return served;
  }

  /** An ORB and its naming service. */
  private record Served(NamingJvm names, ORB orb) implements Server {
    void begin(Service service) throws Exception {
      POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
      Names.enter(names, orb, root.servant_to_reference(new Servant(service)));
      root.the_POAManager().activate();
    }

    @Override
    public String endpoint() {
      return names.endpoint();
    }

    @Override
    public void close() throws IOException {
      orb.shutdown(false);
      orb.destroy();
      names.close();
    }
  }

  private static OtherJvm naming(String host, int port) throws IOException {
    return OtherJvm.start(
        JacOrb.class,
        List.of(
            "-Dorg.omg.CORBA.ORBClass=org.jacorb.orb.ORB",
            "-Dorg.omg.CORBA.ORBSingletonClass=org.jacorb.orb.ORBSingleton",
            "-Djacorb.log.default.verbosity=0",
            "-Djacorb.orb.print_version=off",
            "-DOAIAddr=" + host,
            "-DOAPort=" + port),
        "org.jacorb.naming.NameServer");
  }

  @Override
  public Client connect(Connect to) throws Failure {
    String timeout = Integer.toString(to.timeoutMillis());
    ORB orb =
        orb(
            Map.of(
                "jacorb.connection.client.pending_reply_timeout",
                timeout,
                "jacorb.connection.client.connect_timeout",
                timeout,
                "jacorb.retries",
                "0"));
    SpeedServiceOperations stub;
    try {
      stub = stub(orb, to.endpoint());
    } catch (Failure failure) {
      orb.destroy();
      throw failure;
    }
    return new Client() {
      @Override
      public Call call(String operation, Object[] arguments) throws Failure {
        return Call.of(
            MethodHandles.lookup(), SpeedServiceOperations.class, stub, operation, arguments);
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

  private static SpeedServiceOperations stub(ORB orb, String endpoint) throws Failure {
    try {
      return SpeedServiceHelper.narrow(Names.found(orb, endpoint));
    } catch (BAD_PARAM other) {
      throw new Failure(
          Kind.PROTOCOL, "the object named by " + endpoint + " is no SpeedService", other);
    } catch (SystemException failure) {
      throw Failures.of(failure);
    }
  }
}
