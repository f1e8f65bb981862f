using System;
using System.Collections.ObjectModel;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.ServiceModel.Description;
using System.ServiceModel.Dispatcher;

namespace Callbench.Wcf
{
    /// <summary>
    /// Lets a refusal travel as what it says. Mono answers any exception, a FaultException too, as an internal error of the server.
    /// </summary>
    internal sealed class Refusals : IServiceBehavior, IErrorHandler
    {
        public void ProvideFault(Exception error, MessageVersion version, ref Message fault)
        {
            var refused = error as FaultException;
            if (refused != null)
            {
                fault = Message.CreateMessage(version, refused.CreateMessageFault(), null);
            }
        }

        public bool HandleError(Exception error)
        {
            return error is FaultException;
        }

        public void ApplyDispatchBehavior(ServiceDescription description, ServiceHostBase host)
        {
            foreach (ChannelDispatcher dispatcher in host.ChannelDispatchers)
            {
                dispatcher.ErrorHandlers.Add(this);
            }
        }

        public void AddBindingParameters(
            ServiceDescription description,
            ServiceHostBase host,
            Collection<ServiceEndpoint> endpoints,
            BindingParameterCollection parameters)
        {
        }

        public void Validate(ServiceDescription description, ServiceHostBase host)
        {
        }
    }
}
