using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Callbench.Remoting
{
    /// <summary>
    /// The sockets on which this process listens. The HTTP channel hides its socket, and Mono does not give the descriptor. On Linux, a
    /// connection has the same options as the socket that accepted it.
    /// </summary>
    internal static class Listeners
    {
        private const int Socket = 1;
        private const int IsListening = 30;
        private const int Tcp = 6;
        private const int NoDelay = 1;

        [DllImport("libc", EntryPoint = "getsockopt")]
        private static extern int Get(int descriptor, int level, int option, out int value, ref uint length);

        [DllImport("libc", EntryPoint = "setsockopt")]
        private static extern int Set(int descriptor, int level, int option, ref int value, uint length);

        /// <summary>Switches Nagle's algorithm off for every connection accepted from now on.</summary>
        internal static void SendAtOnce()
        {
            int changed = 0;
            foreach (string entry in Directory.GetFiles("/proc/self/fd"))
            {
                int descriptor = int.Parse(Path.GetFileName(entry));
                int listening;
                uint length = sizeof(int);
                if (Get(descriptor, Socket, IsListening, out listening, ref length) == 0 && listening != 0)
                {
                    int on = 1;
                    changed += Set(descriptor, Tcp, NoDelay, ref on, sizeof(int)) == 0 ? 1 : 0;
                }
            }
            if (changed == 0)
            {
                throw new InvalidOperationException("no listening socket was found to switch Nagle's algorithm off for");
            }
        }
    }
}
