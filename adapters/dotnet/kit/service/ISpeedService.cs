namespace Callbench.Service
{
    /// <summary>
    /// The service of contract/SERVICE.md. Its operations and parameters have the same names, because many protocols send them.
    /// </summary>
    public interface ISpeedService
    {
        void Empty();

        int Sum(int a, int b);

        Person[] GetPersons(int n);

        byte[] GetBinaryData(int size, string fill);

        Structure EchoStructure(Structure structure);

        string EchoString(string value);

        string Hello();

        SearchResponse FindItems(int n);

        void SendBoolean(bool value);

        void SendByte(byte value);

        void SendChar(char value);

        void SendShort(short value);

        void SendInt(int value);

        void SendLong(long value);

        void SendFloat(float value);

        void SendDouble(double value);

        void SendString(string value);

        void SendObject(Person value);

        void SendBooleanArray(bool[] value);

        void SendByteArray(byte[] value);

        void SendCharArray(char[] value);

        void SendShortArray(short[] value);

        void SendIntArray(int[] value);

        void SendLongArray(long[] value);

        void SendFloatArray(float[] value);

        void SendDoubleArray(double[] value);

        void SendStringArray(string[] value);

        void SendObjectArray(Person[] value);
    }
}
