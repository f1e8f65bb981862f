using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;
using Newtonsoft.Json.Linq;

namespace Callbench.Own
{
    /// <summary>
    /// Whether two values are equal in every part, with the hash for it. A server finds its answer by it. It is compiled once for each
    /// type, so that it needs no reflection.
    /// </summary>
    internal static class Same<T>
    {
        internal static readonly IEqualityComparer<T> Whole = Same.For<T>();
    }

    internal static class Same
    {
        /// <summary>A prime, as in the usual way to combine the hashes of parts.</summary>
        private const int Factor = 31;

        internal static IEqualityComparer<T> For<T>()
        {
            Type type = typeof(T);
            if (type == typeof(byte[]))
            {
                return (IEqualityComparer<T>)(object)new Sequence<byte[], byte>();
            }
            if (typeof(JToken).IsAssignableFrom(type))
            {
                return (IEqualityComparer<T>)(object)new JTokenEqualityComparer();
            }
            Type listed = Shapes.Element(type);
            if (listed != null)
            {
                return Of<T>(typeof(Sequence<,>), type, listed);
            }
            Type mapped = Shapes.MapValue(type);
            if (mapped != null)
            {
                return Of<T>(typeof(Map<,>), type, mapped);
            }
            return type.IsValueType || type == typeof(string) ? (IEqualityComparer<T>)EqualityComparer<T>.Default : new Record<T>();
        }

        private static IEqualityComparer<T> Of<T>(Type comparer, params Type[] its) =>
        (IEqualityComparer<T>)Activator.CreateInstance(comparer.MakeGenericType(its), true);

        private sealed class Sequence<TList, T> : IEqualityComparer<TList> where TList : class, IList<T>
        {
            public bool Equals(TList one, TList other)
            {
                if (one == null || other == null || one.Count != other.Count)
                {
                    return one == other;
                }
                IEqualityComparer<T> same = Same<T>.Whole;
                for (int place = 0; place < one.Count; place++)
                {
                    if (!same.Equals(one[place], other[place]))
                    {
                        return false;
                    }
                }
                return true;
            }

            public int GetHashCode(TList list)
            {
                IEqualityComparer<T> same = Same<T>.Whole;
                int hash = list.Count;
                for (int place = 0; place < list.Count; place++)
                {
                    hash = unchecked(hash * Factor + Hash(same, list[place]));
                }
                return hash;
            }
        }

        private sealed class Map<TMap, T> : IEqualityComparer<TMap> where TMap : class, IDictionary<string, T>
        {
            public bool Equals(TMap one, TMap other)
            {
                if (one == null || other == null || one.Count != other.Count)
                {
                    return one == other;
                }
                return one.All(entry => other.TryGetValue(entry.Key, out T value) && Same<T>.Whole.Equals(entry.Value, value));
            }

            /// <summary>The order of entries does not matter.</summary>
            public int GetHashCode(TMap map) =>
            map.Aggregate(map.Count, (sum, entry) => unchecked(sum + (entry.Key.GetHashCode() ^ Hash(Same<T>.Whole, entry.Value))));
        }

        /// <summary>All properties, one after the other.</summary>
        private sealed class Record<T> : IEqualityComparer<T>
        {
            private readonly Func<T, T, bool> equal;
            private readonly Func<T, int> hash;

            internal Record()
            {
                ParameterExpression one = Expression.Parameter(typeof(T), "one");
                ParameterExpression other = Expression.Parameter(typeof(T), "other");
                Expression all = Expression.Constant(true);
                Expression sum = Expression.Constant(1);
                foreach (PropertyInfo member in typeof(T).GetProperties(BindingFlags.Instance | BindingFlags.Public))
                {
                    Expression comparer = Expression.Field(null, typeof(Same<>).MakeGenericType(member.PropertyType), "Whole");
                    Expression its = Expression.Property(one, member);
                    all = Expression.AndAlso(all, Expression.Call(comparer, "Equals", null, its, Expression.Property(other, member)));
                    MethodInfo hashed = typeof(Same).GetMethod("Hash", BindingFlags.Static | BindingFlags.NonPublic);
                    sum = Expression.Add(
                              Expression.Multiply(sum, Expression.Constant(Factor)),
                              Expression.Call(hashed.MakeGenericMethod(member.PropertyType), comparer, its));
                }
                equal = Expression.Lambda<Func<T, T, bool>>(all, one, other).Compile();
                hash = Expression.Lambda<Func<T, int>>(sum, one).Compile();
            }

            public bool Equals(T one, T other) => one == null || other == null ? (object)one == (object)other : equal(one, other);

            public int GetHashCode(T record) => hash(record);
        }

        private static int Hash<T>(IEqualityComparer<T> same, T value) => value == null ? 0 : same.GetHashCode(value);
    }

    /// <summary>Which types are lists and maps of the user's own service.</summary>
    internal static class Shapes
    {
        /// <summary>The type of a list's elements; null if the type is no List.</summary>
        internal static Type Element(Type type) => Argument(type, typeof(List<>), 0);

        /// <summary>The type of a map's values; null if the type is no Dictionary.</summary>
        internal static Type MapValue(Type type) => Argument(type, typeof(Dictionary<,>), 1);

        /// <summary>Of the type or of what it derives from.</summary>
        private static Type Argument(Type type, Type generic, int place)
        {
            for (Type each = type; each != null; each = each.BaseType)
            {
                if (each.IsGenericType && each.GetGenericTypeDefinition() == generic)
                {
                    return each.GetGenericArguments()[place];
                }
            }
            return null;
        }
    }
}
