using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;
using System.ServiceModel;
using System.ServiceModel.Channels;
using Callbench.Kit;
using Callbench.Own;
using Callbench.Service;

namespace Callbench.Wcf
{
    /// <summary>The calls of the user's own service through WCF's proxy for the contract that is generated for it.</summary>
    internal abstract class OwnProxy : IOwnService
    {
        private const string Contract = "Callbench.Generated.IContract";
        private const string Answering = "Callbench.Generated.Answering";

        /// <summary>The contract that was generated.</summary>
        internal static Type ContractType => OwnCall.Service.GetType(Contract, true);

        internal static OwnProxy To(Binding binding, string endpoint)
        {
            Type its = typeof(OwnProxy<>).MakeGenericType(ContractType);
            return (OwnProxy)Activator.CreateInstance(its, binding, new EndpointAddress(endpoint));
        }

        /// <summary>The contract of a server, which answers with the service. Its refusals become faults.</summary>
        internal static object Server(IReadOnlyList<OwnAnswers> service)
        {
            Dictionary<string, OwnAnswers> answers = service.ToDictionary(each => each.Name);
            Func<string, object, object> answer = (name, request) => Wcf.Answering.Refusing(() => answers[name].Of(request));
            return Activator.CreateInstance(OwnCall.Service.GetType(Answering, true), answer);
        }

        public abstract TAnswer Ask<TRequest, TAnswer>(string call, TRequest request);

        internal abstract void Close();
    }

    /// <summary>A proxy for a <typeparamref name="TContract"/>.</summary>
    internal sealed class OwnProxy<TContract> : OwnProxy
    {
        private readonly ChannelFactory<TContract> factory;
        private readonly TContract proxy;
        private readonly IClientChannel channel;
        private readonly Dictionary<string, Delegate> calls = Bound();

        public OwnProxy(Binding binding, EndpointAddress endpoint)
        {
            factory = new ChannelFactory<TContract>(binding, endpoint);
            proxy = factory.CreateChannel();
            channel = (IClientChannel)proxy;
            channel.Open();
        }

        public override TAnswer Ask<TRequest, TAnswer>(string call, TRequest request)
        {
            if (!calls.TryGetValue(call, out Delegate made))
            {
                throw new Failure(Kind.CannotCarry, "WCF has no type for any JSON, which " + call + " holds");
            }
            return ((Func<TContract, TRequest, TAnswer>)made)(proxy, request);
        }

        /// <summary>
        /// Each method of the contract as a function, made once, so that a call needs no reflection. The proxy is an argument of it: Mono's
        /// proxy is a transparent one, and does not always say of itself that it has the contract's type.
        /// </summary>
        private static Dictionary<string, Delegate> Bound()
        {
            var bound = new Dictionary<string, Delegate>();
            foreach (MethodInfo method in typeof(TContract).GetMethods())
            {
                ParameterExpression contract = Expression.Parameter(typeof(TContract), "contract");
                ParameterExpression request = Expression.Parameter(method.GetParameters()[0].ParameterType, "request");
                bound[method.Name] = Expression.Lambda(Expression.Call(contract, method, request), contract, request).Compile();
            }
            return bound;
        }

        internal override void Close()
        {
            try
            {
                channel.Close();
                factory.Close();
            }
            catch (Exception)
            {
                // A channel that has failed cannot be closed, only given up.
                channel.Abort();
                factory.Abort();
            }
        }
    }
}
