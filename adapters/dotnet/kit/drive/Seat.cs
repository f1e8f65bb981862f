using System;
using System.Threading;

namespace Callbench.Kit.Drive
{
    /// <summary>A client's place in a drive: its connection, its share of the calls, what it has seen, and when it must leave.</summary>
    internal sealed class Seat
    {
        /// <summary>A client leaves after so many errors in a row.</summary>
        private const int Hopeless = 100;

        internal readonly Client Client;
        internal readonly Drive Drive;
        internal readonly Plan Plan;
        internal readonly Making Making;
        internal readonly Histogram Latency = new Histogram();

        /// <summary>Of an open loop; else null, as Lateness.</summary>
        internal readonly Histogram Service;

        internal readonly Histogram Lateness;
        internal readonly long[] Errors = new long[Kinds.Said.Length];

        /// <summary>The reporter reads it as it grows.</summary>
        internal long Calls;

        internal long ErrorCount;
        internal long Start;
        internal long LimitAt;
        internal long InCallNs;
        internal long ThinkNs;

        /// <summary>Between calls, by the same readings that end one and begin the next.</summary>
        internal long GapNs;

        /// <summary>When the last call ended.</summary>
        internal long EndedAt;

        /// <summary>When the last call, or the thought after it, ended.</summary>
        internal long LeftAt;

        private long endAt;
        private long held;
        private int errorsInARow;

        internal Seat(Drive drive, Plan plan, Client client)
        {
            Drive = drive;
            Plan = plan;
            Client = client;
            Making = plan.Call.Prepare();
            Service = plan.Schedule == null ? null : new Histogram();
            Lateness = plan.Schedule == null ? null : new Histogram();
        }

        /// <summary>Waits for the common start.</summary>
        internal void Begin(long at, long spinNs)
        {
            Start = at;
            LimitAt = at + Plan.LimitNs;
            endAt = Math.Min(at + Plan.LengthNs, LimitAt);
            EndedAt = Clock.WaitUntil(at, spinNs);
            LeftAt = EndedAt;
            GapNs = EndedAt - at;
        }

        /// <summary>How many calls may be made now, at most <paramref name="wish"/>; 0: the drive is over for this client.</summary>
        internal long Admit(long now, long wish)
        {
            if (held == 0)
            {
                held = Drive.Pool.Draw(wish);
                if (held == 0)
                {
                    // All calls have been drawn: on until the time is over.
                    return now < endAt && !Leaves(now) ? wish : 0;
                }
            }
            if (Leaves(now))
            {
                return 0;
            }
            long admitted = held < wish ? held : wish;
            held -= admitted;
            return admitted;
        }

        /// <summary>Whether nothing more may be begun, whatever is left to do.</summary>
        internal bool Leaves(long now)
        {
            return now >= LimitAt || errorsInARow >= Hopeless || Drive.Stopping.IsRaised;
        }

        /// <summary>Checks and counts one answer; whether it was right.</summary>
        internal bool Judge()
        {
            if (Making.Right())
            {
                Calls++;
                errorsInARow = 0;
                return true;
            }
            Wrong(Kind.WrongAnswer);
            return false;
        }

        internal void Failed(Exception thrown)
        {
            Failure failure = Client.Failed(thrown);
            Wrong(failure.Kind);
            Drive.Note(failure);
        }

        private void Wrong(Kind kind)
        {
            Errors[(int)kind]++;
            errorsInARow++;
            ErrorCount++;
        }

        /// <summary>Whoever leaves early leaves its calls to the others.</summary>
        internal void Leave()
        {
            Drive.Pool.PutBack(held);
            held = 0;
        }

        /// <summary>
        /// Counts to the end of the drive: who was done earlier stood idle, and a thought beyond the end is not part of it.
        /// </summary>
        internal void CountUntil(long end)
        {
            GapNs += Math.Max(0, end - LeftAt);
            ThinkNs = Math.Max(0, ThinkNs - Math.Max(0, LeftAt - end));
        }
    }
}
