using Callbench.Kit;
using Callbench.Own;
using Callbench.Service;

namespace Callbench.Wcf
{
    /// <summary>The service, each call of it made through WCF's proxy.</summary>
    internal sealed class ProxyService : ISpeedService, IOwnService
    {
        private readonly ISpeedContract proxy;
        private readonly IOwnService own;

        /// <param name="own">the calls of the user's own service; null if they are not served</param>
        internal ProxyService(ISpeedContract proxy, IOwnService own)
        {
            this.proxy = proxy;
            this.own = own;
        }

        TAnswer IOwnService.Ask<TRequest, TAnswer>(string call, TRequest request)
        {
            if (own == null)
            {
                throw new Failure(Kind.CannotCarry, "this stack carries no calls of a service of your own");
            }
            return own.Ask<TRequest, TAnswer>(call, request);
        }

        public void Empty()
        {
            proxy.Empty();
        }

        public int Sum(int a, int b)
        {
            return proxy.Sum(a, b);
        }

        public Person[] GetPersons(int n)
        {
            return proxy.GetPersons(n);
        }

        public byte[] GetBinaryData(int size, string fill)
        {
            return proxy.GetBinaryData(size, fill);
        }

        public Structure EchoStructure(Structure structure)
        {
            return proxy.EchoStructure(structure);
        }

        public string EchoString(string value)
        {
            return proxy.EchoString(value);
        }

        public string Hello()
        {
            return proxy.Hello();
        }

        public SearchResponse FindItems(int n)
        {
            return proxy.FindItems(n);
        }

        public void SendBoolean(bool value)
        {
            proxy.SendBoolean(value);
        }

        public void SendByte(byte value)
        {
            proxy.SendByte(value);
        }

        public void SendChar(char value)
        {
            proxy.SendChar(value);
        }

        public void SendShort(short value)
        {
            proxy.SendShort(value);
        }

        public void SendInt(int value)
        {
            proxy.SendInt(value);
        }

        public void SendLong(long value)
        {
            proxy.SendLong(value);
        }

        public void SendFloat(float value)
        {
            proxy.SendFloat(value);
        }

        public void SendDouble(double value)
        {
            proxy.SendDouble(value);
        }

        public void SendString(string value)
        {
            proxy.SendString(value);
        }

        public void SendObject(Person value)
        {
            proxy.SendObject(value);
        }

        public void SendBooleanArray(bool[] value)
        {
            proxy.SendBooleanArray(value);
        }

        public void SendByteArray(byte[] value)
        {
            proxy.SendByteArray(value);
        }

        public void SendCharArray(char[] value)
        {
            proxy.SendCharArray(value);
        }

        public void SendShortArray(short[] value)
        {
            proxy.SendShortArray(value);
        }

        public void SendIntArray(int[] value)
        {
            proxy.SendIntArray(value);
        }

        public void SendLongArray(long[] value)
        {
            proxy.SendLongArray(value);
        }

        public void SendFloatArray(float[] value)
        {
            proxy.SendFloatArray(value);
        }

        public void SendDoubleArray(double[] value)
        {
            proxy.SendDoubleArray(value);
        }

        public void SendStringArray(string[] value)
        {
            proxy.SendStringArray(value);
        }

        public void SendObjectArray(Person[] value)
        {
            proxy.SendObjectArray(value);
        }
    }
}
