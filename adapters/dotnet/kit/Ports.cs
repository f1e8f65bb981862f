using System;
using System.Net;
using System.Net.Sockets;

namespace Callbench.Kit
{
    /// <summary>For libraries that must know the port before they listen.</summary>
    public static class Ports
    {
        private const int Tries = 5;

        /// <summary>Starts a server at a free port. If another process has taken the port meanwhile, it tries again.</summary>
        /// <param name="scheme">of the address, such as `http`</param>
        /// <param name="start">starts the server; throws SocketException, or an exception that wraps it, if the port is in use</param>
        public static Server Started(string scheme, IPAddress host, int port, string path, Func<Uri, Server> start)
        {
            for (int attempt = 1; ; attempt++)
            {
                var address = new UriBuilder(scheme, host.ToString(), port == 0 ? Free(host) : port, path).Uri;
                try
                {
                    return start(address);
                }
                catch (Exception taken)
                {
                    if (attempt == Tries || port != 0 || !(taken.GetBaseException() is SocketException))
                    {
                        throw;
                    }
                }
            }
        }

        private static int Free(IPAddress host)
        {
            var listener = new TcpListener(host, 0);
            listener.Start();
            try
            {
                return ((IPEndPoint)listener.LocalEndpoint).Port;
            }
            finally
            {
                listener.Stop();
            }
        }
    }
}
