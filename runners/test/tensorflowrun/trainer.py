"""A process of a training job: the reference's distributed_train on stock TensorFlow.

    trainer.py JOB.JSON

JOB.JSON (tensorflowrun.go) says which process this is, and describes the job. The process
imports everything, creates the file of MONOSIM_READY, and begins when it reads a line. Then it
runs the reference's runner_utils, service_discovery, cluster_manager and cpu_training, whose
model is that of graph.py, and appends a line of JSON to its file of events for all that it
does. It ends with exit code 0 after the training, and 1 after an error.
"""
import sys

import clock

clock.install()

import json  # pylint: disable=wrong-import-position
import os
import socket
import threading
import time

import finder

finder.install(os.environ["MONOLITH_SRC"], real_tensorflow=True)

from absl import flags  # pylint: disable=wrong-import-position
import tensorflow as tf
from monolith import utils as monolith_utils
from monolith.native_training import cpu_training, logging_ops, runner_utils, service_discovery, yarn_runtime

import graph

JOB, FILES, EVERY = {}, {}, 0.1  # seconds of the wall clock between two looks at the variables
NANOSECONDS = 1e9


def load(path):
    with open(path) as f:
        JOB.update(json.load(f))


def tell(op, path="", note=""):
    """Appends an event; writes of one line come whole."""
    now = clock.wall.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1e6):06d}Z"
    line = json.dumps({"time": stamp, "op": op, "path": path, "note": note}) + "\n"
    os.write(FILES["events"], line.encode())


def config():
    """The configuration of the process: what the job says, and the reference's defaults."""
    job = JOB["job"]
    config_class = runner_utils.RunnerConfig
    return config_class(
        server_type=JOB["role"], index=JOB["index"], num_ps=job["PS"], num_workers=job["Workers"] + 1,
        num_redundant_ps=job["RedundantPS"], model_dir=job["ModelDir"], restore_dir=job["RestoreDir"] or None,
        restore_ckpt=job["RestoreCkpt"] or None, deep_insight_name=job["Job"], zk_server=JOB["zookeeper"],
        discovery_type=DISCOVERIES[job["Discovery"]], tf_config=os.environ.get("TF_CONFIG"),
        partial_recovery=job["PartialRecovery"], max_retry_times=job["MaxRetries"],
        retry_wait_in_secs=job["RetryWait"] / NANOSECONDS, session_creation_timeout_secs=int(job["SessionTimeout"] / NANOSECONDS),
        chief_timeout_secs=job["ChiefTimeout"] / NANOSECONDS, max_slow_start_wait_minute=job["MaxSlowStart"] / NANOSECONDS / 60,
        checkpoints_max_to_keep=job["MaxToKeep"], tide_start_hour=job["TideStartHour"], tide_end_hour=job["TideEndHour"],
        tide_start_minute=job["TideStartMinute"], tide_end_minute=job["TideEndMinute"],
        tide_save_secs=job["TideSaveEvery"] / NANOSECONDS or None, clear_nn=job["ClearNN"],
        continue_training=job["ContinueTraining"], enable_realtime_training=job["KeepPS"])


DISCOVERIES = {
    "": runner_utils.ServiceDiscoveryType.ZK, "zookeeper": runner_utils.ServiceDiscoveryType.ZK,
    "consul": runner_utils.ServiceDiscoveryType.CONSUL, "primus": runner_utils.ServiceDiscoveryType.PRIMUS,
    "mlp": runner_utils.ServiceDiscoveryType.MLP}


class Metrics:
    """The client of metrics: of what the reference sends it, the changes of the heartbeat are told."""

    def __init__(self):
        self.last = None

    def emit_store(self, name, value, tags=None):
        del value
        if name == "training_heart_beat" and tags["type"] != self.last:
            self.last = tags["type"]
            tell("heartbeat", self.last, name)

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


def machine_info(shared_name):
    """What the reference's operation keeps of a PS is not read: its memory is not limited."""
    return tf.constant(shared_name)


def check_machine_health(handle):
    with tf.compat.v1.device(handle.device):
        return tf.strings.substr(tf.identity(handle), 0, 0)


def trains(real):
    """Tells how each try to train ends."""

    def do_worker_train(*args, **kwargs):
        try:
            estimator = real(*args, **kwargs)
        except (tf.errors.DeadlineExceededError, tf.errors.UnavailableError, cpu_training.NodeAliveCheckerError) as e:
            tell("retry", note=f"{type(e).__name__}: {e}")
            raise
        tell("finished", note=f"step {graph.STEP['last']}")
        return estimator

    return do_worker_train


def registers(discovery):
    """Tells the address that the process registers, and serves."""
    real = discovery.register

    def register(name, index, addr):
        tell("serving", addr)
        if JOB["role"] == "ps":
            threading.Thread(target=show_variables, args=(addr,), daemon=True).start()
        return real(name, index, addr)

    discovery.register = register


def show_variables(addr):
    """Keeps a file with the variables of this PS that people ask for, as TensorFlow has them."""
    names = {"global_step": (tf.int64, []), "barrier_var": (tf.bool, [JOB["job"]["Workers"] + 1])}
    with tf.Graph().as_default():
        reads = {}
        for name, (dtype, shape) in names.items():
            handle = tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name=name)
            reads[name] = tf.raw_ops.VarIsInitializedOp(resource=handle), tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype)
        with tf.compat.v1.Session("grpc://" + addr) as session:
            while True:
                found = {}
                for name, (there, value) in reads.items():
                    try:
                        if session.run(there):
                            found[name] = session.run(value).tolist()
                    except tf.errors.OpError:
                        pass  # it comes, or goes, at this moment
                temporary = JOB["variables"] + ".new"
                with open(temporary, "w") as f:
                    json.dump(found, f)
                os.replace(temporary, JOB["variables"])
                clock.wall.sleep(EVERY)


def replace():
    """Puts in place what the reference has as operations of its own, and what tells."""
    monolith_utils.enable_monkey_patch()  # as the package does when it is imported
    logging_ops.machine_info, logging_ops.check_machine_health = machine_info, check_machine_health
    metrics = Metrics()
    cpu_training.cli.get_cli = lambda *args, **kwargs: metrics
    yarn_runtime.get_local_host = lambda: JOB["ip"]
    cpu_training._do_worker_train = trains(cpu_training._do_worker_train)  # pylint: disable=protected-access
    cpu_training._save_debugging_info = lambda *args: None  # pylint: disable=protected-access
    cpu_training.CpuTraining = lambda config, task: graph.Training(config, JOB["job"], tell)
    cpu_training.NativeTask = graph.Task


def run():
    tf.compat.v1.disable_eager_execution()
    replace()
    flags.FLAGS(["trainer"])
    made = config()
    discovery = runner_utils.get_discovery(made, JOB["job"]["Job"])
    try:
        registers(discovery)
        cpu_training.distributed_train(made, discovery, graph.Params(JOB["job"]))
    finally:
        discovery.close()


def main():
    load(sys.argv[1])
    ready = os.environ.get("MONOSIM_READY")
    if ready:
        with open(ready, "w"):
            pass
        if not sys.stdin.readline():
            return 0  # it was never needed
    FILES["events"] = os.open(JOB["events"], os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
    clock.begin(JOB["speed"])
    socket.gethostname = lambda: JOB["ip"]
    try:
        run()
        return 0
    except BaseException as e:  # pylint: disable=broad-except
        tell("failed", note=f"{type(e).__name__}: {e}")
        import traceback  # pylint: disable=import-outside-toplevel
        traceback.print_exc()
        return 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # TensorFlow's server has threads that do not end
