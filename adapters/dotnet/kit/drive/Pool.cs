using System;
using System.Threading;

namespace Callbench.Kit.Drive
{
    /// <summary>
    /// The calls still to be made, shared by all clients, which draw in portions so that its counter is not fought over.
    /// </summary>
    internal sealed class Pool
    {
        private const long Most = 256;

        private readonly long portion;
        private long left;

        /// <summary>
        /// A portion is small beside a client's fair share, so that a slow client keeps the others waiting for a short time only.
        /// </summary>
        internal Pool(long calls, int clients)
        {
            left = calls;
            portion = Math.Max(1, Math.Min(Most, calls / clients / 16));
        }

        /// <summary>
        /// A portion of at least one call, or 0 where none is left. At least <paramref name="wish"/> where there are enough.
        /// </summary>
        internal long Draw(long wish)
        {
            long most = Math.Max(portion, wish);
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

        internal bool IsEmpty
        {
            get { return Interlocked.Read(ref left) == 0; }
        }

        /// <summary>Puts back what was drawn and will not be used.</summary>
        internal void PutBack(long calls)
        {
            Interlocked.Add(ref left, calls);
        }
    }
}
