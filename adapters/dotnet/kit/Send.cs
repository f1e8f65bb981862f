using System;
using System.Collections.Generic;
using Callbench.Service;

namespace Callbench.Kit
{
    /// <summary>The call Send: the value by its type, and the operation that carries it.</summary>
    public static class Send
    {
        private static readonly Dictionary<string, Type> Types = new Dictionary<string, Type>
        {
            { "boolean", typeof(bool) },
            { "byte", typeof(byte) },
            { "char", typeof(char) },
            { "short", typeof(short) },
            { "int", typeof(int) },
            { "long", typeof(long) },
            { "float", typeof(float) },
            { "double", typeof(double) },
            { "string", typeof(string) },
            { "object", typeof(Person) }
        };

        internal static Call Call(Arguments given)
        {
            object value = Value(given);
            return Arguments.Nothing("Send", value is Array ? OfArray(value) : OfScalar(value));
        }

        /// <summary>What is sent: boxed, or an array of the type itself.</summary>
        public static object Value(Arguments given)
        {
            string name = given.Text("type");
            bool array = name.EndsWith("[]", StringComparison.Ordinal);
            string type = array ? name.Substring(0, name.Length - 2) : name;
            Type element;
            if (!Types.TryGetValue(type, out element))
            {
                throw Failure.BadRequest(
                    "type is " + Arguments.Shortened(name) + ": it must be boolean, byte, char, short, int, long, float, double, string"
                    + " or object, or one of these with [] behind it");
            }
            if (!given.SpeltOut())
            {
                return Made(given, name, type, element, array);
            }
            return array ? Literal.Array(type, element, given.Value) : Literal.Scalar(type, given.Value);
        }

        /// <summary>What a content makes.</summary>
        private static object Made(Arguments given, string name, string type, Type element, bool array)
        {
            string content = given.Content();
            if (type == "string" && !array)
            {
                return given.String();
            }
            if (content == "bmp")
            {
                if (name != "char[]")
                {
                    throw Failure.BadRequest("content bmp is for string and char[], not for " + name);
                }
                return Generate.Plane(given.Seed(), given.Count());
            }
            SplitMix64 generator = content == "random" ? new SplitMix64(given.Seed()) : null;
            if (!array)
            {
                return generator == null ? Fixed(type) : Random(type, generator);
            }
            Array made = Array.CreateInstance(element, given.Count());
            for (int i = 0; i < made.Length; i++)
            {
                made.SetValue(generator == null ? Fixed(type) : Random(type, generator), i);
            }
            return made;
        }

        private static object Fixed(string type)
        {
            switch (type)
            {
            case "boolean":
                return true;
            case "byte":
                return (byte)42;
            case "char":
                return 'A';
            case "short":
                return (short)4242;
            case "int":
                return 42424242;
            case "long":
                return 4242424242424242L;
            case "float":
                return 42.25F;
            case "double":
                return 42.4242;
            case "string":
                return "Hello World";
            default:
                return Generate.Person(42);
            }
        }

        private static object Random(string type, SplitMix64 generator)
        {
            switch (type)
            {
            case "boolean":
                return (generator.Next() & 1) == 1;
            case "byte":
                return unchecked((byte)(generator.Next() >> 56));
            case "char":
                return Generate.Letter(generator);
            case "short":
                return unchecked((short)(generator.Next() >> 48));
            case "int":
                return unchecked((int)(generator.Next() >> 32));
            case "long":
                return unchecked((long)generator.Next());
            case "float":
                return generator.Draw(1L << 24) / 256F;
            case "double":
                return (generator.Next() >> 11) * (1.0 / (1L << 53));
            case "string":
                return Generate.Letters(generator, 8);
            default:
                return Generate.Person(generator.Draw(256));
            }
        }

        /// <summary>Unboxed once, not in every call.</summary>
        private static Action<ISpeedService> OfScalar(object value)
        {
            switch (Type.GetTypeCode(value.GetType()))
            {
            case TypeCode.Boolean:
                return Telling((bool)value, (service, it) => service.SendBoolean(it));
            case TypeCode.Byte:
                return Telling((byte)value, (service, it) => service.SendByte(it));
            case TypeCode.Char:
                return Telling((char)value, (service, it) => service.SendChar(it));
            case TypeCode.Int16:
                return Telling((short)value, (service, it) => service.SendShort(it));
            case TypeCode.Int32:
                return Telling((int)value, (service, it) => service.SendInt(it));
            case TypeCode.Int64:
                return Telling((long)value, (service, it) => service.SendLong(it));
            case TypeCode.Single:
                return Telling((float)value, (service, it) => service.SendFloat(it));
            case TypeCode.Double:
                return Telling((double)value, (service, it) => service.SendDouble(it));
            case TypeCode.String:
                return Telling((string)value, (service, it) => service.SendString(it));
            default:
                return Telling((Person)value, (service, it) => service.SendObject(it));
            }
        }

        private static Action<ISpeedService> OfArray(object value)
        {
            switch (Type.GetTypeCode(value.GetType().GetElementType()))
            {
            case TypeCode.Boolean:
                return Telling((bool[])value, (service, it) => service.SendBooleanArray(it));
            case TypeCode.Byte:
                return Telling((byte[])value, (service, it) => service.SendByteArray(it));
            case TypeCode.Char:
                return Telling((char[])value, (service, it) => service.SendCharArray(it));
            case TypeCode.Int16:
                return Telling((short[])value, (service, it) => service.SendShortArray(it));
            case TypeCode.Int32:
                return Telling((int[])value, (service, it) => service.SendIntArray(it));
            case TypeCode.Int64:
                return Telling((long[])value, (service, it) => service.SendLongArray(it));
            case TypeCode.Single:
                return Telling((float[])value, (service, it) => service.SendFloatArray(it));
            case TypeCode.Double:
                return Telling((double[])value, (service, it) => service.SendDoubleArray(it));
            case TypeCode.String:
                return Telling((string[])value, (service, it) => service.SendStringArray(it));
            default:
                return Telling((Person[])value, (service, it) => service.SendObjectArray(it));
            }
        }

        private static Action<ISpeedService> Telling<T>(T value, Action<ISpeedService, T> tell)
        {
            return service => tell(service, value);
        }
    }
}
