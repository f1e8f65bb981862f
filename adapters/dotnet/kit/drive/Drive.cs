using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace Callbench.Kit.Drive
{
    /// <summary>
    /// The load loop: one thread a client. Nothing is allocated and no lock is taken between two calls of a closed loop.
    /// </summary>
    public sealed class Drive
    {
        private const long IntervalNs = 100000000;
        private const long StartSpinNs = 30000;
        private const long Millisecond = 1000000;

        internal readonly Pool Pool;
        internal readonly Flag Stopping;
        internal readonly double ReadingNs;
        private readonly Plan plan;
        private readonly Arrivals arrivals;
        private readonly List<Seat> seats = new List<Seat>();
        private long batch;
        private Failure noted;
        private long start;

        /// <summary>
        /// Hears how far a drive is, ten times a second: nanoseconds since the start, calls and errors. False where nobody listens
        /// any more.
        /// </summary>
        public delegate bool Reporter(long atNs, long calls, long errors);

        /// <summary>Lets the clients call as the plan says, once Run is said.</summary>
        public Drive(IList<Client> clients, Plan plan, Flag stopping, double readingNs) : this(plan, stopping, readingNs, clients.Count)
        {
            seats.AddRange(clients.Select((client, place) => new Seat(this, plan, client, plan.FirstAfterNs(place, clients.Count))));
        }

        private Drive(Plan plan, Flag stopping, double readingNs, int clients)
        {
            this.plan = plan;
            Stopping = stopping;
            ReadingNs = readingNs;
            Pool = new Pool(plan.Calls, clients);
            arrivals = plan.Schedule == null ? null : new Arrivals(plan.Schedule);
        }

        /// <summary>
        /// Runs it to its end; <paramref name="begin"/> and <paramref name="end"/> are done right before the start and right after the last
        /// call. Throws Failure where a thread cannot be had.
        /// </summary>
        public Outcome Run(Action begin, Action end, Reporter reporter)
        {
            var gate = new Gate(seats.Count);
            foreach (Seat seat in seats)
            {
                Start(() => Attend(seat, gate), gate);
            }
            gate.AwaitArrivals();
            begin();
            start = Math.Max(plan.StartAtNs, Clock.Now() + 100000 + 10000L * seats.Count);
            gate.Open();
            Watch(gate, reporter);
            end();
            gate.Release();
            gate.Dispose();
            return SumUp();
        }

        private void Start(ThreadStart attending, Gate gate)
        {
            try
            {
                var thread = new Thread(attending) { IsBackground = true, Name = "client" };
                thread.Start();
            }
            catch (Exception none) when (none is OutOfMemoryException || none is ThreadStartException)
            {
                Stopping.Raise();
                gate.Release();
                throw new Failure(Kind.OutOfResources, "a client thread cannot be started: " + none.Message);
            }
        }

        private void Attend(Seat seat, Gate gate)
        {
            try
            {
                Clock.SharpenSleeps();
                gate.Enter();
                Play(seat, new MachineClock());
            }
            catch (Exception failure)
            {
                seat.GaveUp = true;
                seat.Failed(failure);
            }
            finally
            {
                seat.Leave();
                gate.Leave();
            }
        }

        /// <summary>The loop of one client, from the wait for the common start on.</summary>
        private void Play<TClock>(Seat seat, TClock clock) where TClock : struct, IClock
        {
            seat.Begin(clock, start, StartSpinNs);
            if (arrivals == null)
            {
                ClosedLoop.Run(seat, clock);
            }
            else
            {
                OpenLoop.Run(seat, clock, arrivals);
            }
        }

        /// <summary>Plays a golden trace; the clock keeps what was made.</summary>
        internal static Outcome Replay(Trace trace, ScriptedClock clock, Flag stopping)
        {
            var drive = new Drive(trace.Plan, stopping, trace.ReadingNs, trace.Clients) { start = trace.Start };
            var seat = new Seat(drive, trace.Plan, new Unasked(), trace.Plan.FirstAfterNs(trace.Place, trace.Clients));
            drive.seats.Add(seat);
            drive.Play(seat, clock);
            seat.Leave();
            return drive.SumUp();
        }

        /// <summary>Reports until every client has ended, and once when the time is over.</summary>
        private void Watch(Gate gate, Reporter reporter)
        {
            long tick = start + IntervalNs;
            long over = start + plan.EndNs;
            long next = over > start ? Math.Min(tick, over) : tick;
            while (!gate.HaveAllEnded((int)Math.Max(0, (next - Clock.Now()) / Millisecond)))
            {
                long now = Clock.Now();
                if (now < next)
                {
                    continue;
                }
                if (!reporter(Math.Max(0, now - start), seats.Sum(seat => seat.Calls), seats.Sum(seat => seat.ErrorCount)))
                {
                    Stopping.Raise();
                }
                if (next == tick)
                {
                    tick += IntervalNs;
                }
                next = over > next ? Math.Min(tick, over) : tick;
            }
        }

        /// <summary>The first client that knows decides for all.</summary>
        internal long AgreeOnBatch(long size)
        {
            Interlocked.CompareExchange(ref batch, size, 0);
            return Interlocked.Read(ref batch);
        }

        /// <summary>Remembers the first failure, for the log.</summary>
        internal void Note(Failure failure)
        {
            Interlocked.CompareExchange(ref noted, failure, null);
        }

        private Outcome SumUp()
        {
            Seat first = seats[0];
            long endedAt = Math.Max(start, seats.Max(seat => seat.EndedAt));
            foreach (Seat seat in seats)
            {
                seat.CountUntil(endedAt);
            }
            foreach (Seat seat in seats.Skip(1))
            {
                first.Late.Merge(seat.Late);
                first.Latency.Merge(seat.Latency);
                if (first.Service != null)
                {
                    first.Service.Merge(seat.Service);
                    first.Lateness.Merge(seat.Lateness);
                }
            }
            long? gapNs = null;
            if (arrivals == null)
            {
                gapNs = seats.Sum(seat => seat.GapNs);
            }
            long calls = seats.Sum(seat => seat.Calls);
            long elapsedNs = Math.Max(1, endedAt - start);
            return new Outcome
            {
                Calls = calls,
                Errors = Enumerable.Range(0, Kinds.Said.Length).Select(kind => seats.Sum(seat => seat.Errors[kind])).ToArray(),
                ElapsedNs = elapsedNs,
                Window = first.Late.WindowOf(plan.EndNs, plan.LimitNs, elapsedNs, calls, seats.All(seat => seat.GaveUp)),
                Batch = Math.Max(1, batch),
                Latency = first.Latency,
                Service = first.Service,
                Lateness = first.Lateness,
                InCallNs = seats.Sum(seat => seat.InCallNs),
                ThinkNs = seats.Sum(seat => seat.ThinkNs),
                GapNs = gapNs,
                Threads = seats.Count,
                Note = noted
            };
        }
    }
}
