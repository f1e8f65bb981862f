"""The calls of the service, with their arguments and answers."""

from collections.abc import Mapping, Sequence

COLUMNS = ("call", "arguments", "answer")
ROWS: Sequence[Mapping[str, str]] = (
    {"call": "Empty", "arguments": "", "answer": "nothing"},
    {"call": "Send", "arguments": "type, and value; or content, count, seed", "answer": "nothing"},
    {"call": "Sum", "arguments": "a, b", "answer": "int"},
    {"call": "GetPersons", "arguments": "n", "answer": "n persons"},
    {"call": "GetBinaryData", "arguments": "size, fill (article, random, zero, text)", "answer": "bytes"},
    {"call": "EchoStructure", "arguments": "n", "answer": "the structure that was sent"},
    {"call": "EchoString", "arguments": "value; or content, count, seed", "answer": "the string that was sent"},
    {"call": "Hello", "arguments": "", "answer": "Hello World"},
    {"call": "FindItems", "arguments": "n", "answer": "a search result of n items"},
)
