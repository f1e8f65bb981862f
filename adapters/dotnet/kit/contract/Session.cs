using System;
using System.IO;
using Callbench.Kit.Drive;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit.Contract
{
    /// <summary>One conversation with the core: which request does what.</summary>
    internal sealed class Session
    {
        private readonly Output output;
        private readonly Adapter adapter;
        private readonly Flag stopping;
        private readonly Serving serving;
        private readonly Clients clients;
        private long lastId;

        /// <summary>Speaks for an adapter; <paramref name="stopping"/> raised from outside ends drives early.</summary>
        internal Session(Adapter adapter, Output output, Flag stopping)
        {
            this.adapter = adapter;
            this.output = output;
            this.stopping = stopping;
            serving = new Serving(adapter);
            clients = new Clients(adapter);
        }

        internal void Greet()
        {
            Say(adapter.Hello());
        }

        /// <summary>Answers one line; false after `stop`. Throws IOException where the core cannot be written to.</summary>
        internal bool Answer(string line)
        {
            JObject members = Request.Parsed(line);
            long id = Request.Id(members);
            // Ids rise by one, so that a line without a readable id still has one.
            lastId = id == 0 ? lastId + 1 : id;
            bool stops = false;
            JObject said;
            try
            {
                if (id == 0)
                {
                    throw Failure.BadRequest("the request has no id: it must be a whole number from 1 on");
                }
                Request request = Request.Of(members);
                stops = request.What == "stop";
                said = Act(lastId, request);
            }
            catch (Exception thrown)
            {
                said = Error(Failure.Of(thrown));
                Log(thrown);
            }
            said["id"] = lastId;
            Say(said);
            return !stops;
        }

        /// <summary>Answers a line that was too long to keep.</summary>
        internal void RefuseLongLine()
        {
            JObject said = Error(Failure.BadRequest("the line is longer than " + Lines.Longest + " bytes"));
            said["id"] = ++lastId;
            Say(said);
        }

        /// <summary>Closes what is open.</summary>
        internal void End()
        {
            clients.Close();
            try
            {
                serving.Close();
            }
            catch (Exception failure)
            {
                Log(failure);
            }
        }

        private JObject Act(long id, Request request)
        {
            switch (request.What)
            {
            case "serve":
                return With("serving", "endpoint", serving.Serve(request));
            case "stop-serving":
                serving.Stop();
                return Is("stopped-serving");
            case "connect":
                return With("connected", "connections", clients.Connect(request));
            case "call":
                return Returned(request);
            case "drive":
                return new Driving(clients, adapter.ReadingNs, stopping).Drive(request, interval => Tell(id, interval));
            case "counted":
                return Counts();
            case "heap":
                return With("heap", "used_bytes", HeapHolds());
            case "trace":
                return Tracing.Traced(request, stopping);
            case "disconnect":
                clients.Close();
                return Is("disconnected");
            case "stop":
                End();
                return Is("stopped");
            case "serve-all":
            case "channel":
            case "codec":
                string sentence = "the adapter dotnet has no " + request.What + ": hello lists its features";
                throw new Failure(Kind.Unsupported, sentence);
            default:
                throw Failure.BadRequest("there is nothing to do called " + request.What);
            }
        }

        private JObject Returned(Request request)
        {
            Call call = Arguments.Call(request.Text("call"), request.Members("arguments"));
            try
            {
                object value = clients.Call(call);
                return With("returned", "value", new JRaw(Canonical.DigestIfLarge(Canonical.Text(value))));
            }
            catch (Failure failure) when (failure.Kind == Kind.Fault)
            {
                return With("returned", "fault", new JObject { { "message", failure.Message } });
            }
        }

        private JObject Counts()
        {
            var calls = new JObject();
            foreach (var each in serving.Counted())
            {
                calls[each.Key] = each.Value;
            }
            JObject said = With("counts", "calls", calls);
            said["processor"] = Processor.Used().Json();
            return said;
        }

        /// <summary>In bytes, after all has been collected that can be.</summary>
        private static long HeapHolds()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            return GC.GetTotalMemory(true);
        }

        internal static JObject Is(string what)
        {
            return new JObject { { "is", what } };
        }

        private static JObject With(string what, string name, JToken value)
        {
            return new JObject { { "is", what }, { name, value } };
        }

        private static JObject Error(Failure failure)
        {
            string message = string.IsNullOrEmpty(failure.Message) ? Kinds.Said[(int)failure.Kind] : failure.Message;
            return new JObject { { "is", "error" }, { "kind", Kinds.Said[(int)failure.Kind] }, { "message", message } };
        }

        /// <summary>The whole story of what a library threw, for people; the core gets one sentence.</summary>
        private static void Log(Exception thrown)
        {
            if (!(thrown is Failure) || thrown.InnerException != null)
            {
                Console.Error.WriteLine(thrown);
            }
        }

        private bool Tell(long id, JObject interval)
        {
            interval["id"] = id;
            try
            {
                Say(interval);
                return true;
            }
            catch (IOException)
            {
                return false;
            }
        }

        private void Say(JObject said)
        {
            output.Line(said.ToString(Formatting.None));
        }
    }
}
