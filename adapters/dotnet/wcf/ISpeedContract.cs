using System.ServiceModel;
using Callbench.Service;

namespace Callbench.Wcf
{
    /// <summary>
    /// The service as a contract of WCF, with the names of contract/SERVICE.md. Its operations are those of the kit's interface, which
    /// knows nothing of WCF and so has none of its attributes.
    /// </summary>
    [ServiceContract(Name = "SpeedService", Namespace = Namespace.Name)]
    public interface ISpeedContract
    {
        [OperationContract]
        void Empty();

        [OperationContract]
        int Sum(int a, int b);

        [OperationContract]
        Person[] GetPersons(int n);

        [OperationContract]
        byte[] GetBinaryData(int size, string fill);

        [OperationContract]
        Structure EchoStructure(Structure structure);

        [OperationContract]
        string EchoString(string value);

        [OperationContract]
        string Hello();

        [OperationContract]
        SearchResponse FindItems(int n);

        [OperationContract]
        void SendBoolean(bool value);

        [OperationContract]
        void SendByte(byte value);

        [OperationContract]
        void SendChar(char value);

        [OperationContract]
        void SendShort(short value);

        [OperationContract]
        void SendInt(int value);

        [OperationContract]
        void SendLong(long value);

        [OperationContract]
        void SendFloat(float value);

        [OperationContract]
        void SendDouble(double value);

        [OperationContract]
        void SendString(string value);

        [OperationContract]
        void SendObject(Person value);

        [OperationContract]
        void SendBooleanArray(bool[] value);

        [OperationContract]
        void SendByteArray(byte[] value);

        [OperationContract]
        void SendCharArray(char[] value);

        [OperationContract]
        void SendShortArray(short[] value);

        [OperationContract]
        void SendIntArray(int[] value);

        [OperationContract]
        void SendLongArray(long[] value);

        [OperationContract]
        void SendFloatArray(float[] value);

        [OperationContract]
        void SendDoubleArray(double[] value);

        [OperationContract]
        void SendStringArray(string[] value);

        [OperationContract]
        void SendObjectArray(Person[] value);
    }
}
