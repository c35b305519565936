"""gflags_utils.py (PROTOCOL.md section 26)."""
import contextlib
import dataclasses
import enum
import types

from monolith.native_training import gflags_utils

import command_line


class Color(enum.Enum):
    RED = 1
    DARK_BLUE = 2


TYPES = {"int": int, "bool": bool, "str": str, "float": float, "enum": Color, "list": list}


def value_of(kind, value):
    """A value of a case as a field of that type has it."""
    return Color[value] if kind == "enum" and isinstance(value, str) else value


def class_of(fields, doc=None):
    """A dataclass of fields [name, type, default]."""
    made = []
    for name, kind, default in fields:
        default = value_of(kind, default)
        if isinstance(default, (list, dict)):
            default = dataclasses.field(default_factory=lambda kept=default: type(kept)(kept))
        made.append((name, TYPES[kind], default))
    return dataclasses.make_dataclass("Config", made, namespace={} if doc is None else {"__doc__": doc})


def made_of(cls, fields, code):
    kinds = {name: kind for name, kind, _ in fields}
    return cls(**{name: value_of(kinds.get(name), value) for name, value in code.items()})


def define(defining, given):
    """Flags [name, type, default]."""
    for name, kind, default in given:
        if kind == "enum":
            defining.DEFINE_enum(name, default, ["red", "dark_blue"], "")
        else:
            getattr(defining, {"int": "DEFINE_integer", "str": "DEFINE_string"}.get(kind, "DEFINE_" + kind))(name, default, "")


@contextlib.contextmanager
def flags_of(given):
    """Has the module under test see the flags of a case only."""
    made, defining = command_line.registry()
    define(defining, given["flags"])
    made(["program", *given["argv"]])
    real = gflags_utils.flags, gflags_utils.FLAGS
    gflags_utils.flags, gflags_utils.FLAGS = types.SimpleNamespace(FLAGS=made), made
    try:
        yield
    finally:
        gflags_utils.flags, gflags_utils.FLAGS = real


def fields_of(config):
    return {f.name: command_line.shown(getattr(config, f.name)) for f in dataclasses.fields(config)}


def extract_help_info(given):
    return gflags_utils.extract_help_info(type("Config", (), {"__doc__": given["doc"]}), is_nested=False)


def extract_flags(given):
    made, defining = command_line.registry()
    for name in given["defined"]:
        defining.DEFINE_string(name, "first", "first")
    gflags_utils.extract_flags(defining, class_of(given["fields"], given["doc"]), is_nested=False, skip_flags=given["skip_flags"])
    return {name: {"type": made[name].flag_type(), "default": made[name].default, "help": made[name].help,
                   "values": getattr(made[name].parser, "enum_values", None)}
            for name, _, _ in given["fields"] if name in made}


def update(given):
    config = made_of(class_of(given["fields"]), given["fields"], given["code"])
    with flags_of(given):
        return fields_of(gflags_utils.update(config))


def link(given):
    with flags_of(given):
        cls = gflags_utils.LinkDataclassToFlags(given["linked_list"], given["linked_map"])(class_of(given["fields"]))
        if given["update_by_flags"]:
            cls = gflags_utils.update_by_flags(cls)
        return fields_of(made_of(cls, given["fields"], given["code"]))


OPS = {
    "gflags_utils.extract_help_info": extract_help_info,
    "gflags_utils.extract_flags": extract_flags,
    "gflags_utils.update": update,
    "gflags_utils.LinkDataclassToFlags": link,
}
