using System;
using System.Collections.Generic;
using System.Net;
using System.Threading;
using Callbench.Kit;
using Callbench.Service;

namespace Callbench.Wcf.Channel
{
    /// <summary>
    /// SOAP over WCF's raw channel: a listener and a thread a client. One listener read by many threads would be the obvious way, but
    /// Mono's queue between its HTTP server and those who read is not guarded, and now and then loses a request. With one client a
    /// listener the queue never holds more than one.
    /// </summary>
    public sealed class ChannelStack : Stack
    {
        private const int Listeners = 64;

        private static readonly TimeSpan ServerPatience = TimeSpan.FromMinutes(1);

        private int clients = -1;

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            return Ports.Started("http", host, port, "soap/", address => new Replying(new Answering(service), address));
        }

        public override Client Connect(string endpoint, TimeSpan timeout)
        {
            // Else head and body go one after the other, and with Nagle's algorithm the body waits 40 ms for the head's acknowledgement.
            ServicePointManager.FindServicePoint(new Uri(endpoint)).Expect100Continue = false;
            int place = (Interlocked.Increment(ref clients) & int.MaxValue) % Listeners;
            return new Calling(Bindings.BasicHttp(timeout), Place(endpoint, place));
        }

        /// <summary>The first is where other parties' clients come.</summary>
        private static string Place(string endpoint, int place)
        {
            return place == 0 ? endpoint : endpoint + place + "/";
        }

        private sealed class Replying : Server
        {
            private readonly List<ReplyServer> servers = new List<ReplyServer>();
            private readonly string endpoint;

            internal Replying(ISpeedContract service, Uri address)
            {
                endpoint = address.ToString();
                try
                {
                    for (int place = 0; place < Listeners; place++)
                    {
                        servers.Add(new ReplyServer(service, Bindings.BasicHttp(ServerPatience), new Uri(Place(endpoint, place))));
                    }
                }
                catch
                {
                    Close();
                    throw;
                }
            }

            public override string Endpoint
            {
                get
                {
                    return endpoint;
                }
            }

            public override void Close()
            {
                foreach (ReplyServer each in servers)
                {
                    each.Dispose();
                }
            }
        }
    }
}
