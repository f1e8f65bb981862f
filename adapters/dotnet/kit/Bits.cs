using System.Runtime.InteropServices;

namespace Callbench.Kit
{
    /// <summary>A float and its bits, which BitConverter of this .NET knows for doubles only.</summary>
    [StructLayout(LayoutKind.Explicit)]
    internal struct Bits
    {
        [FieldOffset(0)]
        private float number;

        [FieldOffset(0)]
        private int bits;

        internal static float Single(int bits)
        {
            return new Bits { bits = bits }.number;
        }

        internal static int Of(float number)
        {
            return new Bits { number = number }.bits;
        }
    }
}
