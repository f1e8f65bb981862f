using System;
using System.IO;

namespace Callbench.Kit.Drive
{
    /// <summary>Reads the file of gaps between arrivals: nanoseconds, little-endian 64 bits each.</summary>
    public static class Schedule
    {
        private const int Most = 1 << 20;

        /// <summary>The gaps of the file. Throws Failure of kind bad-request.</summary>
        public static long[] Read(string path)
        {
            byte[] bytes;
            try
            {
                bytes = File.ReadAllBytes(path);
            }
            catch (Exception failure) when (!(failure is OutOfMemoryException))
            {
                throw Failure.BadRequest("the schedule " + path + " cannot be read: " + failure.Message);
            }
            var gaps = new long[bytes.Length / 8];
            if (gaps.Length == 0 || gaps.Length > Most || bytes.Length % 8 != 0)
            {
                throw Failure.BadRequest(
                    "the schedule " + path + " has " + bytes.Length + " bytes: it must be 1 to " + Most + " gaps of 8 bytes");
            }
            for (int at = 0; at < bytes.Length; at++)
            {
                gaps[at / 8] |= (long)bytes[at] << (8 * (at % 8));
            }
            return gaps;
        }
    }
}
