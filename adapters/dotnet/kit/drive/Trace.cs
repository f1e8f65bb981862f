using System;
using System.Collections.Generic;
using Callbench.Service;

namespace Callbench.Kit.Drive
{
    /// <summary>
    /// A golden trace: one client's loop with a scripted clock and a scripted stack, as contract/LOOP.md has it. Times are nanoseconds.
    /// </summary>
    internal sealed class Trace
    {
        internal Plan Plan;
        internal int Place;
        internal int Clients;
        internal long Start;
        internal double ReadingNs;
        internal long SpinNs;
        internal long ReadingTakesNs;
        internal long OversleepsNs;

        /// <summary>Taken in a circle; at least one.</summary>
        internal readonly List<ScriptedCall> Calls = new List<ScriptedCall>();

        /// <summary>The scripted clock's time, and the readings around each call or batch so far.</summary>
        internal long Time;

        internal readonly List<long[]> Made = new List<long[]>();
        private int next;

        /// <summary>Makes the next call: whether its answer is right. It moves the clock, and reads it not.</summary>
        internal bool Call()
        {
            ScriptedCall call = Calls[next];
            next = (next + 1) % Calls.Count;
            Time += call.TakesNs;
            if (call.Trouble != null && call.Trouble != Kind.WrongAnswer)
            {
                throw new Failure(call.Trouble.Value, "as the script says");
            }
            return call.Trouble == null;
        }
    }

    /// <summary>How long a call takes, and what goes wrong in it; null: nothing does.</summary>
    internal sealed class ScriptedCall
    {
        internal long TakesNs;
        internal Kind? Trouble;
    }

    /// <summary>Each reading gives the time and then takes a while.</summary>
    internal struct ScriptedClock : IClock
    {
        private const int MostMade = 1000;

        private readonly Trace trace;

        internal ScriptedClock(Trace trace)
        {
            this.trace = trace;
        }

        public long Now()
        {
            long reading = trace.Time;
            trace.Time += trace.ReadingTakesNs;
            return reading;
        }

        public void SleepUntil(long moment, long now)
        {
            trace.Time = Math.Max(trace.Time, moment + trace.OversleepsNs);
        }

        public long SpinNs(long usual)
        {
            return trace.SpinNs;
        }

        public void Made(long started, long ended)
        {
            if (trace.Made.Count < MostMade)
            {
                trace.Made.Add(new[] { started, ended });
            }
        }
    }

    /// <summary>A client without a service: the call of a trace asks nobody.</summary>
    internal sealed class Unasked : Client
    {
        public override ISpeedService Service
        {
            get { return null; }
        }
    }
}
