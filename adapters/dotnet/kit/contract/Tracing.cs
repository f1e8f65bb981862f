using System;
using Callbench.Kit.Drive;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit.Contract
{
    /// <summary>A golden trace, from the request to the answer.</summary>
    internal static class Tracing
    {
        private const long Most = 1L << 53;
        private const int MostClients = 65536;

        /// <summary>Plays a trace. Throws Failure of kind bad-request where it is none, or would never end.</summary>
        internal static JObject Traced(Request request, Flag stopping)
        {
            Request whole = request.Within("trace");
            Trace trace = TraceOf(whole.Within("plan"), whole.Within("script"));
            if (trace.ReadingTakesNs == 0 && (trace.SpinNs > 0 || trace.Plan.BurnNs > 0 || trace.Time < trace.Start))
            {
                throw Failure.BadRequest(
                    "reading_takes_ns is 0: then spin_ns and burn_ns must be 0 and the clock stand at the start, or a wait never ends");
            }
            trace.Plan.Call = new Call<bool>("Empty", service => trace.Call(), right => right);
            Outcome outcome = Drive.Drive.Replay(trace, new ScriptedClock(trace), stopping);
            JObject done = Driving.Done(outcome);
            done.Remove("is");
            var made = new JArray();
            foreach (long[] readings in trace.Made)
            {
                made.Add(new JArray(readings[0], readings[1]));
            }
            JObject traced = Session.Is("traced");
            traced["done"] = done;
            traced["made"] = made;
            return traced;
        }

        private static Trace TraceOf(Request plan, Request script)
        {
            int clients = (int)plan.Whole("clients", 1, MostClients);
            var trace = new Trace
            {
                Plan = new Plan
                {
                    Calls = plan.Whole("calls", 0, Most),
                    LengthNs = plan.Whole("length_ns", 0, Most),
                    LimitNs = plan.Whole("limit_ns", 0, Most),
                    Timing = Driving.TimingOf(plan.Text("timing")),
                    ThinkNs = plan.Whole("think_ns", 0, Most),
                    BurnNs = plan.Whole("burn_ns", 0, Most),
                    RampUpNs = plan.Whole("ramp_up_ns", 0, Most),
                    Schedule = plan.OptionalWholes("gaps", 0, Most)
                },
                Place = (int)plan.Whole("place", 0, clients - 1),
                Clients = clients,
                Start = plan.Whole("start", 0, Most),
                ReadingNs = plan.Number("reading_ns"),
                SpinNs = plan.Whole("spin_ns", 0, Most),
                Time = script.Whole("clock_start_ns", 0, Most),
                ReadingTakesNs = script.Whole("reading_takes_ns", 0, Most),
                OversleepsNs = script.Whole("oversleeps_ns", 0, Most)
            };
            foreach (Request call in script.Each("calls"))
            {
                trace.Calls.Add(new ScriptedCall { TakesNs = call.Whole("takes_ns", 0, Most), Trouble = Trouble(call.Text("answer")) });
            }
            return trace;
        }

        private static Kind? Trouble(string answer)
        {
            if (answer == "right")
            {
                return null;
            }
            int kind = Array.IndexOf(Kinds.Said, answer == "wrong" ? "wrong-answer" : answer);
            if (kind < 0)
            {
                throw Failure.BadRequest("the answer " + answer + " is unknown: say right, wrong or an error kind");
            }
            return (Kind)kind;
        }
    }
}
