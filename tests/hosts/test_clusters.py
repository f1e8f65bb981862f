"""The files for clusters: the script for Slurm runs on two nodes, and the manifests are those of the API."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from fleet_lab import Program, entering, made_keys, namespaces

from conftest import ROOT, command
from left_behind import MARK

kubernetes_validate = pytest.importorskip("kubernetes_validate")
pytestmark = pytest.mark.usefixtures("nothing_left")
CLUSTERS = ROOT / "docs" / "guide" / "clusters"
MANIFESTS = list(yaml.safe_load_all((CLUSTERS / "kubernetes.yaml").read_text()))


def by_name(name: str) -> dict[str, Any]:
    """The specification of a pod."""
    [found] = [manifest["spec"] for manifest in MANIFESTS if manifest["metadata"]["name"] == name]
    return dict(found)


def test_the_manifests_are_those_of_the_api() -> None:
    """Strictly: a member that the API does not know is refused, as this test's own is."""
    for manifest in MANIFESTS:
        kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)
    wrong = {**MANIFESTS[0], "spec": {**MANIFESTS[0]["spec"], "hostnetwork": True}}
    with pytest.raises(kubernetes_validate.ValidationError, match="hostnetwork"):
        kubernetes_validate.validate(wrong, kubernetes_validate.latest_version(), strict=True)


def test_each_pod_has_keys_and_a_node_of_its_own() -> None:
    nodes = [manifest["spec"]["nodeSelector"]["callbench"] for manifest in MANIFESTS]
    assert nodes == ["core", "alpha", "beta"]
    for node in nodes:
        pod = by_name(f"callbench-{node}")
        secrets = {volume["name"]: volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
        assert secrets == {"keys": f"callbench-{node}"}
        assert {volume["secret"]["defaultMode"] for volume in pod["volumes"] if "secret" in volume} == {0o400}
        [mount] = [each for each in pod["containers"][0]["volumeMounts"] if each["name"] == "keys"]
        assert mount["mountPath"] == "/keys"
        assert mount["readOnly"]


def test_the_pods_commands_serve_with_what_a_secret_holds(tmp_path: Path) -> None:
    """The files that the guide puts into each secret are enough; folders in the core's folder are not among them."""
    made_keys(tmp_path / "made", "alpha", "beta")
    with ExitStack() as stack:
        for node, says in (
            ("core", "agents can connect"),
            ("alpha", "host alpha serves"),
            ("beta", "host beta serves"),
        ):
            secret = tmp_path / node
            secret.mkdir()
            for file in ("ca.pem", "own.pem", "own.key", "place.json"):
                shutil.copy(tmp_path / "made" / ("" if node == "core" else node) / file, secret / file)
            program, *words = by_name(f"callbench-{node}")["containers"][0]["command"]
            assert program == "callbench"
            pod = Program([str(secret) if word == "/keys" else word for word in words])
            stack.callback(pod.end)
            pod.await_line(says)


@pytest.fixture
def two_nodes(tmp_path: Path) -> Iterator[tuple[list[str], dict[str, str]]]:
    """What enters the first of two nodes, and the environment of a job that has both."""
    with namespaces(1) as (first, [second]):
        programs = tmp_path / "programs"
        programs.mkdir()
        task = 'SLURM_PROCID={} {} "$@" &\n'
        tasks = task.format(0, "") + task.format(1, shlex.join(entering(second)))
        skip = "while [[ $1 == --* ]]; do shift; done\ntrap 'kill $(jobs -p)' TERM\n"
        for name, script in {
            "srun": f"{skip}{tasks}wait\n",
            "callbench": f'exec {shlex.join(command())} "$@"\n',
        }.items():
            (programs / name).write_text(f"#!/bin/bash\n{script}")
            (programs / name).chmod(0o755)
        yield (
            entering(first),
            {
                **os.environ,
                "PATH": f"{programs}:{os.environ['PATH']}",
                "SLURM_JOB_ID": "7",
                "SLURM_JOB_NUM_NODES": "2",
                "SLURMD_NODENAME": first.address,
            },
        )


@pytest.mark.engine
@pytest.mark.skipif(shutil.which("ip") is None or os.geteuid() != 0, reason="a bridge needs root and `ip`")
@pytest.mark.usefixtures("lab")
def test_a_job_of_slurm_measures_between_its_nodes(
    two_nodes: tuple[list[str], dict[str, str]], tmp_path: Path, study: Path
) -> None:
    """Real agents on two nodes; `srun` is a stand-in that starts a task on each, as Slurm does."""
    inside, environment = two_nodes
    assert MARK in environment
    words = ("--quick", "--forks", 1, "--no-baselines", "--select", "stack=honest/tcp", "--hosts", "node0,node1")
    line = [*inside, "bash", CLUSTERS / "slurm.sh", "run", study, *words, "--out", "run"]
    job = subprocess.run(
        [str(word) for word in line],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert job.returncode == 0, job.stdout + job.stderr
    assert (tmp_path / "run" / "report.html").exists()
    # The keys of the job end with it.
    assert not (tmp_path / "callbench-keys-7").exists()
