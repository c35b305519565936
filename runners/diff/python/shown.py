"""What a case shows beside its answer, of that which its field shows names (PROTOCOL.md section 3).

logs are the lines of absl's log and of Python's own, metrics what metric clients were told, waits how
long the reference asked to sleep. Use start(names, module) before a case, taken() after
it, waited(seconds) where a sleep is faked; install() once, when the reference can
be imported. What is hidden in a line is in hidden(text).
"""
import logging as standard_logging
import re
import types

from absl import logging

import values

SHOWN = ("logs", "metrics", "waits")

OBJECT = re.compile(r"\b0x[0-9a-f]{4,}\b")
FRAME = re.compile(r"<frame at [^>]*>")
FRAMES = re.compile(r"(Traceback \(most recent call last\):\n)(?:[ \t].*\n)+")
TEMPORARY = re.compile(r"\.tmp[0-9a-f]{32}\b")
FAILED_CALL = re.compile(r"(<_InactiveRpcError of RPC that terminated with:\n\tstatus = [\w.]+\n).*?\n>", re.DOTALL)

MODEL_SERVER = "mocked_tfserving.py"

# What is logged by no line of the reference and no work of TensorFlow: what cases do with absl's flags,
# and what TensorFlow says of functions that it will drop.
OTHERS = ["_flagvalues.py", "deprecation.py"]

# kazoo and gRPC have loggers of their own, which are not taken.
LOGGERS = ("absl", "root", "tensorflow")

PORT = re.compile(r" load \(\d+\)")

# The entries of a map of a message, which come in the order of a hash that is the process's own.
ENTRIES = re.compile(r"(?:addresses \{\n(?:  .*\n)*\}\n)+")
ENTRY = re.compile(r"addresses \{\n  key: (\".*\")\n(?:  .*\n)*\}\n")

_shown = {}
_others = []


class Lines(standard_logging.Handler):
    """Takes the lines of a case."""

    def emit(self, record):
        if "logs" in _shown and record.name in LOGGERS and record.filename not in _others:
            _shown["logs"].append([record.levelname, hidden(record.getMessage())])


class Client:
    """A metrics client that writes down what it is told."""

    def __init__(self, prefix):
        self.prefix = prefix

    def __getattr__(self, method):
        def told(*arguments, **named):
            if "metrics" in _shown:
                _shown["metrics"].append(values.encode([self.prefix, method, *arguments, *named.values()]))
        return told


def install():
    """Takes over the log of absl, its clock and the metric clients."""
    from monolith.native_training.metric import cli  # pylint: disable=import-outside-toplevel
    import surroundings  # pylint: disable=import-outside-toplevel
    cli.get_cli = lambda prefix=None: Client(prefix)
    lines = Lines()
    logger = logging.get_absl_logger()
    logger.handlers, logger.propagate = [lines], False
    own = standard_logging.getLogger()
    own.handlers = [lines]
    own.setLevel(standard_logging.DEBUG)
    logging.timeit = types.SimpleNamespace(default_timer=lambda: surroundings.clock.time())


def start(names, module=None):
    """Begins to take what is named of a case about a module, and nothing else; nothing was said yet."""
    _others[:] = OTHERS if module == "mocked_tfserving" else [*OTHERS, MODEL_SERVER]  # a server beside the module is a process of its own
    _shown.clear()
    _shown.update({name: [] for name in SHOWN if name in names})
    takes_logs = "logs" in _shown
    logging.get_absl_logger().disabled = not takes_logs
    set_verbosity()
    standard_logging.disable(standard_logging.NOTSET if takes_logs else standard_logging.CRITICAL)
    logging._log_counter_per_token.clear()  # of log_every_n
    logging._log_timer_per_token.clear()  # of log_every_n_seconds


def set_verbosity():
    """Has all lines of a case come that wants them, also where flags were parsed, which set the verbosity."""
    logging.set_verbosity(logging.DEBUG if "logs" in _shown else logging.FATAL)


def taken():
    """What was shown, by name."""
    return dict(_shown)


def waited(seconds):
    """Notes a sleep, in ms."""
    if "waits" in _shown:
        _shown["waits"].append(round(seconds * 1000))


def in_order(entries):
    """The entries of a map in the order of their keys."""
    return "".join(e.group() for e in sorted(ENTRY.finditer(entries.group()), key=lambda e: e.group(1)[:-1]))


def hidden(text):
    """A line without what differs from run to run: addresses of objects, names of temporary files, gRPC's wording, the order of maps."""
    text = values.placeholders.put(text)
    text = FAILED_CALL.sub(r"\1\t" + values.GRPC_DETAILS + "\n>", text)
    text = FRAMES.sub(r"\1  <frames>\n", text)
    text = PORT.sub(" load (<PORT>)", TEMPORARY.sub(".tmp", text))
    text = ENTRIES.sub(in_order, text)
    return OBJECT.sub("<ID>", FRAME.sub("<frame>", text))
