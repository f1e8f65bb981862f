using System;
using System.Collections.Generic;
using Callbench.Kit.Drive;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit.Contract
{
    /// <summary>From the core's wish for a drive to a plan, and from its outcome to what the core is told.</summary>
    internal sealed class Driving
    {
        /// <summary>No common start is further off: a mistaken clock should not look like a hang.</summary>
        private const long FurthestStartNs = 60000000000;

        private const long Most = 1L << 53;

        private readonly Clients clients;
        private readonly double readingNs;
        private readonly Flag stopping;

        internal Driving(Clients clients, double readingNs, Flag stopping)
        {
            this.clients = clients;
            this.readingNs = readingNs;
            this.stopping = stopping;
        }

        internal JObject Drive(Request request, Func<JObject, bool> tell)
        {
            Plan plan = PlanOf(request);
            IList<Client> some = clients.Some(clients.Count);
            int wanted = (int)request.OptionalWhole("clients", 1, some.Count, some.Count);
            var before = new Processor();
            var after = new Processor();
            Outcome outcome = new Drive.Drive(clients.Some(wanted), plan, stopping, readingNs).Run(
                () => before = Processor.Used(),
                () => after = Processor.Used(),
                (atNs, calls, errors) => tell(Interval(atNs, calls, errors)));
            if (outcome.Note != null)
            {
                Console.Error.WriteLine("callbench: the first failure of the drive: " + outcome.Note.Message);
            }
            JObject done = Done(outcome);
            done["processor"] = new JObject { { "start", before.Json() }, { "end", after.Json() } };
            return done;
        }

        private static Plan PlanOf(Request request)
        {
            Call call = Arguments.Call(request.Text("call"), request.Members("arguments"));
            Timing timing = TimingOf(request.OptionalText("timing"));
            long thinkNs = request.OptionalWhole("think_ns", 0, Most, 0);
            string schedule = request.OptionalText("schedule");
            if (schedule != null && thinkNs > 0)
            {
                throw Failure.BadRequest("schedule and think_ns exclude each other: an open loop does not think");
            }
            if (schedule != null && timing == Timing.Batch)
            {
                throw Failure.BadRequest("schedule and timing batch exclude each other: arrivals come one by one");
            }
            long rampUpNs = request.OptionalWhole("ramp_up_ns", 0, Most, 0);
            if (schedule != null && rampUpNs > 0)
            {
                throw Failure.BadRequest("schedule and ramp_up_ns exclude each other: the schedule says when calls begin");
            }
            if (thinkNs > 0 && timing == Timing.Batch)
            {
                throw Failure.BadRequest("think_ns and timing batch exclude each other: say timing each");
            }
            long startAtNs = request.OptionalWhole("start_at_ns", 0, Most, 0);
            if (startAtNs > Clock.Now() + FurthestStartNs)
            {
                throw Failure.BadRequest("start_at_ns is " + startAtNs + ": it must be within a minute of the monotonic clock's now");
            }
            return new Plan
            {
                Call = call,
                Calls = request.Whole("calls", 0, Most),
                LengthNs = request.Nanoseconds("seconds"),
                LimitNs = request.Nanoseconds("limit_seconds"),
                Timing = timing,
                ThinkNs = thinkNs,
                RampUpNs = rampUpNs,
                BurnNs = request.OptionalWhole("burn_ns", 0, Most, 0),
                Schedule = schedule == null ? null : Schedule.Read(schedule),
                StartAtNs = startAtNs
            };
        }

        internal static Timing TimingOf(string name)
        {
            switch (name)
            {
            case "each":
                return Timing.Each;
            case "batch":
                return Timing.Batch;
            case "auto":
            case null:
                return Timing.Auto;
            default:
                throw Failure.BadRequest("timing is " + name + ": it must be each, batch or auto");
            }
        }

        private static JObject Interval(long atNs, long calls, long errors)
        {
            JObject interval = Session.Is("interval");
            interval["at_ns"] = atNs;
            interval["calls"] = calls;
            interval["errors"] = errors;
            return interval;
        }

        internal static JObject Done(Outcome outcome)
        {
            var errors = new JObject();
            for (int kind = 0; kind < outcome.Errors.Length; kind++)
            {
                if (outcome.Errors[kind] > 0)
                {
                    errors[Kinds.Said[kind]] = outcome.Errors[kind];
                }
            }
            bool batched = outcome.Batch > 1;
            JObject done = Session.Is("done");
            done["calls"] = outcome.Calls;
            done["errors"] = errors;
            done["elapsed_ns"] = outcome.ElapsedNs;
            done["window_ns"] = outcome.Window.Ns;
            done["answered"] = outcome.Window.Answered;
            done["in_flight"] = outcome.Window.InFlight;
            done["in_flight_part"] = outcome.Window.InFlightPart;
            done["timed"] = batched ? "batch" : "each";
            done["batch"] = outcome.Batch;
            done["latency"] = Told(batched ? null : outcome.Latency);
            done["service"] = Told(outcome.Service);
            done["lateness"] = Told(outcome.Lateness);
            done["in_call_ns"] = outcome.InCallNs.ToString();
            done["think_ns"] = outcome.ThinkNs.ToString();
            done["gap_ns"] = outcome.GapNs == null ? JValue.CreateNull() : (JToken)outcome.GapNs.ToString();
            done["threads"] = outcome.Threads;
            return done;
        }

        private static JToken Told(Histogram histogram)
        {
            return histogram == null ? JValue.CreateNull() : (JToken)histogram.Sparse();
        }
    }
}
