using System;
using System.ServiceModel;
using Callbench.Kit;

namespace Callbench.Wcf
{
    /// <summary>A server that a ServiceHost runs.</summary>
    internal sealed class Hosting : Server
    {
        private static readonly TimeSpan ToClose = TimeSpan.FromSeconds(1);

        private readonly ServiceHost host;
        private readonly string endpoint;

        /// <summary>Opens the host, and closes it again where that fails.</summary>
        internal Hosting(ServiceHost host, string endpoint)
        {
            this.host = host;
            this.endpoint = endpoint;
            try
            {
                host.Open();
            }
            catch
            {
                host.Abort();
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
            try
            {
                host.Close(ToClose);
            }
            catch (TimeoutException)
            {
                host.Abort();
            }
        }
    }
}
