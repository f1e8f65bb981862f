using System;
using Callbench.Service;

namespace Callbench.Kit
{
    /// <summary>One call of the service with its arguments.</summary>
    public abstract class Call
    {
        protected Call(string name)
        {
            Name = name;
        }

        /// <summary>As contract/SERVICE.md has it.</summary>
        public string Name { get; private set; }

        /// <summary>The call made ready for one client, to be made again and again.</summary>
        public abstract Making Prepare();
    }

    /// <summary>
    /// A call in one client's hands. It keeps the last answer in its own type, so that nothing is boxed between two calls.
    /// </summary>
    public abstract class Making
    {
        /// <summary>Makes the call; whatever the stack throws is thrown.</summary>
        public abstract void On(ISpeedService service);

        /// <summary>Whether the last answer is right, as far as a look in constant time can tell.</summary>
        public abstract bool Right();

        /// <summary>The last answer whole; null is nothing.</summary>
        public abstract object Answer { get; }
    }

    /// <summary>A call that answers a <typeparamref name="T"/>.</summary>
    public sealed class Call<T> : Call
    {
        private readonly Func<ISpeedService, T> make;
        private readonly Func<T, bool> holds;

        /// <param name="name">as contract/SERVICE.md has it</param>
        /// <param name="make">makes it on a client's service</param>
        /// <param name="holds">the check of an answer in constant time</param>
        public Call(string name, Func<ISpeedService, T> make, Func<T, bool> holds) : base(name)
        {
            this.make = make;
            this.holds = holds;
        }

        public override Making Prepare()
        {
            return new Ready(this);
        }

        private sealed class Ready : Making
        {
            private readonly Func<ISpeedService, T> make;
            private readonly Func<T, bool> holds;
            private T answer;

            internal Ready(Call<T> call)
            {
                make = call.make;
                holds = call.holds;
            }

            public override void On(ISpeedService service)
            {
                answer = make(service);
            }

            public override bool Right()
            {
                return holds(answer);
            }

            public override object Answer
            {
                get { return answer; }
            }
        }
    }
}
