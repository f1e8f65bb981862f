using System;
using System.Net;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.ServiceModel.Description;
using Callbench.Kit;
using Callbench.Service;

namespace Callbench.Wcf
{
    /// <summary>WCF as a user would host it: a ServiceHost with one endpoint, its proxy as the client.</summary>
    public sealed class HostedStack : Stack
    {
        private static readonly TimeSpan ServerPatience = TimeSpan.FromMinutes(1);

        private readonly bool http;

        /// <param name="binding">`basichttp` (SOAP 1.1) or `nettcp` (SOAP 1.2 in binary)</param>
        public HostedStack(string binding)
        {
            http = binding == "basichttp";
        }

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            return Ports.Started(http ? "http" : "net.tcp", host, port, "soap", address => Start(service, address));
        }

        private Server Start(SpeedService service, Uri address)
        {
            var host = new ServiceHost(new Answering(service), address);
            host.AddServiceEndpoint(typeof(ISpeedContract), Speaking(ServerPatience), address);
            host.Description.Behaviors.Add(new Refusals());
            if (http)
            {
                host.Description.Behaviors.Add(new ServiceMetadataBehavior { HttpGetEnabled = true });
            }
            return new Hosting(host, address.ToString());
        }

        public override Client Connect(string endpoint, TimeSpan timeout)
        {
            return new Calling(Speaking(timeout), endpoint);
        }

        private Binding Speaking(TimeSpan patience)
        {
            return http ? Bindings.BasicHttp(patience) : (Binding)Bindings.NetTcp(patience);
        }
    }
}
