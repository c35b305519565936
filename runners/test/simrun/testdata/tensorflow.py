"""Records what stock TensorFlow does to a training job when one of its processes dies.

Each process is one of a job as the reference runs it: a server of its own for the job "local",
the cluster in the session's configuration with its device filters (cluster_manager.py:32), the
variables where the reference's device setter places them, the flags of sync_hooks.py on the chief,
AbortedError as the only preemption (monolith/utils.py:27), and the retry loop of
cpu_training.py:2040. Its own operations are replaced by two variables of floats.

  python3.8 runners/test/simrun/testdata/tensorflow.py record runners/test/simrun/testdata/tensorflow.json [CASE ...]

Python needs tensorflow-cpu 2.4.4, protobuf 3.20.3 and numpy 1.19.5. A case takes some three minutes; the
file keeps the cases that are not named.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

RETRY = 5  # seconds between tries
RETRIED = ("DeadlineExceededError", "UnavailableError")  # cpu_training.py:2086


def process(role, index, work):
  """One process of the job, told by the file `cluster` of the directory work."""
  with open(os.path.join(work, "cluster")) as f:
    cluster = json.load(f)
  out = open(os.path.join(work, "%s%d.events" % (role, index)), "a", buffering=1)

  def emit(what, **more):
    out.write(json.dumps(dict(t=time.time(), what=what, **more)) + "\n")

  import tensorflow as tf
  from tensorflow.python.training import monitored_session
  v1 = tf.compat.v1
  v1.disable_eager_execution()
  v1.logging.set_verbosity(v1.logging.ERROR)
  monitored_session._PREEMPTION_ERRORS = (tf.errors.AbortedError,)
  server = tf.distribute.Server({"local": [cluster[role][index]]})
  emit("serving")
  if role == "ps":
    server.join()
  chief = role == "chief"
  spec = v1.train.ClusterSpec(cluster)
  config = v1.ConfigProto(cluster_def=spec.as_cluster_def(), allow_soft_placement=True,
                          device_filters=["/job:ps", "/job:chief"] + ([] if chief else ["/job:worker/task:%d" % index]))
  config.share_cluster_devices_in_session = True
  config.experimental.share_session_state_in_clusterspec_propagation = True
  config.graph_options.rewrite_options.disable_meta_optimizer = True
  keys = v1.GraphKeys
  own = [keys.LOCAL_VARIABLES] if chief else [keys.GLOBAL_VARIABLES]

  class Sync(v1.train.SessionRunHook):
    """ChiefSyncHook and WorkerSyncHook of sync_hooks.py."""

    def after_create_session(self, session, coord):
      emit("session")
      session.run(assign, {slot: 0 if chief else index + 1, value: True})
      while not chief and not session.run(flags)[0]:
        time.sleep(1)
      emit("begins")

    def end(self, session):
      emit("ends")
      if not chief:
        session.run(assign, {slot: index + 1, value: False})
      while chief and any(session.run(flags)[1:]):
        time.sleep(1)

  stop = os.path.join(work, "stop.%s%d" % (role, index))
  while True:
    tf.compat.v1.reset_default_graph()
    # All of model_fn is under the device function of the estimator: what has no device of its own is on
    # the process's own. (Outside of it TensorFlow places it on the first device, which is the chief's.)
    with v1.device(v1.train.replica_device_setter(ps_tasks=2, worker_device="/job:%s/task:%d" % (role, index), cluster=spec)):
      counter = v1.train.get_or_create_global_step()
      a = v1.get_variable("a", shape=[8], initializer=v1.zeros_initializer())
      b = v1.get_variable("b", shape=[8], initializer=v1.zeros_initializer())
      with v1.device("/job:ps/task:0"):
        barrier = v1.get_variable("barrier_var", initializer=[False] * 2, trainable=False, collections=own)
      with v1.device("/job:chief/task:0"):
        control = v1.get_variable("control_var", initializer=[False] * 2, trainable=False, collections=own)
      slot, value = v1.placeholder(tf.int32, []), v1.placeholder(tf.bool, [])
      assign, flags = control[slot].assign(value), control[:]
      train = [counter.assign_add(1), a.assign_add([1.] * 8), b.assign_add([1.] * 8), barrier[0]]
    try:
      last = 0
      with v1.train.MonitoredTrainingSession(
          master=server.target, is_chief=chief, checkpoint_dir=os.path.join(work, "model") if chief else None, hooks=[Sync()],
          save_checkpoint_secs=5 if chief else None, save_summaries_steps=None, save_summaries_secs=None, log_step_count_steps=None, config=config) as s:
        while not os.path.exists(stop) and not s.should_stop():
          step = int(s.run(train)[0])
          if time.time() - last > .25:
            last = time.time()
            emit("step", step=step)
          time.sleep(.1)
      emit("finished", step=step)
      return
    except Exception as e:  # as the reference's loop, which tells two classes
      name = type(e).__name__
      emit("retry" if name in RETRIED else "failed", error=name, text=str(e).split("\n")[0][:160])
      if name not in RETRIED:
        os._exit(1)
      time.sleep(RETRY)


class Job:
  """A chief, a worker and two PS as processes of this machine."""

  def __init__(self, work, fail_fast):
    self.work, self.procs = work, {}
    self.env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONHASHSEED="0", CUDA_VISIBLE_DEVICES="")
    self.env.pop("GRPC_FAIL_FAST", None)
    if fail_fast:
      self.env["GRPC_FAIL_FAST"] = "true"
    socks = [socket.socket() for _ in range(4)]
    for s in socks:
      s.bind(("127.0.0.1", 0))
    addrs = ["127.0.0.1:%d" % s.getsockname()[1] for s in socks]
    for s in socks:
      s.close()
    with open(os.path.join(work, "cluster"), "w") as f:
      json.dump({"chief": addrs[:1], "worker": addrs[1:2], "ps": addrs[2:]}, f)
    for name in ["ps0", "ps1", "chief0", "worker0"]:
      self.start(name)

  def start(self, name):
    log = open(os.path.join(self.work, name + ".log"), "ab")
    self.procs[name] = subprocess.Popen([sys.executable, os.path.abspath(__file__), "process", name[:-1], name[-1], self.work],
                                        env=self.env, stdout=log, stderr=log)

  def signal(self, name, number):
    self.procs[name].send_signal(number)
    if number == signal.SIGKILL:
      self.procs[name].wait()

  def events(self, name):
    try:
      with open(os.path.join(self.work, name + ".events")) as f:
        return [json.loads(line) for line in f if line.endswith("\n")]
    except FileNotFoundError:
      return []

  def until(self, name, done, limit=900):
    """Waits until done(events of name), and says whether that came."""
    end = time.time() + limit
    while time.time() < end:
      if done(self.events(name)):
        return True
      time.sleep(.2)
    return False

  def close(self):
    for p in self.procs.values():
      p.kill()
      p.wait()


def at_work(least):
  """Steps of a process from `least` on."""
  return lambda events: any(e["what"] == "step" and e["step"] >= least for e in events)


# name: fail fast, and what is done: (seconds after the one before, process, act)
CASES = {
    "chief-killed": (False, [(0, "chief0", "kill"), (40, "chief0", "start"), (60, "", "")]),
    "chief-killed-fail-fast": (True, [(0, "chief0", "kill"), (40, "chief0", "start"), (60, "", "")]),
    "chief-stopped": (False, [(0, "chief0", "stop"), (30, "chief0", "cont"), (20, "", "")]),
    "chief-killed-worker-ends": (False, [(0, "chief0", "kill"), (5, "worker0", "end"), (40, "chief0", "start"), (60, "", "")]),
    "chief-restarted-worker-ends": (False, [(0, "chief0", "kill"), (5, "chief0", "start"), (40, "worker0", "end"), (60, "", "")]),
    "chief-killed-worker-ends-fail-fast": (True, [(0, "chief0", "kill"), (5, "worker0", "end"), (40, "chief0", "start"), (60, "", "")]),
    "ps1-killed": (False, [(0, "ps1", "kill"), (60, "ps1", "start"), (100, "", "")]),
    "ps1-killed-fail-fast": (True, [(0, "ps1", "kill"), (30, "ps1", "start"), (100, "", "")]),
    "ps0-killed-fail-fast": (True, [(0, "ps0", "kill"), (30, "ps0", "start"), (100, "", "")]),
    "ps1-stopped-fail-fast": (True, [(0, "ps1", "stop"), (40, "ps1", "cont"), (20, "", "")]),
    "worker-killed": (False, [(0, "worker0", "kill"), (20, "worker0", "start"), (60, "", "")]),
}
SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "cont": signal.SIGCONT}


def record(name):
  fail_fast, acts = CASES[name]
  with tempfile.TemporaryDirectory() as work:
    job = Job(work, fail_fast)
    try:
      if not job.until("worker0", at_work(60)):
        raise RuntimeError("the job of %s did not begin" % name)
      time.sleep(8)  # a checkpoint is there
      begin, done = time.time(), []
      for wait, who, act in acts:
        time.sleep(wait)
        done.append({"t": round(time.time() - begin, 1), "who": who, "act": act or "over"})
        if act in SIGNALS:
          job.signal(who, SIGNALS[act])
        elif act == "start":
          job.start(who)
        elif act == "end":
          open(os.path.join(work, "stop." + who), "w").close()
      return dict(case=name, fail_fast=fail_fast, acts=done, processes={who: summary(job.events(who), begin) for who in ["chief0", "worker0"]})
    finally:
      job.close()


def summary(events, begin):
  """What a process did from just before the fault on: steps every 5 s and around all else, everything else as it is."""
  out, last = [], None
  for i, e in enumerate(events):
    t = round(e["t"] - begin, 1)
    if t < -2:
      continue
    edge = i + 1 == len(events) or events[i + 1]["what"] != "step" or i == 0 or events[i - 1]["what"] != "step" or e["step"] < events[i - 1].get("step", 0) if e["what"] == "step" else True
    if e["what"] == "step" and not edge and last is not None and t - last < 5:
      continue
    last = t
    out.append(dict({k: v for k, v in e.items() if k != "t"}, t=t))
  return out


def main():
  if sys.argv[1] == "process":
    return process(sys.argv[2], int(sys.argv[3]), sys.argv[4])
  out, names = sys.argv[2], sys.argv[3:] or list(CASES)
  done = {}
  if os.path.exists(out):
    with open(out) as f:
      done = {c["case"]: c for c in json.load(f)["cases"]}
  for name in names:
    done[name] = record(name)
    with open(out, "w") as f:
      json.dump({"tensorflow": "2.4.4", "cases": [done[n] for n in CASES if n in done]}, f, indent=1)
      f.write("\n")
    print(name, "recorded", flush=True)


if __name__ == "__main__":
  main()
