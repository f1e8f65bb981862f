using System;
using Callbench.Kit;

namespace Callbench.Tests
{
    /// <summary>The contract's buckets, worked out by hand, and at every edge.</summary>
    internal static class Histograms
    {
        internal static void Check()
        {
            var byHand = new[,] { { 0, 0 }, { 127, 127 }, { 256, 256 }, { 257, 256 }, { 511, 383 }, { 512, 384 }, { 1000, 506 } };
            for (int i = 0; i < byHand.GetLength(0); i++)
            {
                Program.Holds(Histogram.Index(byHand[i, 0]) == byHand[i, 1], "the bucket of " + byHand[i, 0]);
            }
            int last = Histogram.Index((1L << 42) - 1);
            for (int index = 0; index <= last; index++)
            {
                long least = Histogram.LowerBound(index);
                Program.Holds(Histogram.Index(least) == index, "bucket " + index + " begins at " + least);
                Program.Holds(index == 0 || Histogram.Index(least - 1) == index - 1, "bucket " + (index - 1) + " ends before " + least);
            }
            Recorded();
        }

        private static void Recorded()
        {
            var one = new Histogram();
            var other = new Histogram();
            one.Record(100);
            one.Record(1000);
            other.Record(1L << 50);
            one.Merge(other);
            string told = one.Sparse().ToString(Newtonsoft.Json.Formatting.None);
            int last = Histogram.Index((1L << 42) - 1);
            string right = "{\"count\":3,\"sum_ns\":\"" + (1100 + (1L << 50)) + "\",\"min_ns\":100,\"max_ns\":" + (1L << 50)
                           + ",\"buckets\":[[100,1],[506,1],[" + last + ",1]]}";
            Program.Holds(told == right, told + " instead of " + right);
            Program.Holds(one.Median() == 1000, "the median of 100, 1000 and more");
        }
    }
}
