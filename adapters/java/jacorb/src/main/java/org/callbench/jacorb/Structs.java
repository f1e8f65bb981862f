package org.callbench.jacorb;

import com.google.gson.JsonElement;
import org.callbench.corba.MaybeBoolean;
import org.callbench.corba.MaybeFloat;
import org.callbench.corba.MaybeInt;
import org.callbench.corba.MaybeString;
import org.callbench.corba.SpeedServiceOperations;
import org.callbench.kit.Check;
import org.callbench.kit.Values;

/**
 * The structs generated from the IDL, as a user of CORBA has them: public members, and a union for
 * a member that may be absent.
 */
final class Structs extends Values {
  Structs() {
    super(SpeedServiceOperations.class);
  }

  @Override
  protected Object of(Class<?> type, JsonElement plain) throws Exception {
    boolean there = plain != null && !plain.isJsonNull();
    if (type == MaybeString.class) {
      MaybeString maybe = new MaybeString();
      if (there) {
        maybe.there((String) of(String.class, plain));
      }
      return maybe;
    } else if (type == MaybeBoolean.class) {
      MaybeBoolean maybe = new MaybeBoolean();
      if (there) {
        maybe.there(plain.getAsBoolean());
      }
      return maybe;
    } else if (type == MaybeInt.class) {
      MaybeInt maybe = new MaybeInt();
      if (there) {
        maybe.there(plain.getAsInt());
      }
      return maybe;
    } else if (type == MaybeFloat.class) {
      MaybeFloat maybe = new MaybeFloat();
      if (there) {
        maybe.there(Float.parseFloat(plain.getAsString()));
      }
      return maybe;
    }
    return super.of(type, plain);
  }

  @Override
  public JsonElement plain(Object value) throws Exception {
    return super.plain(there(value));
  }

  /** The check. It compares the values inside unions. */
  static final class Answers extends Check {
    @Override
    public boolean same(Object right, Object answer, long k) {
      return super.same(there(right), there(answer), k);
    }
  }

  /** The value of a union, null if it is absent. Other values are returned unchanged. */
  private static Object there(Object value) {
    if (value instanceof MaybeString it) {
      return it.discriminator() ? it.there() : null;
    } else if (value instanceof MaybeBoolean it) {
      return it.discriminator() ? it.there() : null;
    } else if (value instanceof MaybeInt it) {
      return it.discriminator() ? it.there() : null;
    } else if (value instanceof MaybeFloat it) {
      return it.discriminator() ? it.there() : null;
    }
    return value;
  }
}
