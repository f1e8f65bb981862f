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
    /// <summary>A flag that is set once and that other threads read often.</summary>
    internal sealed class Flag
    {
        internal volatile bool Raised;
    }

    /// <summary>
    /// The connection with the host: requests to the runner, and questions of the runner's server to the host. Each is a line.
    /// </summary>
    internal sealed class Host
    {
        /// <summary>The descriptor in which the launcher keeps the real stdout.</summary>
        private const int KeptStdout = 3;

        /// <summary>The time that a call or a server has to end when the process must end.</summary>
        private const int GraceMs = 1000;

        /// <summary>Raised when the process is to end: drives end early.</summary>
        internal readonly Flag Stopping = new Flag();

        private readonly BlockingCollection<JObject> requests = new BlockingCollection<JObject>();
        private readonly Dictionary<long, JObject> answers = new Dictionary<long, JObject>();
        private readonly TextWriter output = new StreamWriter(new UnixStream(KeptStdout, false), new UTF8Encoding(false));
        private long lastAsk;

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

        /// <summary>Writes one line. Ends the process if the host has gone.</summary>
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
                long number = ++lastAsk;
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

        /// <summary>The next line; null if the host has gone.</summary>
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

        private void Take(JObject message)
        {
            if ((string)message["do"] != "answer")
            {
                requests.Add(message);
                return;
            }
            lock (answers)
            {
                answers[(long)message["ask"]] = message;
                Monitor.PulseAll(answers);
            }
        }
    }
}
