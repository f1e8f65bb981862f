using System;
using System.Net;
using System.Net.Sockets;

namespace Callbench.Kit
{
    /// <summary>For libraries that must know the port before they listen.</summary>
    public static class Ports
    {
        private const int Tries = 5;

        /// <summary>Makes a server at an address whose port is free: once more, where another has taken it meanwhile.</summary>
        /// <param name="scheme">of the address, as `http`</param>
        /// <param name="start">makes the server; throws what is, or wraps, a SocketException where the port is taken</param>
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
