using System.Collections.Generic;
using Callbench.Kit;
using Callbench.Own;
using Newtonsoft.Json.Linq;

namespace Callbench.Tests
{
    /// <summary>The types of a user's own service: the check of an answer, and the look-up by a whole request.</summary>
    internal static class OwnValues
    {
        private sealed class Order
        {
            public string Name { get; set; }
            public List<int> Counts { get; set; } = new List<int>();
            public Dictionary<string, string> Tags { get; set; } = new Dictionary<string, string>();
            public Order Next { get; set; }
            public JToken More { get; set; }
            public byte[] Raw { get; set; } = new byte[0];
            public int? Last { get; set; }
        }

        private sealed class Rows : List<double>
        {
        }

        internal static void Check()
        {
            Differ(Full(), new Order { Name = "other" });
            foreach (Order other in Changed())
            {
                Differ(Full(), other);
            }
            Differ(new Rows { 1, 2 }, new Rows { 1, 3 });
            Differ(new Rows { 1, 2 }, new Rows { 1 });
            Holds(Callbench.Kit.Check<Rows>.Holds(new Rows { 1, 2, 3 }, new Rows { 1, 9, 3 }, 0), "takes more than its time");
            Holds(Callbench.Kit.Check<JToken>.Holds(JValue.CreateNull(), null, 0), "tells null from null");
            var map = new Dictionary<string, int> { { "b", 1 }, { "c", 2 }, { "a", 3 } };
            var its = new Dictionary<string, int> { { "a", 3 }, { "b", 0 }, { "c", 2 } };
            Holds(Callbench.Kit.Check<Dictionary<string, int>>.Holds(map, its, 0), "takes more than its time over a map");
            Holds(!Callbench.Kit.Check<Dictionary<string, int>>.Holds(map, its, 1), "does not notice an entry in the middle");
            Json("{\"a\": [1, 2], \"b\": null}", "{\"b\": null, \"a\": [1.0, 2]}", true);
            Json("{\"a\": [1, 2], \"b\": null}", "{\"b\": null, \"a\": [1, 3]}", false);
            Json("{\"a\": 1}", "{\"b\": 1}", false);
            Json("{}", "[]", false);
            Json("\"1\"", "1", false);
            Json("9007199254740993", "9007199254740992.0", true);
        }

        private static void Json(string one, string other, bool same)
        {
            bool found = Callbench.Kit.Check<JToken>.Holds(JToken.Parse(one), JToken.Parse(other), 0);
            Holds(found == same, "the check takes " + one + " and " + other + " wrongly");
        }

        private static Order Full()
        {
            return new Order
            {
                Name = "a",
                Counts = { 1, 2 },
                Tags = { { "k", "v" }, { "l", "w" } },
                Next = new Order { Name = "b" },
                More = JToken.Parse("{\"x\": [1, null]}"),
                Raw = new byte[] { 1, 2 },
                Last = 7
            };
        }

        /// <summary>The full one with another value in each property, one after the other.</summary>
        private static IEnumerable<Order> Changed()
        {
            Order order = Full();
            order.Counts[1] = 3;
            yield return order;
            order = Full();
            order.Tags["l"] = "";
            yield return order;
            order = Full();
            order.Next.Raw = new byte[] { 0 };
            yield return order;
            order = Full();
            order.More = JToken.Parse("{\"x\": [1, 0]}");
            yield return order;
            order = Full();
            order.Raw[1] = 0;
            yield return order;
            order = Full();
            order.Last = null;
            yield return order;
        }

        private static void Differ<T>(T one, T other)
        {
            Holds(Same<T>.Whole.Equals(one, one) && !Same<T>.Whole.Equals(one, other), "the look-up compares " + typeof(T) + " wrongly");
            T again = OwnJson.Read<T>(JToken.Parse(OwnJson.Write(one).ToString()));
            Holds(Same<T>.Whole.Equals(one, again), typeof(T) + " comes back from JSON as another");
            Holds(Same<T>.Whole.GetHashCode(one) == Same<T>.Whole.GetHashCode(again), "equal values have two hashes");
            bool noticed = false;
            for (long turn = 0; turn < 2; turn++)
            {
                Holds(Callbench.Kit.Check<T>.Holds(one, again, turn), "the check refuses a right " + typeof(T));
                noticed |= !Callbench.Kit.Check<T>.Holds(one, other, turn);
            }
            Holds(noticed, "the check does not notice a wrong " + typeof(T));
        }

        private static void Holds(bool condition, string what) => Program.Holds(condition, "a service's own types: " + what);
    }
}
