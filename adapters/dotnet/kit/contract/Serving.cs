using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using Callbench.Service;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit.Contract
{
    /// <summary>The server's side of a session: what is served, and what was counted.</summary>
    internal sealed class Serving
    {
        private const int MostPort = 65535;
        private const double MostBurnMicroseconds = 1000000;

        private static readonly string[] Options = { "delay_us", "stall_us", "stall_every_us", "burn_us" };

        private readonly Adapter adapter;
        private SpeedService service;
        private Server server;

        internal Serving(Adapter adapter)
        {
            this.adapter = adapter;
        }

        /// <summary>Gives the endpoint.</summary>
        internal string Serve(Request request)
        {
            if (server != null)
            {
                throw Failure.BadRequest("something is served already: say stop-serving first");
            }
            Stack stack = adapter.Stack(request.Text("stack"));
            IPAddress host = Address(request.Text("host"));
            int port = (int)request.OptionalWhole("port", 0, MostPort, 0);
            var fresh = new SpeedService(DelaysOf(request.Members("options")));
            server = stack.Serve(fresh, host, port);
            service = fresh;
            return server.Endpoint;
        }

        /// <summary>A numeric address only: a name would be looked up.</summary>
        private static IPAddress Address(string host)
        {
            IPAddress address;
            if (!IPAddress.TryParse(host, out address))
            {
                throw Failure.BadRequest("host is " + host + ": it must be an IP address");
            }
            return address;
        }

        private static Delays DelaysOf(JObject options)
        {
            RefuseUnknown(options, Options);
            long each = Nanoseconds(options, "delay_us");
            long stall = Nanoseconds(options, "stall_us");
            long every = Nanoseconds(options, "stall_every_us");
            if ((options["stall_us"] == null) != (options["stall_every_us"] == null))
            {
                throw Failure.BadRequest("stall_us and stall_every_us must be given together");
            }
            if (options["stall_us"] != null && stall >= every)
            {
                throw Failure.BadRequest("stall_us must be less than stall_every_us");
            }
            return new Delays(each, stall, every, Burn(options["burn_us"]));
        }

        private static long Nanoseconds(JObject options, string name)
        {
            JToken given = options[name];
            if (given == null)
            {
                return 0;
            }
            int microseconds;
            if (given.Type != JTokenType.Integer || !int.TryParse(given.ToString(), out microseconds) || microseconds < 0)
            {
                throw Failure.BadRequest(name + " is " + given.ToString(Formatting.None) + ": it must be a whole number of microseconds");
            }
            return microseconds * 1000L;
        }

        private static long Burn(JToken given)
        {
            if (given == null)
            {
                return 0;
            }
            bool number = given.Type == JTokenType.Integer || given.Type == JTokenType.Float;
            if (!number || !((double)given >= 0 && (double)given <= MostBurnMicroseconds))
            {
                string shown = given.ToString(Formatting.None);
                throw Failure.BadRequest("burn_us is " + shown + ": it must be a number of microseconds from 0 to " + MostBurnMicroseconds);
            }
            return (long)((double)given * 1000);
        }

        internal static void RefuseUnknown(JObject options, params string[] known)
        {
            foreach (JProperty each in options.Properties())
            {
                if (!known.Contains(each.Name))
                {
                    string list = known.Length == 0 ? "none is known here" : "known are " + string.Join(", ", known);
                    throw Failure.BadRequest("the option " + each.Name + " is unknown: " + list);
                }
            }
        }

        internal IDictionary<string, long> Counted()
        {
            if (server == null)
            {
                throw NothingServed();
            }
            return service.TakeCounts();
        }

        internal void Stop()
        {
            if (server == null)
            {
                throw NothingServed();
            }
            Close();
        }

        internal void Close()
        {
            if (server != null)
            {
                Server ending = server;
                server = null;
                ending.Close();
            }
        }

        private static Failure NothingServed()
        {
            return Failure.BadRequest("nothing is served: say serve first");
        }
    }
}
