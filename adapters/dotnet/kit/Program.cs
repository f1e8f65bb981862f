using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using Callbench.Own;

[assembly: AssemblyVersion("0.1.0.0")]
[assembly: InternalsVisibleTo("tests")]
[assembly: InternalsVisibleTo("bench")]

namespace Callbench.Kit
{
    /// <summary>The program: `callbench.exe FOLDER [ASSEMBLY]`. The folder contains one folder per technology. The assembly has the calls
    ///   of the user's own service.</summary>
    internal static class Program
    {
        private static void Main(string[] arguments)
        {
            var own = arguments.Length > 1 ? OwnCall.Load(arguments[1]) : new Dictionary<string, OwnCall>();
            new Runner(new Technologies(arguments[0], arguments.Length > 1), new Host(), own).Run();
        }
    }
}
