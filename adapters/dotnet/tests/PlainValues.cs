using Callbench.Kit;
using Callbench.Service;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Tests
{
    /// <summary>Plain values of contract/RUNNER.md, into .NET's types and back.</summary>
    internal static class PlainValues
    {
        internal static void Check()
        {
            Same("65", 'A');
            Same("55296", '\ud800');
            Same("\"2012-06-01T17:24:39.000Z\"", "2012-06-01T17:24:39.000Z");
            Same("{\"utf16\":[97,55296]}", "a\ud800");
            Same("\"\ud83d\ude00\"", "\ud83d\ude00");
            Same("\"AP8=\"", new byte[] { 0, 255 });
            Same("[65,66]", new[] { 'A', 'B' });
            Same("[]", new Person[0]);
            Same("null", (Person)null);
            Holds(Plain.Read<long>("-9223372036854775808") == long.MinValue, "the least long");
            Holds(double.IsNaN(Plain.Read<double>("NaN")) && float.IsNegativeInfinity(Plain.Read<float>("-Infinity")), "no number");
            Holds(1 / Plain.Read<double>("-0") < 0 && 1 / Plain.Read<float>("-0") < 0, "-0 is below");
            Holds(Plain.Read<float>(0.1) == 0.1f && Plain.Read<double>(5e-324) == double.Epsilon, "small numbers");
            Same("[\"NaN\",\"Infinity\",\"-0\"]", new[] { float.NaN, float.PositiveInfinity, -0f });
            Same("[\"0.1\",\"3.40282347E+38\"]", new[] { 0.1f, float.MaxValue });
            Same("[\"1.7976931348623157E+308\",\"4.94065645841247E-324\"]", new[] { double.MaxValue, double.Epsilon });
            Same("{\"currentPrice\":\"1.5\",\"convertedCurrentPrice\":\"0\"}", new SellingStatus { currentPrice = 1.5f });
            Holds(Plain.Read<SellingStatus>(JObject.Parse("{\"bidCount\":null,\"currentPrice\":2}")).bidCount == null, "null is absent");
        }

        private static void Same<T>(string plain, T value)
        {
            string written = Plain.Write(value).ToString(Formatting.None);
            Holds(written == plain, written + " instead of " + plain);
            string again = Plain.Write(Plain.Read<T>(Plain.Write(value))).ToString(Formatting.None);
            Holds(again == plain, again + " instead of " + plain + " after reading");
        }

        private static void Holds(bool condition, string what) => Program.Holds(condition, "plain values: " + what);
    }
}
