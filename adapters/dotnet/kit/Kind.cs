namespace Callbench.Kit
{
    /// <summary>The error kinds of contract/CONTRACT.md.</summary>
    public enum Kind
    {
        Timeout,
        Refused,
        Closed,
        Protocol,
        Fault,
        WrongAnswer,
        TooLarge,
        CannotCarry,
        OutOfResources,
        BadRequest,
        Unsupported,
        Internal
    }

    /// <summary>The kinds as the contract spells them.</summary>
    public static class Kinds
    {
        /// <summary>In the order of Kind.</summary>
        public static readonly string[] Said =
        {
            "timeout", "refused", "closed", "protocol", "fault", "wrong-answer", "too-large", "cannot-carry", "out-of-resources",
            "bad-request", "unsupported", "internal"
        };
    }
}
