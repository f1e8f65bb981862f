namespace Callbench.Kit.Drive
{
    /// <summary>The one queue of arrivals still to come, replayed from the gaps that the core wrote.</summary>
    internal sealed class Arrivals
    {
        private readonly object taking = new object();
        private readonly long[] gaps;
        private long number;
        private int place;
        private long due;

        internal Arrivals(long[] gaps)
        {
            this.gaps = gaps;
        }

        /// <summary>
        /// When the next arrival is due, in nanoseconds since the start; -1 where it comes after the calls and the length asked for.
        /// </summary>
        internal long Take(long calls, long lengthNs)
        {
            lock (taking)
            {
                long next = due + gaps[place];
                if (number >= calls && next >= lengthNs)
                {
                    return -1;
                }
                number++;
                place = place + 1 == gaps.Length ? 0 : place + 1;
                due = next;
                return next;
            }
        }
    }
}
