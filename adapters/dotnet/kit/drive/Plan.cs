namespace Callbench.Kit.Drive
{
    /// <summary>How calls are timed.</summary>
    public enum Timing
    {
        /// <summary>Two clock readings a call.</summary>
        Each,

        /// <summary>Two clock readings a batch.</summary>
        Batch,

        /// <summary>Batches where a call takes less than 20 clock readings.</summary>
        Auto
    }

    /// <summary>One drive. Times in nanoseconds.</summary>
    public sealed class Plan
    {
        public Call Call;

        /// <summary>It ends when so many have been made, right or wrong, and LengthNs have passed.</summary>
        public long Calls;

        public long LengthNs;

        /// <summary>It ends after so long in any case.</summary>
        public long LimitNs;

        public Timing Timing;

        /// <summary>How long a client of a closed loop thinks between calls.</summary>
        public long ThinkNs;

        /// <summary>How much longer each call keeps its client busy.</summary>
        public long BurnNs;

        /// <summary>Of a closed loop: so long it takes until all clients call; they begin evenly spread over it.</summary>
        public long RampUpNs;

        /// <summary>Gaps between arrivals of an open loop, replayed in a circle; null: a closed loop.</summary>
        public long[] Schedule;

        /// <summary>The common start, on the monotonic clock; in the past: at once.</summary>
        public long StartAtNs;

        /// <summary>When the time is over, since the start.</summary>
        internal long EndNs
        {
            get { return LengthNs < LimitNs ? LengthNs : LimitNs; }
        }

        /// <summary>
        /// How long after the common start the client at a place of so many makes its first call. Those who think are not in step: without
        /// a ramp-up the first thoughts end evenly spread over one of them.
        /// </summary>
        internal long FirstAfterNs(int place, int clients)
        {
            return RampUpNs > 0 ? Share(RampUpNs, place, clients) : Share(ThinkNs, 2L * place + 1, 2L * clients);
        }

        /// <summary>Whole * part / of, rounded down, with no overflow between.</summary>
        private static long Share(long whole, long part, long of)
        {
            return whole / of * part + whole % of * part / of;
        }
    }
}
