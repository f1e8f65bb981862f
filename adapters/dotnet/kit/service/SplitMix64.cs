namespace Callbench.Service
{
    /// <summary>Steele, Lea and Flood's generator, whose state is one word.</summary>
    public sealed class SplitMix64
    {
        private ulong state;

        public SplitMix64(ulong seed)
        {
            state = seed;
        }

        /// <summary>The next 64 bits.</summary>
        public ulong Next()
        {
            unchecked
            {
                state += 0x9E3779B97F4A7C15UL;
                ulong z = state;
                z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9UL;
                z = (z ^ (z >> 27)) * 0x94D049BB133111EBUL;
                return z ^ (z >> 31);
            }
        }

        /// <summary>A number below <paramref name="below"/>, which is from 1 to 2^32 - 1.</summary>
        public int Draw(long below)
        {
            return unchecked((int)(((Next() >> 32) * (ulong)below) >> 32));
        }
    }
}
