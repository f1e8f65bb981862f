using System;
using System.Globalization;
using System.IO;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Json
{
    /// <summary>Newtonsoft's JSON as the service has it: a char is the number of its UTF-16 unit, absent members are left out.</summary>
    internal static class Json
    {
        /// <summary>A surrogate without its partner is refused: replaced, it would be another text.</summary>
        private static readonly Encoding Utf8 = new UTF8Encoding(false, true);

        internal static readonly JsonSerializer Serializer = JsonSerializer.Create(new JsonSerializerSettings
        {
            DateParseHandling = DateParseHandling.None,
            NullValueHandling = NullValueHandling.Ignore,
            Converters = { new Units() }
        });

        internal static byte[] Written(object value)
        {
            var octets = new MemoryStream();
            using (var text = new StreamWriter(octets, Utf8))
            {
                Serializer.Serialize(text, value);
            }
            return octets.ToArray();
        }

        internal static T Read<T>(Stream from)
        {
            using (var text = new JsonTextReader(new StreamReader(from, Utf8)))
            {
                return Serializer.Deserialize<T>(text);
            }
        }

        /// <summary>Parses any JSON. Throws JsonException if there is none. The serializer would accept half a document as null.</summary>
        internal static JToken Tree(Stream from)
        {
            using (var text = new JsonTextReader(new StreamReader(from, Utf8)) { DateParseHandling = DateParseHandling.None })
            {
                return JToken.Load(text);
            }
        }

        private sealed class Units : JsonConverter
        {
            public override bool CanConvert(Type type) => type == typeof(char);

            public override object ReadJson(JsonReader reader, Type type, object existing, JsonSerializer serializer) =>
            Convert.ToChar(reader.Value, CultureInfo.InvariantCulture);

            public override void WriteJson(JsonWriter writer, object value, JsonSerializer serializer)
            {
                writer.WriteValue((int)(char)value);
            }
        }
    }
}
