using System;
using System.Net;
using System.ServiceModel;
using System.ServiceModel.Channels;
using Callbench.Kit;
using Callbench.Own;
using Callbench.Service;

namespace Callbench.Wcf
{
    /// <summary>A client through WCF's proxy.</summary>
    internal sealed class Calling : Client
    {
        // By default, .NET keeps two connections to a server for any number of clients, so calls would wait for each other.
        private const int Connected = 1024;

        private readonly ChannelFactory<ISpeedContract> factory;
        private readonly ISpeedContract proxy;
        private readonly ISpeedService service;

        private readonly OwnProxy own;

        /// <param name="ownEndpoint">where the calls of the user's own service are served; null: nowhere</param>
        internal Calling(Binding binding, string endpoint, string ownEndpoint = null)
        {
            ManyConnections();
            factory = new ChannelFactory<ISpeedContract>(binding, new EndpointAddress(endpoint));
            proxy = factory.CreateChannel();
            own = ownEndpoint == null || OwnCall.Service == null ? null : OwnProxy.To(binding, ownEndpoint);
            service = new ProxyService(proxy, own);
            // Connects if the binding has connections. HTTP connects at the first call.
            ((IClientChannel)proxy).Open();
        }

        internal static void ManyConnections()
        {
            ServicePointManager.DefaultConnectionLimit = Connected;
        }

        public override ISpeedService Service
        {
            get
            {
                return service;
            }
        }

        public override Failure Failed(Exception thrown)
        {
            if (thrown is FaultException)
            {
                return Failure.Fault(thrown.Message);
            }
            Failure failure = Failure.Of(thrown);
            bool unexplained = failure.Kind == Kind.Protocol || failure.Kind == Kind.Internal;
            if (unexplained && (thrown is CommunicationException || thrown is ObjectDisposedException))
            {
                return new Failure(Kind.Closed, thrown.GetType().Name + ": " + thrown.Message, thrown);
            }
            return failure;
        }

        public override void Close()
        {
            own?.Close();
            try
            {
                ((IClientChannel)proxy).Close();
                factory.Close();
            }
            catch (Exception)
            {
                // A channel that has failed cannot be closed, only given up.
                ((IClientChannel)proxy).Abort();
                factory.Abort();
            }
        }
    }
}
