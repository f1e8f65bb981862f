using System;
using System.Collections.Concurrent;
using System.Net;
using System.Threading;
using Callbench.Service;

namespace Callbench.Kit
{
    /// <summary>
    /// The service called without anything between: what the kit itself makes of a call, and nothing else. An instrument.
    /// </summary>
    internal sealed class Direct : Stack
    {
        private readonly ConcurrentDictionary<string, SpeedService> served = new ConcurrentDictionary<string, SpeedService>();
        private int numbers;

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            string endpoint = "direct:" + Interlocked.Increment(ref numbers);
            served[endpoint] = service;
            return new Served(this, endpoint);
        }

        public override Client Connect(string endpoint, TimeSpan timeout)
        {
            if (!served.TryGetValue(endpoint, out SpeedService service))
            {
                throw new Failure(Kind.Refused, "nothing is served at " + endpoint);
            }
            return new Caller(service);
        }

        private sealed class Served : Server
        {
            private readonly Direct stack;

            internal Served(Direct stack, string endpoint)
            {
                this.stack = stack;
                Endpoint = endpoint;
            }

            public override string Endpoint { get; }

            public override void Close() => stack.served.TryRemove(Endpoint, out SpeedService gone);
        }

        private sealed class Caller : Client
        {
            internal Caller(SpeedService service)
            {
                Service = service;
            }

            public override ISpeedService Service { get; }

            public override int Connections => 0;
        }
    }
}
