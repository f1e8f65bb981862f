using System;
using System.Collections.Generic;
using System.Threading;
using Callbench.Kit;
using Callbench.Service;
using Newtonsoft.Json.Linq;

namespace Callbench.Own
{
    /// <summary>What a server answers to one call of the user's own service. Many threads use it at once.</summary>
    public abstract class OwnAnswers
    {
        private readonly Delays delays;
        private long count;

        internal OwnAnswers(string name, Delays delays)
        {
            Name = name;
            this.delays = delays;
        }

        public string Name { get; }

        /// <summary>The type of a request.</summary>
        public abstract Type Request { get; }

        /// <summary>The answer to a request. Throws ServiceFault where the service refuses.</summary>
        public abstract object Of(object request);

        /// <summary>The answered calls since the last request for counts.</summary>
        internal long TakeCount() => Interlocked.Exchange(ref count, 0);

        /// <summary>Counted first, so that no client sees an answer that is not counted yet.</summary>
        internal void Begin()
        {
            Interlocked.Increment(ref count);
            delays.Pass();
        }
    }

    /// <summary>Looks the answer up by the whole request.</summary>
    public sealed class OwnAnswers<TRequest, TAnswer> : OwnAnswers
    {
        private readonly Answers<Key, TAnswer> answers;

        /// <summary>A request may be null, which no dictionary takes as a key.</summary>
        private struct Key
        {
            internal TRequest Request;
        }

        private sealed class SameRequest : IEqualityComparer<Key>
        {
            public bool Equals(Key one, Key other) => Same<TRequest>.Whole.Equals(one.Request, other.Request);

            public int GetHashCode(Key key) => key.Request == null ? 0 : Same<TRequest>.Whole.GetHashCode(key.Request);
        }

        internal OwnAnswers(string name, Asked ask, Delays delays) : base(name, delays)
        {
            answers = new Answers<Key, TAnswer>(
            key => ask(name, new JObject { { "request", OwnJson.Write(key.Request) } }), OwnJson.Read<TAnswer>, new SameRequest());
        }

        public override Type Request => typeof(TRequest);

        public override object Of(object request) => Answer((TRequest)request);

        /// <summary>As Of, in the service's types.</summary>
        public TAnswer Answer(TRequest request)
        {
            Begin();
            return answers.Of(new Key { Request = request });
        }
    }
}
