using System;
using System.IO;
using System.Linq;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit.Contract
{
    /// <summary>A request of the core and its members.</summary>
    internal sealed class Request
    {
        private const int Shown = 64;

        /// <summary>No request nests deeper than a few members; an endless nest would exhaust the stack.</summary>
        private const int Deepest = 64;

        private readonly JObject members;

        private Request(JObject members, string what)
        {
            this.members = members;
            What = what;
        }

        /// <summary>What to do.</summary>
        internal string What { get; private set; }

        /// <summary>The line as a JSON object, or null.</summary>
        internal static JObject Parsed(string line)
        {
            using (var reader = new JsonTextReader(new StringReader(line)))
            {
                reader.MaxDepth = Deepest;
                reader.DateParseHandling = DateParseHandling.None;
                try
                {
                    var parsed = JToken.ReadFrom(reader) as JObject;
                    return reader.Read() ? null : parsed;
                }
                catch (Exception none) when (none is JsonException || none is ArgumentException || none is FormatException
                                                 || none is OverflowException)
                {
                    return null;
                }
            }
        }

        internal static Request Of(JObject members)
        {
            if (members == null)
            {
                throw Failure.BadRequest("the line is no JSON object");
            }
            JToken what = members["do"];
            if (what == null || what.Type != JTokenType.String)
            {
                throw Failure.BadRequest("the request has no do: it must say what to do");
            }
            return new Request(members, (string)what);
        }

        /// <summary>The id of a line, or 0 where it has none.</summary>
        internal static long Id(JObject members)
        {
            JToken id = members == null ? null : members["id"];
            long number;
            return id != null && id.Type == JTokenType.Integer && long.TryParse(id.ToString(), out number) && number > 0 ? number : 0;
        }

        private Failure Wrong(string name, string right)
        {
            JToken given = members[name];
            string shown = given == null ? "" : given.ToString(Formatting.None);
            shown = shown.Length <= Shown ? shown : shown.Substring(0, Shown);
            string told = given == null ? "is missing" : "is " + shown;
            return Failure.BadRequest(
                       "the request to do " + What + " is not understood: " + name + " " + told + ": it must be " + right);
        }

        private bool IsAbsent(string name)
        {
            return members[name] == null || members[name].Type == JTokenType.Null;
        }

        internal string Text(string name)
        {
            JToken given = members[name];
            if (given == null || given.Type != JTokenType.String)
            {
                throw Wrong(name, "a string");
            }
            return (string)given;
        }

        /// <summary>The text of an optional member, or null.</summary>
        internal string OptionalText(string name)
        {
            return IsAbsent(name) ? null : Text(name);
        }

        internal long Whole(string name, long least, long most)
        {
            JToken given = members[name];
            long number;
            if (given != null && given.Type == JTokenType.Integer && long.TryParse(given.ToString(), out number)
                    && number >= least && number <= most)
            {
                return number;
            }
            throw Wrong(name, "a whole number from " + least + " to " + most);
        }

        internal long OptionalWhole(string name, long least, long most, long absent)
        {
            return IsAbsent(name) ? absent : Whole(name, least, most);
        }

        /// <summary>Seconds as nanoseconds.</summary>
        internal long Nanoseconds(string name)
        {
            double seconds = Number(name);
            if (seconds > 1e6)
            {
                throw Wrong(name, "a number of seconds from 0 to 1000000");
            }
            return (long)(seconds * 1e9);
        }

        /// <summary>A number that may have a fraction, from 0 on.</summary>
        internal double Number(string name)
        {
            JToken given = members[name];
            if (given != null && (given.Type == JTokenType.Integer || given.Type == JTokenType.Float) && (double)given >= 0)
            {
                return (double)given;
            }
            throw Wrong(name, "a number from 0 on");
        }

        /// <summary>A list of at least one whole number; null where it is left out.</summary>
        internal long[] OptionalWholes(string name, long least, long most)
        {
            return IsAbsent(name) ? null : List(name).Select(it => Member(it).Whole("it", least, most)).ToArray();
        }

        /// <summary>A list of at least one object.</summary>
        internal Request[] Each(string name)
        {
            return List(name).Select(it => new Request(it as JObject ?? new JObject(), What)).ToArray();
        }

        /// <summary>The members of an object that has to be there, as those of a request.</summary>
        internal Request Within(string name)
        {
            return new Request(Members(name), What);
        }

        private JArray List(string name)
        {
            var given = members[name] as JArray;
            if (given == null || given.Count == 0)
            {
                throw Wrong(name, "a list of at least one");
            }
            return given;
        }

        private Request Member(JToken alone)
        {
            return new Request(new JObject { { "it", alone } }, What);
        }

        /// <summary>An object; one without members where it is left out.</summary>
        internal JObject Members(string name)
        {
            JToken given = members[name];
            if (given == null)
            {
                return new JObject();
            }
            var found = given as JObject;
            if (found == null)
            {
                throw Wrong(name, "an object");
            }
            return found;
        }
    }
}
