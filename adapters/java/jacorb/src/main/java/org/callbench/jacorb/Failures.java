package org.callbench.jacorb;

import org.callbench.corba.Fault;
import org.callbench.kit.Failure;
import org.callbench.kit.Kind;
import org.omg.CORBA.COMM_FAILURE;
import org.omg.CORBA.DATA_CONVERSION;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.OBJECT_NOT_EXIST;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TIMEOUT;
import org.omg.CORBA.TRANSIENT;

/** Converts exceptions of the ORB to failures. */
final class Failures {
  private Failures() {}

  static Failure of(Throwable thrown) {
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
    } else if (thrown instanceof MARSHAL || thrown instanceof DATA_CONVERSION) {
      kind = Kind.CANNOT_CARRY;
    }
    return new Failure(kind, thrown.toString(), thrown);
  }
}
