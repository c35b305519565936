"""estimator.py (PROTOCOL.md section 26)."""
import contextlib
import os
import types

import tensorflow as tf
from monolith.native_training import estimator, runner_utils

import command_line
import tensorflow_case as case
from ops.runner_utils import arguments, changed
from values import Raw, attempt, encode


def to_runner_config(given):
    case.time.reset()
    command_line.parse(given["argv"])
    noted = []
    real, estimator.DumpUtils = estimator.DumpUtils, lambda: types.SimpleNamespace(
        add_config=lambda text: None, add_user_params=noted.extend)
    try:
        config = estimator.RunConfig(**given["kwargs"])
        return {"user_params": noted, "changed": case.bounded(lambda: changed(config.to_runner_config()))}
    finally:
        estimator.DumpUtils = real


def estimator_spec(given):
    spec = estimator.EstimatorSpec(**given["kwargs"])
    return {"fields": dict(spec._asdict()), "replaced": [attempt(lambda kwds=k: dict(spec._replace(**kwds)._asdict())) for k in given["replace"]]}


class Parameters(dict):
    """Parameters that can be set."""

    def set(self, **values):
        self.update(values)


def model_of(given):
    """A model of that name without a mode."""
    return types.SimpleNamespace(
        name="m", mode=None, file_name="m.py", p=Parameters(a=1),
        train=types.SimpleNamespace(steps=None, max_steps=None, use_fountain=False, slow_start_steps=None, use_gpu_emb_table=None),
        metrics=types.SimpleNamespace(enable_deep_insight=None, deep_insight_name=given.get("deep_insight_name"),
                                      deep_insight_target=None, deep_insight_sample_ratio=None))


class Hook(tf.estimator.SessionRunHook):
    pass


def hooks_of(call):
    """n hooks, or a list with something else."""
    if "hooks" not in call:
        return {}
    return {"hooks": [object()] if call["hooks"] < 0 else [Hook() for _ in range(call["hooks"])]}


class Backend:
    """A sync backend that notes."""

    def __init__(self, log, bzid, zk_servers):
        self.log = log
        log.append({"call": "ZKBackend", "bzid": bzid, "zk_servers": zk_servers})

    def start(self):
        self.log.append({"call": "start"})

    def subscribe_model(self, name):
        self.log.append({"call": "subscribe_model", "model_name": name})

    def stop(self):
        self.log.append({"call": "stop"})


@contextlib.contextmanager
def stubs(log):
    """Has the functions that would train note their call."""

    def trained(call, model, conf, hooks, **more):
        log.append({"call": call, "mode": model.mode, "steps": model.train.steps, "max_steps": model.train.max_steps,
                    "hooks": None if hooks is None else len(hooks), **more, "conf_mode": conf.mode})

    def local(model, conf, model_dir, steps=None, profiling=False, user_hooks=None):
        shown = model_dir.replace("/tmp/user/", "<POSIX TMP>/user/")
        trained("local_train_internal", model, conf, user_hooks, steps_argument=steps, model_dir=shown, profiling=profiling)

    def distributed(config, discovery, params, sync_backend=None, user_hooks=None):
        trained("distributed_train", params, config, user_hooks, discovery=discovery is not None)

    def synchronous(config, params, sync_backend=None, user_hooks=None):
        trained("distributed_sync_train", params, config, user_hooks, discovery=False)

    @contextlib.contextmanager
    def discovery(config):
        log.append({"call": "monolith_discovery"})
        yield None if config.is_local else object()

    replaced = {
        "local_train_internal": local, "distributed_train": distributed, "distributed_sync_train": synchronous,
        "init_sync_train_and_update_conf": lambda config: log.append({"call": "init_sync_train_and_update_conf"}),
        "try_init_cuda": lambda: log.append({"call": "try_init_cuda"}), "monolith_discovery": discovery,
        "ZKBackend": lambda bzid, zk_servers: Backend(log, bzid, zk_servers),
        "getpass": types.SimpleNamespace(getuser=lambda: "user"),
        "DumpUtils": lambda: types.SimpleNamespace(add_config=lambda t: None, add_user_params=lambda p: None,
                                                   record_params=lambda m: None, dump=lambda name: None),
        "set_metric_prefix": lambda prefix: None,
    }
    real = {name: getattr(estimator, name) for name in replaced}
    for name, stub in replaced.items():
        setattr(estimator, name, stub)
    try:
        yield
    finally:
        for name, kept in real.items():
            setattr(estimator, name, kept)


def taken(log):
    """The log, which is empty afterwards."""
    entries = Raw(encode(list(log)))
    log.clear()
    return entries


def sequence(given):
    command_line.parse([])
    log, calls, model = [], [], model_of(given["model"])
    with stubs(log):
        make = estimator.RunConfig if given["config"] == "RunConfig" else lambda **k: runner_utils.RunnerConfig(**arguments(k))
        under_test = estimator.Estimator(model, make(**given["kwargs"]))
        names = ("TF_GRPC_WORKER_CACHE_THREADS", "MONOLITH_GRPC_WORKER_SERVICE_HANDLER_MULTIPLIER")
        answer = {"env": {n: os.environ.get(n) for n in names}, "metrics": dict(vars(model.metrics)), "p": dict(model.p),
                  "model_dir": under_test.model_dir, "made": taken(log)}
        for name, *rest in given["calls"]:
            call = dict(rest[0]) if rest else {}
            kwargs = {**{k: v for k, v in call.items() if k != "hooks"}, **hooks_of(call)}
            result = attempt(getattr(under_test, name), **kwargs)
            calls.append({**result, "log": taken(log)})
    answer["calls"] = calls
    answer["own_model"] = {"mode": model.mode, "steps": model.train.steps, "max_steps": model.train.max_steps}
    return answer


OPS = {
    "estimator.RunConfig.to_runner_config": to_runner_config,
    "estimator.EstimatorSpec": estimator_spec,
    "estimator.Estimator.sequence": sequence,
}
