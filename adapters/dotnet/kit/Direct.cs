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
    public sealed class Direct : Stack
    {
        private readonly ConcurrentDictionary<string, SpeedService> served = new ConcurrentDictionary<string, SpeedService>();
        private int numbers;

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            string endpoint = "direct:" + Interlocked.Increment(ref numbers);
            served[endpoint] = service;
            return new Served(served, endpoint);
        }

        public override Client Connect(string endpoint, TimeSpan timeout)
        {
            SpeedService service;
            if (!served.TryGetValue(endpoint, out service))
            {
                throw new Failure(Kind.Refused, "nothing is served at " + endpoint);
            }
            return new Caller(service);
        }

        private sealed class Served : Server
        {
            private readonly ConcurrentDictionary<string, SpeedService> all;
            private readonly string endpoint;

            internal Served(ConcurrentDictionary<string, SpeedService> all, string endpoint)
            {
                this.all = all;
                this.endpoint = endpoint;
            }

            public override string Endpoint
            {
                get { return endpoint; }
            }

            public override void Close()
            {
                SpeedService gone;
                all.TryRemove(endpoint, out gone);
            }
        }

        private sealed class Caller : Client
        {
            private readonly SpeedService service;

            internal Caller(SpeedService service)
            {
                this.service = service;
            }

            public override ISpeedService Service
            {
                get { return service; }
            }

            public override int Connections
            {
                get { return 0; }
            }
        }
    }
}
