using System;
using Callbench.Service;

namespace Callbench.Kit.Drive
{
    /// <summary>The open loop: calls arrive when the schedule says, whether or not the last one was answered.</summary>
    internal static class OpenLoop
    {
        /// <summary>Woken so long before an arrival is due, a client is rarely late.</summary>
        private const long SpinNs = 60000;

        /// <summary>A longer wait is cut into pieces, to see whether the drive is still wanted.</summary>
        private const long PieceNs = 100000000;

        /// <summary>Takes the next arrival whenever idle, and waits until it is due.</summary>
        internal static void Run<TClock>(Seat seat, TClock clock, Arrivals arrivals) where TClock : struct, IClock
        {
            Plan plan = seat.Plan;
            ISpeedService service = seat.Client.Service;
            long idleSince = seat.EndedAt;
            while (true)
            {
                long due = arrivals.Take(plan.Calls, plan.LengthNs);
                if (due < 0 || !AwaitArrival(seat, clock, seat.Start + due))
                {
                    return;
                }
                long intended = seat.Start + due;
                Exception thrown = null;
                long started = clock.Now();
                try
                {
                    seat.Making.On(service);
                }
                catch (Exception failure)
                {
                    thrown = failure;
                }
                if (plan.BurnNs > 0)
                {
                    Waits.Burn(clock, plan.BurnNs);
                }
                long ended = clock.Now();
                clock.Made(started, ended);
                seat.InCallNs += ended - started;
                seat.EndedAt = ended;
                seat.LeftAt = ended;
                bool right = false;
                if (thrown != null)
                {
                    seat.Failed(thrown);
                }
                else if (seat.Judge())
                {
                    right = true;
                    seat.Latency.Record(ended - intended);
                    seat.Service.Record(ended - started);
                    // Waiting for a client is the server's fault; only what comes after both are there is the generator's.
                    seat.Lateness.Record(started - Math.Max(intended, idleSince));
                }
                if (ended > seat.EndAt)
                {
                    seat.Overran(intended, started, ended, right ? 1 : 0);
                }
                idleSince = clock.Now();
            }
        }

        /// <summary>False where the drive ends first.</summary>
        private static bool AwaitArrival<TClock>(Seat seat, TClock clock, long intended) where TClock : struct, IClock
        {
            long now = clock.Now();
            while (now < intended && !seat.Leaves(now))
            {
                now = Waits.Until(clock, Math.Min(Math.Min(intended, now + PieceNs), seat.LimitAt), clock.SpinNs(SpinNs));
            }
            return !seat.Leaves(now);
        }
    }
}
