"""The Python reference as a testee: JSON lines on stdin, answers on stdout.

    pip install -r runners/diff/python/requirements.txt
    MONOLITH_SRC=<checkout of bytedance/monolith> python3 runners/diff/python/testee.py < cases > answers

The checkout is imported unmodified and never written to. The protocol and every
operation are specified in PROTOCOL.md; ops has one module for each of its parts,
values the encoding, surroundings what a case sees of the world, finder how the
reference is imported. check_examples.py runs answered cases and compares.

Flags of the reference's command line modules clash (Q60), so the operations of
each program run in a process of its own of this program, started when first needed.
Those of the training side want the TensorFlow that the reference was written for: they
run with the interpreter that TENSORFLOW_PYTHON names, which has what
requirements-tensorflow.txt lists, and are unknown without it.
"""
import ast
import importlib
import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

NAME, VERSION = "python", "0.1"

# An answer is due within 30 s.
LONGEST_SECONDS = 25

# The operations' modules by the process they run in.
MAIN, TFS_CLIENT, CLIENT, AGENT_CLIENT, RUN = "main", "tfs_client", "client", "agent_client", "run"
HOOKS, RUNNER, DATA = "hooks", "runner", "data"
PARTS = {
    MAIN: ("utils", "data_def", "mocked_zkclient", "zk_mirror", "replica_manager", "backends", "agent_service",
           "tfs_monitor", "mocked_tfserving", "fake_tfserving", "agent_v3", "tfs_wrapper", "model_manager",
           "agent_controller", "resource_utils", "training", "service_discovery", "agent", "agent_v1", "agent_v3_sequence",
           "agent_service_sequence", "svr_client", "constants", "python", "waiting", "consul", "training_running"),
    TFS_CLIENT: ("tfs_client", "tfs_client_program"),
    CLIENT: ("client",),
    AGENT_CLIENT: ("agent_client",),
    RUN: ("run",),
    HOOKS: ("barrier_ops", "sync_hooks", "ps_check_hooks", "server_lib", "client_lib", "controller_hooks", "ckpt_hooks",
            "hook_utils", "session_hooks", "session_run_hooks", "save_utils", "export_state_utils", "cluster_manager",
            "monolith_utils", "base_runner", "export_hooks", "hooks_running"),
    RUNNER: ("runner_utils", "gflags_utils", "cpu_training", "estimator", "hvd_lib", "distribution_utils",
             "saved_model_exporters", "cpu_training_running"),
    DATA: ("datasets", "nested_tensors", "prefetch_queue", "tpu_runner", "model_registry"),
}
# Operations of a module that is called as another one.
NAMESAKES = {"utils.CopyFile": HOOKS, "utils.CopyRecursively": HOOKS, "utils.enable_monkey_patch": HOOKS}
# Those that run with the real TensorFlow.
WITH_TENSORFLOW = (HOOKS, RUNNER, DATA)
QUIET_TENSORFLOW = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


class Unavailable(Exception):
    """The reference cannot be run here; the text says why."""


def load(part):
    """Imports the reference and the operations of one part. Answers the operations by name."""
    source = os.environ.pop("MONOLITH_SRC", "")
    if not os.path.isdir(os.path.join(source, "monolith", "agent_service")):
        raise Unavailable("MONOLITH_SRC does not name a checkout of bytedance/monolith")
    os.environ.clear()  # some modules read the environment when they are imported
    os.environ.update(QUIET_TENSORFLOW if part in WITH_TENSORFLOW else {})
    try:
        from absl import logging  # pylint: disable=import-outside-toplevel
        import finder  # pylint: disable=import-outside-toplevel
        import shown  # pylint: disable=import-outside-toplevel
        import surroundings  # pylint: disable=import-outside-toplevel
        import values  # pylint: disable=import-outside-toplevel
        logging.set_verbosity(logging.FATAL)
        finder.install(source, part in WITH_TENSORFLOW)
        ops = {}
        for name in PARTS[part]:
            ops.update(importlib.import_module(f"ops.{name}").OPS)
    except Exception as e:  # pylint: disable=broad-except
        raise Unavailable(f"the reference cannot be imported: {e!r}; see runners/diff/python/requirements.txt") from e
    values.placeholders.source = os.path.abspath(source)
    surroundings.install()
    shown.install()
    shown.start(())

    def too_long(number, frame):
        raise values.Unanswerable(f"no answer within {LONGEST_SECONDS} s")

    signal.signal(signal.SIGALRM, too_long)
    return ops


class Testee:
    """Answers requests with the operations of this process, or through the others."""

    def __init__(self, part, environment):
        self.part = part
        self.environment = environment
        self.ops, self.why_not = {}, None
        try:
            self.ops = load(part)
        except Unavailable as e:
            self.why_not = str(e)
        self.others = {}  # processes by part

    def answer(self, line):
        """The answer to a line, whatever is wrong with it."""
        try:
            request = json.loads(line)
            identity, op = request.get("id"), request["op"]
        except (ValueError, KeyError, AttributeError, RecursionError) as e:
            return {"id": None, "skipped": f"not a request: {e!r}"}
        if op == "hello":
            return {"name": NAME, "version": VERSION, "ops": sorted(self.known())}
        if self.why_not:
            return {"id": identity, "skipped": self.why_not}
        if op in self.ops:
            return {"id": identity, **self.run(self.ops[op], request)}
        other = other_part(op)
        if self.part == MAIN and other:
            if not self.interpreter(other):
                return {"id": identity, "skipped": f"{op} needs TENSORFLOW_PYTHON, an interpreter with TensorFlow 2.4"}
            return self.pass_on(other, line)
        return {"id": identity, "skipped": f"unknown operation {op}"}

    def known(self):
        if self.why_not:
            return []
        others = [part for part in PARTS if part != MAIN and self.interpreter(part)] if self.part == MAIN else []
        return list(self.ops) + [op for part in others for module in PARTS[part] for op in written_ops(module)]

    def run(self, op, request):
        import shown  # pylint: disable=import-outside-toplevel
        answer = self.ask(op, request)
        if "skipped" not in answer:
            answer.update(shown.taken())
        shown.start(())
        return answer

    def ask(self, op, request):
        import shown  # pylint: disable=import-outside-toplevel
        import surroundings  # pylint: disable=import-outside-toplevel
        import values  # pylint: disable=import-outside-toplevel
        try:
            surroundings.enter(request)
            given = values.decode(values.placeholders.take(request.get("in")))
            shown.start(request.get("shows") or (), request["op"].split(".")[0])
        except Exception as e:  # pylint: disable=broad-except
            return {"skipped": f"the case cannot be set up: {e!r}"}
        signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS, 1)  # again and again: the reference may swallow it
        try:
            return {"out": values.encode(op(given))}
        except KeyboardInterrupt:
            raise
        except values.Unanswerable as e:
            return {"skipped": str(e)}
        except BaseException as e:  # pylint: disable=broad-except
            return {"error": values.error(e)}
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def interpreter(self, part):
        """The interpreter of a part's process, or None where there is none."""
        return self.environment.get("TENSORFLOW_PYTHON") if part in WITH_TENSORFLOW else sys.executable

    def process(self, part):
        """The process of a part, started when it is first needed."""
        if part not in self.others:
            self.others[part] = subprocess.Popen([self.interpreter(part), os.path.abspath(__file__), part],
                                                 env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                 cwd="/")
        return self.others[part]

    def pass_on(self, part, line):
        other = self.process(part)
        try:
            other.stdin.write(line.strip().encode("utf-8", "surrogatepass") + b"\n")
            other.stdin.flush()
            return json.loads(other.stdout.readline())
        except (OSError, ValueError) as e:
            del self.others[part]  # it died; the next case starts another
            return {"id": json.loads(line).get("id"), "skipped": f"the process for {part} ended: {e!r}"}

    def close(self):
        for other in self.others.values():
            other.stdin.close()
            other.wait()
        if "surroundings" in sys.modules:
            sys.modules["surroundings"].directory.remove()


def written_ops(module):
    """The operations that a module's text has, without importing it, which takes seconds where TensorFlow is."""
    with open(os.path.join(HERE, "ops", module + ".py"), encoding="utf-8") as f:
        tree = ast.parse(f.read())
    tables = [s.value for s in tree.body if isinstance(s, ast.Assign) and getattr(s.targets[0], "id", None) == "OPS"]
    return [key.value for key in tables[0].keys]


def other_part(op):
    """The part beside the main one that has the operation's module, or None."""
    module = op.split(".")[0]
    if op in NAMESAKES:
        return NAMESAKES[op]
    return next((part for part, names in PARTS.items() if part != MAIN and module in names), None)


def fix_hashes():
    """Starts the program anew unless strings hash alike in every run: the reference walks sets."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, os.path.abspath(__file__)] + sys.argv[1:])


def main():
    fix_hashes()
    # What the reference prints, its own children included, must not reach the answers,
    # and what it evaluates must not reach the requests: exit() closes sys.stdin.
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    part = sys.argv[1] if len(sys.argv) > 1 else MAIN
    if os.environ.get("MONOLITH_SRC"):
        os.environ["MONOLITH_SRC"] = os.path.abspath(os.environ["MONOLITH_SRC"])  # the other process starts elsewhere
    testee = Testee(part, dict(os.environ))
    try:
        for line in requests:
            if line.strip():
                answers.write(json.dumps(testee.answer(line.decode("utf-8", "surrogatepass"))) + "\n")
                answers.flush()
    finally:
        testee.close()
    answers.flush()
    os._exit(0)  # threads of gRPC or of the reference may be left


if __name__ == "__main__":
    main()
