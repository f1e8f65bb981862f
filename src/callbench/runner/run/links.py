"""The links of a run that goes on: each could be created when it was planned, so no stack is to blame for one."""

from contextlib import ExitStack
from pathlib import Path

from callbench.adapter.network import creation
from callbench.adapter.network.host import Hosts
from callbench.adapter.network.lab_process import LinkFailure
from callbench.model.errors import BadInput, HostLost
from callbench.runner.plan.plan import Plan
from callbench.stats.wire.link import Wires


def enter_link(link: str, wires: Wires, exit_stack: ExitStack) -> Hosts:
    """Create a link that ends with the exit stack. Return its hosts.

    Raises:
        HostLost: it cannot be created any more. To exclude its cells would keep them out of every resumed run.
    """
    try:
        return exit_stack.enter_context(creation.link_hosts(link, wires))
    except LinkFailure as failure:
        raise HostLost(f"the link {link} cannot be created: {failure}") from failure


def require_links(plan: Plan, path: Path) -> None:
    """Refuse to go on with a run before anything of its folder, `path`, is written.

    Raises:
        BadInput: a link of its cells cannot be created now. A run that begins leaves such cells out.
    """
    for link in sorted({cell.link for cell in plan.cells} & plan.wires.keys()):
        if why := creation.why_not(plan.wires[link]):
            raise BadInput(f"{path} needs the link {link} to go on: {why}")
