"""The toy model that takes the place of the reference's: its hash tables are operations in C++.

The variables are where the reference's are: the global step and those of the barrier on PS, by
the estimator's device setter, an embedding on each PS, the flags of sync_hooks on the chief. The
hooks are the reference's own, in its order (cpu_training.py:1529 to 1582).
"""
import os
import time

import numpy as np
import tensorflow as tf
from monolith.native_training import barrier_ops, basic_restore_hook, cpu_training, save_utils, session_run_hooks, sync_hooks, utils
from monolith.native_training.hooks import ckpt_hooks, controller_hooks, ps_check_hooks, session_hooks
from monolith.native_training.hooks.server import server_lib

STEP = {"last": 0}
NANOSECONDS = 1e9


class Fields:

    def __init__(self, **fields):
        self.__dict__.update(fields)


class Task:
    """What distributed_train asks of a task."""


class Params:
    """What distributed_train asks of a model's parameters."""

    def __init__(self, job):
        self.mode = None
        self.metrics = Fields(deep_insight_name=job["Job"])
        self.serving = Fields(with_remote_gpu=False)
        self.train = Fields(max_steps=job["MaxSteps"] or None, use_gpu_emb_table=None)

    def instantiate(self):
        return Task()


class Told(tf.estimator.CheckpointSaverListener):
    """Tells of saves."""

    def __init__(self, tell, basename):
        self.tell, self.basename = tell, basename

    def after_save(self, session, global_step_value):
        self.tell("saved", f"{self.basename}-{global_step_value}")


class LastStep(tf.estimator.SessionRunHook):
    """Keeps the last step that the process has seen, and reads what a step reads of every PS."""

    def __init__(self, step):
        self.step = step

    def before_run(self, run_context):
        return tf.estimator.SessionRunArgs(self.step)

    def after_run(self, run_context, run_values):
        STEP["last"] = int(run_values.results)


class Training:
    """In place of CpuTraining."""

    feature_configs = ({}, {}, {})

    def __init__(self, config, job, tell):
        self.config, self.job, self.tell = config, job, tell
        self.basename = os.path.join(config.model_dir, "model.ckpt")

    def create_input_fn(self, mode):
        del mode
        return lambda: tf.data.Dataset.from_tensors({"x": 0}).repeat()

    def create_model_fn(self):
        return self.model_fn

    def seconds(self, name):
        return self.job[name] / NANOSECONDS

    def model_fn(self, features, mode, config):
        del features, config
        step = tf.compat.v1.train.get_or_create_global_step()
        embeddings = []
        for i in range(self.config.num_ps):
            with tf.device(utils.ps_device(i)):
                embeddings.append(tf.compat.v1.get_variable(f"embedding_{i}", initializer=[0.0]))
        after, chief = self.hooks(step)
        passed = tf.numpy_function(self.take_time, [], tf.float32)
        with tf.control_dependencies([passed]):
            pushed = [e.assign_add([1.0], read_value=False) for e in embeddings]
        with tf.control_dependencies(pushed):
            train = tf.compat.v1.assign_add(step, 1).op
        return tf.estimator.EstimatorSpec(mode, loss=tf.constant(0.0), train_op=train, training_hooks=after, training_chief_hooks=chief)

    def take_time(self):
        time.sleep(self.seconds("StepTime"))
        return np.float32(0)

    def at_barrier(self, action, session):
        del session
        self.tell("barrier" if cpu_training.is_chief(self.config) else "blocked", action or "no action")

    def hooks(self, step):
        """Those of all processes, and those of the chief beside them."""
        config, stop = self.config, controller_hooks.StopHelper()
        if not self.job["WorkerCheckpoints"]:
            ckpt_hooks.disable_iterator_save_restore()
        places = ckpt_hooks.WorkerCkptHelper(config.model_dir, config.index)
        together = sync_hooks.TrainingHooksHelper(config.num_workers > 1, config.num_workers, config.index,
                                                  chief_timeout_seconds=config.chief_timeout_secs)
        barrier = barrier_ops.BarrierOp(config.num_workers, is_chief=cpu_training.is_chief(config), barrier_callbacks=[
            stop.create_barrier_callback(), self.at_barrier, places.create_save_iterator_callback()])
        after = (session_hooks.SetCurrentSessionHook(),) + together.training_hooks + (barrier_ops.BarrierHook(config.index, barrier),)
        if self.job["SlowStartSteps"]:
            after += (session_run_hooks.CustomGlobalStepWaiterHook(int(self.job["SlowStartSteps"] * np.log(1 + config.index)),
                                                                   max_non_tide_wait_minute=config.max_slow_start_wait_minute),)
        after += (places.create_restorer_hook(), stop.create_stop_hook(), LastStep(step))
        if not cpu_training.is_chief(config):
            return after, ()
        monitor = save_utils.PsMonitor(config.num_ps) if config.partial_recovery and config.num_ps > 1 else None
        saver_hook = self.saver_hook(barrier, monitor)
        controller = controller_hooks.ControllerHook(config.num_ps, barrier)
        return after, (
            ps_check_hooks.PsHealthCheckerHook(ps_check_hooks.Config(barrier_op=barrier, num_ps=config.num_ps)),
            basic_restore_hook.CheckpointRestorerHook()) + together.training_chief_hooks + (
                saver_hook, server_lib.ServerHook(config.model_dir, barrier, saver_hook), controller,
                controller_hooks.QueryActionHook(config.model_dir, controller))

    def saver_hook(self, barrier, monitor):
        """As get_hooks_for_save of cpu_training.py makes it."""
        config, model_dir = self.config, self.config.model_dir
        exempt = []
        state = save_utils.get_monolith_checkpoint_state(model_dir, remove_invalid_path=True)
        if state and state.exempt_model_checkpoint_paths:
            exempt = [os.path.basename(p) for p in state.exempt_model_checkpoint_paths]
        saver = saver_class(self)(sharded=True, max_to_keep=config.checkpoints_max_to_keep, keep_checkpoint_every_n_hours=24,
                                  ps_monitor=monitor, exempt_checkpoint_paths=exempt, model_dir=model_dir)
        tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.SAVERS, saver)
        seconds, steps = self.seconds("SaveEvery") or None, self.job["SaveSteps"] or None
        if seconds is None and steps is None:
            steps = 100000000
        return save_utils.NoFirstSaveCheckpointSaverHook(
            model_dir, save_secs=seconds, save_steps=steps, saver=saver, listeners=[Told(self.tell, self.basename)],
            guard_saver_listeners=[ckpt_hooks.BarrierSaverListener(barrier, max_pending_seconds=self.seconds("MaxPending"))],
            tide_start_hour=config.tide_start_hour, tide_start_minute=config.tide_start_minute,
            tide_end_hour=config.tide_end_hour, tide_end_minute=config.tide_end_minute, tide_save_secs=config.tide_save_secs,
            ignore_save_errors=config.enable_realtime_training, is_dense_only=False, use_native_multi_hash_table=True,
            no_first_save=True)


def write_checkpoint(path):
    """Writes the checkpoint that a scenario has stored in short: as an index that is a step.

    It has all that the graph at hand would restore, as it begins, and that step.
    """
    index = path + ".index"
    if not os.path.exists(index):
        return
    with open(index, "rb") as f:
        step = f.read(20)
    if not step.isdigit():
        return
    variables = [(v.op.name, v.dtype.base_dtype, v.shape) for v in tf.compat.v1.global_variables()]
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        for name, dtype, shape in variables:
            value = tf.zeros(shape, dtype) if name != tf.compat.v1.GraphKeys.GLOBAL_STEP else tf.constant(int(step), dtype)
            tf.compat.v1.get_variable(name, initializer=value)
        sess.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.train.Saver().save(sess, path, write_meta_graph=False, write_state=False)


def saver_class(training):

    class Saver(save_utils.PartialRecoverySaver):
        """Takes the time that a save takes, and tells what was restored."""

        def save(self, *args, **kwargs):
            time.sleep(training.seconds("SaveTime"))
            return super().save(*args, **kwargs)

        def restore(self, sess, save_path):
            if save_path:
                write_checkpoint(save_path)
            restored = super().restore(sess, save_path)
            if save_path:
                training.tell("restored", save_path)
            return restored

    return Saver
