using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.Remoting;
using System.Runtime.Serialization;
using Callbench.Service;

namespace Callbench.Kit
{
    /// <summary>The error kinds of contract/CONTRACT.md.</summary>
    public enum Kind
    {
        Timeout,
        Refused,
        Closed,
        Protocol,
        Fault,
        WrongAnswer,
        TooLarge,
        CannotCarry,
        OutOfResources,
        BadRequest,
        Unsupported,
        Internal
    }

    /// <summary>The kinds as the contract spells them.</summary>
    internal static class Kinds
    {
        /// <summary>In the order of Kind.</summary>
        internal static readonly string[] Names =
        {
            "timeout", "refused", "closed", "protocol", "fault", "wrong-answer", "too-large", "cannot-carry", "out-of-resources",
            "bad-request", "unsupported", "internal"
        };
    }

    /// <summary>A failure with its kind and one sentence a person can act on.</summary>
    public sealed class Failure : Exception
    {
        /// <summary>Libraries wrap exceptions in a few layers. A longer chain is a cycle.</summary>
        private const int Deepest = 20;

        public Failure(Kind kind, string message) : this(kind, message, null)
        {
        }

        public Failure(Kind kind, string message, Exception cause) : base(message, cause)
        {
            Kind = kind;
        }

        public Kind Kind { get; private set; }

        /// <summary>The server's own "no", for libraries that carry only its text.</summary>
        public static Failure Fault(string message)
        {
            return new Failure(Kind.Fault, message);
        }

        public static Failure BadRequest(string message)
        {
            return new Failure(Kind.BadRequest, message);
        }

        /// <summary>
        /// What a library threw, by the outermost thing in it that has a kind; else a protocol error, or an internal one.
        /// </summary>
        public static Failure Of(Exception thrown)
        {
            // Reflection wraps what a method threw, and says nothing of it.
            while (thrown is TargetInvocationException && thrown.InnerException != null)
            {
                thrown = thrown.InnerException;
            }
            Exception each = thrown;
            bool io = false;
            for (int depth = 0; each != null && depth < Deepest; depth++)
            {
                var failure = each as Failure;
                if (failure != null)
                {
                    return failure;
                }
                Kind? kind = KindOf(each);
                if (kind != null)
                {
                    return new Failure(kind.Value, Sentence(each), thrown);
                }
                io |= each is IOException;
                each = each.InnerException;
            }
            if (io)
            {
                return new Failure(Kind.Closed, Sentence(thrown), thrown);
            }
            bool ours = thrown is SystemException && !(thrown is RemotingException) && !(thrown is SerializationException)
                        && !(thrown is FormatException) && !(thrown is InvalidCastException);
            return new Failure(ours ? Kind.Internal : Kind.Protocol, Sentence(thrown), thrown);
        }

        private static Kind? KindOf(Exception thrown)
        {
            if (thrown is ServiceFault)
            {
                return Kind.Fault;
            }
            if (thrown is OutOfMemoryException)
            {
                return Kind.OutOfResources;
            }
            if (thrown is TimeoutException)
            {
                return Kind.Timeout;
            }
            if (thrown is EndOfStreamException)
            {
                return Kind.Closed;
            }
            var socket = thrown as SocketException;
            if (socket != null)
            {
                return Of(socket.SocketErrorCode);
            }
            var web = thrown as WebException;
            return web == null ? null : Of(web);
        }

        private static Kind? Of(SocketError code)
        {
            switch (code)
            {
            case SocketError.TimedOut:
            case SocketError.WouldBlock: // a socket whose timeout is over
                return Kind.Timeout;
            case SocketError.ConnectionRefused:
            case SocketError.HostUnreachable:
            case SocketError.NetworkUnreachable:
            case SocketError.HostNotFound:
                return Kind.Refused;
            case SocketError.TooManyOpenSockets:
            case SocketError.NoBufferSpaceAvailable:
            case SocketError.AddressNotAvailable:
            case SocketError.AddressAlreadyInUse:
                return Kind.OutOfResources;
            default:
                return Kind.Closed;
            }
        }

        /// <summary>If it wraps an exception of a socket, that one is more precise.</summary>
        private static Kind? Of(WebException web)
        {
            switch (web.Status)
            {
            case WebExceptionStatus.Timeout:
                return Kind.Timeout;
            case WebExceptionStatus.ProtocolError:
            case WebExceptionStatus.ServerProtocolViolation:
                return Kind.Protocol;
            default:
                if (web.InnerException != null)
                {
                    return null;
                }
                return web.Status == WebExceptionStatus.ConnectFailure ? Kind.Refused : Kind.Closed;
            }
        }

        private static string Sentence(Exception thrown)
        {
            if (thrown is ServiceFault)
            {
                return thrown.Message;
            }
            string name = thrown.GetType().Name;
            return string.IsNullOrEmpty(thrown.Message) ? name : name + ": " + thrown.Message;
        }
    }
}
