using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;
using Mono.Unix.Native;

namespace Callbench.Kit.Contract
{
    /// <summary>Writes lines to a file descriptor that was open before Mono was: its own streams know only what they have opened.</summary>
    internal sealed class Output
    {
        private readonly int descriptor;

        internal Output(int descriptor)
        {
            this.descriptor = descriptor;
        }

        /// <summary>The whole line and its LF, or IOException where nobody reads any more.</summary>
        internal void Line(string text)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text + "\n");
            GCHandle held = GCHandle.Alloc(bytes, GCHandleType.Pinned);
            try
            {
                long written = 0;
                while (written < bytes.Length)
                {
                    long count = Syscall.write(descriptor, held.AddrOfPinnedObject() + (int)written, (ulong)(bytes.Length - written));
                    if (count < 0 && Stdlib.GetLastError() != Errno.EINTR)
                    {
                        throw new IOException("the core cannot be written to: " + Stdlib.GetLastError());
                    }
                    written += Math.Max(0, count);
                }
            }
            finally
            {
                held.Free();
            }
        }
    }
}
