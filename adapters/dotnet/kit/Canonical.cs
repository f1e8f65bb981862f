using System;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;

namespace Callbench.Kit
{
    /// <summary>Canonical JSON, in which adapters tell the core what a call answered: one text for one value.</summary>
    public sealed class Canonical
    {
        /// <summary>The longest canonical text that crosses the contract as it is, in bytes.</summary>
        private const int Longest = 4096;

        private readonly StringBuilder text = new StringBuilder();

        private Canonical()
        {
        }

        /// <summary>The text of a value of the service; null is nothing.</summary>
        public static string Text(object value)
        {
            var canonical = new Canonical();
            canonical.Write(value);
            return canonical.text.ToString();
        }

        /// <summary>The text as it crosses the contract: itself, or its digest where it is long.</summary>
        public static string DigestIfLarge(string text)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            return bytes.Length <= Longest ? text : "{\"sha256\":\"" + Digest(bytes) + "\",\"bytes\":" + bytes.Length + "}";
        }

        private static string Digest(byte[] bytes)
        {
            using (var sha = SHA256.Create())
            {
                return string.Concat(sha.ComputeHash(bytes).Select(each => each.ToString("x2")));
            }
        }

        private void Write(object value)
        {
            if (value == null)
            {
                text.Append("null");
            }
            else if (value is bool)
            {
                text.Append((bool)value ? "true" : "false");
            }
            else if (value is byte || value is short || value is int)
            {
                text.Append(Convert.ToInt32(value).ToString(CultureInfo.InvariantCulture));
            }
            else if (value is char)
            {
                text.Append((int)(char)value);
            }
            else if (value is long)
            {
                text.Append('"').Append(((long)value).ToString(CultureInfo.InvariantCulture)).Append('"');
            }
            else if (value is float)
            {
                text.Append("\"0x").Append(Bits.Of((float)value).ToString("x8")).Append('"');
            }
            else if (value is double)
            {
                text.Append("\"0x").Append(BitConverter.DoubleToInt64Bits((double)value).ToString("x16")).Append('"');
            }
            else if (value is string)
            {
                String((string)value);
            }
            else
            {
                Composite(value);
            }
        }

        private void Composite(object value)
        {
            var bytes = value as byte[];
            var array = value as Array;
            if (bytes != null)
            {
                text.Append("{\"octets\":").Append(bytes.Length).Append(",\"sha256\":\"").Append(Digest(bytes)).Append("\"}");
            }
            else if (array != null)
            {
                text.Append('[');
                for (int i = 0; i < array.Length; i++)
                {
                    text.Append(i > 0 ? "," : "");
                    Write(array.GetValue(i));
                }
                text.Append(']');
            }
            else
            {
                Record(value);
            }
        }

        /// <summary>A member that is absent is null, and left out.</summary>
        private void Record(object record)
        {
            FieldInfo[] members = record.GetType().GetFields(BindingFlags.Public | BindingFlags.Instance);
            Array.Sort(members, (one, other) => string.CompareOrdinal(one.Name, other.Name));
            text.Append('{');
            bool first = true;
            foreach (FieldInfo member in members)
            {
                object value = member.GetValue(record);
                if (value != null)
                {
                    text.Append(first ? "" : ",");
                    first = false;
                    String(member.Name);
                    text.Append(':');
                    Write(value);
                }
            }
            text.Append('}');
        }

        private void String(string value)
        {
            if (!Valid(value))
            {
                text.Append("{\"utf16\":[");
                text.Append(string.Join(",", value.Select(unit => ((int)unit).ToString(CultureInfo.InvariantCulture))));
                text.Append("]}");
                return;
            }
            text.Append('"');
            foreach (char unit in value)
            {
                Character(unit);
            }
            text.Append('"');
        }

        private static bool Valid(string value)
        {
            for (int i = 0; i < value.Length; i++)
            {
                if (char.IsSurrogatePair(value, i))
                {
                    i++;
                }
                else if (char.IsSurrogate(value[i]))
                {
                    return false;
                }
            }
            return true;
        }

        private void Character(char unit)
        {
            switch (unit)
            {
            case '"':
                text.Append("\\\"");
                break;
            case '\\':
                text.Append("\\\\");
                break;
            case '\b':
                text.Append("\\b");
                break;
            case '\f':
                text.Append("\\f");
                break;
            case '\n':
                text.Append("\\n");
                break;
            case '\r':
                text.Append("\\r");
                break;
            case '\t':
                text.Append("\\t");
                break;
            default:
                text.Append(unit < ' ' ? "\\u" + ((int)unit).ToString("x4") : unit.ToString());
                break;
            }
        }
    }
}
