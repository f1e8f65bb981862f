using System;
using System.IO;
using System.Net;
using Callbench.Kit;
using Callbench.Own;
using Callbench.Service;

namespace Callbench.Json
{
    /// <summary>The service behind a URL: each call is a POST with .NET's HttpWebRequest.</summary>
    internal sealed class Caller : ISpeedService, IOwnService
    {
        private readonly string url;
        private readonly int timeoutMs;

        internal Caller(string url, TimeSpan timeout)
        {
            this.url = url;
            timeoutMs = (int)Math.Min(int.MaxValue, timeout.TotalMilliseconds);
        }

        public void Empty() => Ask<object>("Empty", new { });

        public int Sum(int a, int b) => Ask<int>("Sum", new { a, b });

        public Person[] GetPersons(int n) => Ask<Person[]>("GetPersons", new { n });

        public byte[] GetBinaryData(int size, string fill) => Ask<byte[]>("GetBinaryData", new { size, fill });

        public Structure EchoStructure(Structure structure) => Ask<Structure>("EchoStructure", new { structure });

        public string EchoString(string value) => Ask<string>("EchoString", new { value });

        public string Hello() => Ask<string>("Hello", new { });

        public SearchResponse FindItems(int n) => Ask<SearchResponse>("FindItems", new { n });

        public void SendBoolean(bool value) => Ask<object>("SendBoolean", new { value });

        public void SendByte(byte value) => Ask<object>("SendByte", new { value });

        public void SendChar(char value) => Ask<object>("SendChar", new { value });

        public void SendShort(short value) => Ask<object>("SendShort", new { value });

        public void SendInt(int value) => Ask<object>("SendInt", new { value });

        public void SendLong(long value) => Ask<object>("SendLong", new { value });

        public void SendFloat(float value) => Ask<object>("SendFloat", new { value });

        public void SendDouble(double value) => Ask<object>("SendDouble", new { value });

        public void SendString(string value) => Ask<object>("SendString", new { value });

        public void SendObject(Person value) => Ask<object>("SendObject", new { value });

        public void SendBooleanArray(bool[] value) => Ask<object>("SendBooleanArray", new { value });

        public void SendByteArray(byte[] value) => Ask<object>("SendByteArray", new { value });

        public void SendCharArray(char[] value) => Ask<object>("SendCharArray", new { value });

        public void SendShortArray(short[] value) => Ask<object>("SendShortArray", new { value });

        public void SendIntArray(int[] value) => Ask<object>("SendIntArray", new { value });

        public void SendLongArray(long[] value) => Ask<object>("SendLongArray", new { value });

        public void SendFloatArray(float[] value) => Ask<object>("SendFloatArray", new { value });

        public void SendDoubleArray(double[] value) => Ask<object>("SendDoubleArray", new { value });

        public void SendStringArray(string[] value) => Ask<object>("SendStringArray", new { value });

        public void SendObjectArray(Person[] value) => Ask<object>("SendObjectArray", new { value });

        TAnswer IOwnService.Ask<TRequest, TAnswer>(string call, TRequest request) =>
        Ask<TAnswer>(call, new OwnParameters<TRequest> { request = request });

        /// <summary>Makes a call. Throws Failure if the server refuses, and WebException if the answer cannot be parsed.</summary>
        private T Ask<T>(string method, object arguments)
        {
            byte[] body = Json.Written(new Request { method = method, @params = arguments });
            var request = (HttpWebRequest)WebRequest.Create(url);
            request.Method = "POST";
            request.ContentType = JsonHttp.ContentType;
            request.ContentLength = body.Length;
            request.Timeout = timeoutMs;
            request.ReadWriteTimeout = timeoutMs;
            using (Stream stream = request.GetRequestStream())
            {
                stream.Write(body, 0, body.Length);
            }
            using (WebResponse response = request.GetResponse())
                using (Stream stream = response.GetResponseStream())
                {
                    Received<T> received = Json.Read<Received<T>>(stream);
                    if (received.error != null)
                    {
                        throw Failure.Fault(received.error.message);
                    }
                    return received.result;
                }
        }
    }
}
