"""ps_check_hooks.py (PROTOCOL.md section 24)."""
import tensorflow as tf
from monolith.native_training import barrier_ops
from monolith.native_training.hooks import ps_check_hooks

import tensorflow_case as case
from ops.barrier_ops import Steps
from values import Raw, attempt, encode


class Ops:
    """The two C++ ops: names are noted, and the status of a PS is its index."""

    def __init__(self):
        self.names = []

    def machine_info(self, shared_name):
        self.names.append(shared_name)
        return len(self.names) - 1

    def check_machine_health(self, handle):
        return handle


class Session:
    """A session that answers the checks in order."""

    def __init__(self, real, rounds, stop):
        self.real, self.rounds, self.stop = real, rounds, stop

    def run(self, fetches, feed_dict=None):
        if not (isinstance(fetches, list) and all(isinstance(f, int) for f in fetches)):
            return self.real.run(fetches, feed_dict=feed_dict)
        answer = self.rounds.pop(0)
        if not self.rounds:
            self.stop()
        if answer == "error":
            raise tf.errors.UnavailableError(None, None, "u")
        return answer


class Coordinator:
    """Says stop when the rounds are used up or after a wait without limit."""

    def __init__(self, stopped):
        self.stopped, self.waits = stopped, []

    def should_stop(self):
        return self.stopped

    def stop(self):
        self.stopped = True

    def wait_for_stop(self, timeout=None):
        self.waits.append(timeout)
        if timeout is None:
            self.stopped = True


def checker(given):
    reports = []

    def record(results):
        reports.append(Raw(encode([[i, r] for i, r in results.items()])))
        if given.get("report") == "raise":
            raise RuntimeError("report failed")

    ops, coordinator = Ops(), Coordinator(bool(given.get("stopped")))
    real_ops, ps_check_hooks.logging_ops = ps_check_hooks.logging_ops, ops
    try:
        with case.graph():
            barrier = barrier_ops.BarrierOp(given["capacity"])
            report = {} if given.get("report") == "default" else {"report_fn": record}
            made = ps_check_hooks._PsHealthChecker(
                ps_check_hooks.Config(barrier, given["num_ps"], ps_device_fn=lambda i: "", **report))
            with case.session() as real:
                rounds = list(given["rounds"])
                if given.get("placed"):
                    barrier.place_barrier(real)
                result = attempt(made._run, Session(real, rounds, coordinator.stop), coordinator)
                out = {"shared_names": ops.names, "reports": reports, "waits": coordinator.waits, "result": result,
                       "rounds_left": len(rounds), "blocked": Steps(barrier, real).blocked()}
    finally:
        ps_check_hooks.logging_ops = real_ops
    return out


OPS = {
    "ps_check_hooks.PsHealthChecker": checker,
    "ps_check_hooks.get_ps_machine_info_shared_name":
        lambda given: ps_check_hooks.get_ps_machine_info_shared_name(given["index"]),
}
