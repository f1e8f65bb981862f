using Callbench.Kit;
using Newtonsoft.Json.Linq;

namespace Callbench.Service
{
    /// <summary>
    /// The delays that a service is asked to add, to test Callbench with known values. In nanoseconds.
    /// </summary>
    internal sealed class Delays
    {
        private readonly long each;

        /// <summary>How long the whole service stalls at the end of every stallEvery; 0: never.</summary>
        private readonly long stall;

        private readonly long stallEvery;

        /// <summary>How long every call keeps a processor busy.</summary>
        private readonly long burn;

        private readonly long since = Clock.Now();

        /// <param name="delays">of `serve`, in microseconds</param>
        internal Delays(JToken delays)
        {
            each = Nanoseconds(delays["delay_us"]);
            stall = Nanoseconds(delays["stall_us"]);
            stallEvery = Nanoseconds(delays["stall_every_us"]);
            burn = Nanoseconds(delays["burn_us"]);
        }

        private static long Nanoseconds(JToken microseconds) => microseconds == null ? 0 : (long)((double)microseconds * 1000);

        internal void Pass()
        {
            if (burn > 0)
            {
                Waits.Burn(new MachineClock(), burn);
            }
            if (each > 0)
            {
                Waits.Until(new MachineClock(), Clock.Now() + each, 0);
            }
            if (stall > 0)
            {
                // A call that falls into a stall waits for its end.
                long now = Clock.Now();
                long left = stallEvery - (now - since) % stallEvery;
                Waits.Until(new MachineClock(), left <= stall ? now + left : now, 0);
            }
        }
    }
}
