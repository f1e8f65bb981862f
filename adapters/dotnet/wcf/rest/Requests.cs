using Callbench.Service;

namespace Callbench.Wcf.Rest
{
    /// <summary>The service, each call of it a request.</summary>
    internal sealed class Requests : ISpeedService
    {
        private readonly Http http;

        internal Requests(Http http)
        {
            this.http = http;
        }

        public void Empty()
        {
            http.Post("Empty", new Nothing());
        }

        public int Sum(int a, int b)
        {
            return http.Ask<int>("Sum", new TwoNumbers { a = a, b = b });
        }

        public Person[] GetPersons(int n)
        {
            return http.Ask<Person[]>("GetPersons", new HowMany { n = n });
        }

        public byte[] GetBinaryData(int size, string fill)
        {
            return http.Ask<byte[]>("GetBinaryData", new HowMuch { size = size, fill = fill });
        }

        public Structure EchoStructure(Structure structure)
        {
            return http.Ask<Structure>("EchoStructure", new OneStructure { structure = structure });
        }

        public string EchoString(string value)
        {
            return http.Ask<string>("EchoString", new One<string> { value = value });
        }

        public string Hello()
        {
            return http.Ask<string>("Hello", new Nothing());
        }

        public SearchResponse FindItems(int n)
        {
            return http.Ask<SearchResponse>("FindItems", new HowMany { n = n });
        }

        public void SendBoolean(bool value)
        {
            http.Post("SendBoolean", new One<bool> { value = value });
        }

        public void SendByte(byte value)
        {
            http.Post("SendByte", new One<byte> { value = value });
        }

        public void SendChar(char value)
        {
            http.Post("SendChar", new One<char> { value = value });
        }

        public void SendShort(short value)
        {
            http.Post("SendShort", new One<short> { value = value });
        }

        public void SendInt(int value)
        {
            http.Post("SendInt", new One<int> { value = value });
        }

        public void SendLong(long value)
        {
            http.Post("SendLong", new One<long> { value = value });
        }

        public void SendFloat(float value)
        {
            http.Post("SendFloat", new One<float> { value = value });
        }

        public void SendDouble(double value)
        {
            http.Post("SendDouble", new One<double> { value = value });
        }

        public void SendString(string value)
        {
            http.Post("SendString", new One<string> { value = value });
        }

        public void SendObject(Person value)
        {
            http.Post("SendObject", new One<Person> { value = value });
        }

        public void SendBooleanArray(bool[] value)
        {
            http.Post("SendBooleanArray", new One<bool[]> { value = value });
        }

        public void SendByteArray(byte[] value)
        {
            http.Post("SendByteArray", new One<byte[]> { value = value });
        }

        public void SendCharArray(char[] value)
        {
            http.Post("SendCharArray", new One<char[]> { value = value });
        }

        public void SendShortArray(short[] value)
        {
            http.Post("SendShortArray", new One<short[]> { value = value });
        }

        public void SendIntArray(int[] value)
        {
            http.Post("SendIntArray", new One<int[]> { value = value });
        }

        public void SendLongArray(long[] value)
        {
            http.Post("SendLongArray", new One<long[]> { value = value });
        }

        public void SendFloatArray(float[] value)
        {
            http.Post("SendFloatArray", new One<float[]> { value = value });
        }

        public void SendDoubleArray(double[] value)
        {
            http.Post("SendDoubleArray", new One<double[]> { value = value });
        }

        public void SendStringArray(string[] value)
        {
            http.Post("SendStringArray", new One<string[]> { value = value });
        }

        public void SendObjectArray(Person[] value)
        {
            http.Post("SendObjectArray", new One<Person[]> { value = value });
        }
    }
}
