"""Values on the wire: JSON to Python and back (PROTOCOL.md section 2).

Use first: decode(json) for what a case gives, encode(value) for what it answers,
attempt(function) for one call inside an answer.

Answers are encoded at once where an attempt is made, so that what the reference
changes later does not change what was seen; Raw carries such finished JSON
through a later encode. To change a placeholder look at Placeholders.
"""
import collections.abc
import dataclasses
import enum
import re

import grpc
from google.protobuf.internal import enum_type_wrapper
from google.protobuf.message import Message

import protos

LARGEST_PLAIN_INT = 2**53
FREE_PORT = 59999
GRPC_DETAILS = "<GRPC DETAILS>"
# Behind it an error of TensorFlow has the place in the sources of the node that failed.
NODE_OF_GRAPH = "\n\t [[node "
RANDOM_NAME = re.compile(r"<TMP>/tmp[a-z0-9_]{8}(?![a-z0-9_])")


class Unanswerable(BaseException):
    """The reference gives no answer to a case: it waits for ever, or for longer than an answer may take."""


class Raw:
    """JSON that is encoded already."""

    __slots__ = ("json",)

    def __init__(self, json):
        self.json = json


class Placeholders:
    """What of this run is hidden in answers: the case's directory, the sources, the free port."""

    def __init__(self):
        self.directory = None
        self.source = None

    def put(self, text):
        if self.directory and self.directory in text:
            text = RANDOM_NAME.sub("<TMP>/<RAND>", text.replace(self.directory, "<TMP>"))
        if self.source and self.source in text:
            text = re.sub(re.escape(self.source) + r"(?![\w.-])", "<SRC>", text)
        if str(FREE_PORT) in text:
            text = text.replace(str(FREE_PORT), "<PORT>")
        return text

    def put_bytes(self, content):
        hidden = [h.encode() for h in (self.directory, self.source, str(FREE_PORT)) if h]
        if not any(h in content for h in hidden):
            return content
        try:
            return self.put(content.decode("utf-8")).encode("utf-8")
        except UnicodeDecodeError:
            return content

    def take(self, value):
        """Replaces <TMP> in the strings of JSON."""
        if isinstance(value, str):
            return value.replace("<TMP>", self.directory)
        if isinstance(value, list):
            return [self.take(v) for v in value]
        if isinstance(value, dict):
            return {k: self.take(v) for k, v in value.items()}
        return value


placeholders = Placeholders()


def decode(json):
    """The Python value of JSON; objects keep their order."""
    if isinstance(json, list):
        return [decode(v) for v in json]
    if not isinstance(json, dict):
        return json
    if "$int" in json:
        return int(json["$int"])
    if "$f64" in json:
        return float(json["$f64"])
    if "$hex" in json:
        return bytes.fromhex(json["$hex"])
    if "$set" in json:
        return set(decode(json["$set"]))
    if "$dict" in json:
        return {decode(k): decode(v) for k, v in json["$dict"]}
    if "$pb" in json:
        return protos.message(json["$pb"], bytes.fromhex(json["hex"]))
    return {k: decode(v) for k, v in json.items()}


def encode(value):
    """The JSON of a Python value, placeholders put in."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Raw):
        return value.json
    if isinstance(value, str):
        return placeholders.put(str(value))
    if isinstance(value, enum.Enum):
        return {"$enum": type(value).__name__, "name": value.name, "value": encode(value.value)}
    if isinstance(value, int):
        return encode_int(value)
    if isinstance(value, float):
        return {"$f64": repr(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"$hex": placeholders.put_bytes(bytes(value)).hex()}
    if isinstance(value, Message):
        return {"$pb": value.DESCRIPTOR.full_name, "hex": value.SerializeToString(deterministic=True).hex()}
    if isinstance(value, dict):
        return encode_dict(value)
    if isinstance(value, (set, frozenset)):
        return {"$set": sorted((encode(v) for v in value), key=repr)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    # A repeated field of protobuf's C form is a sequence without __iter__.
    iterable = hasattr(value, "__iter__") or isinstance(value, collections.abc.Sequence)
    if iterable and not isinstance(value, enum_type_wrapper.EnumTypeWrapper):
        return [encode(v) for v in value]
    raise TypeError(f"no encoding for {type(value).__name__}")


def encode_int(value):
    if value == FREE_PORT:
        return "<PORT>"
    return int(value) if abs(value) <= LARGEST_PLAIN_INT else {"$int": str(value)}


def encode_dict(value):
    if all(isinstance(k, str) and not k.startswith("$") for k in value):
        return {placeholders.put(k): encode(v) for k, v in value.items()}
    return {"$dict": [[encode(k), encode(v)] for k, v in value.items()]}


def pairs(mapping):
    """A mapping whose order matters."""
    return [[k, v] for k, v in mapping.items()]


def error(exception):
    """An exception as an answer shows it; of a failed call, whose text has the time in it, only the type."""
    message = GRPC_DETAILS if isinstance(exception, grpc.RpcError) else placeholders.put(str(exception).split(NODE_OF_GRAPH)[0])
    return {"type": type(exception).__name__, "message": message}


def attempt(function, *args, **kwargs):
    """One call inside an answer: what it returned, or what it raised."""
    try:
        return {"r": Raw(encode(function(*args, **kwargs)))}
    except Exception as e:  # pylint: disable=broad-except
        return {"e": error(e)}


class SortedSet(set):
    """A set that is walked and shown in the order of its members' texts, as are its
    differences, for the reference walks some and their order is of no use in an answer."""

    def __iter__(self):
        return iter(sorted(super().__iter__(), key=str))

    def __repr__(self):
        return "{" + ", ".join(map(repr, self)) + "}" if self else "set()"

    def __sub__(self, other):
        return SortedSet(self.difference(other))

    def __rsub__(self, other):
        return SortedSet(set(other).difference(self))


def play(run, steps):
    """The answers of a run to steps, [name, arguments] each; the run is closed."""
    try:
        return {"steps": [run.answer(name, arguments) for name, arguments in steps]}
    finally:
        run.close()
