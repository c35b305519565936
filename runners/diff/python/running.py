"""What operations share in which threads of the reference run (PROTOCOL.md section 3)."""
import surroundings
from turns import turns
from values import Raw, encode


class Log:
    """What happened, each with its time in ms."""

    def __init__(self):
        self.entries = []

    def note(self, name, value):
        self.entries.append([round(turns.now_ms), name, value])


def with_names(module, replaced, function):
    """Calls a function while names of a module are replaced."""
    real = {name: getattr(module, name) for name in replaced if hasattr(module, name)}
    for name, value in replaced.items():
        setattr(module, name, value)
    try:
        return function()
    finally:
        for name in replaced:
            if name in real:
                setattr(module, name, real[name])
            else:
                delattr(module, name)


def played(log, until_ms, main):
    turns.play(until_ms, main, surroundings.START_TIME)
    return {"log": [Raw(encode(entry)) for entry in log.entries]}
