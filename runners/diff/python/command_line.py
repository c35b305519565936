"""Flags of a case: those of the process with their defaults, or a registry of the case's own (PROTOCOL.md section 26)."""
import enum
import types

from absl import flags

import shown as beside


def parse(argv):
    """Gives the process's flags their defaults, then the values of argv."""
    flags.FLAGS.unparse_flags()
    for name in flags.FLAGS:
        flags.FLAGS[name].unparse()
    flags.FLAGS(["program", *argv])
    beside.set_verbosity()


def values(names):
    """The values of flags by name."""
    return {name: getattr(flags.FLAGS, name) for name in names}


def registry():
    """An empty registry of flags and a module to define some in it."""
    made = flags.FlagValues()
    names = ("integer", "bool", "string", "float", "enum")

    def definer(name):
        define = getattr(flags, "DEFINE_" + name)
        return lambda *args: define(*args, flag_values=made)

    return made, types.SimpleNamespace(FLAGS=made, **{"DEFINE_" + name: definer(name) for name in names})


def shown(value):
    """A value as an answer shows it: a member of an enum by its name."""
    return value.name if isinstance(value, enum.Enum) else value
