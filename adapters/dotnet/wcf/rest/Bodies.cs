using System.Runtime.Serialization;
using Callbench.Service;

namespace Callbench.Wcf.Rest
{
    // The bodies of requests and answers: WCF's bodies without a wrapper are one object each.

    [DataContract]
    public sealed class Nothing
    {
    }

    [DataContract]
    public sealed class TwoNumbers
    {
        [DataMember]
        public int a;

        [DataMember]
        public int b;
    }

    [DataContract]
    public sealed class HowMany
    {
        [DataMember]
        public int n;
    }

    [DataContract]
    public sealed class HowMuch
    {
        [DataMember]
        public int size;

        [DataMember]
        public string fill;
    }

    [DataContract]
    public sealed class OneStructure
    {
        [DataMember]
        public Structure structure;
    }

    [DataContract]
    public sealed class One<T>
    {
        [DataMember]
        public T value;
    }

    [DataContract]
    public sealed class Answer<T>
    {
        [DataMember]
        public T result;
    }

    /// <summary>The body of a refusal, under the status 400.</summary>
    [DataContract]
    public sealed class Refusal
    {
        [DataMember]
        public string error;
    }
}
