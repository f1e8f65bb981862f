using System;
using System.ServiceModel;
using Callbench.Service;

namespace Callbench.Wcf
{
    /// <summary>Answers the contract's operations with the service. Its refusals become faults.</summary>
    [ServiceBehavior(InstanceContextMode = InstanceContextMode.Single, ConcurrencyMode = ConcurrencyMode.Multiple)]
    public sealed class Answering : ISpeedContract
    {
        // Mono cannot write a fault whose code has no name.
        internal static readonly FaultCode Refused = FaultCode.CreateSenderFaultCode("Refused", Namespace.Name);

        private readonly ISpeedService service;

        public Answering(ISpeedService service)
        {
            this.service = service;
        }

        /// <summary>The answer. Throws FaultException where the service refuses.</summary>
        internal static T Refusing<T>(Func<T> answer)
        {
            try
            {
                return answer();
            }
            catch (ServiceFault refused)
            {
                throw new FaultException(refused.Message, Refused);
            }
        }

        public void Empty()
        {
            service.Empty();
        }

        public int Sum(int a, int b)
        {
            return service.Sum(a, b);
        }

        public Person[] GetPersons(int n)
        {
            return Refusing(() => service.GetPersons(n));
        }

        public byte[] GetBinaryData(int size, string fill)
        {
            return Refusing(() => service.GetBinaryData(size, fill));
        }

        public Structure EchoStructure(Structure structure)
        {
            return service.EchoStructure(structure);
        }

        public string EchoString(string value)
        {
            return service.EchoString(value);
        }

        public string Hello()
        {
            return service.Hello();
        }

        public SearchResponse FindItems(int n)
        {
            return Refusing(() => service.FindItems(n));
        }

        public void SendBoolean(bool value)
        {
            service.SendBoolean(value);
        }

        public void SendByte(byte value)
        {
            service.SendByte(value);
        }

        public void SendChar(char value)
        {
            service.SendChar(value);
        }

        public void SendShort(short value)
        {
            service.SendShort(value);
        }

        public void SendInt(int value)
        {
            service.SendInt(value);
        }

        public void SendLong(long value)
        {
            service.SendLong(value);
        }

        public void SendFloat(float value)
        {
            service.SendFloat(value);
        }

        public void SendDouble(double value)
        {
            service.SendDouble(value);
        }

        public void SendString(string value)
        {
            service.SendString(value);
        }

        public void SendObject(Person value)
        {
            service.SendObject(value);
        }

        public void SendBooleanArray(bool[] value)
        {
            service.SendBooleanArray(value);
        }

        public void SendByteArray(byte[] value)
        {
            service.SendByteArray(value);
        }

        public void SendCharArray(char[] value)
        {
            service.SendCharArray(value);
        }

        public void SendShortArray(short[] value)
        {
            service.SendShortArray(value);
        }

        public void SendIntArray(int[] value)
        {
            service.SendIntArray(value);
        }

        public void SendLongArray(long[] value)
        {
            service.SendLongArray(value);
        }

        public void SendFloatArray(float[] value)
        {
            service.SendFloatArray(value);
        }

        public void SendDoubleArray(double[] value)
        {
            service.SendDoubleArray(value);
        }

        public void SendStringArray(string[] value)
        {
            service.SendStringArray(value);
        }

        public void SendObjectArray(Person[] value)
        {
            service.SendObjectArray(value);
        }
    }
}
