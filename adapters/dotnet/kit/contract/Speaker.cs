using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using Callbench.Kit.Drive;
using Mono.Unix;
using Mono.Unix.Native;

namespace Callbench.Kit.Contract
{
    /// <summary>Speaks for an adapter until `stop`, the end of stdin or SIGTERM.</summary>
    public sealed class Speaker
    {
        /// <summary>The descriptor that the launcher has kept the real stdout in.</summary>
        private const int KeptStdout = 3;

        /// <summary>The core kills what has not ended after 5 s; whoever hangs ends by itself before that.</summary>
        private const int GraceMs = 4000;

        /// <summary>How long a drive may go on whose core has closed our stdin.</summary>
        private const int LastDriveMs = 2000;

        private readonly Flag stopping = new Flag();
        private readonly ManualResetEventSlim ended = new ManualResetEventSlim();

        /// <summary>Not Environment.Exit: a library's threads have no say in when the process ends.</summary>
        [DllImport("libc", EntryPoint = "_exit")]
        private static extern void Leave(int code);

        /// <summary>Speaks over stdin and the real stdout; then the process ends.</summary>
        public void Speak(Adapter adapter)
        {
            var lines = new Lines(Console.OpenStandardInput(), () => LeaveAfter(LastDriveMs));
            ThreadStart terminating = () => Terminate(lines);
            var signals = new Thread(terminating) { IsBackground = true, Name = "sigterm" };
            signals.Start();
            int code = 0;
            try
            {
                Converse(new Session(adapter, new Output(KeptStdout), stopping), lines);
            }
            catch (IOException)
            {
                code = 1; // nobody listens any more
            }
            ended.Set();
            Leave(code);
        }

        private static void Converse(Session session, Lines lines)
        {
            session.Greet();
            bool goesOn = true;
            while (goesOn)
            {
                string line = lines.Next();
                if (ReferenceEquals(line, Lines.TheEnd))
                {
                    goesOn = false;
                }
                else if (ReferenceEquals(line, Lines.TooLong))
                {
                    session.RefuseLongLine();
                }
                else
                {
                    goesOn = session.Answer(line);
                }
            }
            session.End();
        }

        private void Terminate(Lines lines)
        {
            new UnixSignal(Signum.SIGTERM).WaitOne();
            lines.End();
            LeaveAfter(0);
        }

        /// <summary>What was asked before is still answered, if it does not take long.</summary>
        private void LeaveAfter(int firstMs)
        {
            if (!ended.Wait(firstMs))
            {
                stopping.Raise();
            }
            if (!ended.Wait(GraceMs - firstMs))
            {
                Console.Error.WriteLine("callbench: a call or a server does not end, so the adapter leaves without it");
                Leave(1);
            }
        }
    }
}
