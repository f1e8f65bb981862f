using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using Callbench.Kit.Drive;

namespace Callbench.Kit
{
    /// <summary>
    /// The monotonic clock, which Stopwatch reads in steps of 100 ns on Mono: what a reading costs, and waiting for a moment of it.
    /// Times are nanoseconds.
    /// </summary>
    public static class Clock
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

        [DllImport("libc", EntryPoint = "nanosleep")]
        private static extern int Sleep(ref Timespec wanted, IntPtr left);

        [DllImport("libc", EntryPoint = "prctl")]
        private static extern int Control(int option, UIntPtr value);

        public static long Now()
        {
            return Stopwatch.GetTimestamp() * Tick;
        }

        /// <summary>The cost of one reading: the median of rounds, which interruptions do not move.</summary>
        public static double ReadingNs()
        {
            var rounds = new long[Rounds];
            for (int i = 0; i < Rounds; i++)
            {
                rounds[i] = Round();
            }
            Array.Sort(rounds);
            return rounds[Rounds / 2] / (double)Readings;
        }

        private static long Round()
        {
            long start = Now();
            long last = start;
            for (int i = 0; i < Readings; i++)
            {
                last = Now();
            }
            return last - start;
        }

        /// <summary>The step of the clock: the greatest common divisor of a thousand differences.</summary>
        public static long ResolutionNs()
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

        internal static long CommonDivisor(long one, long other)
        {
            return other == 0 ? one : CommonDivisor(other, one % other);
        }

        /// <summary>Waits until <paramref name="target"/>, asleep but for the last <paramref name="spinNs"/>.</summary>
        public static void WaitUntil(long target, long spinNs)
        {
            Waits.Until(new MachineClock(), target, spinNs);
        }

        /// <summary>Keeps the processor busy for so long.</summary>
        public static void Burn(long lengthNs)
        {
            Waits.Burn(new MachineClock(), lengthNs);
        }

        /// <summary>Sleeps for so long, or until a signal comes. Thread.Sleep would know milliseconds only.</summary>
        internal static void SleepFor(long lengthNs)
        {
            var wanted = new Timespec { Seconds = lengthNs / Second, Nanoseconds = lengthNs % Second };
            Sleep(ref wanted, IntPtr.Zero);
        }

        /// <summary>Makes the calling thread's sleeps end as soon as the kernel can, instead of up to 50 us later.</summary>
        public static void SharpenSleeps()
        {
            Control(SetTimerSlack, (UIntPtr)1);
        }
    }
}
