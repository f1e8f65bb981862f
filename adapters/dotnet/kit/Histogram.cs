using System;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>
    /// The log-linear histogram of the contract: fixed memory, a few nanoseconds a record, relative error at most 1/128.
    /// </summary>
    internal sealed class Histogram
    {
        private const int Bits = 7;

        /// <summary>Of the exponent of a double.</summary>
        private const int Bias = 1023;

        /// <summary>Values from here on count in the last bucket: 2^42 ns are 73 minutes.</summary>
        private const long End = 1L << 42;

        private readonly long[] buckets = new long[Index(End - 1) + 1];
        private long sum;
        private long least = long.MaxValue;
        private long greatest;

        /// <summary>How many were recorded.</summary>
        internal long Count { get; private set; }

        /// <summary>The bucket of a value from 0 to below End.</summary>
        internal static int Index(long value)
        {
            if (value < 1 << Bits)
            {
                return (int)value;
            }
            // A double contains octave and position next to each other, and Mono 6.8 has no faster way to find the highest bit.
            return (int)(BitConverter.DoubleToInt64Bits(value) >> (52 - Bits)) - ((Bias + Bits - 1) << Bits);
        }

        /// <summary>The least value of a bucket.</summary>
        internal static long LowerBound(int index)
        {
            if (index < 1 << Bits)
            {
                return index;
            }
            int above = (index >> Bits) - 1;
            return ((1L << Bits) + (index & ((1 << Bits) - 1))) << above;
        }

        /// <summary>Counts one time in nanoseconds.</summary>
        internal void Record(long value)
        {
            buckets[Index(value < End ? value : End - 1)]++;
            Count++;
            sum += value;
            if (value < least)
            {
                least = value;
            }
            if (value > greatest)
            {
                greatest = value;
            }
        }

        /// <summary>Adds another histogram.</summary>
        internal void Merge(Histogram other)
        {
            for (int i = 0; i < buckets.Length; i++)
            {
                buckets[i] += other.buckets[i];
            }
            Count += other.Count;
            sum += other.sum;
            least = Math.Min(least, other.least);
            greatest = Math.Max(greatest, other.greatest);
        }

        /// <summary>The lower bound of the bucket that contains the median, or -1 if the histogram is empty.</summary>
        internal long Median()
        {
            long before = 0;
            for (int i = 0; i < buckets.Length; i++)
            {
                before += buckets[i];
                if (before * 2 >= Count && before > 0)
                {
                    return LowerBound(i);
                }
            }
            return -1;
        }

        /// <summary>As the contract has it.</summary>
        internal JObject Sparse()
        {
            var filled = new JArray();
            for (int i = 0; i < buckets.Length; i++)
            {
                if (buckets[i] > 0)
                {
                    filled.Add(new JArray { i, buckets[i] });
                }
            }
            return new JObject
            {
                { "count", Count },
                { "sum_ns", sum.ToString() },
                { "min_ns", Count == 0 ? 0 : least },
                { "max_ns", greatest },
                { "buckets", filled }
            };
        }
    }
}
