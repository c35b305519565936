"""hook_utils.py (PROTOCOL.md section 24)."""
import tensorflow as tf
from monolith.native_training.hooks import hook_utils

from values import attempt

STEP = 3


class Inner(tf.estimator.CheckpointSaverListener):
    """Notes all calls and returns values, or fails in those that a case names."""

    def __init__(self, fails):
        self.log, self.fails = [], fails

    def note(self, name, step):
        self.log.append([name, step])
        if name in self.fails:
            raise RuntimeError(name + " failed")

    def begin(self):
        self.note("begin", None)
        return "begin"

    def before_save(self, session, global_step_value):
        self.note("before_save", global_step_value)
        return True

    def after_save(self, session, global_step_value):
        self.note("after_save", global_step_value)
        return True

    def end(self, session, global_step_value):
        self.note("end", global_step_value)
        return True


def listener(given):
    inner = Inner(given.get("fails") or [])
    made = getattr(hook_utils, given["kind"])(inner)
    results = [attempt(getattr(made, name), *(() if name == "begin" else (None, STEP))) for name in given["calls"]]
    return {"results": results, "forwarded": inner.log, "repr_ends_with_inner": repr(made).endswith(repr(inner))}


OPS = {"hook_utils.listener": listener}
