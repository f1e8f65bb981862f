"""A load as Apache JMeter's test plan (.jmx): a group of threads, one HTTP request, the answer compared."""

from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from callbench.errors import BadInput


@dataclass(frozen=True)
class Asked:
    """What both sides ask of a server.

    Attributes:
        expected: the body that every answer must have; None: any.
        keep_alive: whether a client keeps its connection; else it makes one for each call.
    """

    url: str
    clients: int
    expected: str | None = None
    keep_alive: bool = True


def plan(asked: Asked, seconds: float) -> str:
    """The test plan: a thread a client, each again when answered.

    Args:
        asked: the request.
        seconds: how long it lasts, rounded up.

    Raises:
        BadInput: the URL is not one of HTTP.
    """
    parts = urlsplit(asked.url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadInput(f"{asked.url} is not a URL of HTTP: give one such as http://127.0.0.1:8080/hello")
    root = Element("jmeterTestPlan", version="1.2", properties="5.0", jmeter="5.6.3")
    tree = SubElement(root, "hashTree")
    _node(tree, "TestPlan", "TestPlanGui", "callbench")
    within = SubElement(tree, "hashTree")
    _threads(within, asked.clients, seconds)
    group = SubElement(within, "hashTree")
    sampler = _node(group, "HTTPSamplerProxy", "HttpTestSampleGui", "call")
    path = parts.path or "/"
    texts = {
        "domain": parts.hostname,
        "port": str(parts.port or ""),
        "protocol": parts.scheme,
        "path": f"{path}?{parts.query}" if parts.query else path,
        "method": "GET",
        # The implementation that JMeter's manual recommends, and the only one that keeps connections well.
        "implementation": "HttpClient4",
    }
    for name, text in texts.items():
        _property(sampler, "string", f"HTTPSampler.{name}", text)
    _property(sampler, "bool", "HTTPSampler.use_keepalive", str(asked.keep_alive).lower())
    _property(sampler, "bool", "HTTPSampler.follow_redirects", "false")
    arguments = SubElement(sampler, "elementProp", name="HTTPsampler.Arguments", elementType="Arguments")
    SubElement(arguments, "collectionProp", name="Arguments.arguments")
    under = SubElement(group, "hashTree")
    if asked.expected is not None:
        _assertion(under, asked.expected)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True)


def _threads(to: Element, clients: int, seconds: float) -> None:
    group = _node(to, "ThreadGroup", "ThreadGroupGui", "clients")
    loop = SubElement(group, "elementProp", name="ThreadGroup.main_controller", elementType="LoopController")
    _property(loop, "bool", "LoopController.continue_forever", "false")
    _property(loop, "int", "LoopController.loops", "-1")
    _property(group, "string", "ThreadGroup.num_threads", str(clients))
    _property(group, "string", "ThreadGroup.ramp_time", "0")
    _property(group, "bool", "ThreadGroup.scheduler", "true")
    _property(group, "string", "ThreadGroup.duration", str(-int(-seconds // 1)))
    # Without this each turn of a thread would count as a new user's, who begins with a new connection.
    _property(group, "bool", "ThreadGroup.same_user_on_next_iteration", "true")
    _property(group, "string", "ThreadGroup.on_sample_error", "continue")


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
