using System;
using System.Collections.Generic;
using System.ServiceModel;
using System.ServiceModel.Channels;
using System.Threading;
using System.Xml;

namespace Callbench.Wcf.Channel
{
    /// <summary>
    /// Answers requests on WCF's own channel (its binding, its encoder, its listener) with a thread, without the dispatcher of a
    /// ServiceHost.
    /// </summary>
    internal sealed class ReplyServer : IDisposable
    {
        private static readonly TimeSpan ToClose = TimeSpan.FromSeconds(1);

        private readonly IDictionary<string, Operation> operations;
        private readonly IChannelListener<IReplyChannel> listener;
        private volatile bool closing;

        internal ReplyServer(IDictionary<string, Operation> operations, Binding binding, Uri address)
        {
            this.operations = operations;
            listener = binding.BuildChannelListener<IReplyChannel>(address);
            listener.Open();
            new Thread(Serve) { IsBackground = true, Name = "reply " + address.AbsolutePath } .Start();
        }

        public void Dispose()
        {
            closing = true;
            try
            {
                listener.Close(ToClose);
            }
            catch (TimeoutException)
            {
                listener.Abort();
            }
        }

        private void Serve()
        {
            try
            {
                IReplyChannel channel = listener.AcceptChannel();
                channel.Open();
                while (!closing)
                {
                    RequestContext request;
                    if (channel.TryReceiveRequest(TimeSpan.FromDays(1), out request) && request != null)
                    {
                        Answer(request);
                    }
                }
            }
            catch (Exception failure)
            {
                if (!closing)
                {
                    Console.Error.WriteLine("wcf: a thread of the server ends: " + failure);
                }
            }
        }

        private void Answer(RequestContext request)
        {
            try
            {
                using (Message answer = AnswerTo(request.RequestMessage))
                {
                    request.Reply(answer);
                }
                request.Close();
            }
            catch (Exception gone)
            {
                // The client has gone, or its request cannot be answered. The next request is served.
                Console.Error.WriteLine("wcf: a request was not answered: " + gone.Message);
                request.Abort();
            }
        }

        private Message AnswerTo(Message request)
        {
            try
            {
                XmlDictionaryReader body = request.GetReaderAtBodyContents();
                Operation operation;
                if (!operations.TryGetValue(body.LocalName, out operation))
                {
                    throw new FaultException("there is no operation " + body.LocalName, Answering.Refused);
                }
                return Message.CreateMessage(request.Version, (string)null, operation.Answer(body));
            }
            catch (FaultException refused)
            {
                return Message.CreateMessage(request.Version, refused.CreateMessageFault(), null);
            }
            catch (Exception wrong)
            {
                var fault = new FaultException(wrong.GetType().Name + ": " + wrong.Message, Answering.Refused);
                return Message.CreateMessage(request.Version, fault.CreateMessageFault(), null);
            }
        }
    }
}
