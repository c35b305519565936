"""tpu_runner.py (PROTOCOL.md section 25)."""
import types

import tensorflow.compat.v1 as tf
from absl import flags
from monolith import tpu_runner

import shown
from values import attempt

FLAGS = flags.FLAGS
NAMES = ("tf_version", "tpu", "gcp_project", "tpu_zone", "task", "model_dir", "mode", "save_checkpoints_steps",
         "iterations_per_loop", "pipeline_execution", "enable_tpu_version_config", "host_call_every_n_steps",
         "enable_stopping_signals", "cpu_test", "partition_strategy", "overwrite_end_date")


class Beside:
    """The names of an object but for those that are replaced."""

    def __init__(self, real, **replaced):
        self.__dict__.update(replaced)
        self._real = real

    def __getattr__(self, name):
        return getattr(self._real, name)


class Train(types.SimpleNamespace):

    def contain(self, name):
        return hasattr(self, name)


class World:
    """What the runner meets."""

    def __init__(self, given):
        self.given, self.log = given, []

    def load_variable(self, directory, name):
        self.log.append(["load_variable", directory, name])
        if "global_step" not in self.given:
            raise tf.errors.NotFoundError(None, None, "no checkpoint")
        return self.given["global_step"]

    def create_input_fn(self, mode):
        self.log.append(["create_input_fn", mode])
        return f"input_{mode}"

    def create_model_fn(self):
        self.log.append(["create_model_fn"])

    def client(self, tpu, zone, project):
        self.log.append(["client", tpu, zone, project])
        return types.SimpleNamespace(configure_tpu_version=lambda version: self.log.append(["configure_tpu_version"]),
                                     wait_for_healthy=lambda: self.log.append(["wait_for_healthy"]))

    def resolver(self, tpu, zone, project):
        self.log.append(["resolver", tpu, zone, project])
        hosts = self.given.get("num_hosts", 1)
        return types.SimpleNamespace(cluster_spec=lambda: types.SimpleNamespace(num_tasks=lambda job: hosts))

    def estimator(self, use_tpu, model_fn, config, train_batch_size, params, embedding_config_spec, eval_batch_size=None):
        del model_fn
        tpu = config.tpu_config
        self.log.append(["TPUEstimator", {
            "use_tpu": use_tpu, "train_batch_size": train_batch_size, "eval_batch_size": eval_batch_size, "params": params,
            "embedding_config_spec": embedding_config_spec is not None,
            "config": {"cluster": config.cluster is not None, "model_dir": config.model_dir,
                       "save_checkpoints_steps": config.save_checkpoints_steps,
                       "iterations_per_loop": tpu["iterations_per_loop"],
                       "host_call_every_n_steps": tpu["experimental_host_call_every_n_steps"],
                       "feed_hook": tpu.get("experimental_feed_hook") is not None}}])
        return self

    def train(self, input_fn, max_steps):
        self.log.append(["train", input_fn, max_steps])

    def evaluate(self, input_fn, steps, checkpoint_path):
        self.log.append(["evaluate", input_fn, steps, checkpoint_path])
        if checkpoint_path in self.given.get("gone", []):
            raise tf.errors.NotFoundError(None, None, "gone")
        return {"loss": 0.5}

    def checkpoints_iterator(self, directory, timeout):
        self.log.append(["checkpoints_iterator", directory, timeout])
        return iter(self.given.get("checkpoints", []))

    def writer(self, directory):
        self.log.append(["writer", directory])
        return types.SimpleNamespace(add_summary=lambda s, step: self.log.append(["summary", s, step]), close=lambda: None)

    def tensorflow(self):
        """The module tf with the stubs."""
        tpu = tf.estimator.tpu
        config = lambda **kwargs: types.SimpleNamespace(session_config=tf.ConfigProto(), **kwargs)
        v1 = Beside(tf, estimator=Beside(tf.estimator, tpu=Beside(tpu, TPUEstimator=self.estimator, RunConfig=config, TPUConfig=dict)),
                    summary=Beside(tf.summary, FileWriter=self.writer))
        distribute = Beside(tf.distribute, cluster_resolver=Beside(tf.distribute.cluster_resolver, TPUClusterResolver=self.resolver))
        train = Beside(tf.train, load_variable=self.load_variable, checkpoints_iterator=self.checkpoints_iterator)
        return Beside(tf, compat=Beside(tf, v1=v1), distribute=distribute, train=train)


def params_of(given, world):
    """The task's parameters, which make a task that notes."""
    train = {"per_replica_batch_size": 16, "max_steps": 100, "save_checkpoints_steps": None, **given.get("train", {})}
    evaluation = {"per_replica_batch_size": None, **given.get("eval", {})}
    return types.SimpleNamespace(
        train=Train(**train), eval=types.SimpleNamespace(**evaluation),
        input=types.SimpleNamespace(eval_examples=given.get("eval_examples", 1000)), accelerator=None, gradient_multiplier=1.0,
        instantiate=lambda: world)


def reset_flags():
    for name in FLAGS:
        FLAGS[name].value, FLAGS[name].present = FLAGS[name].default, 0


def run(given):
    reset_flags()
    world = World(given["world"])
    params = params_of(given["params"], world)
    real = tpu_runner.tf, tpu_runner.client
    tpu_runner.tf, tpu_runner.client = world.tensorflow(), types.SimpleNamespace(Client=world.client)

    def make_and_run():
        FLAGS(["testee"] + given["argv"])
        shown.set_verbosity()
        tpu_runner.TPURunner(params).run()

    try:
        return {"result": attempt(make_and_run), "log": world.log, "end_date": getattr(params.train, "end_date", None),
                "accelerator": params.accelerator}
    finally:
        tpu_runner.tf, tpu_runner.client = real
        reset_flags()


def defaults(given):
    del given
    return {name: FLAGS[name].default for name in NAMES}


OPS = {"tpu_runner.TPURunner.run": run, "tpu_runner.flags": defaults}
