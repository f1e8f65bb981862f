"""A load as Apache JMeter's test plan (.jmx): a group of threads, one HTTP request, the answer compared."""

import math
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from callbench.adapter.session import DEFAULT_TIMEOUT_MS
from callbench.model.errors import BadInput

# The group whose calls count. Its name begins those of its threads, here and in what the kernel calls them.
COUNTED = "clients"
_WARM = "warm"
# So many warm JMeter up: what is to be compiled is the same for each.
_WARM_MOST = 20


@dataclass(frozen=True)
class Asked:
    """What both sides ask of a server.

    Attributes:
        expected: the body that every answer must have; None: any.
        keep_alive: whether a client keeps its connection; else it makes one for each call.
        think_ms: how long a client waits between an answer and its next call.
        ramp_up_s: over how many seconds the clients begin, evenly spread.
        timeout_ms: a call without an answer for so long has failed.
    """

    url: str
    clients: int
    expected: str | None = None
    keep_alive: bool = True
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    think_ms: int = 0
    ramp_up_s: int = 0
    timeout_ms: int = DEFAULT_TIMEOUT_MS


def plan(asked: Asked, *, warm_up_s: float, seconds: float) -> str:
    """The test plan: a thread a client, each again when answered and when it has thought.

    The group that counts begins as our driver begins: afresh, after another group has warmed JMeter up.

    Args:
        asked: the request.
        warm_up_s: how long another group calls before, rounded up; 0: there is none.
        seconds: how long the group that counts lasts, ramp-up and all, rounded up.

    Raises:
        BadInput: the URL is not one of HTTP, or a text cannot be said in a plan.
    """
    parts = urlsplit(asked.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadInput(f"{asked.url} is not a URL of HTTP: give one such as http://127.0.0.1:8080/hello")
    _check(asked)
    root = Element("jmeterTestPlan", version="1.2", properties="5.0", jmeter="5.6.3")
    tree = SubElement(root, "hashTree")
    _node(tree, "TestPlan", "TestPlanGui", "callbench")
    within = SubElement(tree, "hashTree")
    if warm_up_s > 0:
        # What is called so ends before the other group begins.
        _threads(within, "SetupThreadGroup", _WARM, min(asked.clients, _WARM_MOST), warm_up_s)
        _calls(SubElement(within, "hashTree"), asked)
    _threads(within, "ThreadGroup", COUNTED, asked.clients, seconds, asked.ramp_up_s)
    group = SubElement(within, "hashTree")
    if first_thought_ms(asked, 1):
        _node(group, "OnceOnlyController", "OnceOnlyControllerGui", "begin")
        # JMeter counts its threads from 1; the quotient is one of whole numbers.
        first_ms = f"${{__jexl3({asked.think_ms}*(2*${{__threadNum}}-1)/{2 * asked.clients})}}"
        _pause(SubElement(group, "hashTree"), first_ms)
    _calls(group, asked)
    if asked.think_ms:
        # Not a timer, which would wait before the first call as well.
        _pause(group, str(asked.think_ms))
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True)


def first_thought_ms(asked: Asked, number: int) -> float:
    """How long the client of this number, from 1 on, thinks before its first call: as with our driver, not in step."""
    if not asked.think_ms or asked.ramp_up_s:
        return 0.0
    return asked.think_ms * (2 * number - 1) // (2 * asked.clients)


def _pause(to: Element, duration_ms: str) -> None:
    pause = _node(to, "TestAction", "TestActionGui", "think")
    for name, value in (("action", 1), ("target", 0)):  # a pause, of this thread
        _property(pause, "int", f"ActionProcessor.{name}", str(value))
    _property(pause, "string", "ActionProcessor.duration", duration_ms)
    SubElement(to, "hashTree")


def _check(asked: Asked) -> None:
    """Refuses what a plan would say otherwise than it is meant."""
    texts = {"the URL": asked.url, "the body": asked.body or "", "the expected answer": asked.expected or ""}
    texts["a header"] = "".join(part for header in asked.headers for part in header)
    for what, text in texts.items():
        if "${" in text:
            raise BadInput(f"{what} has a ${{ in it, which JMeter takes for a variable of its own")
        # XML has no other signs below the blank, and takes a carriage return for a new line.
        if any(sign < " " and sign not in "\n\t" for sign in text):
            raise BadInput(f"{what} has a sign in it that JMeter's plan, which is XML, cannot hold")


def _calls(to: Element, asked: Asked) -> None:
    """One request, and what its answer must be."""
    parts = urlsplit(asked.url)
    sampler = _node(to, "HTTPSamplerProxy", "HttpTestSampleGui", "call")
    path = parts.path or "/"
    texts = {
        "domain": parts.hostname or "",
        "port": str(parts.port or ""),
        "protocol": parts.scheme,
        "path": f"{path}?{parts.query}" if parts.query else path,
        "method": asked.method,
        # The implementation that JMeter's manual recommends, and the only one that keeps connections well.
        "implementation": "HttpClient4",
        "connect_timeout": str(asked.timeout_ms),
        "response_timeout": str(asked.timeout_ms),
    }
    for name, text in texts.items():
        _property(sampler, "string", f"HTTPSampler.{name}", text)
    _property(sampler, "bool", "HTTPSampler.use_keepalive", str(asked.keep_alive).lower())
    _property(sampler, "bool", "HTTPSampler.follow_redirects", "false")
    _property(sampler, "bool", "HTTPSampler.postBodyRaw", str(asked.body is not None).lower())
    arguments = SubElement(sampler, "elementProp", name="HTTPsampler.Arguments", elementType="Arguments")
    listed = SubElement(arguments, "collectionProp", name="Arguments.arguments")
    if asked.body is not None:
        body = SubElement(listed, "elementProp", name="", elementType="HTTPArgument")
        _property(body, "bool", "HTTPArgument.always_encode", "false")
        _property(body, "string", "Argument.value", asked.body)
        _property(body, "string", "Argument.metadata", "=")
    under = SubElement(to, "hashTree")
    if asked.headers:
        _headers(under, asked.headers)
    if asked.expected is not None:
        _assertion(under, asked.expected)


def _threads(to: Element, kind: str, name: str, clients: int, seconds: float, ramp_up_s: int = 0) -> None:  # noqa: PLR0913, PLR0917 - what a group of threads is
    group = _node(to, kind, f"{kind}Gui", name)
    loop = SubElement(group, "elementProp", name="ThreadGroup.main_controller", elementType="LoopController")
    _property(loop, "bool", "LoopController.continue_forever", "false")
    _property(loop, "int", "LoopController.loops", "-1")
    _property(group, "string", "ThreadGroup.num_threads", str(clients))
    _property(group, "string", "ThreadGroup.ramp_time", str(ramp_up_s))
    _property(group, "bool", "ThreadGroup.scheduler", "true")
    _property(group, "string", "ThreadGroup.duration", str(math.ceil(seconds)))
    # Without this each turn of a thread would count as a new user's, who begins with a new connection.
    _property(group, "bool", "ThreadGroup.same_user_on_next_iteration", "true")
    _property(group, "string", "ThreadGroup.on_sample_error", "continue")


def _headers(to: Element, headers: tuple[tuple[str, str], ...]) -> None:
    manager = _node(to, "HeaderManager", "HeaderPanel", "headers")
    listed = SubElement(manager, "collectionProp", name="HeaderManager.headers")
    for name, value in headers:
        header = SubElement(listed, "elementProp", name="", elementType="Header")
        _property(header, "string", "Header.name", name)
        _property(header, "string", "Header.value", value)
    SubElement(to, "hashTree")


def _assertion(to: Element, expected: str) -> None:
    assertion = _node(to, "ResponseAssertion", "AssertionGui", "body")
    strings = SubElement(assertion, "collectionProp", name="Asserion.test_strings")  # JMeter spells it so.
    _property(strings, "string", "body", expected)
    _property(assertion, "string", "Assertion.test_field", "Assertion.response_data")
    _property(assertion, "int", "Assertion.test_type", "8")  # equals
    SubElement(to, "hashTree")


def _node(to: Element, kind: str, gui: str, name: str) -> Element:
    return SubElement(to, kind, guiclass=gui, testclass=kind, testname=name, enabled="true")


def _property(to: Element, kind: str, name: str, text: str) -> None:
    SubElement(to, f"{kind}Prop", name=name).text = text
