using System;
using System.Net;
using System.ServiceModel;
using System.ServiceModel.Description;
using Callbench.Kit;
using Callbench.Service;

namespace Callbench.Wcf.Rest
{
    /// <summary>REST with JSON: a ServiceHost with a WebHttpBinding, .NET's own HTTP client.</summary>
    public sealed class WebStack : Stack
    {
        private static readonly TimeSpan ServerPatience = TimeSpan.FromMinutes(1);

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            return Ports.Started("http", host, port, "", address => Start(service, address));
        }

        private static Server Start(SpeedService service, Uri address)
        {
            var host = new ServiceHost(new Resources(service), address);
            ServiceEndpoint endpoint = host.AddServiceEndpoint(typeof(IRestContract), Bindings.WebHttp(ServerPatience), address);
            endpoint.Behaviors.Add(new WebHttpBehavior());
            host.Description.Behaviors.Add(new JsonRefusals());
            return new Hosting(host, address + "rest/");
        }

        public override Client Connect(string endpoint, TimeSpan timeout)
        {
            Calling.ManyConnections();
            return new WebClient(new Requests(new Http(endpoint, timeout)));
        }

        private sealed class WebClient : Client
        {
            private readonly ISpeedService service;

            internal WebClient(ISpeedService service)
            {
                this.service = service;
            }

            public override ISpeedService Service
            {
                get
                {
                    return service;
                }
            }
        }
    }
}
