using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Callbench.Json
{
    // The messages of JSON-RPC 2.0, as a client writes and reads them, and as a server does.

    internal sealed class Request
    {
        public string jsonrpc = "2.0";
        public string method;
        public object @params;
        public int id = 1;
    }

    /// <summary>The parameters of a call of the user's own service.</summary>
    internal sealed class OwnParameters<T>
    {
        [JsonProperty(NullValueHandling = NullValueHandling.Include)]
        public T request;
    }

    internal sealed class Received<T>
    {
        public T result { get; set; }
        public Error error { get; set; }
    }

    internal sealed class Error
    {
        internal const int Unreadable = -32700;
        internal const int NoRequest = -32600;
        internal const int NoMethod = -32601;
        internal const int InvalidParams = -32602;

        /// <summary>An error that the service reports.</summary>
        internal const int Refused = -32000;

        public int code;
        public string message;
    }

    internal sealed class Reply
    {
        public string jsonrpc = "2.0";

        [JsonProperty(NullValueHandling = NullValueHandling.Include)]
        public object result;

        [JsonProperty(NullValueHandling = NullValueHandling.Include)]
        public JToken id;
    }

    internal sealed class Refusal
    {
        public string jsonrpc = "2.0";
        public Error error;

        [JsonProperty(NullValueHandling = NullValueHandling.Include)]
        public JToken id;
    }
}
