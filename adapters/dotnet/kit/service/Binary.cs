using System;
using System.Text;

namespace Callbench.Service
{
    /// <summary>What GetBinaryData answers.</summary>
    public static class Binary
    {
        private const int LongestFillShown = 64;

        /// <summary>The bytes of this size and fill. Throws ServiceFault where there is no such fill.</summary>
        public static byte[] Of(int size, string fill)
        {
            switch (fill)
            {
            case "article":
                return Article(size / 4);
            case "random":
                return Random(size);
            case "zero":
                return new byte[size];
            case "text":
                return OfText(size);
            default:
                string shown = fill ?? "null";
                shown = shown.Length <= LongestFillShown ? shown : shown.Substring(0, LongestFillShown);
                throw new ServiceFault("fill is " + shown + ": it must be article, random, zero or text");
            }
        }

        private static byte[] Article(int integers)
        {
            var generator = new SplitMix64(1);
            var bytes = new byte[integers * 4];
            for (int i = 0; i < integers; i++)
            {
                Put(bytes, i * 4, (uint)generator.Draw(integers), 4);
            }
            return bytes;
        }

        private static byte[] Random(int size)
        {
            var generator = new SplitMix64(2);
            var bytes = new byte[size];
            for (int at = 0; at < size; at += 8)
            {
                Put(bytes, at, generator.Next(), Math.Min(8, size - at));
            }
            return bytes;
        }

        /// <summary>Little-endian, whatever the machine.</summary>
        private static void Put(byte[] bytes, int at, ulong value, int count)
        {
            for (int i = 0; i < count; i++)
            {
                bytes[at + i] = unchecked((byte)(value >> (8 * i)));
            }
        }

        private static byte[] OfText(int size)
        {
            var generator = new SplitMix64(3);
            var bytes = new byte[size];
            int at = 0;
            while (at < size)
            {
                byte[] word = Encoding.ASCII.GetBytes(Names.First[generator.Draw(Names.Count)] + " ");
                int taken = Math.Min(word.Length, size - at);
                Array.Copy(word, 0, bytes, at, taken);
                at += taken;
            }
            return bytes;
        }
    }
}
