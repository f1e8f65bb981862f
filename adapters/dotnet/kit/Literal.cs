using System;
using System.Globalization;
using System.Text;
using Callbench.Service;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>Values that the arguments spell out: canonical JSON, and where a person would rather write one, a plain number.</summary>
    internal static class Literal
    {
        /// <summary>One value of a type of Send, boxed.</summary>
        internal static object Scalar(string type, JToken given)
        {
            switch (type)
            {
            case "boolean":
                return Bool(given);
            case "byte":
                return (byte)Whole("value", given, 0, 255);
            case "char":
                return Unit(given);
            case "short":
                return (short)Whole("value", given, short.MinValue, short.MaxValue);
            case "int":
                return (int)Whole("value", given, int.MinValue, int.MaxValue);
            case "long":
                return Long(given);
            case "float":
                return Single(given);
            case "double":
                return Double(given);
            case "string":
                return Text(given);
            default:
                return Person(given);
            }
        }

        /// <summary>An array of them, of the type itself.</summary>
        internal static Array Array(string type, Type element, JToken given)
        {
            JArray items = List(given);
            System.Array array = System.Array.CreateInstance(element, items.Count);
            for (int i = 0; i < items.Count; i++)
            {
                array.SetValue(Scalar(type, items[i]), i);
            }
            return array;
        }

        /// <summary>A string, or one spelt as its UTF-16 units.</summary>
        internal static string Text(JToken given)
        {
            if (given.Type == JTokenType.String)
            {
                return (string)given;
            }
            var spelt = given as JObject;
            if (spelt == null || spelt["utf16"] == null)
            {
                throw Arguments.Wrong("value", given, "a string");
            }
            var text = new StringBuilder();
            foreach (JToken each in List(spelt["utf16"]))
            {
                text.Append(Unit(each));
            }
            return text.ToString();
        }

        internal static long Whole(string name, JToken given, long least, long most)
        {
            long number;
            if (given.Type == JTokenType.Integer && TryLong(given.ToString(), out number) && number >= least && number <= most)
            {
                return number;
            }
            throw Arguments.Wrong(name, given, "a whole number from " + least + " to " + most);
        }

        private static bool TryLong(string digits, out long number)
        {
            return long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number);
        }

        private static long Long(JToken given)
        {
            long number;
            if ((given.Type == JTokenType.String || given.Type == JTokenType.Integer) && TryLong(given.ToString(), out number))
            {
                return number;
            }
            throw Arguments.Wrong("value", given, "a whole number of 64 bits, as a number or a decimal string");
        }

        private static JArray List(JToken given)
        {
            var list = given as JArray;
            if (list == null)
            {
                throw Arguments.Wrong("value", given, "an array");
            }
            return list;
        }

        private static bool Bool(JToken given)
        {
            if (given.Type != JTokenType.Boolean)
            {
                throw Arguments.Wrong("value", given, "true or false");
            }
            return (bool)given;
        }

        private static char Unit(JToken given)
        {
            return (char)Whole("value", given, 0, char.MaxValue);
        }

        /// <summary>The number that 0x and so many hexadecimal digits spell.</summary>
        private static bool TryBits(JToken given, int digits, out ulong bits)
        {
            string text = given.Type == JTokenType.String ? (string)given : "";
            bits = 0;
            return text.Length == digits + 2 && text.StartsWith("0x", StringComparison.Ordinal)
                   && ulong.TryParse(text.Substring(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out bits);
        }

        private static bool Number(JToken given)
        {
            return given.Type == JTokenType.Integer || given.Type == JTokenType.Float;
        }

        private static float Single(JToken given)
        {
            ulong bits;
            if (TryBits(given, 8, out bits))
            {
                return Bits.Single(unchecked((int)bits));
            }
            if (Number(given))
            {
                return (float)(double)given;
            }
            throw Arguments.Wrong("value", given, "a number, or 0x and 8 hexadecimal digits");
        }

        private static double Double(JToken given)
        {
            ulong bits;
            if (TryBits(given, 16, out bits))
            {
                return BitConverter.Int64BitsToDouble(unchecked((long)bits));
            }
            if (Number(given))
            {
                return (double)given;
            }
            throw Arguments.Wrong("value", given, "a number, or 0x and 16 hexadecimal digits");
        }

        private static Person Person(JToken given)
        {
            var members = given as JObject;
            if (members == null || members["ID"] == null || members["FirstName"] == null || members["LastName"] == null)
            {
                throw Arguments.Wrong("value", given, "a Person: ID, FirstName and LastName");
            }
            return new Person
            {
                ID = (int)Whole("value", members["ID"], int.MinValue, int.MaxValue),
                FirstName = Text(members["FirstName"]),
                LastName = Text(members["LastName"])
            };
        }
    }
}
