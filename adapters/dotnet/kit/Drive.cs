using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>How calls are timed: two clock readings per call, two per batch, or batches if a call takes less than 20
    ///   readings.</summary>
    internal enum Timing
    {
        Each,
        Batch,
        Auto
    }

    /// <summary>One drive. Times in nanoseconds.</summary>
    internal sealed class Plan
    {
        /// <summary>The drive ends when this many calls have been made, correct or wrong, and LengthNs have passed.</summary>
        internal long Calls;

        internal long LengthNs;

        /// <summary>The drive ends after this time in any case.</summary>
        internal long LimitNs;

        internal Timing Timing;
        internal long ThinkNs;
        internal long BurnNs;
        internal long RampUpNs;

        /// <summary>The gaps between arrivals of an open loop. After the last gap, the first follows. null: a closed loop.</summary>
        internal long[] Gaps;

        /// <summary>When the time is over, since the start.</summary>
        internal long EndNs => Math.Min(LengthNs, LimitNs);

        /// <summary>Of the members of `drive`, or of a trace's plan.</summary>
        internal static Plan Of(JToken given, long[] gaps)
        {
            return new Plan
            {
                Calls = (long)given["calls"],
                LengthNs = (long)given["length_ns"],
                LimitNs = (long)given["limit_ns"],
                Timing = (Timing)Enum.Parse(typeof(Timing), (string)given["timing"], true),
                ThinkNs = (long)given["think_ns"],
                BurnNs = (long)given["burn_ns"],
                RampUpNs = (long)given["ramp_up_ns"],
                Gaps = gaps
            };
        }
    }

    /// <summary>What a client has seen in a drive. Times in nanoseconds.</summary>
    internal sealed class WorkerStats
    {
        internal readonly Histogram Latency = new Histogram();

        /// <summary>Of an open loop; else null, as Lateness.</summary>
        internal readonly Histogram Service;

        internal readonly Histogram Lateness;
        internal readonly long[] Errors = new long[Kinds.Names.Length];

        /// <summary>Of each kind, what the first error said.</summary>
        internal readonly string[] Messages = new string[Kinds.Names.Length];

        internal readonly Late Late = new Late();

        /// <summary>Right calls; the reporter reads it as it grows, as ErrorCount.</summary>
        internal long Right;

        internal long ErrorCount;
        internal long InCallNs;
        internal long ThinkNs;

        /// <summary>The time between calls, from the same clock readings that end one call and begin the next.</summary>
        internal long GapNs;

        /// <summary>When the last call ended.</summary>
        internal long Ended;

        /// <summary>When the last call or the think time after it ended.</summary>
        internal long Left;

        internal bool GaveUp;

        internal WorkerStats(bool open)
        {
            Service = open ? new Histogram() : null;
            Lateness = open ? new Histogram() : null;
        }

        internal void Wrong(Kind kind, string why)
        {
            if (Errors[(int)kind]++ == 0)
            {
                Messages[(int)kind] = why;
            }
            ErrorCount++;
        }
    }

    /// <summary>What the clients of a drive share, and the result.</summary>
    internal sealed class Drive
    {
        private const long IntervalNs = 100000000;
        private const long Millisecond = 1000000;

        internal readonly Plan Plan;
        internal readonly int Clients;
        internal readonly double ReadingNs;
        internal long Start;

        private readonly Flag stopping;
        private readonly long portion;
        private readonly object queue = new object();
        private volatile bool abandoned;
        private Exception broken;
        private long left;
        private long batch;
        private long arrivals;
        private long lastArrival;

        /// <summary>Hears how far a drive is, ten times a second: nanoseconds since the start, calls and errors.</summary>
        internal delegate void Reporter(long atNs, long calls, long errors);

        internal Drive(Plan plan, int clients, double readingNs, Flag stopping)
        {
            Plan = plan;
            Clients = clients;
            ReadingNs = readingNs;
            this.stopping = stopping;
            left = plan.Calls;
            // A portion is small compared with a client's share, so that the others wait only shortly for a slow client.
            portion = Math.Min(256, Math.Max(1, plan.Calls / clients / 16));
        }

        internal bool IsStopping => abandoned || stopping.Raised;

        /// <summary>Whether no call is left in the pool.</summary>
        internal bool IsDrawn => Interlocked.Read(ref left) == 0;

        /// <summary>Takes a portion from the pool: at least <paramref name="wanted"/> calls if there are enough; 0 if none is
        ///   left.</summary>
        internal long Draw(long wanted)
        {
            long most = Math.Max(portion, wanted);
            while (true)
            {
                long now = Interlocked.Read(ref left);
                long taken = Math.Min(now, most);
                if (taken == 0 || Interlocked.CompareExchange(ref left, now - taken, now) == now)
                {
                    return taken;
                }
            }
        }

        internal void PutBack(long calls) => Interlocked.Add(ref left, calls);

        /// <summary>The first client that knows decides for all.</summary>
        internal long AgreeOnBatch(long size)
        {
            long first = Interlocked.CompareExchange(ref batch, size, 0);
            return first == 0 ? size : first;
        }

        /// <summary>When the next arrival is intended; -1 if there are no more.</summary>
        internal long Arrival()
        {
            lock (queue)
            {
                long next = lastArrival + Plan.Gaps[arrivals % Plan.Gaps.Length];
                if (arrivals >= Plan.Calls && next >= Plan.LengthNs)
                {
                    return -1;
                }
                arrivals++;
                lastArrival = next;
                return Start + next;
            }
        }

        /// <summary>
        /// Runs the drive with a thread per client, and returns `done`. Throws Failure if a thread cannot be created, or if the kit itself
        /// fails.
        /// </summary>
        internal JObject Run(IList<Client> clients, IList<Call> calls, long startAtNs, Reporter reporter)
        {
            WorkerStats[] stats = Enumerable.Range(0, Clients).Select(each => new WorkerStats(Plan.Gaps != null)).ToArray();
            var arrived = new CountdownEvent(Clients);
            var opened = new ManualResetEventSlim();
            var ended = new CountdownEvent(Clients);
            var released = new ManualResetEventSlim();
            var threads = new List<Thread>();
            try
            {
                for (int place = 0; place < Clients; place++)
                {
                    int its = place;
                    ThreadStart attending = () =>
                    {
                        Clock.SharpenSleeps();
                        arrived.Signal();
                        opened.Wait();
                        Guarded(() => new Loop<MachineClock>(clients[its], calls[its], this, stats[its], new MachineClock(), its).Run());
                        ended.Signal();
                        released.Wait(); // none leaves before the processor time was read
                    };
                    var thread = new Thread(attending) { IsBackground = true, Name = "client" };
                    thread.Start();
                    threads.Add(thread);
                }
            }
            catch (Exception none)
            {
                abandoned = true;
                opened.Set();
                released.Set();
                throw new Failure(Kind.OutOfResources, "a client thread cannot be started: " + none.Message);
            }
            arrived.Wait();
            JObject before = Clock.ProcessorTime();
            Start = Math.Max(startAtNs, Clock.Now() + 100000 + 10000L * Clients);
            opened.Set();
            Watch(ended, stats, reporter);
            JObject after = Clock.ProcessorTime();
            released.Set();
            threads.ForEach(thread => thread.Join());
            if (broken != null)
            {
                throw new Failure(Kind.Internal, "the kit's loop broke: " + broken.Message, broken);
            }
            JObject done = Done(stats);
            done["processor"] = new JObject { { "start", before }, { "end", after } };
            return done;
        }

        private void Guarded(Action loop)
        {
            try
            {
                loop();
            }
            catch (Exception failure)
            {
                broken = failure;
                abandoned = true;
            }
        }

        /// <summary>Reports until every client has ended, and once when the time is over.</summary>
        private void Watch(CountdownEvent ended, WorkerStats[] stats, Reporter reporter)
        {
            long tick = Start + IntervalNs;
            long over = Start + Plan.EndNs;
            long next = over > Start ? Math.Min(tick, over) : tick;
            while (!ended.Wait((int)Math.Max(0, (next - Clock.Now()) / Millisecond)))
            {
                long now = Clock.Now();
                if (now < next)
                {
                    continue;
                }
                reporter(Math.Max(0, now - Start), stats.Sum(each => each.Right), stats.Sum(each => each.ErrorCount));
                if (next == tick)
                {
                    tick += IntervalNs;
                }
                next = over > next ? Math.Min(tick, over) : tick;
            }
        }

        /// <summary>What the runner says of it, without the processor time.</summary>
        internal JObject Done(WorkerStats[] stats)
        {
            long end = Math.Max(Start, stats.Max(each => each.Ended));
            // Clients that were done earlier were idle, and think time after the end does not count.
            long thinkNs = stats.Sum(each => each.ThinkNs - Math.Max(0, each.Left - end));
            long gapNs = stats.Sum(each => each.GapNs + Math.Max(0, end - each.Left));
            var errors = new JObject();
            var messages = new JObject();
            for (int kind = 0; kind < Kinds.Names.Length; kind++)
            {
                long count = stats.Sum(each => each.Errors[kind]);
                if (count > 0)
                {
                    errors[Kinds.Names[kind]] = count;
                    messages[Kinds.Names[kind]] = stats.Select(each => each.Messages[kind]).First(each => each != null);
                }
            }
            WorkerStats first = stats[0];
            foreach (WorkerStats each in stats.Skip(1))
            {
                first.Late.Merge(each.Late);
                first.Latency.Merge(each.Latency);
                first.Service?.Merge(each.Service);
                first.Lateness?.Merge(each.Lateness);
            }
            return new JObject
            {
                { "calls", stats.Sum(each => each.Right) },
                { "errors", errors },
                { "error_messages", messages },
                { "elapsed_ns", Math.Max(1, end - Start) },
                { "batch", Math.Max(1, batch) },
                { "latency", batch > 1 ? JValue.CreateNull() : (JToken)first.Latency.Sparse() },
                { "service", (JToken)first.Service?.Sparse() ?? JValue.CreateNull() },
                { "lateness", (JToken)first.Lateness?.Sparse() ?? JValue.CreateNull() },
                { "in_call_ns", stats.Sum(each => each.InCallNs).ToString() },
                { "think_ns", thinkNs.ToString() },
                { "gap_ns", Plan.Gaps == null ? gapNs.ToString() : null },
                { "late", first.Late.Json() },
                { "gave_up", stats.All(each => each.GaveUp) },
                { "threads", Clients }
            };
        }
    }

    /// <summary>The calls that ended late: after the time of a drive was over, or even after its limit.</summary>
    internal sealed class Late
    {
        private readonly Flight time = new Flight();
        private readonly Flight limit = new Flight();

        /// <summary>Whether a call was due when the time was over: the number of calls bounds the drive, then, not its time.</summary>
        private bool dueLater;

        /// <summary>A moment, and the calls that ended after it.</summary>
        private sealed class Flight
        {
            private long after;
            private long flying;
            private double part;

            internal void Note(long moment, long started, long ended, long right)
            {
                after += right;
                if (started < moment)
                {
                    double before = right * (double)(moment - started) / (ended - started);
                    // The calls of a batch that were complete before the moment.
                    after -= (long)before;
                    part += before - (long)before;
                    flying++;
                }
            }

            internal void Merge(Flight other)
            {
                after += other.after;
                flying += other.flying;
                part += other.part;
            }

            internal JObject Json() => new JObject { { "after", after }, { "flying", flying }, { "part", part } };
        }

        /// <summary>Counts a call, or a batch of correct calls, that ended after the time was over.</summary>
        internal void Note(long endAt, long limitAt, long due, long started, long ended, long right)
        {
            if (due >= endAt)
            {
                dueLater = true;
            }
            else
            {
                time.Note(endAt, started, ended, right);
            }
            if (ended > limitAt)
            {
                limit.Note(limitAt, started, ended, right);
            }
        }

        internal void Merge(Late other)
        {
            dueLater |= other.dueLater;
            time.Merge(other.time);
            limit.Merge(other.limit);
        }

        internal JObject Json() => new JObject { { "due_later", dueLater }, { "time", time.Json() }, { "limit", limit.Json() } };
    }
}
