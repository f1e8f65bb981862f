package org.callbench.jacorb;

import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.callbench.shared.NamingJvm;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UserException;
import org.omg.CosNaming.NameComponent;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextHelper;

/** The name of the service in a naming service. */
final class Names {
  private static final NameComponent[] PATH = {new NameComponent("SpeedService", "")};

  private Names() {}

  private static NamingContext root(ORB orb, String place) {
    return NamingContextHelper.narrow(orb.string_to_object("corbaloc::" + place + "/NameService"));
  }

  /** Registers the object as soon as the naming service answers. */
  static void enter(NamingJvm names, ORB orb, org.omg.CORBA.Object object) throws Exception {
    names.enter(place -> root(orb, place).rebind(PATH, object));
  }

  /** The object of this endpoint. The naming service is asked only once. */
  static org.omg.CORBA.Object found(ORB orb, String endpoint) throws Failure {
    String place = NamingJvm.place(endpoint);
    try {
      return root(orb, place).resolve(PATH);
    } catch (UserException unknown) {
      throw new Failure(
          Kind.REFUSED, "the naming service at " + place + " knows no SpeedService", unknown);
    } catch (SystemException failure) {
      Failure why = Failures.of(failure);
      throw new Failure(
          why.kind(),
          "the naming service at " + place + " is not reached: " + why.getMessage(),
          failure);
    }
  }
}
