using System;
using Callbench.Service;

namespace Callbench.Kit.Drive
{
    /// <summary>The closed loop: a client calls again when it was answered and has thought.</summary>
    internal static class ClosedLoop
    {
        /// <summary>So many calls decide how the rest are timed.</summary>
        private const int Handful = 16;

        /// <summary>A call of fewer clock readings than this is timed in batches.</summary>
        private const double Readings = 20;

        /// <summary>How long a batch should take: long beside a clock reading, short beside an interval.</summary>
        private const double BatchNs = 100000;

        private const long Most = 4096;

        /// <summary>A thought is slept but for its last so many nanoseconds: Mono wakes as late as C++ does, by some 20 us.</summary>
        private const long ThinkSpinNs = 5000;

        internal static void Run<TClock>(Seat seat, TClock clock) where TClock : struct, IClock
        {
            Timing timing = seat.Plan.Timing;
            Begin(seat, clock);
            if (timing == Timing.Each || seat.Plan.ThinkNs > 0)
            {
                Each(seat, clock, long.MaxValue);
                return;
            }
            if (!Each(seat, clock, Handful))
            {
                return;
            }
            long size = seat.Drive.AgreeOnBatch(BatchOf(timing, seat.Latency.Median(), seat.Drive.ReadingNs));
            if (size == 1)
            {
                Each(seat, clock, long.MaxValue);
            }
            else
            {
                Batches(seat, clock, size);
            }
        }

        /// <summary>
        /// Calls a batch, given what a typical call took by the clock (below 0: none was right); 1: each call is timed.
        /// </summary>
        internal static long BatchOf(Timing timing, long typicalNs, double readingNs)
        {
            if (typicalNs < 0 || (timing == Timing.Auto && typicalNs >= Readings * readingNs))
            {
                return 1;
            }
            double call = Math.Max(1, typicalNs - readingNs);
            return Math.Max(1, Math.Min(Most, (long)(BatchNs / call)));
        }

        /// <summary>
        /// Waits for the client's own beginning: by the ramp-up, or by the thought in whose middle it is when the drive begins.
        /// </summary>
        private static void Begin<TClock>(Seat seat, TClock clock) where TClock : struct, IClock
        {
            long from = seat.LeftAt;
            long first = Math.Min(seat.Start + seat.FirstAfterNs, seat.LimitAt);
            if (seat.Plan.RampUpNs > 0)
            {
                seat.LeftAt = Waits.Until(clock, first, clock.SpinNs(ThinkSpinNs));
                seat.EndedAt = seat.LeftAt;
                seat.GapNs += seat.LeftAt - from;
            }
            else if (seat.Plan.ThinkNs > 0)
            {
                seat.LeftAt = Waits.Until(clock, seat.ThinksUntil(from, first), clock.SpinNs(ThinkSpinNs));
                seat.ThinkNs += seat.LeftAt - from;
            }
        }

        /// <summary>
        /// At most <paramref name="most"/> calls with the clock read around each; whether the drive goes on. Nothing is allocated here.
        /// </summary>
        private static bool Each<TClock>(Seat seat, TClock clock, long most) where TClock : struct, IClock
        {
            Making making = seat.Making;
            ISpeedService service = seat.Client.Service;
            long thinkNs = seat.Plan.ThinkNs;
            long burnNs = seat.Plan.BurnNs;
            long ended = seat.LeftAt;
            for (long made = 0; made < most; made++)
            {
                if (seat.Admit(ended, 1) == 0)
                {
                    return false;
                }
                Exception thrown = null;
                long started = clock.Now();
                try
                {
                    making.On(service);
                }
                catch (Exception failure)
                {
                    thrown = failure;
                }
                if (burnNs > 0)
                {
                    Waits.Burn(clock, burnNs);
                }
                seat.GapNs += started - ended;
                long due = ended;
                ended = clock.Now();
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
                    seat.Latency.Record(ended - started);
                }
                if (ended > seat.EndAt)
                {
                    seat.Overran(due, started, ended, right ? 1 : 0);
                }
                if (thinkNs > 0)
                {
                    long thought = Waits.Until(clock, seat.ThinksUntil(ended, ended + thinkNs), clock.SpinNs(ThinkSpinNs));
                    seat.ThinkNs += thought - ended;
                    seat.LeftAt = thought;
                    // The time that decides whether to go on; EndedAt stays the end of the last call.
                    ended = thought;
                }
            }
            return true;
        }

        /// <summary>Batches until the drive is over.</summary>
        private static void Batches<TClock>(Seat seat, TClock clock, long size) where TClock : struct, IClock
        {
            long now = seat.EndedAt;
            while (true)
            {
                long batch = seat.Admit(now, size);
                if (batch == 0)
                {
                    return;
                }
                long before = seat.Calls;
                long started = clock.Now();
                for (long made = 0; made < batch; made++)
                {
                    if (!One(seat, clock) && seat.Leaves(started))
                    {
                        break;
                    }
                }
                seat.GapNs += started - now;
                long due = now;
                now = clock.Now();
                clock.Made(started, now);
                if (now > seat.EndAt)
                {
                    seat.Overran(due, started, now, seat.Calls - before);
                }
                seat.InCallNs += now - started;
                seat.EndedAt = now;
                seat.LeftAt = now;
            }
        }

        /// <summary>One call of a batch; whether it was answered rightly.</summary>
        private static bool One<TClock>(Seat seat, TClock clock) where TClock : struct, IClock
        {
            try
            {
                seat.Making.On(seat.Client.Service);
            }
            catch (Exception failure)
            {
                seat.Failed(failure);
                return false;
            }
            finally
            {
                if (seat.Plan.BurnNs > 0)
                {
                    Waits.Burn(clock, seat.Plan.BurnNs);
                }
            }
            return seat.Judge();
        }
    }
}
