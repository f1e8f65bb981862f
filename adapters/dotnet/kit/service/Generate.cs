using System.Globalization;

namespace Callbench.Service
{
    /// <summary>Persons, strings and structures, made from a short description.</summary>
    public static class Generate
    {
        private const string Text = "The quick brown fox jumps over the lazy dog again.";

        /// <summary>1 January 2007, in milliseconds since 1970.</summary>
        private const long Created = 1167609600000L;

        /// <summary>So many characters lie between U+0020 and U+D7FF.</summary>
        private const int BelowSurrogates = 55264;

        private const int PlaneCharacters = 63454;

        public static Person Person(int index)
        {
            int last = (int)((index * 31L + index / Names.Count + 7) % Names.Count);
            return new Person { ID = index, FirstName = Names.First[index % Names.Count], LastName = Names.Last[last] };
        }

        /// <summary>The first n persons.</summary>
        public static Person[] Persons(int n)
        {
            var persons = new Person[n];
            for (int i = 0; i < n; i++)
            {
                persons[i] = Person(i);
            }
            return persons;
        }

        /// <summary>The structure of size n.</summary>
        public static Structure Structure(int n)
        {
            var structure = new Structure
            {
                text = Text,
                numbers = new int[n],
                users = new UserDetails[n],
                beans = new TestStructureBean[n]
            };
            for (int i = 0; i < n; i++)
            {
                structure.numbers[i] = unchecked(i * 7919);
                structure.users[i] = User(i);
                structure.beans[i] = Bean(i);
            }
            return structure;
        }

        private static UserDetails User(int i)
        {
            Person person = Person(i);
            string name = person.FirstName.ToLowerInvariant() + Decimal(i);
            return new UserDetails
            {
                userName = name,
                fullName = person.FirstName + " " + person.LastName,
                email = name + "@example.org",
                age = 18 + i % 60,
                active = i % 2 == 0,
                created = Created + i * 60000L
            };
        }

        private static TestStructureBean Bean(int i)
        {
            return new TestStructureBean
            {
                id = i,
                name = "bean" + Decimal(i),
                description = "A bean of the test structure, number " + Decimal(i),
                amount = i * 1.25,
                flag = i % 3 == 0,
                related = new[] { i, i + 1, i + 2 }
            };
        }

        private static string Decimal(int number)
        {
            return number.ToString(CultureInfo.InvariantCulture);
        }

        /// <summary>So many capital letters.</summary>
        public static string Letters(SplitMix64 generator, int count)
        {
            var letters = new char[count];
            for (int i = 0; i < count; i++)
            {
                letters[i] = Letter(generator);
            }
            return new string(letters);
        }

        /// <summary>One capital letter.</summary>
        public static char Letter(SplitMix64 generator)
        {
            return (char)('A' + generator.Draw(26));
        }

        /// <summary>So many characters from U+0020 to U+FFFD without surrogates.</summary>
        public static char[] Plane(ulong seed, int count)
        {
            var generator = new SplitMix64(seed);
            var plane = new char[count];
            for (int i = 0; i < count; i++)
            {
                int k = generator.Draw(PlaneCharacters);
                plane[i] = (char)(k < BelowSurrogates ? 0x20 + k : 0xE000 + k - BelowSurrogates);
            }
            return plane;
        }
    }
}
