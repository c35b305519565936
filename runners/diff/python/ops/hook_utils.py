"""hook_utils.py (PROTOCOL.md section 24)."""
import tensorflow as tf
from monolith.native_training.hooks import hook_utils

from values import attempt

STEP = 3


class Inner(tf.estimator.CheckpointSaverListener):
    """Notes all calls and returns values."""

    def __init__(self):
        self.log = []

    def begin(self):
        self.log.append(["begin", None])
        return "begin"

    def before_save(self, session, global_step_value):
        self.log.append(["before_save", global_step_value])
        return True

    def after_save(self, session, global_step_value):
        self.log.append(["after_save", global_step_value])
        return True

    def end(self, session, global_step_value):
        self.log.append(["end", global_step_value])
        return True


def listener(given):
    inner = Inner()
    made = getattr(hook_utils, given["kind"])(inner)
    results = [attempt(getattr(made, name), *(() if name == "begin" else (None, STEP))) for name in given["calls"]]
    return {"results": results, "forwarded": inner.log, "repr_ends_with_inner": repr(made).endswith(repr(inner))}


OPS = {"hook_utils.listener": listener}
