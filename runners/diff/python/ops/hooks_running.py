"""Hooks of the chief whose threads run (PROTOCOL.md section 24)."""
import os
import types

import tensorflow as tf
from monolith.native_training import barrier_ops
from monolith.native_training.hooks import controller_hooks, ps_check_hooks

import tensorflow_case as case
from running import Log, played, with_names
from turns import Event, Thread, turns
from values import attempt, encode


class Session:
    """A session whose calls are noted by the names of what is run."""

    def __init__(self, real, log, names):
        self.real, self.log, self.names = real, log, names

    def run(self, fetches, feed_dict=None):
        name = self.names(fetches)
        if name is not None:
            self.log.note("run", name)
        return self.real.run(fetches, feed_dict=feed_dict)


def requests(given):
    """The thread that looks for an operator's requests."""
    log = Log()
    with case.graph():
        controller = controller_hooks.ControllerHook()
        os.makedirs("m", exist_ok=True)
        with case.session() as real:
            names = {controller.stop_op.name: "stop", controller.trigger_save_op.name: "save"}
            session = Session(real, log, lambda fetches: names.get(getattr(fetches, "name", None)))
            threading = types.SimpleNamespace(Thread=Thread, Event=Event)

            def response():
                path = "m/monolith_action_response"
                if not os.path.exists(path):
                    return None
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                os.remove(path)
                return text if text == "OK" else "<PARSE ERROR>"

            def main():
                hook = controller_hooks.QueryActionHook("m", controller)
                for name, *arguments in given["steps"]:
                    if name == "pass":
                        turns.sleep(*arguments)
                    elif name == "request":
                        with open("m/monolith_action", "w", encoding="utf-8") as f:
                            f.write(*arguments)
                    elif name == "look":
                        log.note("look", [os.path.exists("m/monolith_action"), response(), case.plain(real.run(controller._control_var))])
                    else:
                        arguments = [session, None] if name == "after_create_session" else [session]
                        log.note(name, attempt(getattr(hook, name), *arguments))

            return with_names(controller_hooks, {"threading": threading}, lambda: played(log, given["until_ms"], main))


class Coordinator:
    """A coordinator whose threads run in turns."""

    def __init__(self):
        self.event = Event()

    def should_stop(self):
        return self.event.is_set()

    def wait_for_stop(self, timeout=None):
        return self.event.wait(timeout)

    def register_thread(self, thread):
        pass


class Reports:
    """The two C++ ops: what a PS reports is what the case has said last."""

    def __init__(self, count):
        self.count, self.made, self.health = count, 0, [b""] * count

    def machine_info(self, shared_name):
        del shared_name
        self.made += 1
        return self.made - 1

    def check_machine_health(self, handle):
        return handle


class Checked(Session):
    """A session that answers the health checks."""

    def __init__(self, real, log, reports):
        super().__init__(real, log, lambda fetches: None)
        self.reports, self.fails = reports, False

    def run(self, fetches, feed_dict=None):
        if not (isinstance(fetches, list) and all(isinstance(f, int) for f in fetches)):
            return super().run(fetches, feed_dict)
        self.log.note("check", list(self.reports.health))
        if self.fails:
            raise tf.errors.UnavailableError(None, None, "u")
        return list(self.reports.health)


def health(given):
    """The thread that looks whether the PS are well."""
    log, reports = Log(), Reports(given["num_ps"])
    with case.graph():
        barrier = barrier_ops.BarrierOp(1)
        with case.session() as real:
            session, coordinator = Checked(real, log, reports), Coordinator()

            def report(results):
                log.note("report", [[i, r] for i, r in results.items()])

            def main():
                hook = ps_check_hooks.PsHealthCheckerHook(
                    ps_check_hooks.Config(barrier, given["num_ps"], ps_device_fn=lambda i: "", report_fn=report))
                hook.begin()
                for name, *arguments in given["steps"]:
                    if name == "pass":
                        turns.sleep(*arguments)
                    elif name == "health":
                        index, status = arguments
                        reports.health[index] = status
                    elif name == "fails":
                        session.fails = arguments[0]
                    elif name == "look":
                        log.note("look", bool(barrier.is_barrier_placed(real)))
                    elif name == "remove":
                        barrier.remove_barrier(real)
                    elif name == "stop":
                        coordinator.event.set()
                    else:
                        log.note(name, attempt(getattr(hook, name), session, coordinator))

            replaced = {"threading": types.SimpleNamespace(Thread=Thread), "logging_ops": reports}
            return with_names(ps_check_hooks, replaced, lambda: played(log, given["until_ms"], main))


OPS = {
    "controller_hooks.QueryActionHook.threads.sequence": requests,
    "ps_check_hooks.PsHealthCheckerHook.threads.sequence": health,
}
