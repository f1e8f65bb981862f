namespace Callbench.Wcf
{
    internal static class Namespace
    {
        /// <summary>Of the contract's messages.</summary>
        internal const string Name = "urn:callbench:SpeedService";
    }
}
