namespace Callbench.Kit.Drive
{
    /// <summary>Something that other threads look at all the time and that is raised once.</summary>
    public sealed class Flag
    {
        private volatile bool raised;

        public bool IsRaised
        {
            get { return raised; }
        }

        public void Raise()
        {
            raised = true;
        }
    }
}
