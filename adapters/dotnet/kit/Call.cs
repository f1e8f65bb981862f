using System;
using System.Collections.Generic;
using System.Linq;
using Callbench.Service;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>
    /// A prepared call of one client. It keeps the last answer in its own type, so that nothing is boxed in the loop.
    /// </summary>
    internal abstract class Call
    {
        private static readonly Dictionary<string, Func<JToken, Call>> Operations = new Dictionary<string, Func<JToken, Call>>
        {
            { "Empty", WithoutAnswer(Empty) },
            { "Hello", WithAnswer(Hello) },
            { "Sum", WithAnswer(given => Sum((int)given["a"], (int)given["b"])) },
            { "GetPersons", WithAnswer(given => GetPersons((int)given["n"])) },
            { "GetBinaryData", WithAnswer(given => GetBinaryData((int)given["size"], Plain.Read<string>(given["fill"]))) },
            { "FindItems", WithAnswer(given => FindItems((int)given["n"])) },
            { "EchoStructure", WithAnswer(given => EchoStructure(Plain.Read<Structure>(given["structure"]))) },
            { "EchoString", WithAnswer(given => EchoString(Plain.Read<string>(given["value"]))) },
            { "SendBoolean", Sending<bool>((service, value) => service.SendBoolean(value)) },
            { "SendByte", Sending<byte>((service, value) => service.SendByte(value)) },
            { "SendChar", Sending<char>((service, value) => service.SendChar(value)) },
            { "SendShort", Sending<short>((service, value) => service.SendShort(value)) },
            { "SendInt", Sending<int>((service, value) => service.SendInt(value)) },
            { "SendLong", Sending<long>((service, value) => service.SendLong(value)) },
            { "SendFloat", Sending<float>((service, value) => service.SendFloat(value)) },
            { "SendDouble", Sending<double>((service, value) => service.SendDouble(value)) },
            { "SendString", Sending<string>((service, value) => service.SendString(value)) },
            { "SendObject", Sending<Person>((service, value) => service.SendObject(value)) },
            { "SendBooleanArray", Sending<bool[]>((service, value) => service.SendBooleanArray(value)) },
            { "SendByteArray", Sending<byte[]>((service, value) => service.SendByteArray(value)) },
            { "SendCharArray", Sending<char[]>((service, value) => service.SendCharArray(value)) },
            { "SendShortArray", Sending<short[]>((service, value) => service.SendShortArray(value)) },
            { "SendIntArray", Sending<int[]>((service, value) => service.SendIntArray(value)) },
            { "SendLongArray", Sending<long[]>((service, value) => service.SendLongArray(value)) },
            { "SendFloatArray", Sending<float[]>((service, value) => service.SendFloatArray(value)) },
            { "SendDoubleArray", Sending<double[]>((service, value) => service.SendDoubleArray(value)) },
            { "SendStringArray", Sending<string[]>((service, value) => service.SendStringArray(value)) },
            { "SendObjectArray", Sending<Person[]>((service, value) => service.SendObjectArray(value)) }
        };

        /// <summary>Makes the call number <paramref name="turn"/>, from 0; whatever the stack throws is thrown.</summary>
        internal abstract void Make(ISpeedService service, long turn);

        /// <summary>Whether the answer of that call is correct, as far as a check in constant time can tell.</summary>
        internal abstract bool Right(long turn);

        /// <summary>The last answer.</summary>
        internal abstract JToken Answer();

        /// <summary>The same call for another client.</summary>
        internal virtual Call Again() => (Call)MemberwiseClone();

        /// <summary>A call of the service with its payloads, an array, in the types of its interface. Throws Failure.</summary>
        internal static Call Prepared(string operation, JToken payloads)
        {
            if (!Operations.TryGetValue(operation, out Func<JToken, Call> prepare))
            {
                throw new Failure(Kind.CannotCarry, "the call " + operation + " is not known here");
            }
            return prepare(payloads);
        }

        // With parameters, so that each payload has its own.
        private static Action<ISpeedService> Empty(JToken given) => service => service.Empty();

        private static Func<ISpeedService, string> Hello(JToken given) => service => service.Hello();

        private static Func<ISpeedService, int> Sum(int a, int b) => service => service.Sum(a, b);

        private static Func<ISpeedService, Person[]> GetPersons(int n) => service => service.GetPersons(n);

        private static Func<ISpeedService, byte[]> GetBinaryData(int size, string fill) => service => service.GetBinaryData(size, fill);

        private static Func<ISpeedService, SearchResponse> FindItems(int n) => service => service.FindItems(n);

        private static Func<ISpeedService, Structure> EchoStructure(Structure structure) => service => service.EchoStructure(structure);

        private static Func<ISpeedService, string> EchoString(string value) => service => service.EchoString(value);

        private static Func<JToken, Call> WithAnswer<T>(Func<JToken, Func<ISpeedService, T>> bind) =>
        payloads => new Call<T>(payloads, bind);

        private static Func<JToken, Call> WithoutAnswer(Func<JToken, Action<ISpeedService>> bind) => WithAnswer(given =>
        {
            Action<ISpeedService> tell = bind(given);
            return new Func<ISpeedService, object>(service =>
            {
                tell(service);
                return null;
            });
        });

        private static Func<JToken, Call> Sending<T>(Action<ISpeedService, T> send) => WithoutAnswer(given =>
        {
            T value = Plain.Read<T>(given["value"]);
            return service => send(service, value);
        });
    }

    /// <summary>A call that answers a <typeparamref name="T"/>.</summary>
    internal sealed class Call<T> : Call
    {
        private readonly Func<ISpeedService, T>[] makes;
        private readonly T[] rights;

        /// <summary>Of each payload, whether the service refuses it: then no answer is right.</summary>
        private readonly bool[] refused;

        private readonly Func<T, T, long, bool> holds = Check<T>.Holds;
        private readonly Func<T, JToken> write;
        private T answer;

        /// <param name="bind">makes a call of its arguments</param>
        internal Call(JToken payloads, Func<JToken, Func<ISpeedService, T>> bind) : this(payloads, bind, Plain.Read<T>, Write)
        {
        }

        /// <param name="bind">makes a call of its arguments</param>
        /// <param name="read">reads an answer as the host gives it</param>
        /// <param name="write">writes an answer for the host</param>
        internal Call(JToken payloads, Func<JToken, Func<ISpeedService, T>> bind, Func<JToken, T> read, Func<T, JToken> write)
        {
            this.write = write;
            makes = payloads.Select(each => bind(each["arguments"])).ToArray();
            rights = payloads.Select(each => read(each["answer"])).ToArray();
            refused = payloads.Select(each => each["fault"] != null && each["fault"].Type != JTokenType.Null).ToArray();
        }

        internal override void Make(ISpeedService service, long turn)
        {
            answer = makes[turn % makes.Length](service);
        }

        internal override bool Right(long turn)
        {
            long payload = turn % makes.Length;
            return !refused[payload] && holds(rights[payload], answer, turn);
        }

        internal override JToken Answer() => write(answer);

        private static JToken Write(T value) => Plain.Write(value);
    }
}
