using System;
using System.Runtime.InteropServices;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>Processor time of the whole process in nanoseconds: .NET itself tells it in steps of 10 ms.</summary>
    public struct Processor
    {
        private const int Self = 0;

        /// <summary>struct rusage, of which only the two times are read.</summary>
        [StructLayout(LayoutKind.Sequential)]
        private struct Resources
        {
            internal long UserSeconds;
            internal long UserMicroseconds;
            internal long SystemSeconds;
            internal long SystemMicroseconds;
            private readonly Others others;
        }

        [StructLayout(LayoutKind.Sequential, Size = 14 * 8)]
        private struct Others
        {
        }

        private readonly long userNs;
        private readonly long systemNs;

        private Processor(long userNs, long systemNs)
        {
            this.userNs = userNs;
            this.systemNs = systemNs;
        }

        [DllImport("libc", EntryPoint = "getrusage")]
        private static extern int Usage(int who, out Resources used);

        /// <summary>Since the process began.</summary>
        public static Processor Used()
        {
            Resources used;
            if (Usage(Self, out used) != 0)
            {
                throw new InvalidOperationException("the kernel does not tell this process's processor time");
            }
            return new Processor(
                       used.UserSeconds * 1000000000 + used.UserMicroseconds * 1000,
                       used.SystemSeconds * 1000000000 + used.SystemMicroseconds * 1000);
        }

        /// <summary>As the contract has it.</summary>
        public JObject Json()
        {
            return new JObject { { "user_ns", userNs.ToString() }, { "system_ns", systemNs.ToString() } };
        }
    }
}
