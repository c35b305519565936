"""controller_hooks.py (PROTOCOL.md section 24)."""
import os

import tensorflow as tf
from monolith.native_training import barrier_ops
from monolith.native_training.hooks import controller_hooks

import tensorflow_case as case
from ops.barrier_ops import Steps
from tensorflow_case import plain
from values import attempt

controller_hooks.time = case.time

PARSE_ERROR = "<PARSE ERROR>"


class Controller:
    """A ControllerHook in a session, with a barrier where there is a capacity."""

    def __init__(self, given):
        self.helper, self.saves = controller_hooks.StopHelper(), 0
        self.barrier = None
        if given.get("capacity") is not None:
            self.barrier = barrier_ops.BarrierOp(given["capacity"],
                                                 barrier_callbacks=[self.helper.create_barrier_callback()])
        trigger = self.save if given.get("trigger_save", True) else None
        self.hook = controller_hooks.ControllerHook(0, self.barrier, trigger)
        self.session = case.session()
        self.on_barrier = Steps(self.barrier, self.session) if self.barrier else None

    def save(self):
        self.saves += 1

    def control(self):
        return plain(self.session.run(self.hook._control_var))

    def step(self):
        context = tf.estimator.SessionRunContext((), self.session)
        read = self.session.run(self.hook.before_run(context).fetches)
        self.hook.after_run(context, tf.estimator.SessionRunValues(read, None, None))

    def stop_hook(self):
        context = tf.estimator.SessionRunContext((), self.session)
        self.helper.create_stop_hook().after_run(context, None)
        return context.stop_requested

    def run(self, name, arguments):
        if name.startswith("barrier."):
            return self.on_barrier.run(name[len("barrier."):], arguments)
        if name in ("stop", "save"):
            self.session.run(self.hook.stop_op if name == "stop" else self.hook.trigger_save_op)
            return None
        return {"step": self.step, "stop_hook": self.stop_hook}[name](**arguments)

    def after(self, answer, name):
        del name
        answer.update({"control": self.control(), "saves": self.saves})
        if self.on_barrier:
            answer["blocked"] = self.on_barrier.blocked()


def sequence(given):
    with case.graph():
        controller = Controller(given)
        with controller.session:
            return {"steps": case.steps(controller.run, given["steps"], controller.after)}


class Close:
    """The event that ends the query loop: it writes the requests before each query and is set after the last."""

    def __init__(self, contents, before, after):
        self.contents, self.before, self.after, self.waits, self.count = contents, before, after, [], 0

    def wait(self, timeout=None):
        self.waits.append(timeout)
        if self.count:
            self.after()
        if self.count == len(self.contents):
            return True
        self.before(self.contents[self.count])
        self.count += 1
        return False


def query_action(given):
    rounds, answers = [], []
    with case.graph():
        controller = Controller({})
        os.makedirs("m", exist_ok=True)
        hook = controller_hooks.QueryActionHook("m", controller.hook)
        real_query = hook._query

        def query():
            answers.append(attempt(real_query))

        def before(content):
            if content is not None:
                with open("m/monolith_action", "w", encoding="utf-8") as f:
                    f.write(content)

        def after():
            response = None
            if os.path.exists("m/monolith_action_response"):
                with open("m/monolith_action_response", encoding="utf-8") as f:
                    response = f.read()
                response = response if response == "OK" else PARSE_ERROR
                os.remove("m/monolith_action_response")
            rounds.append({"query": answers.pop(), "response": response,
                           "request_left": os.path.exists("m/monolith_action"), "control": controller.control()})

        hook._query, hook._session = query, controller.session
        hook._close = Close(given["contents"], before, after)
        with controller.session:
            hook._query_loop()
    return {"rounds": rounds, "waits": hook._close.waits}


OPS = {"controller_hooks.ControllerHook.sequence": sequence, "controller_hooks.QueryActionHook": query_action}
