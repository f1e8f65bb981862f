namespace Callbench.Kit.Drive
{
    /// <summary>What a drive came to. Times in nanoseconds, summed over clients but for ElapsedNs.</summary>
    public sealed class Outcome
    {
        public long Calls;

        /// <summary>By kind, in the order of Kind.</summary>
        public long[] Errors;

        public long ElapsedNs;
        public Window Window;

        /// <summary>Calls a batch; 1: each call was timed, and Latency holds them.</summary>
        public long Batch;

        public Histogram Latency;

        /// <summary>Of an open loop; else null, as Lateness.</summary>
        public Histogram Service;

        public Histogram Lateness;
        public long InCallNs;
        public long ThinkNs;

        /// <summary>Of a closed loop; else null.</summary>
        public long? GapNs;

        public int Threads;

        /// <summary>The first failure met, or null.</summary>
        public Failure Note;
    }
}
