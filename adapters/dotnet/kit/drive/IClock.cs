namespace Callbench.Kit.Drive
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
        public long Now()
        {
            return Clock.Now();
        }

        public void SleepUntil(long moment, long now)
        {
            Clock.SleepFor(moment - now);
        }

        public long SpinNs(long usual)
        {
            return usual;
        }

        public void Made(long started, long ended)
        {
        }
    }

    /// <summary>Waiting by a clock.</summary>
    internal static class Waits
    {
        /// <summary>
        /// Waits until <paramref name="target"/>, asleep but for the last <paramref name="spinNs"/>, and gives the reading that ended the
        /// wait.
        /// </summary>
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

        /// <summary>Keeps the processor busy for so long.</summary>
        internal static void Burn<TClock>(TClock clock, long lengthNs) where TClock : struct, IClock
        {
            long end = clock.Now() + lengthNs;
            while (clock.Now() < end)
            {
            }
        }
    }
}
