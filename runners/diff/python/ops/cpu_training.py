"""cpu_training.py (PROTOCOL.md section 26)."""
import contextlib
import datetime
import json
import os
import types

import tensorflow as tf
from monolith.native_training import cluster_manager, cpu_training
from monolith.native_training.native_task import NativeTask
from monolith.native_training.service_discovery import ServiceDiscovery, TfConfigServiceDiscovery

import command_line
import surroundings
import tensorflow_case as case
from ops.cluster_manager import Discovery
from values import attempt


def make_config_backward_compatible(given):
    config = cpu_training.CpuTrainingConfig(use_native_multi_hash_table=given["use_native_multi_hash_table"])
    cpu_training.make_config_backward_compatible(given["model_dir"], config)
    return config.use_native_multi_hash_table


def get_blocked_addrs(given):
    return sorted(cpu_training._get_blocked_addrs(given["cluster"], set(given["ignored_jobs"])))


ERRORS = {
    "unavailable": lambda: tf.errors.UnavailableError(None, None, "u"),
    "deadline": lambda: tf.errors.DeadlineExceededError(None, None, "d"),
    "dead": lambda: cpu_training.NodeAliveCheckerError("a,b is unreachable"),
    "aborted": lambda: tf.errors.AbortedError(None, None, "a"),
    "value": lambda: ValueError("boom"),
}


class Model:
    """Of a model what a training asks for."""

    def __init__(self, deep_insight_name):
        self.metrics = types.SimpleNamespace(deep_insight_name=deep_insight_name)
        self.train = types.SimpleNamespace(use_gpu_emb_table=None)


def discovery_of(given, log):
    """A discovery of views, or of TF_CONFIG, that notes."""

    class Viewed(ServiceDiscovery):

        def __init__(self):
            self.views = Discovery(given["views"])

        def register(self, name, index, addr):
            log.append(["register", name, index, addr])

        def deregister(self, name, index, addr):
            log.append(["deregister", name, index, addr])

        def query(self, name):
            log.append(["query", name])
            return self.views.query(name)

    class Configured(TfConfigServiceDiscovery):

        def register(self, name, index, addr):
            log.append(["register", name, index, addr])

        def query(self, name):
            log.append(["query", name])
            return super().query(name)

    return Viewed() if given["tf_config"] is None else Configured(json.loads(given["tf_config"])
                                                                  if isinstance(given["tf_config"], str) else given["tf_config"])


class Now(datetime.datetime):
    """Takes the place of datetime: the case's clock tells the time."""

    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(case.time.time(), tz)


@contextlib.contextmanager
def stubs(given, log):
    """Has what TensorFlow and others would do be noted."""
    outcomes = list(given["outcomes"])

    def train(config, params, cluster, task, user_hooks=None):
        del config, params, user_hooks
        outcome = outcomes.pop(0) if outcomes else "ok"
        log.append(["train", outcome, json.loads(json.dumps(cluster)), dict(task)])
        if outcome != "ok":
            raise ERRORS[outcome]()
        return "estimator"

    class Heartbeat:

        def start(self):
            log.append(["heartbeat.start"])

        def stop(self):
            log.append(["heartbeat.stop"])

    replaced = {
        "_prepare_server": lambda target, config: log.append(["prepare_server"]), "_MetricsHeartBeatThread": Heartbeat,
        "_do_worker_train": train, "_shutdown_ps": lambda target, cluster, task, n: log.append(["shutdown_ps", n]),
        "_join_ps": lambda target, index, backend=None: log.append(["join_ps", index]), "time": case.time,
        "yarn_runtime": types.SimpleNamespace(
            get_local_host=cpu_training.yarn_runtime.get_local_host, maybe_finish_application=lambda: log.append(["finish"]),
            maybe_kill_application=lambda reason: log.append(["kill", reason])),
        "datetime": Now,
        "cli": types.SimpleNamespace(get_cli=lambda prefix: types.SimpleNamespace(emit_timer=lambda *args: None, emit_store=lambda *args: None)),
    }
    real = {name: getattr(cpu_training, name) for name in replaced}
    real_server, real_metrics = tf.distribute.Server, (cluster_manager._MCLI, cluster_manager.emit_store)
    for name, stub in replaced.items():
        setattr(cpu_training, name, stub)
    tf.distribute.Server = lambda cluster, config=None: types.SimpleNamespace(target="grpc://10.1.2.3:2222")
    cluster_manager.emit_store = lambda name, value, tags=None: None
    try:
        yield
    finally:
        for name, kept in real.items():
            setattr(cpu_training, name, kept)
        tf.distribute.Server = real_server
        cluster_manager._MCLI, cluster_manager.emit_store = real_metrics


def distributed_train(given):
    case.time.reset()
    surroundings.clock.source = case.time
    command_line.parse([])
    log = []
    config = cpu_training.DistributedCpuTrainingConfig(**given["kwargs"])
    with stubs(given, log):
        result = case.bounded(cpu_training.distributed_train, config, discovery_of(given, log), Model(given["deep_insight_name"]))
    return {"result": result, "log": case.in_rows(log), "slept": case.time.take_slept(), "model_name": config.model_name, "index": config.index}


class Task(NativeTask):
    """A task whose input notes what TensorFlow is told of the cluster, and fails where the case says so."""

    def __init__(self, lab):  # pylint: disable=super-init-not-called
        self.lab = lab

    def create_input_fn(self, mode):
        raise NotImplementedError

    def create_model_fn(self):
        raise NotImplementedError

    def input_fn(self, mode):
        del mode
        self.lab.train()
        return tf.data.Dataset.range(1)


class Lab:
    """Has the functions of cpu_training.py that train do so in a stub, and notes what it finds in TF_CONFIG."""

    def __init__(self, given):
        self.given, self.log = given, []

    def train(self, *args, **kwargs):
        del args, kwargs
        self.log.append(["train", os.environ.get("TF_CONFIG")])
        if self.given["outcome"] != "ok":
            raise ERRORS[self.given["outcome"]]()

    def params(self):
        return types.SimpleNamespace(instantiate=lambda: Task(self), mode=None, name="m", train=types.SimpleNamespace(max_steps=7),
                                     serving=types.SimpleNamespace(with_remote_gpu=False))

    def checker(self, addrs, timeout):
        self.log.append(["alive", sorted(addrs), timeout])
        dead = [addr for addr in sorted(addrs) if addr in self.given.get("dead", ())]
        return types.SimpleNamespace(all_nodes_alive=lambda: not dead, get_dead_nodes=lambda: dead)

    @contextlib.contextmanager
    def stubs(self):
        lab, ports = self, iter(range(1001, 2000))

        class Session:

            def __init__(self, *args, **kwargs):
                del args, kwargs

            def __enter__(self):
                return types.SimpleNamespace(run=lambda fetches: None, should_stop=lambda: True)

            def __exit__(self, *args):
                return None

        made = types.SimpleNamespace(create_model_fn=lambda: None, create_input_fn=lambda mode: None)
        replaced = [
            (cpu_training, "net_utils", types.SimpleNamespace(NodeAliveChecker=lab.checker)),
            (cpu_training, "CpuTraining", lambda config, task: made), (cpu_training, "_save_debugging_info", lambda *args: None),
            (cpu_training, "get_sync_run_hooks", lambda full: []),
            (cpu_training.feature_engineering_hooks, "FeatureEngineeringSaveHook", lambda *args: None),
            (tf.estimator, "Estimator", lambda *args, **kwargs: types.SimpleNamespace(train=lab.train)),
            (tf.compat.v1.train, "MonitoredTrainingSession", Session),
            (tf.distribute.Server, "create_local_server",
             staticmethod(lambda: types.SimpleNamespace(target=f"grpc://localhost:{next(ports)}"))),
        ]
        real = [(owner, name, owner.__dict__[name] if isinstance(owner, type) else getattr(owner, name)) for owner, name, _ in replaced]
        for owner, name, stub in replaced:
            setattr(owner, name, stub)
        try:
            with tf.Graph().as_default():
                yield
        finally:
            for owner, name, kept in real:
                setattr(owner, name, kept)

    def answer(self, function, *args):
        with self.stubs():
            result = attempt(lambda: function(*args) is not None)
        return {"result": result, "log": self.log, "tf_config": os.environ.get("TF_CONFIG")}


def in_cluster(given, function, *before):
    command_line.parse([])
    lab, config = Lab(given), cpu_training.DistributedCpuTrainingConfig(**given["kwargs"])
    return lab.answer(function, *before, config, lab.params(), given["cluster"], given["task"])


def do_worker_train(given):
    return in_cluster(given, cpu_training._do_worker_train)


def do_worker_feature_engineering(given):
    return in_cluster(given, cpu_training._do_worker_feature_engineering, "")


def local_train_internal(given):
    command_line.parse([])
    lab = Lab(given)
    return lab.answer(cpu_training.local_train_internal, lab.params(), cpu_training.CpuTrainingConfig(**given["kwargs"]), "m")


OPS = {
    "cpu_training.do_worker_train": do_worker_train,
    "cpu_training.do_worker_feature_engineering": do_worker_feature_engineering,
    "cpu_training.local_train_internal": local_train_internal,
    "cpu_training.make_config_backward_compatible": make_config_backward_compatible,
    "cpu_training.get_blocked_addrs": get_blocked_addrs,
    "cpu_training.distributed_train": distributed_train,
}
