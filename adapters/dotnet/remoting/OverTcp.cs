using System;
using System.Collections;
using System.Net;
using System.Runtime.Remoting;
using System.Runtime.Remoting.Channels;
using System.Runtime.Remoting.Channels.Tcp;
using System.Runtime.Serialization.Formatters;
using Callbench.Kit;
using Callbench.Service;

namespace Callbench.Remoting
{
    /// <summary>Remoting as .NET programs used it on a local network: the binary formatter over the TCP channel.</summary>
    public sealed class OverTcp : Kit.Stack
    {
        private TcpClientChannel channel;

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            var formatter = new BinaryServerFormatterSinkProvider { TypeFilterLevel = TypeFilterLevel.Full };
            return new Published(new TcpServerChannel(Published.At(host, port), formatter), service);
        }

        public override Kit.Client Connect(string endpoint, TimeSpan timeout)
        {
            if (channel == null)
            {
                channel = new TcpClientChannel(new Hashtable { { "name", "client" } }, new BinaryClientFormatterSinkProvider());
                ChannelServices.RegisterChannel(channel, false);
            }
            return new Caller(endpoint, timeout);
        }

        private sealed class Caller : Kit.Client
        {
            private readonly ISpeedService service;
            private readonly SharedPool pool;

            /// <summary>Until its first call, so that each client of many opens one.</summary>
            private object kept;

            internal Caller(string endpoint, TimeSpan timeout)
            {
                pool = new SharedPool(Endpoint.Of(endpoint, "tcp"), timeout);
                kept = pool.Take();
                service = (ISpeedService)RemotingServices.Connect(typeof(ISpeedService), endpoint);
            }

            public override ISpeedService Service
            {
                get
                {
                    Release();
                    return service;
                }
            }

            private void Release()
            {
                if (kept != null)
                {
                    SharedPool.Release(kept);
                    kept = null;
                }
            }

            /// <summary>The library throws a broken connection away, and would open one without a time-out.</summary>
            public override Failure Failed(Exception thrown)
            {
                Failure failure = Meaning.Of(thrown);
                if (failure.Kind != Kind.Fault)
                {
                    try
                    {
                        SharedPool.Release(pool.Take());
                    }
                    catch (Failure)
                    {
                        // The next call will meet the same error and report it.
                    }
                }
                return failure;
            }

            public override void Close()
            {
                SharedPool.Close(kept ?? pool.Take());
                kept = null;
            }
        }
    }
}
