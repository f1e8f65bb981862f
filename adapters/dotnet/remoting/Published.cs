using System.Collections;
using System.Net;
using System.Runtime.Remoting;
using System.Runtime.Remoting.Channels;
using Callbench.Kit;
using Callbench.Service;

namespace Callbench.Remoting
{
    /// <summary>The service as an object that a channel reaches, until it is closed.</summary>
    internal sealed class Published : Server
    {
        private const string Name = "SpeedService";

        private readonly IChannelReceiver channel;
        private readonly SpeedService service;

        /// <summary>Publishes it on a channel that is made and not registered yet.</summary>
        internal Published(IChannelReceiver channel, SpeedService service)
        {
            this.channel = channel;
            this.service = service;
            // A refusal reaches the client as the exception that it is, not as "ask the administrator".
            RemotingConfiguration.CustomErrorsMode = CustomErrorsModes.Off;
            ChannelServices.RegisterChannel(channel, false);
            RemotingServices.Marshal(service, Name);
        }

        /// <summary>The address on which a channel listens, and that it must not publish any other address.</summary>
        internal static IDictionary At(IPAddress host, int port)
        {
            string address = host.ToString();
            return new Hashtable { { "name", "server" }, { "port", port }, { "bindTo", address }, { "machineName", address } };
        }

        public override string Endpoint
        {
            get { return channel.GetUrlsForUri(Name)[0]; }
        }

        public override void Close()
        {
            RemotingServices.Disconnect(service);
            channel.StopListening(null);
            ChannelServices.UnregisterChannel(channel);
        }
    }
}
