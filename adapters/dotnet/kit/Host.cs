using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using Mono.Unix;
using Mono.Unix.Native;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>Something that other threads look at all the time and that is raised once.</summary>
    internal sealed class Flag
    {
        internal volatile bool Raised;
    }

    /// <summary>
    /// The conversation with the host, line by line: what it asks of the runner, and what the runner's server asks of it.
    /// </summary>
    internal sealed class Host
    {
        /// <summary>The descriptor that the launcher has kept the real stdout in.</summary>
        private const int KeptStdout = 3;

        /// <summary>So long a call or a server may take to end, once the process is to end.</summary>
        private const int GraceMs = 1000;

        /// <summary>Raised when the process is to end: drives end early.</summary>
        internal readonly Flag Stopping = new Flag();

        private readonly BlockingCollection<JObject> requests = new BlockingCollection<JObject>();
        private readonly Dictionary<long, JObject> answers = new Dictionary<long, JObject>();
        private readonly TextWriter output = new StreamWriter(new UnixStream(KeptStdout, false), new UTF8Encoding(false));
        private long asked;

        /// <summary>Begins to read requests. The end of stdin or a SIGTERM ends the process, at the latest after a second.</summary>
        internal Host()
        {
            Start("lines", Read);
            Start("sigterm", () => new UnixSignal(Signum.SIGTERM).WaitOne());
        }

        private void Start(string name, Action untilTheEnd)
        {
            ThreadStart watching = () =>
            {
                try
                {
                    untilTheEnd();
                }
                catch (Exception failure)
                {
                    Console.Error.WriteLine("callbench: the runner cannot go on with its host: " + failure);
                    Leave(1);
                }
                Stopping.Raised = true;
                requests.Add(null);
                Thread.Sleep(GraceMs);
                Leave(0);
            };
            new Thread(watching) { IsBackground = true, Name = name } .Start();
        }

        /// <summary>Not Environment.Exit: a library's threads have no say in when the process ends.</summary>
        [DllImport("libc", EntryPoint = "_exit")]
        internal static extern void Leave(int code);

        /// <summary>The next request; null once the process is to end.</summary>
        internal JObject Next() => requests.Take();

        /// <summary>Writes one line; ends the process where there is nobody left to write to.</summary>
        internal void Say(JObject message)
        {
            lock (output)
            {
                try
                {
                    message.WriteTo(new JsonTextWriter(output));
                    output.Write('\n');
                    output.Flush();
                }
                catch (IOException)
                {
                    Leave(0);
                }
            }
        }

        /// <summary>Has the host work out the answer of a call of the service: an object with `value` or `fault`. For any thread.</summary>
        internal JObject Ask(string call, JObject arguments)
        {
            lock (answers)
            {
                long number = ++asked;
                Say(new JObject { { "is", "ask" }, { "ask", number }, { "call", call }, { "arguments", arguments } });
                JObject answer;
                while (!answers.TryGetValue(number, out answer))
                {
                    Monitor.Wait(answers);
                }
                answers.Remove(number);
                return answer;
            }
        }

        private void Read()
        {
            // A reader of JSON that is given the stream would wait for more than the line that is there.
            using (var input = new StreamReader(Console.OpenStandardInput(), Encoding.UTF8, false, 1 << 16))
            {
                string line;
                while ((line = Line(input)) != null)
                {
                    try
                    {
                        Take(JObject.Load(new JsonTextReader(new StringReader(line)) { DateParseHandling = DateParseHandling.None }));
                    }
                    catch (JsonException failure)
                    {
                        Console.Error.WriteLine("callbench: the host wrote what is no line of the runner protocol: " + failure.Message);
                        Leave(1);
                    }
                }
            }
        }

        /// <summary>The next line; null where the host has gone.</summary>
        private static string Line(TextReader input)
        {
            try
            {
                return input.ReadLine();
            }
            catch (IOException)
            {
                return null;
            }
        }

        private void Take(JObject said)
        {
            if ((string)said["do"] != "answer")
            {
                requests.Add(said);
                return;
            }
            lock (answers)
            {
                answers[(long)said["ask"]] = said;
                Monitor.PulseAll(answers);
            }
        }
    }
}
