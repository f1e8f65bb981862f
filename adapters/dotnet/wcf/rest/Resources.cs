using System.ServiceModel;
using Callbench.Service;

namespace Callbench.Wcf.Rest
{
    /// <summary>Answers the resources by the service.</summary>
    [ServiceBehavior(InstanceContextMode = InstanceContextMode.Single, ConcurrencyMode = ConcurrencyMode.Multiple)]
    public sealed class Resources : IRestContract
    {
        private readonly ISpeedService service;

        public Resources(ISpeedService service)
        {
            this.service = service;
        }

        public string HelloWorld()
        {
            return service.Hello();
        }

        public void Empty(Nothing arguments)
        {
            service.Empty();
        }

        public Answer<int> Sum(TwoNumbers arguments)
        {
            return new Answer<int> { result = service.Sum(arguments.a, arguments.b) };
        }

        public Answer<Person[]> GetPersons(HowMany arguments)
        {
            return new Answer<Person[]> { result = service.GetPersons(arguments.n) };
        }

        public Answer<byte[]> GetBinaryData(HowMuch arguments)
        {
            return new Answer<byte[]> { result = service.GetBinaryData(arguments.size, arguments.fill) };
        }

        public Answer<Structure> EchoStructure(OneStructure arguments)
        {
            return new Answer<Structure> { result = service.EchoStructure(arguments.structure) };
        }

        public Answer<string> EchoString(One<string> arguments)
        {
            return new Answer<string> { result = service.EchoString(arguments.value) };
        }

        public Answer<string> Hello(Nothing arguments)
        {
            return new Answer<string> { result = service.Hello() };
        }

        public Answer<SearchResponse> FindItems(HowMany arguments)
        {
            return new Answer<SearchResponse> { result = service.FindItems(arguments.n) };
        }

        public void SendBoolean(One<bool> arguments)
        {
            service.SendBoolean(arguments.value);
        }

        public void SendByte(One<byte> arguments)
        {
            service.SendByte(arguments.value);
        }

        public void SendChar(One<char> arguments)
        {
            service.SendChar(arguments.value);
        }

        public void SendShort(One<short> arguments)
        {
            service.SendShort(arguments.value);
        }

        public void SendInt(One<int> arguments)
        {
            service.SendInt(arguments.value);
        }

        public void SendLong(One<long> arguments)
        {
            service.SendLong(arguments.value);
        }

        public void SendFloat(One<float> arguments)
        {
            service.SendFloat(arguments.value);
        }

        public void SendDouble(One<double> arguments)
        {
            service.SendDouble(arguments.value);
        }

        public void SendString(One<string> arguments)
        {
            service.SendString(arguments.value);
        }

        public void SendObject(One<Person> arguments)
        {
            service.SendObject(arguments.value);
        }

        public void SendBooleanArray(One<bool[]> arguments)
        {
            service.SendBooleanArray(arguments.value);
        }

        public void SendByteArray(One<byte[]> arguments)
        {
            service.SendByteArray(arguments.value);
        }

        public void SendCharArray(One<char[]> arguments)
        {
            service.SendCharArray(arguments.value);
        }

        public void SendShortArray(One<short[]> arguments)
        {
            service.SendShortArray(arguments.value);
        }

        public void SendIntArray(One<int[]> arguments)
        {
            service.SendIntArray(arguments.value);
        }

        public void SendLongArray(One<long[]> arguments)
        {
            service.SendLongArray(arguments.value);
        }

        public void SendFloatArray(One<float[]> arguments)
        {
            service.SendFloatArray(arguments.value);
        }

        public void SendDoubleArray(One<double[]> arguments)
        {
            service.SendDoubleArray(arguments.value);
        }

        public void SendStringArray(One<string[]> arguments)
        {
            service.SendStringArray(arguments.value);
        }

        public void SendObjectArray(One<Person[]> arguments)
        {
            service.SendObjectArray(arguments.value);
        }
    }
}
