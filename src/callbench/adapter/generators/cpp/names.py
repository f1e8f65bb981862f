"""Names that C++ takes, with all that protoc and gRPC's plugin make of them. No message on a wire has any of them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from callbench.model.service.identifiers import Names, default_json, pascal, snake
from callbench.model.service.schema import Enumeration, Field, Message, Schema

_WORDS = """
alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool break case catch char
char8_t char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit
continue decltype default delete do double dynamic_cast else enum explicit export extern false final float for friend
goto if import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override
private protected public reflexpr register reinterpret_cast requires return short signed sizeof static static_assert
static_cast struct switch synchronized template this thread_local throw true try typedef typeid typename union unsigned
using virtual void volatile wchar_t while xor xor_eq
"""
_MACROS = """
alloca assert be16toh be32toh be64toh errno htobe16 htobe32 htobe64 htole16 htole32 htole64 htonl htons le16toh le32toh
le64toh linux major makedev minor ntohl ntohs offsetof setjmp si_addr si_int si_pid si_ptr si_status si_uid si_value
sigmask st_atime st_ctime st_mtime stderr stdin stdout strdupa s6_addr unix va_arg va_copy va_end va_start
"""
_OF_MESSAGES = """
arena data default_instance descriptor internal_default_instance mutable_unknown_fields reflection swap unknown_fields
"""
_OF_SERVICES = """
AddMethod AsyncService CallbackService ExperimentalService MarkMethodAsync MarkMethodCallback MarkMethodGeneric
MarkMethodRaw MarkMethodRawCallback MarkMethodStreamed NewStub RequestAsyncBidiStreaming RequestAsyncClientStreaming
RequestAsyncServerStreaming RequestAsyncUnary Service SplitStreamedService StreamedService StreamedUnaryService Stub
StubInterface
"""
FIELDS = frozenset((_WORDS + _MACROS + _OF_MESSAGES).split())
"""What no field is called: words of C++, macros of the headers, and what each message has."""
METHODS = frozenset(_OF_SERVICES.split())
"""What each service of gRPC has."""


def safe(schema: Schema) -> Schema:
    """The schema with other names where C++ needs them. Numbers, keys of JSON and places stay as they are.

    The name of the service is longer too: its package is a namespace, and none of C's functions is called so.
    """
    taken = Names()
    names = [*(message.name for message in schema.messages), *(enumeration.name for enumeration in schema.enumerations)]
    renamed = {name: taken.take(_type(name)) for name in names}
    methods = _chosen((pascal(call.name, "Call") for call in schema.calls), METHODS, _of_method)
    return replace(
        schema,
        name=f"own {schema.name}",
        messages=tuple(_message(message, renamed) for message in schema.messages),
        enumerations=tuple(_enumeration(enumeration, renamed[enumeration.name]) for enumeration in schema.enumerations),
        calls=tuple(
            replace(call, name=name, request=renamed[call.request], answer=renamed[call.answer])
            for call, name in zip(schema.calls, methods, strict=True)
        ),
    )


def _type(name: str) -> str:
    """`order_line` as `OrderLine`. A name of large letters alone can be a macro."""
    made = pascal(name)
    return f"{made}Type" if made.upper() == made else made


def _message(message: Message, renamed: Mapping[str, str]) -> Message:
    groups = list(dict.fromkeys(field.oneof for field in message.fields if field.oneof))
    bare = [snake(name) for name in (*(field.name for field in message.fields), *groups)]
    names = _chosen(bare, FIELDS, _of_field)
    group_names = dict(zip(groups, names[len(message.fields) :], strict=True))
    fields = zip(message.fields, names[: len(message.fields)], strict=True)
    return replace(
        message,
        name=renamed[message.name],
        fields=tuple(_field(field, name, group_names.get(field.oneof, ""), renamed) for field, name in fields),
    )


def _field(field: Field, name: str, group: str, renamed: Mapping[str, str]) -> Field:
    return replace(field, name=name, oneof=group, type_name=renamed.get(field.type_name, field.type_name))


def _enumeration(enumeration: Enumeration, name: str) -> Enumeration:
    """Values have the name of their type before them, as protobuf's style has it: a bare one can be a macro."""
    taken = Names(lambda made: made.replace("_", "").lower())
    values = (
        (taken.take(f"{snake(name)}_{snake(value, 'value')}".upper()), number) for value, number in enumeration.values
    )
    return replace(enumeration, name=name, values=tuple(values))


def _of_field(name: str) -> set[str]:
    """What protoc makes of a field or a group, and what protobuf compares."""
    before = ("", "has_", "set_", "clear_", "mutable_", "release_", "set_allocated_", "add_", "unsafe_arena_release_")
    after = (f"{name}_size", f"{name}_case", f"{name}_", default_json(name).lower())
    return {f"{prefix}{name}" for prefix in before} | set(after)


def _of_method(name: str) -> set[str]:
    """What gRPC's plugin makes of a call."""
    return {f"{prefix}{name}" for prefix in ("", "Async", "PrepareAsync", "Request", "Streamed")}


def _chosen(names: Iterable[str], forbidden: Collection[str], made: Callable[[str], set[str]]) -> list[str]:
    """Each name, or a longer one, so that nothing that is made of one is made of another."""
    taken, chosen = set(forbidden), []
    for name in names:
        # A name of large letters alone can be a macro.
        candidate, number = (f"{name}Call" if name.isupper() else name), 2
        while made(candidate) & taken:
            candidate, number = f"{name}_value{number}" if name.islower() else f"{name}Call{number}", number + 1
        taken |= made(candidate)
        chosen.append(candidate)
    return chosen
