using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Reflection;
using Callbench.Own;
using Callbench.Service;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>
    /// Answers the host's requests, one after the other, by contract/RUNNER.md. They are well-formed and in order, which is the host's
    /// business.
    /// </summary>
    internal sealed class Runner
    {
        /// <summary>The version of the runner protocol that is spoken here.</summary>
        private const int Protocol = 1;

        private readonly Technologies technologies;
        private readonly Host host;
        private readonly Dictionary<string, OwnCall> own;
        private readonly double readingNs = Clock.ReadingNs();
        private readonly List<Client> clients = new List<Client>();
        private readonly Dictionary<string, Func<JObject, JObject>> actions;
        private Call prepared;
        private SpeedService service;
        private Server server;

        /// <param name="own">the calls of the user's own service, by name; empty if there is none</param>
        internal Runner(Technologies technologies, Host host, Dictionary<string, OwnCall> own)
        {
            this.own = own;
            this.technologies = technologies;
            this.host = host;
            actions = new Dictionary<string, Func<JObject, JObject>>
            {
                { "serve", Serve },
                { "stop-serving", request => StopServing() },
                { "counted", request => Counted() },
                { "connect", Connect },
                { "disconnect", request => Disconnect() },
                { "prepare", Prepare },
                { "call", request => MakeOne() },
                { "drive", Drive },
                { "trace", Traced },
                { "heap", request => new JObject { { "is", "heap" }, { "used_bytes", HeapHolds() } } },
                { "stop", request => Stop() }
            };
        }

        /// <summary>Until `stop`, the end of stdin or SIGTERM; then the process ends.</summary>
        internal void Run()
        {
            host.Say(Ready());
            JObject request;
            bool continues = true;
            while (continues && (request = host.Next()) != null)
            {
                JObject answer = Answer(request);
                answer["id"] = request["id"];
                host.Say(answer);
                continues = (string)answer["is"] != "stopped";
            }
            Host.Leave(0);
        }

        private JObject Ready()
        {
            string json = FileVersionInfo.GetVersionInfo(typeof(JsonConvert).Assembly.Location).FileVersion;
            return new JObject
            {
                { "is", "ready" },
                { "runner", Protocol },
                { "language", "c#" },
                { "version", typeof(Runner).Assembly.GetName().Version.ToString(3) },
                { "runtime", Runtime() },
                { "libraries", new JObject { { "Newtonsoft.Json", json } } },
                {
                    "clock",
                    new JObject { { "name", "CLOCK_MONOTONIC" }, { "resolution_ns", Clock.ResolutionNs() }, { "reading_ns", readingNs } }
                },
                { "features", new JArray("closed", "think", "ramp-up", "open", "burn", "heap", "trace") },
                { "stacks", new JArray(technologies.Names) },
                { "unavailable", new JObject() }
            };
        }

        /// <summary>Mono reports its version and build through a method that .NET does not have.</summary>
        private static string Runtime()
        {
            const BindingFlags hidden = BindingFlags.NonPublic | BindingFlags.Static;
            MethodInfo displayName = Type.GetType("Mono.Runtime")?.GetMethod("GetDisplayName", hidden);
            string name = displayName == null ? ".NET " + Environment.Version : "Mono " + displayName.Invoke(null, null);
            return name + ", processors " + Environment.ProcessorCount;
        }

        private JObject Answer(JObject request)
        {
            try
            {
                var what = (string)request["do"];
                if (!actions.TryGetValue(what, out Func<JObject, JObject> action))
                {
                    throw new Failure(Kind.BadRequest, "the request to do " + what + " is not known here");
                }
                return action(request);
            }
            catch (Exception thrown)
            {
                Failure failure = Failure.Of(thrown);
                if (!(thrown is Failure) || thrown.InnerException != null)
                {
                    // The stack trace is for people; the core gets one sentence.
                    Console.Error.WriteLine(thrown);
                }
                string kind = Kinds.Names[(int)failure.Kind];
                string message = string.IsNullOrEmpty(failure.Message) ? kind : failure.Message;
                return new JObject { { "is", "error" }, { "kind", kind }, { "message", message } };
            }
        }

        private JObject Serve(JObject request)
        {
            var its = new SpeedService(host.Ask, new Delays(request["delays"]), own.Values);
            server = Stack(request).Serve(its, IPAddress.Parse((string)request["host"]), (int)request["port"]);
            service = its;
            return new JObject { { "is", "serving" }, { "endpoint", server.Endpoint } };
        }

        private JObject StopServing()
        {
            Server ending = server;
            server = null;
            ending?.Close();
            return new JObject { { "is", "stopped-serving" } };
        }

        private JObject Counted()
        {
            return new JObject { { "is", "counts" }, { "calls", service.TakeCounts() }, { "processor", Clock.ProcessorTime() } };
        }

        private Stack Stack(JObject request) => technologies.Stack((string)request["stack"]);

        /// <summary>Connects all clients. If one fails, the others are closed again.</summary>
        private JObject Connect(JObject request)
        {
            Disconnect();
            Stack stack = Stack(request);
            try
            {
                for (int i = 0; i < (int)request["clients"]; i++)
                {
                    clients.Add(stack.Connect((string)request["endpoint"], TimeSpan.FromMilliseconds((double)request["timeout_ms"])));
                }
            }
            catch
            {
                Disconnect();
                throw;
            }
            return new JObject { { "is", "connected" }, { "connections", clients.Sum(client => client.Connections) } };
        }

        private JObject Disconnect()
        {
            foreach (Client client in clients)
            {
                try
                {
                    client.Close();
                }
                catch (Exception failure)
                {
                    Console.Error.WriteLine("callbench: a client does not close: " + failure.Message);
                }
            }
            clients.Clear();
            return new JObject { { "is", "disconnected" } };
        }

        private JObject Prepare(JObject request)
        {
            prepared = null;
            var name = (string)request["call"];
            JToken payloads = request["payloads"];
            prepared = own.TryGetValue(name, out OwnCall call) ? call.Prepared(payloads) : Call.Prepared(name, payloads);
            return new JObject { { "is", "prepared" } };
        }

        /// <summary>Makes one call with the first client, and returns its answer.</summary>
        private JObject MakeOne()
        {
            try
            {
                prepared.Make(clients[0].Service, 0);
            }
            catch (Exception thrown)
            {
                Failure failure = clients[0].Failed(thrown);
                if (failure.Kind != Kind.Fault)
                {
                    throw failure;
                }
                return new JObject { { "is", "returned" }, { "fault", new JObject { { "message", failure.Message } } } };
            }
            return new JObject { { "is", "returned" }, { "value", prepared.Answer() } };
        }

        private JObject Drive(JObject request)
        {
            var path = (string)request["gaps"];
            var drive = new Drive(Plan.Of(request, path == null ? null : Gaps(path)), (int)request["clients"], readingNs, host.Stopping);
            JObject done = drive.Run(
                               clients,
                               clients.Take(drive.Clients).Select(client => prepared.Again()).ToList(),
                               (long)request["start_at_ns"],
                               (atNs, calls, errors) => host.Say(
            new JObject { { "is", "interval" }, { "id", request["id"] }, { "at_ns", atNs }, { "calls", calls }, { "errors", errors } }));
            done["is"] = "done";
            return done;
        }

        /// <summary>A schedule of the contract: gaps of 64 bits, little-endian.</summary>
        private static long[] Gaps(string path)
        {
            byte[] bytes = File.ReadAllBytes(path);
            var gaps = new long[bytes.Length / 8];
            Buffer.BlockCopy(bytes, 0, gaps, 0, gaps.Length * 8);
            return gaps;
        }

        private JObject Traced(JObject request)
        {
            JObject traced = Trace.Play(request["trace"], host.Stopping);
            traced["is"] = "traced";
            return traced;
        }

        /// <summary>In bytes, after all has been collected that can be.</summary>
        private static long HeapHolds()
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.Collect();
            return GC.GetTotalMemory(true);
        }

        private JObject Stop()
        {
            Disconnect();
            StopServing();
            return new JObject { { "is", "stopped" } };
        }
    }
}
