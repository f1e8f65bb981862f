using System;
using System.Linq;
using Callbench.Service;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>
    /// A golden trace: one client's loop with a scripted clock and a scripted stack, as contract/LOOP.md has it. It is the call that the
    /// script makes: it moves the clock, and reads it not. Times are nanoseconds.
    /// </summary>
    internal sealed class Trace : Call
    {
        private const int MostMade = 1000;

        private readonly JToken calls;
        private readonly JArray made = new JArray();
        private readonly long readingTakesNs;
        private readonly long oversleepsNs;
        private readonly long spinNs;
        private long time;
        private string answer;

        private Trace(JToken plan, JToken script)
        {
            calls = script["calls"];
            readingTakesNs = (long)script["reading_takes_ns"];
            oversleepsNs = (long)script["oversleeps_ns"];
            time = (long)script["clock_start_ns"];
            spinNs = (long)plan["spin_ns"];
            if (readingTakesNs == 0 && (spinNs > 0 || (long)plan["burn_ns"] > 0 || time < (long)plan["start"]))
            {
                throw new Failure(
                    Kind.BadRequest,
                    "reading_takes_ns is 0: then spin_ns and burn_ns must be 0 and the clock stand at the start, or a wait never ends");
            }
        }

        /// <summary>Replays a trace, and returns `done` and `made`.</summary>
        internal static JObject Play(JToken given, Flag stopping)
        {
            JToken plan = given["plan"];
            var trace = new Trace(plan, given["script"]);
            long[] gaps = plan["gaps"].Type == JTokenType.Null ? null : plan["gaps"].Select(each => (long)each).ToArray();
            var drive = new Drive(Plan.Of(plan, gaps), (int)plan["clients"], (double)plan["reading_ns"], stopping)
            {
                Start = (long)plan["start"]
            };
            var stats = new WorkerStats(gaps != null);
            new Loop<Scripted>(new IdleClient(), trace, drive, stats, new Scripted(trace), (int)plan["place"]).Run();
            JObject done = drive.Done(new[] { stats });
            done["threads"] = 1;
            return new JObject { { "done", done }, { "made", trace.made } };
        }

        internal override void Make(ISpeedService service, long turn)
        {
            JToken call = calls[(int)(turn % ((JArray)calls).Count)];
            time += (long)call["takes_ns"];
            answer = (string)call["answer"];
            int kind = Array.IndexOf(Kinds.Names, answer);
            if (kind >= 0)
            {
                throw new Failure((Kind)kind, "as the script says");
            }
        }

        internal override bool Right(long turn) => answer == "right";

        internal override JToken Answer() => answer;

        /// <summary>Each reading returns the time and then takes some time.</summary>
        private struct Scripted : IClock
        {
            private readonly Trace trace;

            internal Scripted(Trace trace)
            {
                this.trace = trace;
            }

            public long Now()
            {
                long reading = trace.time;
                trace.time += trace.readingTakesNs;
                return reading;
            }

            public void SleepUntil(long moment, long now) => trace.time = Math.Max(trace.time, moment + trace.oversleepsNs);

            public long SpinNs(long usual) => trace.spinNs;

            public void Made(long started, long ended)
            {
                if (trace.made.Count < MostMade)
                {
                    trace.made.Add(new JArray(started, ended));
                }
            }
        }

        /// <summary>The call of a trace needs no service.</summary>
        private sealed class IdleClient : Client
        {
            public override ISpeedService Service => null;
        }
    }
}
