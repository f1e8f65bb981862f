using System;
using System.Collections.Generic;
using System.Linq;

namespace Callbench.Kit.Contract
{
    /// <summary>The client's side of a session: connections and single calls.</summary>
    internal sealed class Clients
    {
        private const int Most = 65536;

        private readonly Adapter adapter;
        private readonly List<Client> connected = new List<Client>();

        internal Clients(Adapter adapter)
        {
            this.adapter = adapter;
        }

        /// <summary>
        /// Makes all the clients and gives the connections open; where one cannot be had, the others are closed again.
        /// </summary>
        internal int Connect(Request request)
        {
            Close();
            Stack stack = adapter.Stack(request.Text("stack"));
            int count = (int)request.Whole("clients", 1, Most);
            TimeSpan timeout = TimeSpan.FromMilliseconds(request.Whole("timeout_ms", 1, int.MaxValue));
            Serving.RefuseUnknown(request.Members("options"));
            string endpoint = request.Text("endpoint");
            try
            {
                for (int i = 0; i < count; i++)
                {
                    connected.Add(stack.Connect(endpoint, timeout));
                }
            }
            catch
            {
                Close();
                throw;
            }
            return connected.Sum(client => client.Connections);
        }

        /// <summary>Makes one call with the first client, and gives its answer.</summary>
        internal object Call(Call call)
        {
            Client client = Some(1)[0];
            Making making = call.Prepare();
            try
            {
                making.On(client.Service);
            }
            catch (Exception thrown)
            {
                throw client.Failed(thrown);
            }
            return making.Answer;
        }

        internal int Count
        {
            get { return connected.Count; }
        }

        /// <summary>The first so many.</summary>
        internal IList<Client> Some(int count)
        {
            if (connected.Count == 0)
            {
                throw Failure.BadRequest("no client is connected: say connect first");
            }
            return connected.GetRange(0, count);
        }

        internal void Close()
        {
            foreach (Client client in connected)
            {
                try
                {
                    client.Close();
                }
                catch (Exception failure)
                {
                    Console.Error.WriteLine("callbench: a client does not close: " + failure.Message);
                }
            }
            connected.Clear();
        }
    }
}
