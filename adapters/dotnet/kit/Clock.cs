using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>
    /// What the load loop measures by: the machine's clock, or the scripted one of a golden trace. Both are structs, so that the loop is
    /// compiled for each and calls neither through an interface. Times are nanoseconds.
    /// </summary>
    internal interface IClock
    {
        long Now();

        /// <summary>Sleeps until a moment, given the last reading.</summary>
        void SleepUntil(long moment, long now);

        /// <summary>The last part of a wait, which is not slept; <paramref name="usual"/> is what waits of this kind need.</summary>
        long SpinNs(long usual);

        /// <summary>Is given the two readings around each call or batch.</summary>
        void Made(long started, long ended);
    }

    /// <summary>The machine's monotonic clock.</summary>
    internal struct MachineClock : IClock
    {
        public long Now() => Clock.Now();

        public void SleepUntil(long moment, long now) => Clock.SleepFor(moment - now);

        public long SpinNs(long usual) => usual;

        public void Made(long started, long ended)
        {
        }
    }

    /// <summary>Waiting by a clock.</summary>
    internal static class Waits
    {
        /// <summary>Waits until a time. It sleeps, but spins for the last part. Returns the reading that ended the wait.</summary>
        internal static long Until<TClock>(TClock clock, long target, long spinNs) where TClock : struct, IClock
        {
            while (true)
            {
                long now = clock.Now();
                if (now >= target)
                {
                    return now;
                }
                if (now < target - spinNs)
                {
                    clock.SleepUntil(target - spinNs, now);
                }
            }
        }

        /// <summary>Keeps the processor busy for this time.</summary>
        internal static void Burn<TClock>(TClock clock, long lengthNs) where TClock : struct, IClock
        {
            long end = clock.Now() + lengthNs;
            while (clock.Now() < end)
            {
            }
        }
    }

    /// <summary>
    /// The monotonic clock, which Stopwatch reads in steps of 100 ns on Mono: what a reading costs; and the processor time of the process.
    /// </summary>
    internal static class Clock
    {
        private const long Second = 1000000000;
        private const int Rounds = 51;
        private const int Readings = 2000;
        private const int SetTimerSlack = 29;

        private static readonly long Tick = Second / Stopwatch.Frequency;

        [StructLayout(LayoutKind.Sequential)]
        private struct Timespec
        {
            internal long Seconds;
            internal long Nanoseconds;
        }

        /// <summary>struct rusage, of which only the two times are read.</summary>
        [StructLayout(LayoutKind.Sequential, Size = 18 * 8)]
        private struct Resources
        {
            internal long UserSeconds;
            internal long UserMicroseconds;
            internal long SystemSeconds;
            internal long SystemMicroseconds;
        }

        [DllImport("libc", EntryPoint = "nanosleep")]
        private static extern int Sleep(ref Timespec wanted, IntPtr left);

        [DllImport("libc", EntryPoint = "prctl")]
        private static extern int Control(int option, UIntPtr value);

        [DllImport("libc", EntryPoint = "getrusage")]
        private static extern int Usage(int who, out Resources used);

        internal static long Now() => Stopwatch.GetTimestamp() * Tick;

        /// <summary>The cost of one reading: the median of rounds, which interruptions do not move.</summary>
        internal static double ReadingNs()
        {
            var rounds = new long[Rounds];
            for (int i = 0; i < Rounds; i++)
            {
                long start = Now();
                for (int k = 0; k < Readings; k++)
                {
                    rounds[i] = Now() - start;
                }
            }
            Array.Sort(rounds);
            return rounds[Rounds / 2] / (double)Readings;
        }

        /// <summary>The step of the clock: the greatest common divisor of a thousand differences.</summary>
        internal static long ResolutionNs()
        {
            long step = 0;
            for (int i = 0; i < 1000; i++)
            {
                long first = Now();
                long next = Now();
                while (next == first)
                {
                    next = Now();
                }
                step = CommonDivisor(step, next - first);
            }
            return step;
        }

        private static long CommonDivisor(long one, long other) => other == 0 ? one : CommonDivisor(other, one % other);

        /// <summary>Sleeps for this time, or until a signal arrives. Thread.Sleep has a precision of milliseconds only.</summary>
        internal static void SleepFor(long lengthNs)
        {
            var wanted = new Timespec { Seconds = lengthNs / Second, Nanoseconds = lengthNs % Second };
            Sleep(ref wanted, IntPtr.Zero);
        }

        /// <summary>Makes the calling thread's sleeps end as soon as the kernel can, instead of up to 50 us later.</summary>
        internal static void SharpenSleeps() => Control(SetTimerSlack, (UIntPtr)1);

        /// <summary>The processor time of the whole process, in the form of the contract. .NET itself reports it in steps of 10
        ///   ms.</summary>
        internal static JObject ProcessorTime()
        {
            Usage(0, out Resources used);
            return new JObject
            {
                { "user_ns", (used.UserSeconds * Second + used.UserMicroseconds * 1000).ToString() },
                { "system_ns", (used.SystemSeconds * Second + used.SystemMicroseconds * 1000).ToString() }
            };
        }
    }
}
