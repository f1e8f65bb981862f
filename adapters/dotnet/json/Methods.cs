using System;
using System.Collections.Generic;
using System.Linq;
using Callbench.Own;
using Callbench.Service;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Json
{
    /// <summary>The service's methods by their names, each with its parameters out of JSON, by name or by position.</summary>
    internal sealed class Methods
    {
        private readonly Dictionary<string, Func<JToken, object>> methods;

        internal Methods(SpeedService service)
        {
            methods = new Dictionary<string, Func<JToken, object>>
            {
                { "Empty", WithoutAnswer(given => service.Empty()) },
                { "Hello", given => service.Hello() },
                { "Sum", given => service.Sum(Value<int>(given, "a", 0), Value<int>(given, "b", 1)) },
                { "GetPersons", given => service.GetPersons(Value<int>(given, "n", 0)) },
                { "GetBinaryData", given => service.GetBinaryData(Value<int>(given, "size", 0), Value<string>(given, "fill", 1)) },
                { "FindItems", given => service.FindItems(Value<int>(given, "n", 0)) },
                { "EchoStructure", given => service.EchoStructure(Value<Structure>(given, "structure", 0)) },
                { "EchoString", given => service.EchoString(Value<string>(given, "value", 0)) },
                { "SendBoolean", Sent<bool>(service.SendBoolean) },
                { "SendByte", Sent<byte>(service.SendByte) },
                { "SendChar", Sent<char>(service.SendChar) },
                { "SendShort", Sent<short>(service.SendShort) },
                { "SendInt", Sent<int>(service.SendInt) },
                { "SendLong", Sent<long>(service.SendLong) },
                { "SendFloat", Sent<float>(service.SendFloat) },
                { "SendDouble", Sent<double>(service.SendDouble) },
                { "SendString", Sent<string>(service.SendString) },
                { "SendObject", Sent<Person>(service.SendObject) },
                { "SendBooleanArray", Sent<bool[]>(service.SendBooleanArray) },
                { "SendByteArray", Sent<byte[]>(service.SendByteArray) },
                { "SendCharArray", Sent<char[]>(service.SendCharArray) },
                { "SendShortArray", Sent<short[]>(service.SendShortArray) },
                { "SendIntArray", Sent<int[]>(service.SendIntArray) },
                { "SendLongArray", Sent<long[]>(service.SendLongArray) },
                { "SendFloatArray", Sent<float[]>(service.SendFloatArray) },
                { "SendDoubleArray", Sent<double[]>(service.SendDoubleArray) },
                { "SendStringArray", Sent<string[]>(service.SendStringArray) },
                { "SendObjectArray", Sent<Person[]>(service.SendObjectArray) }
            };
            foreach (OwnAnswers own in service.Own)
            {
                methods[own.Name] = given => own.Of(Value(given, "request", 0, own.Request));
            }
        }

        /// <summary>What answers a request: a Reply or a Refusal.</summary>
        internal object Answer(JToken given)
        {
            var request = given as JObject;
            JToken id = request?["id"];
            string name = Text(request?["method"]);
            if (Text(request?["jsonrpc"]) != "2.0" || name == null)
            {
                return Refused(Error.NoRequest, "jsonrpc must be \"2.0\", and method a string", id);
            }
            if (!methods.TryGetValue(name, out Func<JToken, object> method))
            {
                string shown = new string(name.Take(64).ToArray());
                return Refused(Error.NoMethod, "the service has no operation " + shown, id);
            }
            try
            {
                return new Reply { result = method(request["params"]), id = id };
            }
            catch (ServiceFault no)
            {
                return Refused(Error.Refused, no.Message, id);
            }
            catch (Exception wrong) when (wrong is JsonException || wrong is FormatException || wrong is OverflowException)
            {
                return Refused(Error.InvalidParams, wrong.Message, id);
            }
        }

        internal static Refusal Refused(int code, string message, JToken id)
        {
            return new Refusal { error = new Error { code = code, message = message }, id = id };
        }

        private static string Text(JToken value) => value?.Type == JTokenType.String ? (string)value : null;

        private static T Value<T>(JToken given, string name, int place) => (T)Value(given, name, place, typeof(T));

        private static object Value(JToken given, string name, int place, Type type)
        {
            JToken value = given is JArray list ? list.ElementAtOrDefault(place) : (given as JObject)?[name];
            if (value == null)
            {
                throw new JsonException(name + " is missing");
            }
            return value.ToObject(type, Json.Serializer);
        }

        private static Func<JToken, object> WithoutAnswer(Action<JToken> call) => given =>
        {
            call(given);
            return null;
        };

        private static Func<JToken, object> Sent<T>(Action<T> send) => WithoutAnswer(given => send(Value<T>(given, "value", 0)));
    }
}
