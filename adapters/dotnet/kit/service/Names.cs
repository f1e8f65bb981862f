using System;
using System.IO;
using System.Text;

namespace Callbench.Service
{
    /// <summary>The two lists of names that persons, users and text are made from: contract/names of the installation.</summary>
    internal static class Names
    {
        internal const int Count = 256;
        internal static readonly string[] First = Lines("first.txt");
        internal static readonly string[] Last = Lines("last.txt");

        private static string[] Lines(string name)
        {
            string home = Environment.GetEnvironmentVariable("CALLBENCH_HOME");
            if (home == null)
            {
                throw new InvalidOperationException("CALLBENCH_HOME is not set: it must name the root of the installation");
            }
            string file = Path.Combine(home, "contract", "names", name);
            string[] lines = File.ReadAllLines(file, Encoding.ASCII);
            if (lines.Length != Count)
            {
                throw new InvalidOperationException(file + " has " + lines.Length + " lines instead of " + Count);
            }
            return lines;
        }
    }
}
