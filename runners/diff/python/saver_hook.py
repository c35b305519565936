"""A NoFirstSaveCheckpointSaverHook whose saver writes nothing, and what it does in order (PROTOCOL.md section 24)."""
import tensorflow as tf
from tensorflow.core.protobuf import saver_pb2
from tensorflow.python.training import basic_session_run_hooks
from monolith.native_training import save_utils

import tensorflow_case as case


class SummaryWriters:
    """Takes the place of the cache of summary writers: nothing is written."""

    @staticmethod
    def get(directory):
        del directory
        return SummaryWriters

    add_graph = add_meta_graph = add_session_log = staticmethod(lambda *args, **kwargs: None)


class Metrics:
    """A metrics client that notes."""

    def __init__(self, log):
        self.log = log

    def emit_counter(self, name, value, tags):
        self.log.append(["counter", name, value, tags["mode"]])

    def emit_timer(self, name, value, tags):
        self.log.append(["timer", name, value, tags["mode"]])


class Saver:
    """A saver that writes nothing; its n-th save does as the n-th of outcomes says."""

    saver_def = saver_pb2.SaverDef()

    def __init__(self, log, outcomes=()):
        self.log, self.outcomes = log, list(outcomes)

    def save(self, session, path, global_step=None, write_meta_graph=True):
        del session, write_meta_graph
        outcome = self.outcomes.pop(0) if self.outcomes else "ok"
        self.log.append(["save", f"{path}-{global_step}", outcome])
        fail(outcome)

    def export_meta_graph(self, path):
        self.log.append(["export_meta_graph", path])


def fail(outcome):
    if outcome == "op_error":
        raise tf.errors.UnavailableError(None, None, "u")
    if outcome == "error":
        raise ValueError("v")


def listener(name, methods, log):
    """A listener that does as methods say, where it notes its call first."""
    made = tf.estimator.CheckpointSaverListener()

    def method(kind):
        def called(session, step):
            del session
            log.append([f"{name}.{kind}", step])
            outcome = methods.get(kind)
            fail(outcome)
            return True if outcome == "stop" else None
        return called

    for kind in ("before_save", "after_save", "end"):
        setattr(made, kind, method(kind))
    return made


def install():
    """Has the modules under test write no summaries, take time from the case, and ask for the log's metrics."""
    basic_session_run_hooks.SummaryWriterCache = SummaryWriters
    basic_session_run_hooks.time = case.time
    save_utils.time = case.time


def make(log, outcomes=(), listeners=(), guards=(), **kwargs):
    """A hook in m that notes into log; listeners and guards are what each of them does by method."""
    real, save_utils.cli.get_cli = save_utils.cli.get_cli, lambda *args: Metrics(log)
    try:
        return save_utils.NoFirstSaveCheckpointSaverHook(
            "m", saver=Saver(log, outcomes), listeners=[listener(f"l{i}", m, log) for i, m in enumerate(listeners)],
            guard_saver_listeners=[listener(f"g{i}", m, log) for i, m in enumerate(guards)], **kwargs)
    finally:
        save_utils.cli.get_cli = real


install()
