using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;

namespace Callbench.Kit
{
    /// <summary>
    /// The technologies built beside the kit: a folder each, with its own assembly and a `technology.properties` that names its stacks.
    /// A technology is loaded when the first of its stacks is asked for, so that none is there while another is measured.
    ///
    /// In the file: `stack.NAME = CLASS` or `stack.NAME = CLASS ARGUMENT` (given to the constructor). Two more lines are for setup/dotnet:
    /// `references`, the assemblies to compile against, and `packages`, the Debian packages that hold them.
    /// </summary>
    internal sealed class Technologies
    {
        private const string File = "technology.properties";
        private const string Prefix = "stack.";

        private readonly SortedDictionary<string, Entry> byStack = new SortedDictionary<string, Entry>(StringComparer.Ordinal);
        private readonly Dictionary<string, Stack> made = new Dictionary<string, Stack>();

        private sealed class Entry
        {
            /// <summary>Null: the kit's own.</summary>
            internal string Library;
            internal string[] Said;
        }

        /// <summary>Reads the folders of <paramref name="root"/>; loads nothing.</summary>
        internal Technologies(string root)
        {
            byStack["direct"] = new Entry { Said = new[] { typeof(Direct).FullName } };
            foreach (string folder in Directory.GetDirectories(root).OrderBy(each => each, StringComparer.Ordinal))
            {
                string file = Path.Combine(folder, File);
                if (System.IO.File.Exists(file))
                {
                    Read(file, Path.Combine(folder, Path.GetFileName(folder) + ".dll"));
                }
            }
            // A formatter asks for an assembly by its name, which finds none that was loaded from a folder of its own.
            AppDomain.CurrentDomain.AssemblyResolve += (domain, asked) => Loaded(new AssemblyName(asked.Name).Name);
        }

        private static Assembly Loaded(string name)
        {
            return AppDomain.CurrentDomain.GetAssemblies().FirstOrDefault(each => each.GetName().Name == name);
        }

        private void Read(string file, string library)
        {
            foreach (string line in System.IO.File.ReadAllLines(file))
            {
                int sign = line.IndexOf('=');
                if (sign > 0 && line.StartsWith(Prefix, StringComparison.Ordinal))
                {
                    string name = line.Substring(Prefix.Length, sign - Prefix.Length).Trim();
                    byStack[name] = new Entry { Library = library, Said = line.Substring(sign + 1).Trim().Split(new[] { ' ' }, 2) };
                }
            }
        }

        /// <summary>All stacks, by the part of their name behind the slash.</summary>
        internal ICollection<string> Names => byStack.Keys;

        /// <summary>The stack of that name, which must be there. Throws Failure of kind unsupported where it cannot be loaded.</summary>
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
                Type type = assembly.GetType(entry.Said[0], true);
                return (Stack)Activator.CreateInstance(type, entry.Said.Skip(1).Cast<object>().ToArray());
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
