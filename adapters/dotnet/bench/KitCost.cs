using System;
using System.Collections.Generic;
using System.Globalization;
using Callbench.Kit;
using Callbench.Service;
using Newtonsoft.Json.Linq;

namespace Callbench.Bench
{
    /// <summary>
    /// Measures what the kit costs per call. It compares slices of two bare readings of Stopwatch per call with slices of the load loop and
    /// a client that does nothing. Every call is timed, in pairs of random order. It also counts what the client's thread allocates.
    /// bench/dotnet_kit.py starts it.
    /// </summary>
    internal static class KitCost
    {
        private const int Calls = 20000;
        private const int WarmUp = 100;

        private static readonly Client Idle = new Nothing();
        private static long sink;
        private static long allocated;

        /// <summary>A client without a service.</summary>
        private sealed class Nothing : Client
        {
            public override ISpeedService Service => null;
        }

        /// <summary>A call that does nothing and is always correct. It notes what its thread has allocated at the first call and at the
        ///   last.</summary>
        private sealed class EmptyCall : Call
        {
            private readonly bool counts;
            private long before;

            internal EmptyCall(bool counts)
            {
                this.counts = counts;
            }

            internal override void Make(ISpeedService service, long turn)
            {
                if (counts && turn == 0)
                {
                    before = GC.GetAllocatedBytesForCurrentThread();
                }
                else if (counts && turn == Calls - 1)
                {
                    allocated = GC.GetAllocatedBytesForCurrentThread() - before;
                }
            }

            internal override bool Right(long turn) => true;

            internal override JToken Answer() => null;
        }

        /// <summary>`[PAIRS]`, or `timer GAP_NS COUNT` for the bare timer.</summary>
        private static void Main(string[] arguments)
        {
            if (arguments.Length == 3 && arguments[0] == "timer")
            {
                CultureInfo plain = CultureInfo.InvariantCulture;
                BareTimer.Measure(long.Parse(arguments[1], plain), int.Parse(arguments[2], plain));
                return;
            }
            int pairs = arguments.Length == 0 ? 501 : int.Parse(arguments[0], CultureInfo.InvariantCulture);
            for (int i = 0; i < WarmUp; i++)
            {
                Bare();
                Driven();
            }
            var coin = new Random();
            var bare = new List<double>();
            var driven = new List<double>();
            var ratios = new List<double>();
            int collections = GC.CollectionCount(0);
            for (int i = 0; i < pairs; i++)
            {
                bool bareFirst = coin.Next(2) == 0;
                double first = bareFirst ? Bare() : Driven();
                double second = bareFirst ? Driven() : Bare();
                bare.Add(bareFirst ? first : second);
                driven.Add(bareFirst ? second : first);
                ratios.Add(driven[i] / bare[i]);
            }
            collections = GC.CollectionCount(0) - collections;
            Driven(true);
            Console.WriteLine(
                string.Format(
                    CultureInfo.InvariantCulture,
                    "two readings {0:0.0} ns, a call {1:0.0} ns, ratio {2:0.00} (medians of {3} pairs); allocated by a client's thread from"
                    + " call 1 to call {4}: {5} bytes; collections in {6} calls: {7}",
                    Median(bare), Median(driven), Median(ratios), pairs, Calls, allocated, (long)pairs * Calls, collections));
            if (sink == 0)
            {
                Console.WriteLine("the clock stands still");
            }
        }

        private static double Median(List<double> values)
        {
            values.Sort();
            return values[values.Count / 2];
        }

        /// <summary>Nanoseconds a call of a loop that does nothing but read the clock twice.</summary>
        private static double Bare()
        {
            long start = Clock.Now();
            long sum = 0;
            for (int i = 0; i < Calls; i++)
            {
                long started = Clock.Now();
                long ended = Clock.Now();
                sum += ended - started;
            }
            sink += sum;
            return (Clock.Now() - start) / (double)Calls;
        }

        /// <summary>Nanoseconds a call of the load loop: check, histogram, pool, progress, stop rule, everything.</summary>
        private static double Driven(bool counts = false)
        {
            var plan = new Plan { Calls = Calls, LimitNs = 60000000000, Timing = Timing.Each };
            var drive = new Drive(plan, 1, 0, new Flag());
            JObject done = drive.Run(new[] { Idle }, new Call[] { new EmptyCall(counts) }, 0, (atNs, calls, errors) => { });
            return (double)done["elapsed_ns"] / (double)done["calls"];
        }
    }
}
