using System;
using System.Net;
using Callbench.Service;

namespace Callbench.Kit
{
    /// <summary>One thing under test. The load loop, the contract and the clock are the kit's.</summary>
    public abstract class Stack
    {
        /// <summary>
        /// Starts to answer calls with <paramref name="service"/>, on <paramref name="host"/> only. Port 0: any free one.
        /// </summary>
        public abstract Server Serve(SpeedService service, IPAddress host, int port);

        /// <summary>Creates a client that is ready to call. A call without an answer must fail after the timeout.</summary>
        public abstract Client Connect(string endpoint, TimeSpan timeout);
    }

    /// <summary>A running server.</summary>
    public abstract class Server
    {
        /// <summary>What Connect is given, opaque to the core.</summary>
        public abstract string Endpoint { get; }

        /// <summary>Ends listeners, connections, threads.</summary>
        public abstract void Close();
    }

    /// <summary>One client, used by one thread at a time.</summary>
    public abstract class Client
    {
        /// <summary>Each call of it is a remote call.</summary>
        public abstract ISpeedService Service { get; }

        /// <summary>Connections held open between calls.</summary>
        public virtual int Connections => 1;

        /// <summary>What a call's exception means.</summary>
        public virtual Failure Failed(Exception thrown) => Failure.Of(thrown);

        /// <summary>Gives up its connection.</summary>
        public virtual void Close()
        {
        }
    }
}
