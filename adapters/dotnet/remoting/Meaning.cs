using System;
using System.Runtime.Remoting;
using Callbench.Kit;

namespace Callbench.Remoting
{
    /// <summary>What Mono's channels throw, told by kind. Where they keep the text alone of what happened, the text has to do.</summary>
    internal static class Meaning
    {
        private const string Refused = "Connection refused";

        internal static Failure Of(Exception thrown)
        {
            Failure failure = Failure.Of(thrown);
            if (failure.Kind == Kind.Internal && thrown is ArgumentException && thrown.Message.Contains("surrogate"))
            {
                return new Failure(Kind.CannotCarry, thrown.Message, thrown);
            }
            bool told = thrown is RemotingException && failure.Kind == Kind.Protocol;
            if (told && thrown.Message.StartsWith(Refused, StringComparison.Ordinal))
            {
                return new Failure(Kind.Refused, thrown.Message, thrown);
            }
            return failure;
        }
    }
}
