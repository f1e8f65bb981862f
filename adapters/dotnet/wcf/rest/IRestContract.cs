using System.ServiceModel;
using System.ServiceModel.Web;
using Callbench.Service;

namespace Callbench.Wcf.Rest
{
    /// <summary>
    /// The service as resources: a POST of the parameters as a JSON object to /rest/OPERATION, answered by {"result": value}. One object
    /// each way, since Mono reads no wrapped request of several parameters.
    /// </summary>
    [ServiceContract]
    public interface IRestContract
    {
        /// <summary>The method of a published benchmark of 2012, at its path and with its answer.</summary>
        [OperationContract]
        [WebGet(
             UriTemplate = "SampleServices/Service/REST/HelloWorld/",
             BodyStyle = WebMessageBodyStyle.Wrapped,
             ResponseFormat = WebMessageFormat.Json)]
        string HelloWorld();

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/Empty", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void Empty(Nothing arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/Sum", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        Answer<int> Sum(TwoNumbers arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/GetPersons", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        Answer<Person[]> GetPersons(HowMany arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/GetBinaryData", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        Answer<byte[]> GetBinaryData(HowMuch arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/EchoStructure", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        Answer<Structure> EchoStructure(OneStructure arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/EchoString", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        Answer<string> EchoString(One<string> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/Hello", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        Answer<string> Hello(Nothing arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/FindItems", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        Answer<SearchResponse> FindItems(HowMany arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendBoolean", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendBoolean(One<bool> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendByte", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendByte(One<byte> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendChar", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendChar(One<char> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendShort", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendShort(One<short> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendInt", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendInt(One<int> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendLong", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendLong(One<long> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendFloat", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendFloat(One<float> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendDouble", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendDouble(One<double> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendString", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendString(One<string> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendObject", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendObject(One<Person> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendBooleanArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendBooleanArray(One<bool[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendByteArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendByteArray(One<byte[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendCharArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendCharArray(One<char[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendShortArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendShortArray(One<short[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendIntArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendIntArray(One<int[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendLongArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendLongArray(One<long[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendFloatArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendFloatArray(One<float[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendDoubleArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendDoubleArray(One<double[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendStringArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendStringArray(One<string[]> arguments);

        [OperationContract]
        [WebInvoke(UriTemplate = "rest/SendObjectArray", RequestFormat = WebMessageFormat.Json, ResponseFormat = WebMessageFormat.Json)]
        void SendObjectArray(One<Person[]> arguments);
    }
}
