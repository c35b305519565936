"""The heartbeat of cpu_training.py, whose thread runs (PROTOCOL.md section 26)."""
import types

from monolith.native_training import cpu_training

from running import Log, played, with_names
from turns import Thread, turns


class Heart:
    """A metrics client that notes the beats."""

    def __init__(self, log):
        self.log = log

    def emit_store(self, name, value, tags):
        self.log.note("beat", [name, value, tags["type"]])

    def flush(self):
        pass


def heartbeat(given):
    """The chief's heartbeat, which is started and stopped."""
    log = Log()
    made = cpu_training._MetricsHeartBeatThread()
    made._mcli = Heart(log)

    def main():
        for name, *seconds in given["steps"]:
            if name == "pass":
                turns.sleep(seconds[0])
            else:
                getattr(made, name)()
                log.note(name, None)

    replaced = {"threading": types.SimpleNamespace(Thread=Thread), "time": types.SimpleNamespace(time=turns.time, sleep=turns.sleep)}
    return with_names(cpu_training, replaced, lambda: played(log, given["until_ms"], main))


OPS = {"cpu_training.MetricsHeartBeatThread.sequence": heartbeat}
