"""barrier_ops.py (PROTOCOL.md section 24)."""
import tensorflow as tf
from monolith.native_training import barrier_ops

import tensorflow_case as case
from tensorflow_case import plain

barrier_ops.time = case.time


class Callbacks:
    """The callbacks of a barrier; each notes its index and the action, or what note answers."""

    def __init__(self, kinds, note=None):
        self.log, self.note = [], note
        self.functions = [self.function(i, kind) for i, kind in enumerate(kinds)]

    def function(self, i, kind):
        def callback(action, session):
            self.log.append(self.note(action, session) if self.note else [i, action])
            if kind == "raise":
                raise ValueError("callback failed")
        return callback

    def take(self, answer):
        taken, self.log = self.log, []
        if taken:
            answer["callbacks"] = taken


class Steps:
    """The steps on one barrier."""

    def __init__(self, barrier, session):
        self.barrier, self.session = barrier, session
        self.placed = {}  # what hooks have read

    def blocked(self):
        """The indices, read past the barrier's own methods."""
        values = self.session.run(self.barrier._barrier_vars)
        return [i for i, v in enumerate(values) if v]

    def run(self, name, arguments):
        b, s = self.barrier, self.session
        methods = {
            "place": lambda action="": b.place_barrier(s, action), "remove": lambda: b.remove_barrier(s),
            "is_placed": lambda: b.is_barrier_placed(s), "is_removed": lambda: b.is_barrier_removed(s),
            "wait": lambda index: b.wait_until_barrier_removed(s, index),
            "all_blocked": lambda: b.is_all_blocked(s), "none_blocked": lambda: b.is_none_blocked(s),
            "blocked": lambda: b.get_blocked_indices(s), "unblocked": lambda: b.get_unblocked_indices(s),
            "capacity": lambda: b.capacity,
            "hook.before_run": self.before_run, "hook.after_run": self.after_run, "hook": self.hook,
        }
        return plain(methods[name](**arguments))

    def before_run(self, index):
        hook = barrier_ops.BarrierHook(index, self.barrier)
        self.placed[index] = self.session.run(hook.before_run(None).fetches)
        return self.placed[index]

    def after_run(self, index):
        context = tf.estimator.SessionRunContext((), self.session)
        values = tf.estimator.SessionRunValues(self.placed.get(index, False), None, None)
        barrier_ops.BarrierHook(index, self.barrier).after_run(context, values)

    def hook(self, index):
        self.before_run(index)
        self.after_run(index)


def sequence(given):
    with case.graph():
        callbacks = Callbacks(given.get("callbacks") or [])
        more = {"wait_seconds": given["wait_seconds"]} if "wait_seconds" in given else {}
        barrier = barrier_ops.BarrierOp(given["capacity"], barrier_callbacks=callbacks.functions, **more)
        with case.session() as session:
            run = Steps(barrier, session)

            def after(answer, name):
                del name
                answer["blocked"] = run.blocked()
                callbacks.take(answer)

            return {"steps": case.steps(run.run, given["steps"], after)}


OPS = {"barrier_ops.BarrierOp.sequence": sequence}
