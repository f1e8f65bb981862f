using System.Reflection;
using Callbench.Kit.Contract;

[assembly: AssemblyVersion("0.1.0.0")]

namespace Callbench.Kit
{
    /// <summary>The program: `callbench.exe FOLDER`, the folder that holds a folder a technology.</summary>
    public static class Program
    {
        public static void Main(string[] arguments)
        {
            new Speaker().Speak(new Adapter(new Technologies(arguments[0])));
        }
    }
}
