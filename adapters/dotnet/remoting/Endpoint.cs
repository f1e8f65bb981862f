using System;
using Callbench.Kit;

namespace Callbench.Remoting
{
    /// <summary>The address of a server: tcp://ADDRESS:PORT/NAME or http://ADDRESS:PORT/NAME.</summary>
    internal static class Endpoint
    {
        /// <summary>Its parts. Throws Failure of kind bad-request.</summary>
        internal static Uri Of(string text, string scheme)
        {
            Uri place;
            if (!Uri.TryCreate(text, UriKind.Absolute, out place) || place.Scheme != scheme || place.Port <= 0)
            {
                throw Failure.BadRequest("the endpoint is " + text + ": it must be " + scheme + "://ADDRESS:PORT/NAME");
            }
            return place;
        }
    }
}
