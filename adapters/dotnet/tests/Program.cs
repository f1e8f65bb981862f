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
                Histograms.Check();
                PlainValues.Check();
                Answers.Check();
                OwnValues.Check();
                Console.WriteLine("the .NET kit: the histogram, plain values, the check of answers and own types hold");
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
