using System;
using System.Globalization;
using Callbench.Kit;

namespace Callbench.Bench
{
    /// <summary>
    /// A bare timer loop in C#. It wakes up at a series of times and notes how late it was. It sleeps except for the last 60 us, with the
    /// waits of the kit and without its loop.
    /// </summary>
    internal static class BareTimer
    {
        private const long SpinNs = 60000;
        private const long WarmUpNs = 1000000000;

        /// <summary>Prints the lateness in nanoseconds at p50, p99 and p99.9, and the processor time in nanoseconds.</summary>
        internal static void Measure(long gap, int count)
        {
            Clock.SharpenSleeps();
            Late(gap, (int)Math.Min(count, WarmUpNs / gap));
            long before = Used();
            long[] late = Late(gap, count);
            long used = Used() - before;
            Array.Sort(late);
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0} {1} {2} {3}", late[count / 2], late[count * 99L / 100],
                                            late[count * 999L / 1000], used));
        }

        private static long[] Late(long gap, int count)
        {
            var late = new long[count];
            var clock = new MachineClock();
            long start = clock.Now();
            for (int i = 0; i < count; i++)
            {
                long due = start + (i + 1) * gap;
                // As in the kit: from the later of the moment it was due and the moment the loop was idle.
                long idle = clock.Now();
                late[i] = Waits.Until(clock, due, SpinNs) - Math.Max(due, idle);
            }
            return late;
        }

        private static long Used()
        {
            var used = Clock.ProcessorTime();
            return (long)used["user_ns"] + (long)used["system_ns"];
        }
    }
}
