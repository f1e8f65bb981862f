using Callbench.Kit;

namespace Callbench.Service
{
    /// <summary>
    /// The waits that a service is told to make, so that the instrument can be tested against a known answer. Nanoseconds.
    /// </summary>
    public sealed class Delays
    {
        /// <summary>No wait at all.</summary>
        public static readonly Delays None = new Delays(0, 0, 0, 0);

        private readonly long each;
        private readonly long stall;
        private readonly long stallEvery;
        private readonly long burn;
        private readonly long since = Clock.Now();

        /// <param name="each">how long every call waits</param>
        /// <param name="stall">how long the whole service stands still at the end of every stallEvery; 0: never</param>
        /// <param name="stallEvery">how often it does</param>
        /// <param name="burn">how long every call keeps a processor busy</param>
        public Delays(long each, long stall, long stallEvery, long burn)
        {
            this.each = each;
            this.stall = stall;
            this.stallEvery = stallEvery;
            this.burn = burn;
        }

        internal void Pass()
        {
            if (burn > 0)
            {
                Clock.Burn(burn);
            }
            if (each > 0)
            {
                Clock.WaitUntil(Clock.Now() + each, 0);
            }
            if (stall > 0)
            {
                long now = Clock.Now();
                Clock.WaitUntil(now + Left(now - since), 0);
            }
        }

        /// <summary>
        /// How long a call still waits that comes so long after the start: until the end of the stall that it falls into.
        /// </summary>
        internal long Left(long elapsed)
        {
            long left = stallEvery - elapsed % stallEvery;
            return left <= stall ? left : 0;
        }
    }
}
