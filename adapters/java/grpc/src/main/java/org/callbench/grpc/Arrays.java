package org.callbench.grpc;

import com.google.protobuf.ByteString;
import java.util.List;
import org.callbench.proto.BooleanArrayHolder;
import org.callbench.proto.ByteArrayHolder;
import org.callbench.proto.CharArrayHolder;
import org.callbench.proto.DoubleArrayHolder;
import org.callbench.proto.FloatArrayHolder;
import org.callbench.proto.IntArrayHolder;
import org.callbench.proto.LongArrayHolder;
import org.callbench.proto.ObjectArrayHolder;
import org.callbench.proto.ShortArrayHolder;
import org.callbench.proto.StringArrayHolder;

/** Java's arrays as the messages of repeated values, and back. */
final class Arrays {
  private Arrays() {}

  static BooleanArrayHolder booleans(boolean[] values) {
    BooleanArrayHolder.Builder holder = BooleanArrayHolder.newBuilder();
    for (boolean each : values) {
      holder.addValue(each);
    }
    return holder.build();
  }

  static boolean[] booleans(BooleanArrayHolder holder) {
    boolean[] values = new boolean[holder.getValueCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = holder.getValue(i);
    }
    return values;
  }

  static IntArrayHolder ints(int[] values) {
    IntArrayHolder.Builder holder = IntArrayHolder.newBuilder();
    for (int each : values) {
      holder.addValue(each);
    }
    return holder.build();
  }

  static int[] ints(IntArrayHolder holder) {
    int[] values = new int[holder.getValueCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = holder.getValue(i);
    }
    return values;
  }

  static LongArrayHolder longs(long[] values) {
    LongArrayHolder.Builder holder = LongArrayHolder.newBuilder();
    for (long each : values) {
      holder.addValue(each);
    }
    return holder.build();
  }

  static long[] longs(LongArrayHolder holder) {
    long[] values = new long[holder.getValueCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = holder.getValue(i);
    }
    return values;
  }

  static FloatArrayHolder floats(float[] values) {
    FloatArrayHolder.Builder holder = FloatArrayHolder.newBuilder();
    for (float each : values) {
      holder.addValue(each);
    }
    return holder.build();
  }

  static float[] floats(FloatArrayHolder holder) {
    float[] values = new float[holder.getValueCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = holder.getValue(i);
    }
    return values;
  }

  static DoubleArrayHolder doubles(double[] values) {
    DoubleArrayHolder.Builder holder = DoubleArrayHolder.newBuilder();
    for (double each : values) {
      holder.addValue(each);
    }
    return holder.build();
  }

  static double[] doubles(DoubleArrayHolder holder) {
    double[] values = new double[holder.getValueCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = holder.getValue(i);
    }
    return values;
  }

  static CharArrayHolder chars(char[] values) {
    CharArrayHolder.Builder holder = CharArrayHolder.newBuilder();
    for (char each : values) {
      holder.addValue(each);
    }
    return holder.build();
  }

  static char[] chars(CharArrayHolder holder) {
    char[] values = new char[holder.getValueCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (char) holder.getValue(i);
    }
    return values;
  }

  static ShortArrayHolder shorts(short[] values) {
    ShortArrayHolder.Builder holder = ShortArrayHolder.newBuilder();
    for (short each : values) {
      holder.addValue(each);
    }
    return holder.build();
  }

  static short[] shorts(ShortArrayHolder holder) {
    short[] values = new short[holder.getValueCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = (short) holder.getValue(i);
    }
    return values;
  }

  static ByteArrayHolder bytes(byte[] values) {
    return ByteArrayHolder.newBuilder().setValue(ByteString.copyFrom(values)).build();
  }

  static byte[] bytes(ByteArrayHolder holder) {
    return holder.getValue().toByteArray();
  }

  static StringArrayHolder strings(String[] values) {
    return StringArrayHolder.newBuilder().addAllValue(List.of(values)).build();
  }

  static String[] strings(StringArrayHolder holder) {
    return holder.getValueList().toArray(String[]::new);
  }

  static ObjectArrayHolder objects(org.callbench.service.Person[] values) {
    return ObjectArrayHolder.newBuilder().addAllValue(Records.persons(values)).build();
  }

  static org.callbench.service.Person[] objects(ObjectArrayHolder holder) {
    return Records.persons(holder.getValueList());
  }
}
