"""python: what the reference leaves to Python itself, eval and re.match (agent_v3.py:139-141, utils.py:775).

python.eval: in.source is evaluated where the reference evaluates; in.where says which place: "condition" with the
names of agent_v3.py and in.names (ints by name) as locals, "number" with the names of utils.py and the locals of
AgentConfig.from_file, of which key is in.key. out has type (the class's name), truth, and repr, null where that shows
an address in memory.

python.re_match: re.match(in.pattern, in.text). out is null without a match, else text (what was matched), groups (the
texts, null for those that took no part) and named (pairs of the named ones).
"""
import builtins
import re
import resource
import warnings

from monolith.agent_service import agent_v3
from monolith.agent_service import utils

from values import pairs

warnings.simplefilter("ignore")

ADDRESS = re.compile(r" at 0x[0-9a-f]+>")
MOST_BYTES = 3 * 2**30


def limit_memory():
    """Makes a source that wants more memory than there is a MemoryError."""
    with open("/proc/self/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    LIMITED.append(True)


LIMITED = []


def names_of(module):
    """A module's names without those that a recorder put before builtins."""
    return {name: value for name, value in vars(module).items() if name.startswith("__") or name not in vars(builtins)}


def evaluate(given):
    if not LIMITED:
        limit_memory()
    if given["where"] == "condition":
        value = eval(given["source"], names_of(agent_v3), dict(given["names"]))  # pylint: disable=eval-used
    else:
        local = {"cls": utils.AgentConfig, "fname": "a.conf", "kwarg": {given["key"]: given["source"]}, "args": {},
                 "key": given["key"], "clz": int}
        value = eval(given["source"], names_of(utils), local)  # pylint: disable=eval-used
    text = repr(value)
    return {"type": type(value).__name__, "truth": bool(value), "repr": None if ADDRESS.search(text) else text}


def re_match(given):
    found = re.match(given["pattern"], given["text"])
    if found is None:
        return None
    return {"text": found.group(), "groups": list(found.groups()), "named": pairs(found.groupdict())}


OPS = {"python.eval": evaluate, "python.re_match": re_match}
