using System;
using System.Collections.Concurrent;
using System.IO;
using System.Net;
using System.Runtime.Serialization.Json;
using Callbench.Kit;

namespace Callbench.Wcf.Rest
{
    /// <summary>
    /// Requests by .NET's own HTTP client, bodies by WCF's own JSON serializer. WCF's proxy for such a service is not used: Mono's cannot
    /// write a request body in JSON.
    /// </summary>
    internal sealed class Http
    {
        private static readonly ConcurrentDictionary<Type, DataContractJsonSerializer> Serializers =
            new ConcurrentDictionary<Type, DataContractJsonSerializer>();

        private readonly string root;
        private readonly int timeoutMs;

        internal Http(string root, TimeSpan timeout)
        {
            this.root = root;
            timeoutMs = (int)Math.Min(int.MaxValue, timeout.TotalMilliseconds);
        }

        /// <summary>Makes a call without an answer.</summary>
        internal void Post<T>(string operation, T arguments)
        {
            using (Sent(operation, arguments))
            {
            }
        }

        /// <summary>Makes a call and returns its answer.</summary>
        /// <exception cref="Failure">the server refused</exception>
        /// <exception cref="WebException">the answer cannot be parsed</exception>
        internal TAnswer Ask<TAnswer>(string operation, object arguments)
        {
            using (HttpWebResponse response = Sent(operation, arguments))
            {
                return ((Answer<TAnswer>)Read(typeof(Answer<TAnswer>), response)).result;
            }
        }

        private HttpWebResponse Sent(string operation, object arguments)
        {
            var request = (HttpWebRequest)WebRequest.Create(root + operation);
            request.Method = "POST";
            request.ContentType = "application/json";
            request.Timeout = timeoutMs;
            request.ReadWriteTimeout = timeoutMs;
            var body = new MemoryStream();
            Serializer(arguments.GetType()).WriteObject(body, arguments);
            request.ContentLength = body.Length;
            try
            {
                using (Stream stream = request.GetRequestStream())
                {
                    body.WriteTo(stream);
                }
                return (HttpWebResponse)request.GetResponse();
            }
            catch (WebException failure)
            {
                throw Refused(failure);
            }
        }

        private static Exception Refused(WebException failure)
        {
            var response = failure.Response as HttpWebResponse;
            if (response == null)
            {
                return failure;
            }
            using (response)
            {
                return response.StatusCode == HttpStatusCode.BadRequest
                       ? Failure.Fault(((Refusal)Read(typeof(Refusal), response)).error)
                       : new Failure(Kind.Protocol, "the server answered with the status " + (int)response.StatusCode);
            }
        }

        private static object Read(Type type, WebResponse response)
        {
            using (Stream stream = response.GetResponseStream())
            {
                return Serializer(type).ReadObject(stream);
            }
        }

        private static DataContractJsonSerializer Serializer(Type type)
        {
            return Serializers.GetOrAdd(type, each => new DataContractJsonSerializer(each));
        }
    }
}
