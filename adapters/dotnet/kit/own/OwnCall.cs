using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using Callbench.Kit;
using Callbench.Service;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Own
{
    /// <summary>A call of the user's own service. The code that is generated for the service makes one for each.</summary>
    public abstract class OwnCall
    {
        /// <summary>The class that is generated, and its field with all calls.</summary>
        private const string Generated = "Callbench.Generated.Calls";

        private const string All = "All";

        /// <summary>The assembly that was generated for the user's own service; null if the process has none.</summary>
        public static Assembly Service { get; private set; }

        internal OwnCall(string name)
        {
            Name = name;
        }

        public string Name { get; }

        /// <summary>The calls in an assembly that was generated. Throws if it is none.</summary>
        internal static Dictionary<string, OwnCall> Load(string assembly)
        {
            Service = Assembly.LoadFrom(assembly);
            FieldInfo all = Service.GetType(Generated, true).GetField(All);
            return ((OwnCall[])all.GetValue(null)).ToDictionary(call => call.Name);
        }

        /// <summary>The call with its payloads, an array, in the service's types. Throws Failure.</summary>
        internal abstract Call Prepared(JToken payloads);

        /// <summary>The answers of a server to this call.</summary>
        internal abstract OwnAnswers Answers(Asked ask, Delays delays);
    }

    /// <summary>A call that takes a <typeparamref name="TRequest"/> and answers a <typeparamref name="TAnswer"/>.</summary>
    public sealed class OwnCall<TRequest, TAnswer> : OwnCall
    {
        public OwnCall(string name) : base(name)
        {
        }

        internal override Call Prepared(JToken payloads) => new Call<TAnswer>(payloads, Bound, OwnJson.Read<TAnswer>, OwnJson.Write);

        internal override OwnAnswers Answers(Asked ask, Delays delays) => new OwnAnswers<TRequest, TAnswer>(Name, ask, delays);

        private Func<ISpeedService, TAnswer> Bound(JToken given)
        {
            TRequest request = OwnJson.Read<TRequest>(given["request"]);
            return service =>
            {
                var own = service as IOwnService;
                if (own == null)
                {
                    throw new Failure(Kind.CannotCarry, "this stack carries no calls of a service of your own");
                }
                return own.Ask<TRequest, TAnswer>(Name, request);
            };
        }
    }

    /// <summary>What a client's service implements besides ISpeedService if its stack carries own calls.</summary>
    public interface IOwnService
    {
        /// <summary>A remote call.</summary>
        TAnswer Ask<TRequest, TAnswer>(string call, TRequest request);
    }

    /// <summary>The service's own JSON, in which the host gives requests and answers: each type says itself how it is written.</summary>
    internal static class OwnJson
    {
        private static readonly JsonSerializer Serializer = JsonSerializer.Create(new JsonSerializerSettings
        {
            DateParseHandling = DateParseHandling.None,
            NullValueHandling = NullValueHandling.Ignore
        });

        /// <summary>The value as a T. Throws Failure of kind cannot-carry if it is not possible.</summary>
        internal static T Read<T>(JToken json)
        {
            try
            {
                return json == null ? default(T) : json.ToObject<T>(Serializer);
            }
            catch (Exception failure) when (!(failure is OutOfMemoryException))
            {
                throw new Failure(Kind.CannotCarry, "the value cannot be held here: " + failure.Message, failure);
            }
        }

        /// <summary>As text, since a JToken cannot be written with a number above that of a long.</summary>
        internal static JToken Write<T>(T value)
        {
            var text = new StringWriter(CultureInfo.InvariantCulture);
            Serializer.Serialize(text, value);
            return new JRaw(text.ToString());
        }
    }
}
