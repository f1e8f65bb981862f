using System;
using System.IO;
using Callbench.Kit;
using Callbench.Service;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Tests
{
    /// <summary>contract/golden/service.json: what every implementation of the service must reproduce.</summary>
    internal static class Golden
    {
        /// <summary>How many vectors were held.</summary>
        internal static int Check()
        {
            string home = Environment.GetEnvironmentVariable("CALLBENCH_HOME");
            string text = File.ReadAllText(Path.Combine(home, "contract", "golden", "service.json"));
            var service = new SpeedService(Delays.None);
            int seen = 0;
            foreach (JToken vector in (JArray)Read(text))
            {
                Vector((JObject)vector, service);
                seen++;
            }
            return seen;
        }

        private static JToken Read(string text)
        {
            using (var reader = new JsonTextReader(new StringReader(text)) { DateParseHandling = DateParseHandling.None })
            {
                return JToken.ReadFrom(reader);
            }
        }

        private static void Vector(JObject vector, SpeedService service)
        {
            var arguments = (JObject)vector["arguments"];
            string shown = vector.ToString(Formatting.None);
            Call call = Arguments.Call((string)vector["call"], arguments);
            if (vector["sent"] != null)
            {
                Same(vector["sent"], Send.Value(new Arguments(arguments)), shown);
            }
            Making making = call.Prepare();
            try
            {
                making.On(service);
            }
            catch (ServiceFault fault)
            {
                Program.Holds(vector["fault"] != null && (string)vector["fault"]["message"] == fault.Message, shown);
                return;
            }
            Program.Holds(making.Right(), "the check refuses the right answer of " + shown);
            Same(vector["value"], making.Answer, shown);
        }

        private static void Same(JToken expected, object value, string shown)
        {
            JToken made = Read(Canonical.DigestIfLarge(Canonical.Text(value)));
            Program.Holds(expected != null && JToken.DeepEquals(expected, made), shown + ", and this makes " + made);
        }
    }
}
