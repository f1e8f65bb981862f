using System;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.Remoting.Channels.Tcp;
using Callbench.Kit;

namespace Callbench.Remoting
{
    /// <summary>
    /// The private pool of connections of the TCP channel. There is one per process and server. It is accessed by reflection, because the
    /// channel has no timeout, so a call without an answer would wait forever. This adds nothing to the time of a call.
    /// </summary>
    internal sealed class SharedPool
    {
        private const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

        private static readonly Type Pool = Library("System.Runtime.Remoting.Channels.Tcp.TcpConnectionPool");
        private static readonly Type Connection = Library("System.Runtime.Remoting.Channels.Tcp.TcpConnection");

        private readonly Uri server;
        private readonly int timeoutMs;

        static SharedPool()
        {
            // By default an idle connection is closed after 15 s, and the next call would open one without a time-out.
            Pool.GetProperty("KeepAliveSeconds", Hidden).SetValue(null, int.MaxValue, null);
        }

        /// <param name="server">tcp://ADDRESS:PORT/NAME</param>
        /// <param name="timeout">of each call</param>
        internal SharedPool(Uri server, TimeSpan timeout)
        {
            this.server = server;
            timeoutMs = (int)timeout.TotalMilliseconds;
        }

        private static Type Library(string name)
        {
            return typeof(TcpClientChannel).Assembly.GetType(name, true);
        }

        /// <summary>A connection with a timeout for exclusive use. If none is idle, a new one is created. Throws Failure.</summary>
        internal object Take()
        {
            object connection;
            try
            {
                connection = Pool.GetMethod("GetConnection", Hidden).Invoke(null, new object[] { server.Host, server.Port });
            }
            catch (TargetInvocationException failure)
            {
                throw Meaning.Of(failure.InnerException);
            }
            var client = (TcpClient)Connection.GetField("_client", Hidden).GetValue(connection);
            client.ReceiveTimeout = timeoutMs;
            client.SendTimeout = timeoutMs;
            return connection;
        }

        /// <summary>Returns a connection to the pool.</summary>
        internal static void Release(object connection)
        {
            Connection.GetMethod("Release", Hidden).Invoke(connection, null);
        }

        internal static void Close(object connection)
        {
            Connection.GetMethod("Close", Hidden).Invoke(connection, null);
        }
    }
}
