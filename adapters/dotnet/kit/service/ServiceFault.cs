using System;
using System.Runtime.Serialization;

namespace Callbench.Service
{
    /// <summary>The service's "no": what it refuses, and why. Serializable, so that a formatter can carry it as it is.</summary>
    [Serializable]
    public sealed class ServiceFault : Exception
    {
        public ServiceFault(string message) : base(message)
        {
        }

        private ServiceFault(SerializationInfo info, StreamingContext context) : base(info, context)
        {
        }
    }
}
