package org.callbench.iiop;

import java.rmi.NoSuchObjectException;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.DATA_CONVERSION;
import org.omg.CORBA.NO_MEMORY;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.OMGVMCID;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;

/** Converts exceptions of the ORB to failures. They are often nested in exceptions of RMI. */
final class Failures {
  /** The minor code of a COMM_FAILURE, within the OMG's own. */
  private static final int NO_ANSWER_IN_TIME = OMGVMCID.value | 19;

  private static final int DEEPEST = 20;

  private Failures() {}

  static Failure of(Throwable thrown) {
    Failure failure = Failure.of(thrown);
    if (failure.kind() != Kind.INTERNAL && failure.kind() != Kind.PROTOCOL) {
      return failure;
    }
    Throwable each = thrown;
    for (int depth = 0; each != null && depth < DEEPEST; depth++) {
      Kind kind = kind(each);
      if (kind != null) {
        return new Failure(kind, failure.getMessage(), thrown);
      }
      each = each.getCause();
    }
    return thrown instanceof SystemException
        ? new Failure(Kind.PROTOCOL, failure.getMessage(), thrown)
        : failure;
  }

  private static Kind kind(Throwable thrown) {
    boolean late = thrown instanceof COMM_FAILURE failure && failure.minor == NO_ANSWER_IN_TIME;
    if (late || thrown instanceof TIMEOUT) {
      return Kind.TIMEOUT;
    } else if (thrown instanceof DATA_CONVERSION) {
      return Kind.CANNOT_CARRY;
    } else if (thrown instanceof TRANSIENT) {
      return Kind.REFUSED;
    } else if (thrown instanceof NO_MEMORY) {
      return Kind.OUT_OF_RESOURCES;
    }
    boolean gone =
        thrown instanceof COMM_FAILURE
            || thrown instanceof OBJECT_NOT_EXIST
            || thrown instanceof NoSuchObjectException;
    return gone ? Kind.CLOSED : null;
  }
}
