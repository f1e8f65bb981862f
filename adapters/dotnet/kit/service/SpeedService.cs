using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Callbench.Kit;
using Callbench.Own;
using Newtonsoft.Json.Linq;

namespace Callbench.Service
{
    /// <summary>Has the host work out a call's answer: an object with `value` or `fault`.</summary>
    internal delegate JObject Asked(string call, JObject arguments);

    /// <summary>
    /// Answers calls and counts them. It looks answers up and generates none. Many threads use it at once. It is a MarshalByRefObject, so
    /// that Remoting can publish it; other technologies ignore this.
    /// </summary>
    public sealed class SpeedService : MarshalByRefObject, ISpeedService
    {
        private readonly long[] counts = new long[Enum.GetValues(typeof(Counted)).Length];
        private readonly Delays delays;
        private readonly Answers<int, Person[]> persons;
        private readonly Answers<(int size, string fill), byte[]> octets;
        private readonly Answers<int, SearchResponse> items;

        private enum Counted
        {
            Empty,
            Send,
            Sum,
            GetPersons,
            GetBinaryData,
            EchoStructure,
            EchoString,
            Hello,
            FindItems
        }

        /// <param name="own">the calls of the user's own service, if it has one; else null</param>
        internal SpeedService(Asked ask, Delays delays, IEnumerable<OwnCall> own = null)
        {
            this.delays = delays;
            Own = (own ?? Enumerable.Empty<OwnCall>()).Select(call => call.Answers(ask, delays)).ToList();
            persons = new Answers<int, Person[]>(n => ask("GetPersons", new JObject { { "n", n } }));
            octets = new Answers<(int size, string fill), byte[]>(
            key => ask("GetBinaryData", new JObject { { "size", key.size }, { "fill", key.fill } }));
            items = new Answers<int, SearchResponse>(n => ask("FindItems", new JObject { { "n", n } }));
        }

        /// <summary>The answers to the calls of the user's own service. Empty if there is none.</summary>
        public IReadOnlyList<OwnAnswers> Own { get; }

        /// <summary>It lives until its server ends. By default, Remoting drops an object after five minutes.</summary>
        public override object InitializeLifetimeService() => null;

        /// <summary>The answered calls since the last request for counts, by name. Faults count. Calls that were not made are left
        ///   out.</summary>
        internal JObject TakeCounts()
        {
            var counted = new JObject();
            foreach (Counted call in Enum.GetValues(typeof(Counted)))
            {
                long count = Interlocked.Exchange(ref counts[(int)call], 0);
                if (count > 0)
                {
                    counted[call.ToString()] = count;
                }
            }
            foreach (OwnAnswers call in Own)
            {
                long count = call.TakeCount();
                if (count > 0)
                {
                    counted[call.Name] = count;
                }
            }
            return counted;
        }

        /// <summary>Counted first, so that no client sees an answer that is not counted yet.</summary>
        private void Begin(Counted call)
        {
            Interlocked.Increment(ref counts[(int)call]);
            delays.Pass();
        }

        public void Empty() => Begin(Counted.Empty);

        public int Sum(int a, int b)
        {
            Begin(Counted.Sum);
            return unchecked(a + b);
        }

        public Person[] GetPersons(int n)
        {
            Begin(Counted.GetPersons);
            return persons.Of(n);
        }

        public byte[] GetBinaryData(int size, string fill)
        {
            Begin(Counted.GetBinaryData);
            return octets.Of((size, fill));
        }

        public Structure EchoStructure(Structure structure)
        {
            Begin(Counted.EchoStructure);
            return structure;
        }

        public string EchoString(string value)
        {
            Begin(Counted.EchoString);
            return value;
        }

        public string Hello()
        {
            Begin(Counted.Hello);
            return "Hello World";
        }

        public SearchResponse FindItems(int n)
        {
            Begin(Counted.FindItems);
            return items.Of(n);
        }

        public void SendBoolean(bool value) => Begin(Counted.Send);

        public void SendByte(byte value) => Begin(Counted.Send);

        public void SendChar(char value) => Begin(Counted.Send);

        public void SendShort(short value) => Begin(Counted.Send);

        public void SendInt(int value) => Begin(Counted.Send);

        public void SendLong(long value) => Begin(Counted.Send);

        public void SendFloat(float value) => Begin(Counted.Send);

        public void SendDouble(double value) => Begin(Counted.Send);

        public void SendString(string value) => Begin(Counted.Send);

        public void SendObject(Person value) => Begin(Counted.Send);

        public void SendBooleanArray(bool[] value) => Begin(Counted.Send);

        public void SendByteArray(byte[] value) => Begin(Counted.Send);

        public void SendCharArray(char[] value) => Begin(Counted.Send);

        public void SendShortArray(short[] value) => Begin(Counted.Send);

        public void SendIntArray(int[] value) => Begin(Counted.Send);

        public void SendLongArray(long[] value) => Begin(Counted.Send);

        public void SendFloatArray(float[] value) => Begin(Counted.Send);

        public void SendDoubleArray(double[] value) => Begin(Counted.Send);

        public void SendStringArray(string[] value) => Begin(Counted.Send);

        public void SendObjectArray(Person[] value) => Begin(Counted.Send);
    }

    /// <summary>The last answers of a call, by its arguments. They are read-only. A missing answer is requested once.</summary>
    internal sealed class Answers<TKey, T>
    {
        private const int Most = 256;

        private readonly ConcurrentDictionary<TKey, Answer> kept;
        private readonly Queue<TKey> order = new Queue<TKey>();
        private readonly Func<TKey, JObject> ask;
        private readonly Func<JToken, T> read;

        private sealed class Answer
        {
            internal T Value;

            /// <summary>Why the service refuses; else null.</summary>
            internal string Fault;
        }

        internal Answers(Func<TKey, JObject> ask) : this(ask, Plain.Read<T>, EqualityComparer<TKey>.Default)
        {
        }

        /// <param name="read">reads an answer of the host</param>
        /// <param name="same">compares arguments</param>
        internal Answers(Func<TKey, JObject> ask, Func<JToken, T> read, IEqualityComparer<TKey> same)
        {
            this.ask = ask;
            this.read = read;
            kept = new ConcurrentDictionary<TKey, Answer>(same);
        }

        /// <summary>The answer. Throws ServiceFault where the service refuses.</summary>
        internal T Of(TKey arguments)
        {
            if (!kept.TryGetValue(arguments, out Answer answer))
            {
                answer = Asked(arguments);
            }
            if (answer.Fault != null)
            {
                throw new ServiceFault(answer.Fault);
            }
            return answer.Value;
        }

        private Answer Asked(TKey arguments)
        {
            lock (order)
            {
                if (kept.TryGetValue(arguments, out Answer answer))
                {
                    return answer;
                }
                JObject said = ask(arguments);
                answer = new Answer { Value = read(said["value"]), Fault = (string)said["fault"] };
                if (order.Count == Most)
                {
                    kept.TryRemove(order.Dequeue(), out Answer oldest);
                }
                order.Enqueue(arguments);
                kept[arguments] = answer;
                return answer;
            }
        }
    }
}
