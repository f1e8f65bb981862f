using System;
using System.Collections.Generic;
using System.Net;
using System.Threading;
using Callbench.Kit;
using Callbench.Own;
using Callbench.Service;

namespace Callbench.Wcf.Channel
{
    /// <summary>
    /// SOAP over WCF's raw channel, with a listener and a thread per client. One listener for many threads would be simpler. But Mono's
    /// queue between its HTTP server and the readers is not synchronised and sometimes loses a request. With one client per listener, the
    /// queue never holds more than one request.
    /// </summary>
    public sealed class ChannelStack : Stack
    {
        private const int Listeners = 64;

        private static readonly TimeSpan ServerPatience = TimeSpan.FromMinutes(1);

        private int clients = -1;

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            return Ports.Started("http", host, port, "soap/", address => new Replying(Operations(service), address));
        }

        /// <summary>By the name of the element. Those of the user's own service come last, so that they replace others.</summary>
        private static IDictionary<string, Operation> Operations(SpeedService service)
        {
            var operations = new Dictionary<string, Operation>(StringComparer.Ordinal);
            Operation.Add(operations, typeof(ISpeedContract), new Answering(service));
            if (OwnCall.Service != null)
            {
                Operation.Add(operations, OwnProxy.ContractType, OwnProxy.Server(service.Own));
            }
            return operations;
        }

        public override Client Connect(string endpoint, TimeSpan timeout)
        {
            // Else head and body go one after the other, and with Nagle's algorithm the body waits 40 ms for the head's acknowledgement.
            ServicePointManager.FindServicePoint(new Uri(endpoint)).Expect100Continue = false;
            int place = (Interlocked.Increment(ref clients) & int.MaxValue) % Listeners;
            string its = Place(endpoint, place);
            return new Calling(Bindings.BasicHttp(timeout), its, its);
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

            internal Replying(IDictionary<string, Operation> operations, Uri address)
            {
                endpoint = address.ToString();
                try
                {
                    for (int place = 0; place < Listeners; place++)
                    {
                        servers.Add(new ReplyServer(operations, Bindings.BasicHttp(ServerPatience), new Uri(Place(endpoint, place))));
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
