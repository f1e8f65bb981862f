using System;
using System.Runtime.Remoting;
using Callbench.Kit;

namespace Callbench.Remoting
{
    /// <summary>The kinds of exceptions of Mono's channels. If they keep only the text of an error, the text is used.</summary>
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
