using System;
using System.Collections.Concurrent;
using System.IO;
using System.Text;
using System.Threading;

namespace Callbench.Kit.Contract
{
    /// <summary>
    /// Reads requests line by line, on a thread of its own so that the end of stdin is noticed while a drive runs.
    /// </summary>
    internal sealed class Lines
    {
        /// <summary>No line is longer, in bytes, its LF not counted.</summary>
        internal const int Longest = 16 << 20;

        /// <summary>A line that was longer than the contract allows, and was not kept.</summary>
        internal static readonly string TooLong = new string('l', 1);

        /// <summary>The end.</summary>
        internal static readonly string TheEnd = new string('e', 1);

        private readonly BlockingCollection<string> lines = new BlockingCollection<string>();

        /// <summary>Starts reading; <paramref name="atEnd"/> is done on the reading thread when there is nothing more to come.</summary>
        internal Lines(Stream from, Action atEnd)
        {
            ThreadStart reading = () =>
            {
                Read(from);
                lines.Add(TheEnd);
                atEnd();
            };
            var reader = new Thread(reading) { IsBackground = true, Name = "lines" };
            reader.Start();
        }

        /// <summary>The next line, TooLong or TheEnd; both are compared by identity.</summary>
        internal string Next()
        {
            return lines.Take();
        }

        /// <summary>Lets the reader of lines see an end that is not the input's.</summary>
        internal void End()
        {
            lines.Add(TheEnd);
        }

        private void Read(Stream from)
        {
            var buffer = new byte[1 << 16];
            using (var line = new MemoryStream())
            {
                bool tooLong = false;
                int count;
                while ((count = Some(from, buffer)) > 0)
                {
                    int begin = 0;
                    while (begin < count)
                    {
                        int end = Array.IndexOf(buffer, (byte)'\n', begin, count - begin);
                        int piece = (end < 0 ? count : end) - begin;
                        tooLong |= line.Length + piece > Longest;
                        line.Write(buffer, begin, tooLong ? 0 : piece);
                        begin += piece + 1;
                        if (end >= 0)
                        {
                            Finish(line, tooLong);
                            tooLong = false;
                        }
                    }
                }
                if (line.Length > 0 || tooLong)
                {
                    Finish(line, tooLong);
                }
            }
        }

        private static int Some(Stream from, byte[] buffer)
        {
            try
            {
                return from.Read(buffer, 0, buffer.Length);
            }
            catch (IOException)
            {
                return 0;
            }
        }

        private void Finish(MemoryStream line, bool tooLong)
        {
            lines.Add(tooLong ? TooLong : Encoding.UTF8.GetString(line.GetBuffer(), 0, (int)line.Length));
            line.SetLength(0);
        }
    }
}
