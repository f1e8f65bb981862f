using Callbench.Kit;
using Callbench.Service;
using Newtonsoft.Json.Linq;

namespace Callbench.Tests
{
    /// <summary>The check of an answer: which fields it compares, and when.</summary>
    internal static class Answers
    {
        internal static void Check()
        {
            Noticed(1, 2, 0);
            Noticed(new[] { 1, 2, 3 }, new[] { 1, 2, 4 }, 0);
            Noticed(new[] { 1, 2, 3 }, new[] { 1, 9, 3 }, 4);
            Unnoticed(new[] { 1, 2, 3 }, new[] { 1, 9, 3 }, 0);
            Noticed(new[] { 1 }, new int[0], 0);
            Noticed(new int[0], null, 0);
            Noticed(new byte[] { 1, 2, 3 }, new byte[] { 9, 2, 3 }, 1);
            string text = new string('a', 100);
            Noticed(text, text.Substring(1) + "b", 7);
            Noticed(text, "b" + text.Substring(1), 200);
            Unnoticed(text, "b" + text.Substring(1), 1);
            Noticed("abc", "bbc", 1);
            Noticed(One("Lovelace"), One("Byron"), 0);
            Noticed(One("Lovelace"), null, 0);
            Noticed(new[] { One("Lovelace") }, new[] { One("Byron") }, 3);
            Noticed(new SellingStatus { bidCount = 1 }, new SellingStatus(), 0);
            Noticed(Echoed(2), Echoed(3), 0);
            Program.Holds(Check<Structure>.Holds(Echoed(2), Echoed(2), 5), "the check refuses what is right");
            Program.Holds(Check<double>.Holds(double.NaN, double.NaN, 0), "the check refuses NaN");
            Rotation();
        }

        /// <summary>The payloads of a call take turns, and what the service refuses is never right.</summary>
        private static void Rotation()
        {
            var service = new SpeedService(null, new Delays(new JObject()));
            Call call = Call.Prepared("Sum", JArray.Parse(
                                          "[{\"arguments\":{\"a\":1,\"b\":2},\"answer\":3},{\"arguments\":{\"a\":2,\"b\":2},\"answer\":5},"
                                          + "{\"arguments\":{\"a\":0,\"b\":0},\"answer\":null,\"fault\":\"no\"}]"));
            for (int turn = 0; turn < 6; turn++)
            {
                call.Make(service, turn);
                Program.Holds(call.Right(turn) == (turn % 3 == 0), "call " + turn + " of a rotation");
            }
        }

        private static Person One(string last) => new Person { ID = 1, FirstName = "Ada", LastName = last };

        private static Structure Echoed(int related) => new Structure
        {
            text = "text",
            numbers = new[] { 1, 2 },
            users = new[] { new UserDetails { userName = "ada" } },
            beans = new[] { new TestStructureBean { related = new[] { 1, related } } }
        };

        private static void Noticed<T>(T right, T found, long turn)
        {
            Program.Holds(Check<T>.Holds(right, right, turn), "the check refuses a right " + typeof(T));
            Program.Holds(!Check<T>.Holds(right, found, turn), "the check does not notice a wrong " + typeof(T));
        }

        private static void Unnoticed<T>(T right, T found, long turn) =>
        Program.Holds(Check<T>.Holds(right, found, turn), "the check takes more than its time over a " + typeof(T));
    }
}
