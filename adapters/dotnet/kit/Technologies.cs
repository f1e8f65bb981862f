using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Callbench.Kit
{
    /// <summary>
    /// The technologies that are built with the kit. Each has a folder with its assembly and a `technology.properties` that names its
    /// stacks. A technology is loaded when its first stack is used, so none is loaded while another is measured.
    ///
    /// The file contains `stack.NAME = CLASS` or `stack.NAME = CLASS ARGUMENT` (for the constructor). `own = NAME NAME` names the stacks
    /// that carry the calls of a user's own service; a runner that has such calls has no other stacks. Two more lines are for setup/dotnet:
    /// `references`, the assemblies to compile against, and `packages`, the Debian packages that contain them.
    /// </summary>
    internal sealed class Technologies
    {
        private const string File = "technology.properties";
        private const string Prefix = "stack.";
        private const string Own = "own";

        private readonly SortedDictionary<string, Entry> byStack = new SortedDictionary<string, Entry>(StringComparer.Ordinal);
        private readonly Dictionary<string, Stack> made = new Dictionary<string, Stack>();

        private sealed class Entry
        {
            /// <summary>Null: the kit's own.</summary>
            internal string Library;
            internal string[] Constructor;

            /// <summary>Whether it carries the calls of a user's own service.</summary>
            internal bool Own;
        }

        /// <summary>Reads the folders of <paramref name="root"/>; loads nothing.</summary>
        /// <param name="own">whether only the stacks are wanted that carry the calls of a user's own service</param>
        internal Technologies(string root, bool own)
        {
            byStack["direct"] = new Entry { Constructor = new[] { typeof(Direct).FullName } };
            foreach (string folder in Directory.GetDirectories(root).OrderBy(each => each, StringComparer.Ordinal))
            {
                string file = Path.Combine(folder, File);
                if (System.IO.File.Exists(file))
                {
                    Read(file, Path.Combine(folder, Path.GetFileName(folder) + ".dll"));
                }
            }
            foreach (string other in byStack.Keys.Where(name => own && !byStack[name].Own).ToList())
            {
                byStack.Remove(other);
            }
            // A formatter looks for an assembly by its name, and does not find assemblies that were loaded from another folder.
            AppDomain.CurrentDomain.AssemblyResolve += (domain, asked) => Loaded(new AssemblyName(asked.Name).Name);
        }

        private static Assembly Loaded(string name)
        {
            return AppDomain.CurrentDomain.GetAssemblies().FirstOrDefault(each => each.GetName().Name == name);
        }

        private void Read(string file, string library)
        {
            string[] lines = System.IO.File.ReadAllLines(file);
            foreach (string line in lines)
            {
                int sign = line.IndexOf('=');
                if (sign > 0 && line.StartsWith(Prefix, StringComparison.Ordinal))
                {
                    string name = line.Substring(Prefix.Length, sign - Prefix.Length).Trim();
                    byStack[name] = new Entry { Library = library, Constructor = line.Substring(sign + 1).Trim().Split(new[] { ' ' }, 2) };
                }
            }
            foreach (string name in lines.Where(line => line.StartsWith(Own + " =", StringComparison.Ordinal)).SelectMany(Values))
            {
                byStack[name].Own = true;
            }
        }

        private static string[] Values(string line) =>
        line.Substring(line.IndexOf('=') + 1).Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);

        /// <summary>All stacks, by the part of their name after the slash.</summary>
        internal ICollection<string> Names => byStack.Keys;

        /// <summary>The stack with this name, which must exist. Throws Failure of kind unsupported if it cannot be loaded.</summary>
        internal Stack Stack(string name)
        {
            Stack stack;
            if (!made.TryGetValue(name, out stack))
            {
                stack = Make(name, byStack[name]);
                made[name] = stack;
            }
            return stack;
        }

        private static Stack Make(string name, Entry entry)
        {
            try
            {
                Assembly assembly = entry.Library == null ? typeof(Direct).Assembly : Assembly.LoadFrom(entry.Library);
                Type type = assembly.GetType(entry.Constructor[0], true);
                return (Stack)Activator.CreateInstance(type, entry.Constructor.Skip(1).Cast<object>().ToArray());
            }
            catch (Exception failure)
            {
                Exception cause = failure is TargetInvocationException ? failure.InnerException : failure;
                string sentence = "stack dotnet/" + name + " cannot be loaded: " + cause.Message;
                throw new Failure(Kind.Unsupported, sentence, cause);
            }
        }
    }
}
