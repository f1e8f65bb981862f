using System;
using Callbench.Service;

namespace Callbench.Kit
{
    /// <summary>The check made on every measured answer: constant in time, prepared once from the call.</summary>
    internal static class Expectation
    {
        internal static Func<Person[], bool> Persons(int n)
        {
            if (n < 0 || n > SpeedService.Most)
            {
                return answer => false; // the server must refuse: no answer is right
            }
            Person last = n == 0 ? null : Generate.Person(n - 1);
            return answer => answer != null && answer.Length == n && (n == 0 || Same(answer[n - 1], last));
        }

        private static bool Same(Person one, Person other)
        {
            return one != null && one.ID == other.ID && one.FirstName == other.FirstName && one.LastName == other.LastName;
        }

        internal static Func<byte[], bool> Octets(int size, string fill)
        {
            if (size < 0 || size > SpeedService.Largest)
            {
                return answer => false;
            }
            byte[] made;
            try
            {
                made = Binary.Of(size, fill);
            }
            catch (ServiceFault)
            {
                return answer => false;
            }
            int length = made.Length;
            if (length == 0)
            {
                return answer => answer != null && answer.Length == 0;
            }
            byte first = made[0];
            byte last = made[length - 1];
            return answer => answer != null && answer.Length == length && answer[0] == first && answer[length - 1] == last;
        }

        internal static Func<Structure, bool> Structure(Structure sent)
        {
            int n = sent.beans.Length;
            return answer => answer != null && HaveLength(answer, n) && (n == 0 || answer.beans[n - 1].id == n - 1);
        }

        private static bool HaveLength(Structure structure, int n)
        {
            return structure.numbers != null && structure.numbers.Length == n && structure.users != null && structure.users.Length == n
                   && structure.beans != null && structure.beans.Length == n;
        }

        internal static Func<string, bool> Echo(string value)
        {
            int length = value.Length;
            char last = length == 0 ? '\0' : value[length - 1];
            return answer => answer != null && answer.Length == length && (length == 0 || answer[length - 1] == last);
        }

        internal static Func<SearchResponse, bool> Items(int n)
        {
            if (n < 0 || n > SpeedService.Most)
            {
                return answer => false;
            }
            string last = n == 0 ? null : Search.Response(n).searchResult.item[n - 1].itemId;
            return answer => answer != null && HasItems(answer.searchResult, n, last);
        }

        private static bool HasItems(SearchResult result, int n, string last)
        {
            return result != null && result.item != null && result.item.Length == n && (n == 0 || result.item[n - 1].itemId == last);
        }
    }
}
