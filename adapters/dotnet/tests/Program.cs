using System;

namespace Callbench.Tests
{
    /// <summary>The kit's own tests: setup/dotnet test.</summary>
    internal static class Program
    {
        private static int Main()
        {
            try
            {
                int vectors = Golden.Check();
                Holds(vectors > 50, "only " + vectors + " golden vectors were found");
                Histograms.Check();
                Console.WriteLine("the .NET kit: " + vectors + " golden vectors and the histogram hold");
                return 0;
            }
            catch (InvalidOperationException failure)
            {
                Console.Error.WriteLine("the .NET kit fails: " + failure.Message);
                return 1;
            }
        }

        internal static void Holds(bool condition, string what)
        {
            if (!condition)
            {
                throw new InvalidOperationException(what);
            }
        }
    }
}
