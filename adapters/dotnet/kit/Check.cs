using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.CompilerServices;
using Callbench.Own;
using Newtonsoft.Json.Linq;

namespace Callbench.Kit
{
    /// <summary>
    /// The check of an answer in constant time. It checks the last field always, and every field after some time. contract/RUNNER.md
    /// defines it. Holds receives the correct answer, the received one and the number of the call. It is compiled once for each type, so
    /// that it needs no reflection and no boxing.
    /// </summary>
    internal static class Check<T>
    {
        internal static readonly Func<T, T, long, bool> Holds = Check.For<T>();
    }

    internal static class Check
    {
        /// <summary>Texts up to this length are compared completely.</summary>
        private const int Whole = 64;

        /// <summary>Of each right map, its keys in their order: a Dictionary has no first or last entry.</summary>
        private static readonly ConditionalWeakTable<object, List<string>> Keys = new ConditionalWeakTable<object, List<string>>();

        internal static Func<T, T, long, bool> For<T>()
        {
            Type type = typeof(T);
            if (type == typeof(string))
            {
                return (Func<T, T, long, bool>)(object)new Func<string, string, long, bool>(Text);
            }
            if (type == typeof(byte[]))
            {
                return (Func<T, T, long, bool>)(object)new Func<byte[], byte[], long, bool>(Octets);
            }
            if (type.IsArray)
            {
                return Compiled<T>("Elements", type.GetElementType());
            }
            if (type == typeof(JToken))
            {
                return (Func<T, T, long, bool>)(object)new Func<JToken, JToken, long, bool>(Json);
            }
            Type listed = Shapes.Element(type);
            if (listed != null)
            {
                return Compiled<T>("Listed", type, listed);
            }
            Type mapped = Shapes.MapValue(type);
            if (mapped != null)
            {
                return Compiled<T>("Mapped", type, mapped);
            }
            if (type.IsValueType || type == typeof(object))
            {
                return (right, found, turn) => EqualityComparer<T>.Default.Equals(right, found);
            }
            return Record<T>();
        }

        private static Func<T, T, long, bool> Compiled<T>(string method, params Type[] its)
        {
            MethodInfo generic = typeof(Check).GetMethod(method, BindingFlags.Static | BindingFlags.NonPublic);
            return (Func<T, T, long, bool>)Delegate.CreateDelegate(typeof(Func<T, T, long, bool>), generic.MakeGenericMethod(its));
        }

        /// <summary>All members, one after the other: fields of Callbench's records, properties of a service's own.</summary>
        private static Func<T, T, long, bool> Record<T>()
        {
            ParameterExpression right = Expression.Parameter(typeof(T), "right");
            ParameterExpression found = Expression.Parameter(typeof(T), "found");
            ParameterExpression turn = Expression.Parameter(typeof(long), "turn");
            const BindingFlags of = BindingFlags.Instance | BindingFlags.Public;
            Expression same = typeof(T).GetFields(of).Concat<MemberInfo>(typeof(T).GetProperties(of)).Aggregate(
                                  (Expression)Expression.Constant(true),
                                  (before, member) => Expression.AndAlso(before, Member(member, right, found, turn)));
            Func<T, T, long, bool> members = Expression.Lambda<Func<T, T, long, bool>>(same, right, found, turn).Compile();
            return (one, other, number) => one == null || other == null ? (object)one == (object)other : members(one, other, number);
        }

        private static Expression Member(MemberInfo member, Expression right, Expression found, Expression turn)
        {
            Expression its = Expression.MakeMemberAccess(right, member);
            Expression holds = Expression.Field(null, typeof(Check<>).MakeGenericType(its.Type), "Holds");
            return Expression.Invoke(holds, its, Expression.MakeMemberAccess(found, member), turn);
        }

        private static bool Elements<T>(T[] right, T[] found, long turn)
        {
            if (right == null || found == null || right.Length != found.Length || right.Length == 0)
            {
                return right == found || (right != null && found != null && right.Length == found.Length);
            }
            Func<T, T, long, bool> same = Check<T>.Holds;
            int last = right.Length - 1;
            int place = (int)(turn % right.Length);
            return same(right[last], found[last], turn) && same(right[place], found[place], turn);
        }

        private static bool Listed<TList, T>(TList right, TList found, long turn) where TList : class, IList<T>
        {
            if (right == null || found == null || right.Count != found.Count || right.Count == 0)
            {
                return right == found || (right != null && found != null && right.Count == found.Count);
            }
            Func<T, T, long, bool> same = Check<T>.Holds;
            int last = right.Count - 1;
            int place = (int)(turn % right.Count);
            return same(right[last], found[last], turn) && same(right[place], found[place], turn);
        }

        /// <summary>The first entry, the last, and one more.</summary>
        private static bool Mapped<TMap, T>(TMap right, TMap found, long turn) where TMap : class, IDictionary<string, T>
        {
            if (right == null || found == null || right.Count != found.Count || right.Count == 0)
            {
                return right == found || (right != null && found != null && right.Count == found.Count);
            }
            List<string> keys = Keys.GetValue(right, map => ((TMap)map).Keys.OrderBy(key => key, StringComparer.Ordinal).ToList());
            return Entry<TMap, T>(right, found, keys[keys.Count - 1], turn) && Entry<TMap, T>(right, found, keys[0], turn)
            && Entry<TMap, T>(right, found, keys[(int)(turn % keys.Count)], turn);
        }

        private static bool Entry<TMap, T>(TMap right, TMap found, string key, long turn) where TMap : IDictionary<string, T> =>
            found.TryGetValue(key, out T value) && Check<T>.Holds(right[key], value, turn);

        /// <summary>Any JSON has no type, so it is compared as a whole. Numbers are the same if their values are.</summary>
        private static bool Json(JToken right, JToken found, long turn)
        {
            if (IsNull(right) || IsNull(found))
            {
                return IsNull(right) && IsNull(found);
            }
            if (right is JObject members)
            {
                return found is JObject its && members.Count == its.Count && members.Properties().All(
                           member => its.TryGetValue(member.Name, out JToken value) && Json(member.Value, value, turn));
            }
            if (right is JArray elements)
            {
                return found is JArray its && elements.Count == its.Count
                       && Enumerable.Range(0, elements.Count).All(place => Json(elements[place], its[place], turn));
            }
            return IsNumber(right) && IsNumber(found) ? (double)right == (double)found : JToken.DeepEquals(right, found);
        }

        private static bool IsNumber(JToken value) => value.Type == JTokenType.Integer || value.Type == JTokenType.Float;

        private static bool IsNull(JToken value) => value == null || value.Type == JTokenType.Null;

        private static bool Octets(byte[] right, byte[] found, long turn) =>
        Elements(right, found, turn) && (right == null || right.Length == 0 || right[0] == found[0]);

        private static bool Text(string right, string found, long turn)
        {
            if (right == null || found == null || right.Length != found.Length || right.Length <= Whole)
            {
                return right == found;
            }
            int place = (int)(turn % right.Length);
            return right[right.Length - 1] == found[right.Length - 1] && right[place] == found[place];
        }
    }
}
