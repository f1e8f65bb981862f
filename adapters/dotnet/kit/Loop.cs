using System;
using Callbench.Service;

namespace Callbench.Kit
{
    /// <summary>
    /// The load loop of one client, as contract/LOOP.md has it. Nothing is allocated and no lock is taken between two calls of a
    /// closed loop.
    /// </summary>
    internal sealed class Loop<TClock> where TClock : struct, IClock
    {
        private const long StartSpinNs = 30000;

        /// <summary>Mono wakes up about 20 us late, like C++. For a think time, this precision is enough.</summary>
        private const long ThinkSpinNs = 5000;

        /// <summary>A client that wakes up this long before an arrival is rarely late.</summary>
        private const long ArrivalSpinNs = 60000;

        /// <summary>A longer wait is cut into pieces, to see whether the drive is still wanted.</summary>
        private const long PieceNs = 100000000;

        /// <summary>The calls that determine how the others are timed.</summary>
        private const int SampleCalls = 16;

        /// <summary>A client gives up after this many consecutive errors.</summary>
        private const int MaxErrorsInARow = 100;

        private readonly Client client;
        private readonly Call call;
        private readonly Drive drive;
        private readonly Plan plan;
        private readonly WorkerStats stats;
        private readonly TClock clock;
        private readonly int place;
        private readonly long end;
        private readonly long limit;
        private ISpeedService service;

        /// <summary>Drawn from the pool and not yet made.</summary>
        private long held;

        private int errorsInARow;

        /// <summary>The number of the next call.</summary>
        private long turn;

        internal Loop(Client client, Call call, Drive drive, WorkerStats stats, TClock clock, int place)
        {
            this.client = client;
            this.call = call;
            this.drive = drive;
            this.stats = stats;
            this.clock = clock;
            this.place = place;
            plan = drive.Plan;
            end = drive.Start + plan.EndNs;
            limit = drive.Start + plan.LimitNs;
        }

        /// <summary>
        /// Waits for the common start, and makes calls until the drive is over for this client. The calls of a client that gives up early
        /// go to the others.
        /// </summary>
        internal void Run()
        {
            long begun = Waits.Until(clock, drive.Start, StartSpinNs);
            stats.GapNs = begun - drive.Start;
            stats.Ended = stats.Left = begun;
            service = client.Service;
            if (plan.Gaps == null)
            {
                Closed();
            }
            else
            {
                Open();
            }
            drive.PutBack(held);
            stats.GaveUp = IsUnwanted;
        }

        private bool IsUnwanted => errorsInARow >= MaxErrorsInARow || drive.IsStopping;

        /// <summary>Whether nothing more may be begun, whatever is left to do.</summary>
        private bool Leaves(long now) => now >= limit || IsUnwanted;

        /// <summary>How many calls may begin now, at most <paramref name="wanted"/>; 0: the drive is over for this client.</summary>
        private long Admit(long now, long wanted)
        {
            if (held == 0)
            {
                held = drive.Draw(wanted);
                if (held == 0)
                {
                    // All calls have been drawn: on until the time is over.
                    return now < end && !Leaves(now) ? wanted : 0;
                }
            }
            if (Leaves(now))
            {
                return 0;
            }
            long admitted = held < wanted ? held : wanted;
            held -= admitted;
            return admitted;
        }

        /// <summary>Waits for the think time. It ends early if no call is left after it.</summary>
        private long Think(long now, long until)
        {
            long most = held == 0 && drive.IsDrawn ? Math.Max(end, now) : limit;
            long thought = Waits.Until(clock, Math.Min(until, most), clock.SpinNs(ThinkSpinNs));
            stats.ThinkNs += thought - now;
            stats.Left = thought;
            return thought;
        }

        /// <summary>
        /// Waits for the client's first call: according to the ramp-up, or in the middle of a think time, so that clients do not call at
        /// the same time.
        /// </summary>
        private long Begin()
        {
            if (plan.RampUpNs > 0)
            {
                long first = Math.Min(drive.Start + Share(plan.RampUpNs, place, drive.Clients), limit);
                long begun = Waits.Until(clock, first, clock.SpinNs(ThinkSpinNs));
                stats.GapNs += begun - stats.Ended;
                return stats.Ended = stats.Left = begun;
            }
            if (plan.ThinkNs > 0)
            {
                return Think(stats.Ended, Math.Min(drive.Start + Share(plan.ThinkNs, 2L * place + 1, 2L * drive.Clients), limit));
            }
            return stats.Ended;
        }

        /// <summary>Whole * part / of, rounded down, with no overflow between.</summary>
        private static long Share(long whole, long part, long of) => whole / of * part + whole % of * part / of;

        private void Closed()
        {
            long begun = Begin();
            if (plan.Timing == Timing.Each || plan.ThinkNs > 0)
            {
                Each(begun, long.MaxValue);
                return;
            }
            if (!Each(begun, SampleCalls))
            {
                return;
            }
            long size = drive.AgreeOnBatch(BatchSize());
            if (size == 1)
            {
                Each(stats.Ended, long.MaxValue);
            }
            else
            {
                Batches(size);
            }
        }

        /// <summary>The number of calls per batch, from the time of a typical call: about 100 us per batch; 1 if a call is long compared
        ///   with a reading.</summary>
        private long BatchSize()
        {
            long median = stats.Latency.Median();
            if (median < 0 || (plan.Timing == Timing.Auto && median >= 20 * drive.ReadingNs))
            {
                return 1;
            }
            return Math.Max(1, Math.Min(4096, (long)(100000 / Math.Max(1, median - drive.ReadingNs))));
        }

        /// <summary>Makes at most this many calls from a time on, and reads the clock around each. Returns whether the drive
        ///   continues.</summary>
        private bool Each(long now, long most)
        {
            long thinkNs = plan.ThinkNs;
            for (long made = 0; made < most; made++)
            {
                if (Admit(now, 1) == 0)
                {
                    return false;
                }
                long due = now;
                long started = clock.Now();
                Exception thrown = Make();
                now = End(started);
                stats.GapNs += started - due;
                bool right = Judge(thrown);
                if (right)
                {
                    stats.Latency.Record(now - started);
                }
                if (now > end)
                {
                    stats.Late.Note(end, limit, due, started, now, right ? 1 : 0);
                }
                if (thinkNs > 0)
                {
                    now = Think(now, now + thinkNs);
                }
            }
            return true;
        }

        private void Batches(long size)
        {
            long now = stats.Ended;
            long batch;
            while ((batch = Admit(now, size)) > 0)
            {
                long due = now;
                long before = stats.Right;
                long started = clock.Now();
                for (long made = 0; made < batch; made++)
                {
                    if (!Judge(Make()) && Leaves(started))
                    {
                        break;
                    }
                }
                now = End(started);
                stats.GapNs += started - due;
                if (now > end)
                {
                    stats.Late.Note(end, limit, due, started, now, stats.Right - before);
                }
            }
        }

        private void Open()
        {
            long idleSince = stats.Ended;
            long intended;
            while ((intended = drive.Arrival()) >= 0)
            {
                long now = clock.Now();
                while (now < intended && !Leaves(now))
                {
                    now = Waits.Until(clock, Math.Min(Math.Min(intended, now + PieceNs), limit), clock.SpinNs(ArrivalSpinNs));
                }
                if (Leaves(now))
                {
                    return;
                }
                long started = clock.Now();
                Exception thrown = Make();
                now = End(started);
                bool right = Judge(thrown);
                if (now > end)
                {
                    stats.Late.Note(end, limit, intended, started, now, right ? 1 : 0);
                }
                if (right)
                {
                    stats.Latency.Record(now - intended);
                    stats.Service.Record(now - started);
                    // Waiting for a free client is caused by the server. Only the delay after both a client and an arrival are available is
                    // caused by the generator.
                    stats.Lateness.Record(started - Math.Max(intended, idleSince));
                }
                idleSince = clock.Now();
            }
        }

        /// <summary>The second reading.</summary>
        private long End(long started)
        {
            long now = clock.Now();
            clock.Made(started, now);
            stats.InCallNs += now - started;
            return stats.Ended = stats.Left = now;
        }

        /// <summary>Makes one call, made longer by the burn; what was thrown, or null.</summary>
        private Exception Make()
        {
            Exception thrown = null;
            try
            {
                call.Make(service, turn++);
            }
            catch (Exception failure)
            {
                thrown = failure;
            }
            if (plan.BurnNs > 0)
            {
                Waits.Burn(clock, plan.BurnNs);
            }
            return thrown;
        }

        /// <summary>Looks at the answer of the last call and counts it; whether it was right.</summary>
        private bool Judge(Exception thrown)
        {
            if (thrown == null && call.Right(turn - 1))
            {
                stats.Right++;
                errorsInARow = 0;
                return true;
            }
            errorsInARow++;
            if (thrown == null)
            {
                stats.Wrong(Kind.WrongAnswer, "the answer is not the right one");
            }
            else
            {
                Failure failure = client.Failed(thrown);
                stats.Wrong(failure.Kind, failure.Message);
            }
            return false;
        }
    }
}
