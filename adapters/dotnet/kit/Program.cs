using System.Reflection;
using System.Runtime.CompilerServices;

[assembly: AssemblyVersion("0.1.0.0")]
[assembly: InternalsVisibleTo("tests")]
[assembly: InternalsVisibleTo("bench")]

namespace Callbench.Kit
{
    /// <summary>The program: `callbench.exe FOLDER`, the folder that holds a folder a technology.</summary>
    internal static class Program
    {
        private static void Main(string[] arguments)
        {
            new Runner(new Technologies(arguments[0]), new Host()).Run();
        }
    }
}
