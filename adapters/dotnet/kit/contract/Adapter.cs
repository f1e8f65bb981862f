using System;
using System.Linq;
using System.Reflection;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit.Contract
{
    /// <summary>What the adapter is, and its stacks.</summary>
    public sealed class Adapter
    {
        internal const string Name = "dotnet";

        private const int Version = 1;
        private const string AdapterVersion = "0.1.0";
        private const int Shown = 64;

        private static readonly string[] Features = { "closed", "think", "ramp-up", "open", "burn", "heap", "trace" };

        private readonly Technologies technologies;

        public Adapter(Technologies technologies)
        {
            this.technologies = technologies;
            ReadingNs = Clock.ReadingNs();
        }

        /// <summary>What one clock reading costs, in nanoseconds, as hello says it.</summary>
        internal double ReadingNs { get; private set; }

        /// <summary>The stack of this full name. Throws Failure.</summary>
        internal Stack Stack(string name)
        {
            const string own = Name + "/";
            if (!name.StartsWith(own, StringComparison.Ordinal) || !technologies.Names.Contains(name.Substring(own.Length)))
            {
                string shown = name.Length <= Shown ? name : name.Substring(0, Shown);
                throw Failure.BadRequest("stack " + shown + " is not one of mine: hello lists them");
            }
            return technologies.Stack(name.Substring(own.Length));
        }

        internal JObject Hello()
        {
            JObject hello = Session.Is("hello");
            hello["contract"] = Version;
            hello["adapter"] = Name;
            hello["language"] = "c#";
            hello["version"] = AdapterVersion;
            hello["runtime"] = Runtime();
            hello["libraries"] = new JObject { { "Newtonsoft.Json", FileVersion(typeof(JsonConvert).Assembly) } };
            hello["clock"] = new JObject
            {
                { "name", "CLOCK_MONOTONIC" },
                { "resolution_ns", Clock.ResolutionNs() },
                { "reading_ns", ReadingNs }
            };
            hello["features"] = new JArray(Features.Cast<object>().ToArray());
            hello["stacks"] = new JArray(technologies.Names.Select(name => Name + "/" + name).Cast<object>().ToArray());
            hello["unavailable"] = new JObject();
            return hello;
        }

        private static string FileVersion(Assembly assembly)
        {
            return System.Diagnostics.FileVersionInfo.GetVersionInfo(assembly.Location).FileVersion;
        }

        /// <summary>Mono tells its version and build through a method that .NET does not have.</summary>
        private static string Runtime()
        {
            Type mono = Type.GetType("Mono.Runtime");
            MethodInfo told = mono == null ? null : mono.GetMethod("GetDisplayName", BindingFlags.NonPublic | BindingFlags.Static);
            string name = told == null ? ".NET " + Environment.Version : "Mono " + told.Invoke(null, null);
            return name + ", processors " + Environment.ProcessorCount;
        }
    }
}
