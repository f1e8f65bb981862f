using System;
using System.Collections;
using System.Net;
using System.Reflection;
using System.Runtime.Remoting;
using System.Runtime.Remoting.Channels;
using System.Runtime.Remoting.Channels.Http;
using System.Runtime.Serialization.Formatters;
using Callbench.Kit;
using Callbench.Service;

namespace Callbench.Remoting
{
    /// <summary>Remoting as .NET programs used it across the Internet: the SOAP formatter over the HTTP channel.</summary>
    public sealed class OverHttp : Kit.Stack
    {
        /// <summary>
        /// Mono reads it only when a channel is created. A second channel would not be used, because a proxy keeps its first one.
        /// </summary>
        private static readonly FieldInfo Timeout =
            typeof(HttpClientChannel).GetField("timeout", BindingFlags.NonPublic | BindingFlags.Instance);

        private readonly bool nodelay;
        private HttpClientChannel channel;

        /// <param name="how">stock, or nodelay: the server's connections do not wait for acknowledgements</param>
        public OverHttp(string how)
        {
            nodelay = how == "nodelay";
            // Stock: two connections a server.
            ServicePointManager.DefaultConnectionLimit = int.MaxValue;
        }

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            var formatter = new SoapServerFormatterSinkProvider { TypeFilterLevel = TypeFilterLevel.Full };
            var published = new Published(new HttpServerChannel(Published.At(host, port), formatter), service);
            if (nodelay)
            {
                Listeners.SendAtOnce();
            }
            return published;
        }

        public override Kit.Client Connect(string endpoint, TimeSpan timeout)
        {
            if (channel == null)
            {
                channel = new HttpClientChannel(new Hashtable { { "name", "client" } }, new SoapClientFormatterSinkProvider());
                ChannelServices.RegisterChannel(channel, false);
            }
            Timeout.SetValue(channel, (int)timeout.TotalMilliseconds);
            return new Caller(endpoint);
        }

        private sealed class Caller : Kit.Client
        {
            private readonly ISpeedService service;
            private readonly Uri server;

            internal Caller(string endpoint)
            {
                server = Endpoint.Of(endpoint, "http");
                service = (ISpeedService)RemotingServices.Connect(typeof(ISpeedService), endpoint);
            }

            public override ISpeedService Service
            {
                get { return service; }
            }

            public override Failure Failed(Exception thrown)
            {
                return Meaning.Of(thrown);
            }

            /// <summary>All of the process to that server, since the library shares them.</summary>
            public override void Close()
            {
                ServicePointManager.FindServicePoint(server).CloseConnectionGroup(null);
            }
        }
    }
}
