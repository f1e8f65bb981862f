using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.Serialization;
using System.ServiceModel.Channels;
using System.Xml;

namespace Callbench.Wcf.Channel
{
    /// <summary>
    /// One operation of a contract: reads its arguments from a message's body and writes its answer into another, in WCF's own layout
    /// (document/literal, wrapped), each value by WCF's own serializer.
    /// </summary>
    internal sealed class Operation
    {
        private readonly string name;
        private readonly object service;
        private readonly Func<object, object[], object> call;
        private readonly XmlObjectSerializer[] arguments;
        private readonly string[] names;
        private readonly XmlObjectSerializer result;

        private Operation(MethodInfo method, object service)
        {
            this.service = service;
            name = method.Name;
            call = Compiled(method);
            ParameterInfo[] parameters = method.GetParameters();
            arguments = Array.ConvertAll(parameters, each => Serializer(each.ParameterType, each.Name));
            names = Array.ConvertAll(parameters, each => each.Name);
            result = method.ReturnType == typeof(void) ? null : Serializer(method.ReturnType, method.Name + "Result");
        }

        /// <summary>Adds every operation of the contract that <paramref name="service"/> implements, by the name of its
        ///   element.</summary>
        internal static void Add(IDictionary<string, Operation> all, Type contract, object service)
        {
            foreach (MethodInfo method in contract.GetMethods())
            {
                all[method.Name] = new Operation(method, service);
            }
        }

        /// <summary>Calls the service with the content of <paramref name="body"/>, which is positioned at the operation's
        ///   element.</summary>
        /// <exception cref="System.Exception">any exception of the service, or the body is invalid</exception>
        internal BodyWriter Answer(XmlDictionaryReader body)
        {
            return new Writer(name + "Response", result, call(service, Arguments(body)));
        }

        /// <summary>The call of a method without reflection, which would be a cost that no user of WCF has.</summary>
        private static Func<object, object[], object> Compiled(MethodInfo method)
        {
            ParameterExpression service = Expression.Parameter(typeof(object), "service");
            ParameterExpression values = Expression.Parameter(typeof(object[]), "values");
            IEnumerable<Expression> given = method.GetParameters().Select(
                                                (each, place) => (Expression)Expression.Convert(
                                                    Expression.ArrayIndex(values, Expression.Constant(place)), each.ParameterType));
            Expression answer = Expression.Call(Expression.Convert(service, method.DeclaringType), method, given);
            Expression boxed = method.ReturnType == typeof(void)
                               ? (Expression)Expression.Block(answer, Expression.Constant(null))
                               : Expression.Convert(answer, typeof(object));
            return Expression.Lambda<Func<object, object[], object>>(boxed, service, values).Compile();
        }

        private object[] Arguments(XmlDictionaryReader body)
        {
            var values = new object[arguments.Length];
            bool nothing = body.IsEmptyElement;
            body.ReadStartElement(name, Namespace.Name);
            for (int place = 0; place < values.Length; place++)
            {
                if (nothing || !body.IsStartElement(names[place], Namespace.Name))
                {
                    throw new SerializationException(name + " lacks its argument " + names[place]);
                }
                values[place] = arguments[place].ReadObject(body, false);
            }
            return values;
        }

        private static XmlObjectSerializer Serializer(Type type, string name)
        {
            return new DataContractSerializer(type, name, Namespace.Name);
        }

        private sealed class Writer : BodyWriter
        {
            private readonly string element;
            private readonly XmlObjectSerializer serializer;
            private readonly object value;

            internal Writer(string element, XmlObjectSerializer serializer, object value) : base(true)
            {
                this.element = element;
                this.serializer = serializer;
                this.value = value;
            }

            protected override void OnWriteBodyContents(XmlDictionaryWriter writer)
            {
                writer.WriteStartElement(element, Namespace.Name);
                if (serializer != null)
                {
                    serializer.WriteObject(writer, value);
                }
                writer.WriteEndElement();
            }
        }
    }
}
