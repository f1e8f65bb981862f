using System;

namespace Callbench.Kit.Drive
{
    /// <summary>
    /// What lay within the window of a drive: from the common start until the time is over, or, where its number of calls bounds it, to the
    /// last end. It is what a rate is of.
    /// </summary>
    public sealed class Window
    {
        public long Ns;

        /// <summary>Answered rightly within it.</summary>
        public long Answered;

        /// <summary>Begun within it and ended later, rightly or wrongly.</summary>
        public long InFlight;

        /// <summary>Of those that were answered rightly: the parts of their time that lay within it, added up.</summary>
        public double InFlightPart;
    }

    /// <summary>The calls that ended late: after the time of a drive was over, or even after its limit.</summary>
    internal sealed class Late
    {
        private readonly Flight time = new Flight();
        private readonly Flight limit = new Flight();

        /// <summary>Whether a call was due when the time was over: the number of calls bounds the drive, then, not its time.</summary>
        private bool dueLater;

        /// <summary>A moment that calls went beyond, and what of them lay before it.</summary>
        private sealed class Flight
        {
            /// <summary>Right answers that came after it.</summary>
            internal long After;

            /// <summary>Calls, right or wrong, that had begun and not ended.</summary>
            internal long Flying;

            internal double Part;

            internal void Note(long end, long started, long ended, long right)
            {
                After += right;
                if (started < end)
                {
                    double before = right * (double)(end - started) / (ended - started);
                    // Of a batch, whole calls were answered before.
                    After -= (long)before;
                    Part += before - (long)before;
                    Flying++;
                }
            }

            internal void Merge(Flight other)
            {
                After += other.After;
                Flying += other.Flying;
                Part += other.Part;
            }
        }

        /// <summary>Takes in a call, or a batch of so many right ones, that ended after the time was over.</summary>
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

        /// <summary>
        /// The window of a drive that ended after <paramref name="elapsedNs"/>, given its time and its limit since the start. Where all
        /// clients gave up before the time was over, it ends with them.
        /// </summary>
        internal Window WindowOf(long endNs, long limitNs, long elapsedNs, long calls, bool gaveUp)
        {
            Flight flight = dueLater ? limit : time;
            long ns = endNs;
            if (dueLater)
            {
                ns = Math.Min(elapsedNs, limitNs);
            }
            else if (gaveUp)
            {
                ns = Math.Min(elapsedNs, endNs);
            }
            return new Window
            {
                Ns = Math.Max(1, ns),
                Answered = calls - flight.After,
                InFlight = flight.Flying,
                InFlightPart = flight.Part
            };
        }
    }
}
