using System;
using System.Collections.Generic;
using System.Threading;

namespace Callbench.Service
{
    /// <summary>
    /// Answers calls and counts them. Used by many threads at once. MarshalByRefObject, so that Remoting can publish it as it is; to
    /// others that means nothing.
    /// </summary>
    public sealed class SpeedService : MarshalByRefObject, ISpeedService
    {
        /// <summary>The largest n of any call.</summary>
        public const int Most = 1000000;

        /// <summary>The largest size of GetBinaryData, in bytes.</summary>
        public const int Largest = 268435456;

        private static readonly string[] Calls =
        {
            "Empty", "Send", "Sum", "GetPersons", "GetBinaryData", "EchoStructure", "EchoString", "Hello", "FindItems"
        };

        private readonly long[] counts = new long[Calls.Length];
        private readonly Delays delays;
        private volatile LastBinary lastBinary;

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

        private sealed class LastBinary
        {
            internal int Size;
            internal string Fill;
            internal byte[] Bytes;
        }

        public SpeedService(Delays delays)
        {
            this.delays = delays;
        }

        /// <summary>It lives until its server ends: by default Remoting gives an object up after five minutes.</summary>
        public override object InitializeLifetimeService()
        {
            return null;
        }

        /// <summary>What was answered since last asked, by call, without the calls that were not made. Faults count.</summary>
        public IDictionary<string, long> TakeCounts()
        {
            var counted = new SortedDictionary<string, long>(StringComparer.Ordinal);
            for (int call = 0; call < Calls.Length; call++)
            {
                long count = Interlocked.Exchange(ref counts[call], 0);
                if (count > 0)
                {
                    counted[Calls[call]] = count;
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

        private static int Within(string parameter, int value, int most)
        {
            if (value < 0 || value > most)
            {
                throw new ServiceFault(parameter + " is " + value + ": it must be from 0 to " + most);
            }
            return value;
        }

        public void Empty()
        {
            Begin(Counted.Empty);
        }

        public int Sum(int a, int b)
        {
            Begin(Counted.Sum);
            return unchecked(a + b);
        }

        public Person[] GetPersons(int n)
        {
            Begin(Counted.GetPersons);
            return Generate.Persons(Within("n", n, Most));
        }

        /// <summary>A copy of the last one made where it is asked for again: making it anew would measure the generator.</summary>
        public byte[] GetBinaryData(int size, string fill)
        {
            Begin(Counted.GetBinaryData);
            Within("size", size, Largest);
            LastBinary last = lastBinary;
            if (last == null || last.Size != size || last.Fill != fill)
            {
                last = new LastBinary { Size = size, Fill = fill, Bytes = Binary.Of(size, fill) };
                lastBinary = last;
            }
            return (byte[])last.Bytes.Clone();
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
            return Search.Response(Within("n", n, Most));
        }

        public void SendBoolean(bool value)
        {
            Begin(Counted.Send);
        }

        public void SendByte(byte value)
        {
            Begin(Counted.Send);
        }

        public void SendChar(char value)
        {
            Begin(Counted.Send);
        }

        public void SendShort(short value)
        {
            Begin(Counted.Send);
        }

        public void SendInt(int value)
        {
            Begin(Counted.Send);
        }

        public void SendLong(long value)
        {
            Begin(Counted.Send);
        }

        public void SendFloat(float value)
        {
            Begin(Counted.Send);
        }

        public void SendDouble(double value)
        {
            Begin(Counted.Send);
        }

        public void SendString(string value)
        {
            Begin(Counted.Send);
        }

        public void SendObject(Person value)
        {
            Begin(Counted.Send);
        }

        public void SendBooleanArray(bool[] value)
        {
            Begin(Counted.Send);
        }

        public void SendByteArray(byte[] value)
        {
            Begin(Counted.Send);
        }

        public void SendCharArray(char[] value)
        {
            Begin(Counted.Send);
        }

        public void SendShortArray(short[] value)
        {
            Begin(Counted.Send);
        }

        public void SendIntArray(int[] value)
        {
            Begin(Counted.Send);
        }

        public void SendLongArray(long[] value)
        {
            Begin(Counted.Send);
        }

        public void SendFloatArray(float[] value)
        {
            Begin(Counted.Send);
        }

        public void SendDoubleArray(double[] value)
        {
            Begin(Counted.Send);
        }

        public void SendStringArray(string[] value)
        {
            Begin(Counted.Send);
        }

        public void SendObjectArray(Person[] value)
        {
            Begin(Counted.Send);
        }
    }
}
