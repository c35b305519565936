"""utils.py of the training side (PROTOCOL.md section 25)."""
import collections
import os
import sys
import threading
import types

import tensorflow as tf

from monolith import utils

import surroundings
from values import attempt

real = tf.io.gfile
ERRORS = {"not_found": tf.errors.NotFoundError, "denied": tf.errors.PermissionDeniedError}


class Files(types.ModuleType):
    """Takes the place of tensorflow in the module: copies are counted and may fail."""

    def __init__(self):
        super().__init__("tensorflow")
        self.errors = tf.errors
        names = {n: getattr(real, n) for n in ("exists", "isdir", "rmtree", "makedirs")}
        self.io = types.SimpleNamespace(gfile=types.SimpleNamespace(
            copy=self.copy, listdir=lambda path: sorted(real.listdir(path)), **names))
        self.reset()

    def reset(self, outcomes=(), failing=None):
        self.outcomes, self.failing = list(outcomes), failing or {}
        self.tries, self.copied, self.lock = [], collections.Counter(), threading.Lock()

    def copy(self, src, dst, overwrite):
        with self.lock:
            self.tries.append(overwrite)
            self.copied[shown(src)] += 1
            outcome = self.outcomes.pop(0) if self.outcomes else self.failing.get(shown(src), "ok")
        if outcome in ERRORS:
            raise ERRORS[outcome](None, None, outcome)
        real.copy(src, dst, overwrite=overwrite)


def shown(path):
    """A path as cases name it: from their directory."""
    return os.path.relpath(path, surroundings.directory.path)


files = Files()
utils.tf = files


def copy_file(given):
    files.reset(outcomes=given["outcomes"])
    result = attempt(utils.CopyFile, **given["arguments"])
    return {"result": result, "tries": files.tries, "tree": surroundings.directory.tree()}


def copy_recursively(given):
    files.reset(failing=given["failing"])
    result = attempt(utils.CopyRecursively, **given["arguments"])
    return {"result": result, "copied": sorted([path, n] for path, n in files.copied.items()),
            "tree": surroundings.directory.tree()}


def enable_monkey_patch(given):
    del given
    module = sys.modules["tensorflow.python.training.monitored_session"]

    def names():
        return [e.__name__ for e in module._PREEMPTION_ERRORS]

    kept, before = module._PREEMPTION_ERRORS, names()
    try:
        utils.enable_monkey_patch()
        return {"before": before, "after": names()}
    finally:
        module._PREEMPTION_ERRORS = kept


OPS = {"utils.CopyFile": copy_file, "utils.CopyRecursively": copy_recursively,
       "utils.enable_monkey_patch": enable_monkey_patch}
