using System;
using System.Collections.ObjectModel;
using System.Net;
using System.Runtime.Serialization.Json;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.ServiceModel.Description;
using System.ServiceModel.Dispatcher;

namespace Callbench.Wcf.Rest
{
    /// <summary>
    /// Answers what the service refuses by the status 400 and {"error": sentence}. Mono knows no WebFaultException, and writes any other
    /// exception in XML.
    /// </summary>
    internal sealed class JsonRefusals : IServiceBehavior, IErrorHandler
    {
        public void ProvideFault(Exception error, MessageVersion version, ref Message fault)
        {
            var serializer = new DataContractJsonSerializer(typeof(Refusal));
            fault = Message.CreateMessage(version, null, new Refusal { error = error.Message }, serializer);
            fault.Properties.Add(WebBodyFormatMessageProperty.Name, new WebBodyFormatMessageProperty(WebContentFormat.Json));
            var http = new HttpResponseMessageProperty { StatusCode = HttpStatusCode.BadRequest };
            http.Headers[HttpResponseHeader.ContentType] = "application/json; charset=utf-8";
            fault.Properties.Add(HttpResponseMessageProperty.Name, http);
        }

        public bool HandleError(Exception error)
        {
            return true;
        }

        public void ApplyDispatchBehavior(ServiceDescription description, ServiceHostBase host)
        {
            foreach (ChannelDispatcher dispatcher in host.ChannelDispatchers)
            {
                dispatcher.ErrorHandlers.Insert(0, this);
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
