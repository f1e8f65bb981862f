using System;
using System.ServiceModel;
using System.Xml;

namespace Callbench.Wcf
{
    /// <summary>
    /// The bindings, with higher limits. By default, WCF refuses messages beyond 64 KiB and strings beyond 8,192 characters.
    /// </summary>
    internal static class Bindings
    {
        internal static BasicHttpBinding BasicHttp(TimeSpan patience)
        {
            var binding = new BasicHttpBinding
            {
                MaxReceivedMessageSize = int.MaxValue,
                MaxBufferSize = int.MaxValue,
                ReaderQuotas = Quotas(),
                // Else it listens on every address of the machine.
                HostNameComparisonMode = HostNameComparisonMode.Exact
            };
            Wait(binding, patience);
            return binding;
        }

        internal static NetTcpBinding NetTcp(TimeSpan patience)
        {
            var binding = new NetTcpBinding(SecurityMode.None)
            {
                MaxReceivedMessageSize = int.MaxValue,
                MaxBufferSize = int.MaxValue,
                ReaderQuotas = Quotas(),
                HostNameComparisonMode = HostNameComparisonMode.Exact
            };
            Wait(binding, patience);
            return binding;
        }

        internal static WebHttpBinding WebHttp(TimeSpan patience)
        {
            var binding = new WebHttpBinding
            {
                MaxReceivedMessageSize = int.MaxValue,
                MaxBufferSize = int.MaxValue,
                ReaderQuotas = Quotas(),
                HostNameComparisonMode = HostNameComparisonMode.Exact
            };
            Wait(binding, patience);
            return binding;
        }

        private static void Wait(System.ServiceModel.Channels.Binding binding, TimeSpan patience)
        {
            binding.OpenTimeout = patience;
            binding.SendTimeout = patience;
            binding.CloseTimeout = TimeSpan.FromSeconds(1);
        }

        private static XmlDictionaryReaderQuotas Quotas()
        {
            return new XmlDictionaryReaderQuotas
            {
                MaxArrayLength = int.MaxValue,
                MaxBytesPerRead = int.MaxValue,
                MaxNameTableCharCount = int.MaxValue,
                MaxStringContentLength = int.MaxValue
            };
        }
    }
}
