"""Write an HTTP load as Apache JMeter's test plan (.jmx): a group of threads, one request, a check of the answer."""

import math
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from callbench.adapter.session import DEFAULT_TIMEOUT_MS
from callbench.model.errors import BadInput

# The group whose calls count. The names of its threads begin with it, in JMeter and in the kernel.
COUNTED = "clients"
_WARM_UP = "warm"
# More clients would not warm up JMeter better.
_MOST_WARM_UP_CLIENTS = 20


@dataclass(frozen=True)
class HttpLoad:
    """The HTTP load that both generators make.

    Attributes:
        expected: the body that every answer must have; None: any.
        keep_alive: whether a client keeps its connection; otherwise it opens one for each call.
        think_ms: how long a client waits between an answer and its next call.
        ramp_up_s: seconds in which the clients begin, evenly spread.
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


def make_plan(load: HttpLoad, *, warm_up_s: float, seconds: float) -> str:
    """Return the test plan: one thread per client, which calls again after each answer and its think time.

    The counted group begins as our driver does, after another group has warmed up JMeter.

    Args:
        load: the request.
        warm_up_s: how long the warm-up group calls, rounded up; 0: no warm-up.
        seconds: how long the counted group calls, rounded up, including the ramp-up.

    Raises:
        BadInput: the URL is not an HTTP URL, or a text cannot be written in a plan.
    """
    parts = urlsplit(load.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadInput(f"{load.url} is not an HTTP URL: give one such as http://127.0.0.1:8080/hello")
    _check(load)
    root = Element("jmeterTestPlan", version="1.2", properties="5.0", jmeter="5.6.3")
    tree = SubElement(root, "hashTree")
    _add_node(tree, "TestPlan", "TestPlanGui", "callbench")
    within = SubElement(tree, "hashTree")
    if warm_up_s > 0:
        # JMeter runs a set-up group to its end before the other group begins.
        _add_threads(within, "SetupThreadGroup", _WARM_UP, min(load.clients, _MOST_WARM_UP_CLIENTS), warm_up_s)
        _add_request(SubElement(within, "hashTree"), load)
    _add_threads(within, "ThreadGroup", COUNTED, load.clients, seconds, load.ramp_up_s)
    group = SubElement(within, "hashTree")
    if first_think_ms(load, 1):
        _add_node(group, "OnceOnlyController", "OnceOnlyControllerGui", "begin")
        # JMeter numbers threads from 1, and this division is one of integers.
        first_ms = f"${{__jexl3({load.think_ms}*(2*${{__threadNum}}-1)/{2 * load.clients})}}"
        _add_pause(SubElement(group, "hashTree"), first_ms)
    _add_request(group, load)
    if load.think_ms:
        # A timer would also wait before the first call.
        _add_pause(group, str(load.think_ms))
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True)


def first_think_ms(load: HttpLoad, number: int) -> float:
    """Return the wait of a client (numbered from 1) before its first call.

    Clients are spread evenly, as in our driver.
    """
    if not load.think_ms or load.ramp_up_s:
        return 0.0
    return load.think_ms * (2 * number - 1) // (2 * load.clients)


def _add_pause(to: Element, duration_ms: str) -> None:
    pause = _add_node(to, "TestAction", "TestActionGui", "think")
    for name, value in (("action", 1), ("target", 0)):  # a pause of this thread
        _add_property(pause, "int", f"ActionProcessor.{name}", str(value))
    _add_property(pause, "string", "ActionProcessor.duration", duration_ms)
    SubElement(to, "hashTree")


def _check(load: HttpLoad) -> None:
    """Refuse texts that a plan would change."""
    texts = {"the URL": load.url, "the body": load.body or "", "the expected answer": load.expected or ""}
    texts["a header"] = "".join(part for header in load.headers for part in header)
    for what, text in texts.items():
        if "${" in text:
            raise BadInput(f"{what} has a ${{ in it, which JMeter treats as a variable")
        # XML does not allow other control characters, and turns a carriage return into a new line.
        if any(sign < " " and sign not in "\n\t" for sign in text):
            raise BadInput(f"{what} has a character that JMeter's plan, which is XML, cannot hold")


def _add_request(to: Element, load: HttpLoad) -> None:
    """Add the request and the check of its answer."""
    parts = urlsplit(load.url)
    sampler = _add_node(to, "HTTPSamplerProxy", "HttpTestSampleGui", "call")
    path = parts.path or "/"
    texts = {
        "domain": parts.hostname or "",
        "port": str(parts.port or ""),
        "protocol": parts.scheme,
        "path": f"{path}?{parts.query}" if parts.query else path,
        "method": load.method,
        # The implementation that JMeter's manual recommends; the other one does not keep connections well.
        "implementation": "HttpClient4",
        "connect_timeout": str(load.timeout_ms),
        "response_timeout": str(load.timeout_ms),
    }
    for name, text in texts.items():
        _add_property(sampler, "string", f"HTTPSampler.{name}", text)
    _add_property(sampler, "bool", "HTTPSampler.use_keepalive", str(load.keep_alive).lower())
    _add_property(sampler, "bool", "HTTPSampler.follow_redirects", "false")
    _add_property(sampler, "bool", "HTTPSampler.postBodyRaw", str(load.body is not None).lower())
    arguments = SubElement(sampler, "elementProp", name="HTTPsampler.Arguments", elementType="Arguments")
    listed = SubElement(arguments, "collectionProp", name="Arguments.arguments")
    if load.body is not None:
        body = SubElement(listed, "elementProp", name="", elementType="HTTPArgument")
        _add_property(body, "bool", "HTTPArgument.always_encode", "false")
        _add_property(body, "string", "Argument.value", load.body)
        _add_property(body, "string", "Argument.metadata", "=")
    under = SubElement(to, "hashTree")
    if load.headers:
        _add_headers(under, load.headers)
    if load.expected is not None:
        _add_assertion(under, load.expected)


def _add_threads(to: Element, kind: str, name: str, clients: int, seconds: float, ramp_up_s: int = 0) -> None:  # noqa: PLR0913, PLR0917 - what a group of threads is
    group = _add_node(to, kind, f"{kind}Gui", name)
    loop = SubElement(group, "elementProp", name="ThreadGroup.main_controller", elementType="LoopController")
    _add_property(loop, "bool", "LoopController.continue_forever", "false")
    _add_property(loop, "int", "LoopController.loops", "-1")
    _add_property(group, "string", "ThreadGroup.num_threads", str(clients))
    _add_property(group, "string", "ThreadGroup.ramp_time", str(ramp_up_s))
    _add_property(group, "bool", "ThreadGroup.scheduler", "true")
    _add_property(group, "string", "ThreadGroup.duration", str(math.ceil(seconds)))
    # Otherwise each iteration of a thread would count as a new user with a new connection.
    _add_property(group, "bool", "ThreadGroup.same_user_on_next_iteration", "true")
    _add_property(group, "string", "ThreadGroup.on_sample_error", "continue")


def _add_headers(to: Element, headers: tuple[tuple[str, str], ...]) -> None:
    manager = _add_node(to, "HeaderManager", "HeaderPanel", "headers")
    listed = SubElement(manager, "collectionProp", name="HeaderManager.headers")
    for name, value in headers:
        header = SubElement(listed, "elementProp", name="", elementType="Header")
        _add_property(header, "string", "Header.name", name)
        _add_property(header, "string", "Header.value", value)
    SubElement(to, "hashTree")


def _add_assertion(to: Element, expected: str) -> None:
    assertion = _add_node(to, "ResponseAssertion", "AssertionGui", "body")
    strings = SubElement(assertion, "collectionProp", name="Asserion.test_strings")  # JMeter spells it this way.
    _add_property(strings, "string", "body", expected)
    _add_property(assertion, "string", "Assertion.test_field", "Assertion.response_data")
    _add_property(assertion, "int", "Assertion.test_type", "8")  # equals
    SubElement(to, "hashTree")


def _add_node(to: Element, kind: str, gui: str, name: str) -> Element:
    return SubElement(to, kind, guiclass=gui, testclass=kind, testname=name, enabled="true")


def _add_property(to: Element, kind: str, name: str, text: str) -> None:
    SubElement(to, f"{kind}Prop", name=name).text = text
