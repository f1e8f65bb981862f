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
        /// How long the client at a place of so many thinks before its first call: those who think are not in step, so that the first
        /// thoughts end evenly spread over one of them.
        /// </summary>
        internal long FirstThoughtNs(int place, int clients)
        {
            return (long)(ThinkNs * ((2.0 * place + 1) / (2.0 * clients)));
        }
    }
}
