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

        internal readonly Late Late = new Late();

        /// <summary>How long after the common start it makes its first call.</summary>
        internal readonly long FirstAfterNs;

        /// <summary>Whether it left before the drive was over.</summary>
        internal bool GaveUp;

        internal long EndAt;
        private long held;
        private int errorsInARow;

        internal Seat(Drive drive, Plan plan, Client client, long firstAfterNs)
        {
            FirstAfterNs = firstAfterNs;
            Drive = drive;
            Plan = plan;
            Client = client;
            Making = plan.Call.Prepare();
            Service = plan.Schedule == null ? null : new Histogram();
            Lateness = plan.Schedule == null ? null : new Histogram();
        }

        /// <summary>Waits for the common start.</summary>
        internal void Begin<TClock>(TClock clock, long at, long spinNs) where TClock : struct, IClock
        {
            Start = at;
            LimitAt = at + Plan.LimitNs;
            EndAt = at + Plan.EndNs;
            EndedAt = Waits.Until(clock, at, spinNs);
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
                    return now < EndAt && !Leaves(now) ? wish : 0;
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

        /// <summary>
        /// Until when a client that would think until <paramref name="at"/> does: the end, where no call is left to be made after it.
        /// </summary>
        internal long ThinksUntil(long now, long at)
        {
            return Math.Min(at, held == 0 && Drive.Pool.IsEmpty ? Math.Max(EndAt, now) : LimitAt);
        }

        /// <summary>
        /// Takes in a call, or a batch of so many right ones, that ended after the time was over. <paramref name="due"/> is when an arrival
        /// was intended, or when a client of a closed loop was let go on.
        /// </summary>
        internal void Overran(long due, long started, long ended, long right)
        {
            Late.Note(EndAt, LimitAt, due, started, ended, right);
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
            GaveUp |= errorsInARow >= Hopeless || Drive.Stopping.IsRaised;
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
