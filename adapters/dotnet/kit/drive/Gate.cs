using System;
using System.Threading;

namespace Callbench.Kit.Drive
{
    /// <summary>
    /// Where a drive's clients wait for each other: all start together, and none leaves before the processor time was read.
    /// </summary>
    internal sealed class Gate : IDisposable
    {
        private readonly CountdownEvent arrived;
        private readonly ManualResetEventSlim opened = new ManualResetEventSlim();
        private readonly CountdownEvent ended;
        private readonly ManualResetEventSlim released = new ManualResetEventSlim();
        private readonly CountdownEvent gone;

        internal Gate(int clients)
        {
            arrived = new CountdownEvent(clients);
            ended = new CountdownEvent(clients);
            gone = new CountdownEvent(clients);
        }

        /// <summary>A client is there, and waits until the gate is opened.</summary>
        internal void Enter()
        {
            arrived.Signal();
            opened.Wait();
        }

        /// <summary>A client has made its last call, and stays until it is released.</summary>
        internal void Leave()
        {
            ended.Signal();
            released.Wait();
            gone.Signal();
        }

        internal void AwaitArrivals()
        {
            arrived.Wait();
        }

        internal void Open()
        {
            opened.Set();
        }

        /// <summary>Whether all have made their last call within so many milliseconds.</summary>
        internal bool HaveAllEnded(int milliseconds)
        {
            return ended.Wait(milliseconds);
        }

        /// <summary>Whoever has entered may go.</summary>
        internal void Release()
        {
            opened.Set();
            released.Set();
        }

        /// <summary>Where every client was released and is past the gate.</summary>
        public void Dispose()
        {
            gone.Wait();
            arrived.Dispose();
            opened.Dispose();
            ended.Dispose();
            released.Dispose();
            gone.Dispose();
        }
    }
}
