using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Callbench.Kit;
using Callbench.Service;
using Newtonsoft.Json;

namespace Callbench.Json
{
    /// <summary>JSON-RPC 2.0 by POST: HttpWebRequest, HttpListener and Newtonsoft's JSON.</summary>
    public sealed class JsonHttp : Stack
    {
        internal const string ContentType = "application/json";

        public JsonHttp()
        {
            // The defaults of .NET: two connections per server, and a request waits for permission to send its body.
            ServicePointManager.DefaultConnectionLimit = int.MaxValue;
            ServicePointManager.Expect100Continue = false;
        }

        public override Server Serve(SpeedService service, IPAddress host, int port)
        {
            return Ports.Started("http", host, port, "json", address => new Listening(address, new Methods(service)));
        }

        public override Client Connect(string endpoint, TimeSpan timeout)
        {
            if (!Uri.TryCreate(endpoint, UriKind.Absolute, out Uri place) || place.Scheme != "http")
            {
                throw Failure.BadRequest("the endpoint is " + endpoint + ": it must be http://ADDRESS:PORT/json");
            }
            return new Calling(place, timeout);
        }

        private sealed class Calling : Client
        {
            private readonly Uri server;

            internal Calling(Uri server, TimeSpan timeout)
            {
                this.server = server;
                Service = new Caller(server.ToString(), timeout);
            }

            public override ISpeedService Service { get; }

            /// <summary>All of the process to that server, since the library shares them.</summary>
            public override void Close()
            {
                ServicePointManager.FindServicePoint(server).CloseConnectionGroup(null);
            }
        }

        private sealed class Listening : Server
        {
            private readonly HttpListener listener = new HttpListener();
            private readonly Methods methods;

            internal Listening(Uri address, Methods methods)
            {
                this.methods = methods;
                Endpoint = address.ToString();
                listener.Prefixes.Add(address + "/");
                listener.Start();
                new Thread(Accept) { IsBackground = true, Name = "listener" } .Start();
            }

            public override string Endpoint { get; }

            public override void Close()
            {
                listener.Abort();
            }

            /// <summary>Hands each request to the pool of threads, until the listener ends.</summary>
            private void Accept()
            {
                try
                {
                    while (listener.IsListening)
                    {
                        HttpListenerContext context = listener.GetContext();
                        ThreadPool.QueueUserWorkItem(given => Answer(context));
                    }
                }
                catch (Exception end) when (end is HttpListenerException || end is ObjectDisposedException || end is SocketException)
                {
                    // Close ends it so.
                }
            }

            private void Answer(HttpListenerContext context)
            {
                try
                {
                    byte[] body = Json.Written(Answered(context.Request));
                    context.Response.ContentType = ContentType;
                    context.Response.ContentLength64 = body.Length;
                    context.Response.OutputStream.Write(body, 0, body.Length);
                    context.Response.Close();
                }
                catch (Exception gone) when (gone is IOException || gone is HttpListenerException || gone is ObjectDisposedException)
                {
                    // The client has closed the connection.
                    context.Response.Abort();
                }
                catch (Exception failure)
                {
                    Console.Error.WriteLine("callbench: the server answers with a failure: " + failure);
                    context.Response.StatusCode = (int)HttpStatusCode.InternalServerError;
                    context.Response.Close();
                }
            }

            private object Answered(HttpListenerRequest request)
            {
                try
                {
                    return methods.Answer(Json.Tree(request.InputStream));
                }
                catch (Exception unreadable) when (unreadable is JsonException || unreadable is ArgumentException)
                {
                    return Methods.Refused(Error.Unreadable, unreadable.Message, null);
                }
            }
        }
    }
}
