using System;
using System.Globalization;
using System.Linq;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>Converts plain values of contract/RUNNER.md to .NET's types and back: Newtonsoft's mapping, except for three
    ///   types.</summary>
    internal static class Plain
    {
        private static readonly JsonSerializer Serializer = JsonSerializer.Create(
                    new JsonSerializerSettings
        {
            DateParseHandling = DateParseHandling.None,
            NullValueHandling = NullValueHandling.Ignore,
            Converters = { new Characters(), new Texts(), new Numbers() }
        });

        /// <summary>The value as a T. Throws Failure of kind cannot-carry if it is not possible.</summary>
        internal static T Read<T>(JToken plain)
        {
            try
            {
                return plain == null || plain.Type == JTokenType.Null ? default(T) : plain.ToObject<T>(Serializer);
            }
            catch (Exception failure) when (!(failure is OutOfMemoryException))
            {
                throw new Failure(Kind.CannotCarry, "the value cannot be held here: " + failure.Message, failure);
            }
        }

        internal static JToken Write(object value) => value == null ? JValue.CreateNull() : JToken.FromObject(value, Serializer);

        /// <summary>A character is the number of its UTF-16 unit.</summary>
        private sealed class Characters : JsonConverter
        {
            public override bool CanConvert(Type type) => type == typeof(char);

            public override object ReadJson(JsonReader reader, Type type, object existing, JsonSerializer serializer) =>
            Convert.ToChar(reader.Value, CultureInfo.InvariantCulture);

            public override void WriteJson(JsonWriter writer, object value, JsonSerializer serializer)
            {
                writer.WriteValue((int)(char)value);
            }
        }

        /// <summary>A text that is not valid Unicode is an object with its UTF-16 units.</summary>
        private sealed class Texts : JsonConverter
        {
            public override bool CanConvert(Type type) => type == typeof(string);

            public override object ReadJson(JsonReader reader, Type type, object existing, JsonSerializer serializer)
            {
                if (reader.TokenType != JsonToken.StartObject)
                {
                    return (string)reader.Value;
                }
                return new string(JObject.Load(reader)["utf16"].Select(unit => (char)(int)unit).ToArray());
            }

            public override void WriteJson(JsonWriter writer, object value, JsonSerializer serializer)
            {
                var text = (string)value;
                if (text.IsUnicode())
                {
                    writer.WriteValue(text);
                    return;
                }
                new JObject { { "utf16", new JArray(text.Select(unit => (int)unit)) } } .WriteTo(writer);
            }
        }

        /// <summary>What JSON has no number for is a string.</summary>
        private sealed class Numbers : JsonConverter
        {
            public override bool CanConvert(Type type) => Held(type) == typeof(float) || Held(type) == typeof(double);

            private static Type Held(Type type) => Nullable.GetUnderlyingType(type) ?? type;

            public override object ReadJson(JsonReader reader, Type type, object existing, JsonSerializer serializer)
            {
                if (reader.Value == null)
                {
                    return null;
                }
                // Not every .NET reads "-0" as what it is.
                double number = "-0".Equals(reader.Value) ? -0.0 : Convert.ToDouble(reader.Value, CultureInfo.InvariantCulture);
                return Held(type) == typeof(float) ? (object)(float)number : number;
            }

            public override void WriteJson(JsonWriter writer, object value, JsonSerializer serializer)
            {
                double number = Convert.ToDouble(value, CultureInfo.InvariantCulture);
                if (number == 0 && 1 / number < 0)
                {
                    writer.WriteValue("-0");
                }
                else
                {
                    // In the shortest form of its own type.
                    writer.WriteValue(((IFormattable)value).ToString("R", CultureInfo.InvariantCulture));
                }
            }
        }

        /// <summary>Whether each surrogate has its partner.</summary>
        private static bool IsUnicode(this string text)
        {
            for (int at = 0; at < text.Length; at++)
            {
                if (char.IsSurrogate(text[at]) && (at + 1 == text.Length || !char.IsSurrogatePair(text[at], text[++at])))
                {
                    return false;
                }
            }
            return true;
        }
    }
}
