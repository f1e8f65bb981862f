package org.callbench.jacorb;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.callbench.corba.Fault;
import org.callbench.corba.SpeedServiceHelper;
import org.callbench.corba.SpeedServiceOperations;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.kit.Operations;
import org.callbench.kit.Stack;
import org.callbench.service.SpeedService;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/**
 * CORBA by JacORB, an ORB a client. The endpoint is the object's IOR: no name service is between,
 * which no call would see anyway.
 */
public final class JacOrb implements Stack {
  private static final Map<String, Method> OPERATIONS = new HashMap<>();

  static {
    for (Method method : SpeedServiceOperations.class.getMethods()) {
      OPERATIONS.put(method.getName(), method);
    }
  }

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
  public Server serve(SpeedService service, Listen at) throws Exception {
    ORB orb =
        orb(Map.of("OAIAddr", at.host().getHostAddress(), "OAPort", Integer.toString(at.port())));
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    String endpoint = orb.object_to_string(root.servant_to_reference(new Servant(service)));
    root.the_POAManager().activate();
    return new Server() {
      @Override
      public String endpoint() {
        return endpoint;
      }

      @Override
      public void close() {
        orb.shutdown(false);
        orb.destroy();
      }
    };
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
    SpeedServiceOperations stub = SpeedServiceHelper.narrow(found(orb, to.endpoint()));
    SpeedService service =
        Operations.through((operation, arguments) -> call(stub, operation, arguments));
    return new Client() {
      @Override
      public SpeedService service() {
        return service;
      }

      @Override
      public Failure failure(Throwable thrown) {
        return of(thrown);
      }

      @Override
      public void close() {
        orb.shutdown(false);
        orb.destroy();
      }
    };
  }

  /**
   * The object at an address of CORBA, known by its own reference: where a connection breaks,
   * JacORB asks again for the text that it was given, and a name service may be gone by then.
   */
  private static org.omg.CORBA.Object found(ORB orb, String endpoint) throws Failure {
    try {
      return orb.string_to_object(orb.object_to_string(orb.string_to_object(endpoint)));
    } catch (IllegalArgumentException thrown) {
      String shown = endpoint.substring(0, Math.min(endpoint.length(), 128));
      throw new Failure(Kind.REFUSED, "no object is found at " + shown, thrown);
    }
  }

  private static Object call(SpeedServiceOperations stub, Method operation, Object[] arguments)
      throws Exception {
    Method own = OPERATIONS.get(operation.getName());
    Class<?>[] types = own.getParameterTypes();
    for (int i = 0; i < types.length; i++) {
      arguments[i] = Mapping.to(types[i], arguments[i]);
    }
    try {
      return Mapping.to(operation.getReturnType(), own.invoke(stub, arguments));
    } catch (InvocationTargetException thrown) {
      if (thrown.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw thrown;
    }
  }

  private static Failure of(Throwable thrown) {
    if (thrown instanceof Fault fault) {
      return Failure.fault(fault.message);
    }
    if (!(thrown instanceof SystemException)) {
      return Failure.of(thrown);
    }
    Kind kind = Kind.PROTOCOL;
    if (thrown instanceof TIMEOUT) {
      kind = Kind.TIMEOUT;
    } else if (thrown instanceof TRANSIENT) {
      kind = Kind.REFUSED;
    } else if (thrown instanceof COMM_FAILURE || thrown instanceof OBJECT_NOT_EXIST) {
      kind = Kind.CLOSED;
    } else if (thrown instanceof org.omg.CORBA.MARSHAL
        || thrown instanceof org.omg.CORBA.DATA_CONVERSION) {
      kind = Kind.CANNOT_CARRY;
    }
    return new Failure(kind, thrown.toString(), thrown);
  }
}
