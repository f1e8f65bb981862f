using System;
using System.Globalization;
using Callbench.Service;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>Reads a call from its name and the arguments of the contract.</summary>
    public sealed class Arguments
    {
        /// <summary>The most elements or characters that a content makes.</summary>
        internal const int MostElements = 16777216;

        private const int Shown = 64;

        private readonly JObject members;

        public Arguments(JObject members)
        {
            this.members = members;
        }

        /// <summary>The call of this name. Members that it does not take are ignored. Throws Failure of kind bad-request.</summary>
        public static Call Call(string name, JObject members)
        {
            var given = new Arguments(members);
            switch (name)
            {
            case "Empty":
                return Nothing(name, service => service.Empty());
            case "Hello":
                return new Call<string>(name, service => service.Hello(), answer => answer == "Hello World");
            case "Sum":
                return Sum(given.Integer("a"), given.Integer("b"));
            case "GetPersons":
                int persons = given.Integer("n");
                return new Call<Person[]>(name, service => service.GetPersons(persons), Expectation.Persons(persons));
            case "FindItems":
                int items = given.Integer("n");
                return new Call<SearchResponse>(name, service => service.FindItems(items), Expectation.Items(items));
            case "GetBinaryData":
                return Octets(given.Integer("size"), given.Text("fill"));
            case "EchoStructure":
                return Structure(given.Integer("n"));
            case "EchoString":
                string text = given.SpeltOut() ? Literal.Text(given.Value) : given.String();
                return new Call<string>(name, service => service.EchoString(text), Expectation.Echo(text));
            case "Send":
                return Send.Call(given);
            default:
                throw Failure.BadRequest("the service has no call " + Shortened(name));
            }
        }

        /// <summary>A call that answers nothing.</summary>
        internal static Call Nothing(string name, Action<ISpeedService> tell)
        {
            Func<ISpeedService, object> make = service =>
            {
                tell(service);
                return null;
            };
            return new Call<object>(name, make, answer => answer == null);
        }

        private static Call Sum(int a, int b)
        {
            int sum = unchecked(a + b);
            return new Call<int>("Sum", service => service.Sum(a, b), answer => answer == sum);
        }

        private static Call Octets(int size, string fill)
        {
            return new Call<byte[]>("GetBinaryData", service => service.GetBinaryData(size, fill), Expectation.Octets(size, fill));
        }

        /// <summary>n itself never travels, so no server could refuse it.</summary>
        private static Call Structure(int n)
        {
            if (n < 0 || n > SpeedService.Most)
            {
                throw Failure.BadRequest("n is " + n + ": it must be from 0 to " + SpeedService.Most);
            }
            Structure sent = Generate.Structure(n);
            return new Call<Structure>("EchoStructure", service => service.EchoStructure(sent), Expectation.Structure(sent));
        }

        internal JToken Value
        {
            get { return members["value"]; }
        }

        /// <summary>Whether the value is spelt out, not made from a content.</summary>
        internal bool SpeltOut()
        {
            bool value = Value != null;
            bool content = members["content"] != null;
            if (value && content)
            {
                throw Failure.BadRequest("value and content exclude each other: leave one of them out");
            }
            if (!value && !content)
            {
                throw Missing("value or content");
            }
            return value;
        }

        /// <summary>The scalar string that a content makes.</summary>
        internal string String()
        {
            int count = Count();
            switch (Content())
            {
            case "fixed":
                return new string('A', count);
            case "random":
                return Generate.Letters(new SplitMix64(Seed()), count);
            default:
                return new string(Generate.Plane(Seed(), count));
            }
        }

        internal string Content()
        {
            string content = Text("content");
            if (content != "fixed" && content != "random" && content != "bmp")
            {
                throw Wrong("content", members["content"], "fixed, random or bmp");
            }
            return content;
        }

        internal ulong Seed()
        {
            JToken given = members["seed"];
            if (given == null)
            {
                return 1;
            }
            ulong seed;
            string digits = given.Type == JTokenType.Integer || given.Type == JTokenType.String ? given.ToString() : "";
            if (ulong.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out seed))
            {
                return seed;
            }
            throw Wrong("seed", given, "a whole number from 0 to 18446744073709551615, as a number or a decimal string");
        }

        internal int Count()
        {
            return (int)Literal.Whole("count", Given("count"), 0, MostElements);
        }

        internal int Integer(string name)
        {
            return (int)Literal.Whole(name, Given(name), int.MinValue, int.MaxValue);
        }

        internal string Text(string name)
        {
            JToken given = Given(name);
            if (given.Type != JTokenType.String)
            {
                throw Wrong(name, given, "a string");
            }
            return (string)given;
        }

        private JToken Given(string name)
        {
            JToken given = members[name];
            if (given == null)
            {
                throw Missing(name);
            }
            return given;
        }

        private static Failure Missing(string name)
        {
            return Failure.BadRequest("the argument " + name + " is missing");
        }

        internal static Failure Wrong(string name, JToken given, string right)
        {
            return Failure.BadRequest(name + " is " + Shortened(given.ToString(Formatting.None)) + ": it must be " + right);
        }

        internal static string Shortened(string text)
        {
            return text.Length <= Shown ? text : text.Substring(0, Shown);
        }
    }
}
