"""The machines of a run on several hosts: what each was, and what ran there."""

import json

from callbench.analysis.run.subject import Subject
from callbench.report.text.hosts import hosts_section
from callbench.report.text.section import Section


def section(subject: Subject) -> Section | None:
    """List the hosts, if there were some."""
    adapters: dict[str, dict[str, None]] = {}
    for text in subject.results.validity.adapters_of_hosts:
        for host, said in json.loads(text).items():
            adapters.setdefault(host, {}).update(dict.fromkeys(said))
    lost = subject.run.info.get("lost_hosts", {})
    return hosts_section(subject.environment, lost, {host: list(said) for host, said in adapters.items()})
