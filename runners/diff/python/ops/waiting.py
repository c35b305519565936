"""What mlp_utils.py and yarn_runtime.py wait for (PROTOCOL.md section 25)."""
import io
import sys
import types

import grpc
from monolith.native_training import mlp_utils
from monolith.native_training import yarn_runtime
from monolith.native_training.proto import primus_am_service_pb2 as primus

import surroundings
from values import Raw, attempt, encode

MOST_SLEEPS = 4000


class Endless(BaseException):
    """Ends a call that sleeps for ever."""


class Exit(BaseException):
    """Ends a call that ends the process."""


class Time:
    """Takes the place of the time module."""

    def __init__(self):
        self.slept = []

    def time(self):
        return surroundings.START_TIME + sum(self.slept)

    def sleep(self, seconds):
        self.slept.append(seconds)
        if len(self.slept) > MOST_SLEEPS:
            raise Endless()


def in_rows(entries):
    """Equal neighbours as one [entry, how many]."""
    rows = []
    for entry in entries:
        if rows and rows[-1][0] == entry:
            rows[-1][1] += 1
        else:
            rows.append([entry, 1])
    return rows


def play(module, replaced, calls, do, log, rows):
    """The answers of calls, with names of a module replaced meanwhile."""
    time = Time()
    replaced = {"time": time, **replaced}
    real = {name: getattr(module, name) for name in replaced}
    for name, value in replaced.items():
        setattr(module, name, value)
    answers = []
    try:
        for name, *rest in calls:
            time.slept, arguments = [], rest[0] if rest else {}
            log.clear()
            try:
                answer = attempt(do, name, arguments)
            except Endless:
                answer = {"r": None, "endless": True}
            except Exit:
                answer = {"r": None}
            if time.slept:
                answer["slept"] = in_rows(time.slept)
            answer["log"] = in_rows(log) if rows else list(log)
            answers.append(Raw(encode(answer)))
    finally:
        for name, value in real.items():
            setattr(module, name, value)
    return {"calls": answers}


def yarn(given):
    log, replies = [], {name: list(l) for name, l in (given.get("replies") or {}).items()}
    made = {"kill": lambda r: primus.KillResponse(), "succeed": lambda r: primus.SucceedResponse(),
            "createSavepoint": lambda r: primus.CreateSavepointResponse(**r),
            "createSavepointStatus": lambda r: primus.CreateSavepointStatusResponse(
                create_savepoint_state=r.get("state", "SUCCEEDED"), message=r.get("message", ""))}

    def method(name):
        def call(request, timeout):
            kept = type(request)()
            kept.CopyFrom(request)
            log.append([name, kept, timeout])
            reply = replies[name].pop(0) if replies.get(name) else {}
            if reply == "error":
                raise grpc.RpcError("no answer")
            return made[name](reply)
        return call

    stub = types.SimpleNamespace(**{name: method(name) for name in made})
    replaced = {"_get_channel": lambda address: log.append(["channel", address]),
                "primus_am_service_pb2_grpc": types.SimpleNamespace(AppMasterServiceStub=lambda channel: stub)}
    calls = {"kill": yarn_runtime.maybe_kill_application, "finish": yarn_runtime.maybe_finish_application,
             "save_point": yarn_runtime.create_primus_save_point}
    return play(yarn_runtime, replaced, given["calls"], lambda name, arguments: calls[name](**arguments), log, False)


def mlp(given):
    log, up = [], list(given.get("up") or [])

    def check_port(host, port, timeout=1):
        answer = up.pop(0) if up else False
        log.append(["check_port", host, port, timeout, answer])
        return answer

    def exit_process(status):
        log.append(["exit", status])
        raise Exit()

    class Beside:
        environ, getenv, _exit = mlp_utils.os.environ, mlp_utils.os.getenv, staticmethod(exit_process)

    def note(name):
        return lambda *args: log.append([name, *args])

    def trace(service_addr, logdir, duration_ms, options):
        log.append(["profiler.trace", service_addr, logdir, duration_ms, options])

    profiler = types.SimpleNamespace(server=types.SimpleNamespace(start=note("profiler.start")), stop=note("profiler.stop"),
                                     client=types.SimpleNamespace(trace=trace), ProfilerOptions=dict)
    flags = types.SimpleNamespace(dataset_use_dataservice=given.get("use_dataservice", False),
                                  num_extra_dsworker_on_gpu_worker=given.get("extra_workers", 0), data_service_dispatcher=None)
    dsvc = types.SimpleNamespace(DispatcherConfig=dict, WorkerConfig=dict, DispatchServer=note("DispatchServer"),
                                 WorkerServer=note("WorkerServer"))
    replaced = {"check_port": check_port, "os": Beside, "FLAGS": flags, "dsvc": dsvc, "EXTRA_DSWORKERS": [],
                "tf": types.SimpleNamespace(profiler=types.SimpleNamespace(experimental=profiler))}
    own = mlp_utils.MLPEnv()

    def do(name, arguments):
        if name == "mlp_pass":
            return mlp_utils.mlp_pass(**arguments)
        return getattr(own, name)(**arguments)

    out = play(mlp_utils, replaced, given["calls"], do, log, True)
    return {**out, "data_service_dispatcher": flags.data_service_dispatcher} if "use_dataservice" in given else out


def mpi_hook(given):
    aborted, err = [], io.StringIO()
    real = sys.excepthook, sys.stderr, sys.modules.get("mpi4py"), sys.modules.get("mpi4py.MPI")
    mpi = types.ModuleType("mpi4py.MPI")
    mpi.COMM_WORLD = types.SimpleNamespace(Abort=aborted.append)
    package = types.ModuleType("mpi4py")
    package.MPI = mpi
    sys.modules["mpi4py"], sys.modules["mpi4py.MPI"] = (package, mpi) if given["mpi4py"] else (None, None)
    sys.stderr = err
    try:
        mlp_utils.add_mpi_exception_hook()
        hook = sys.excepthook
        if hook is real[0]:
            return {"hooked": False}
        result = attempt(hook, ValueError, ValueError(given["raised"]), None)
        return {"hooked": True, "result": result, "stderr": err.getvalue(), "aborted": aborted}
    finally:
        sys.excepthook, sys.stderr = real[:2]
        for name, module in zip(("mpi4py", "mpi4py.MPI"), real[2:]):
            sys.modules.pop(name, None)
            if module:
                sys.modules[name] = module


OPS = {"yarn_runtime.sequence": yarn, "mlp_utils.MLPEnv.sequence": mlp, "mlp_utils.add_mpi_exception_hook": mpi_hook}
