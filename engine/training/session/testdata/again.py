"""Records which hooks TensorFlow calls when a session is aborted into again.json: PYTHON again.py.

The recorded file says which TensorFlow that was (2.4.4). Each story tells the calls of two hooks, with
the number of the session and of the coordinator that they get, and the values of the steps. What aborts
sessions there is a PS that is started again at its address, or a hook that raises an AbortedError.
"""
import json
import os
import socket
import subprocess
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["GRPC_FAIL_FAST"] = "true"
import tensorflow as tf  # noqa: E402
from tensorflow.python.training import monitored_session  # noqa: E402

tf1 = tf.compat.v1
tf1.disable_eager_execution()
tf1.logging.set_verbosity("ERROR")
monitored_session._PREEMPTION_ERRORS = (tf.errors.AbortedError,)  # as monolith/utils.py:27 does


class PS:
    """A process with variables, which can be started again."""

    def __init__(self):
        self.spec = {role: [free()] for role in ("ps", "chief", "worker")}
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, __file__, json.dumps(self.spec)], stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def start_again(self):
        self.process.kill()
        self.process.wait()
        self.start()


class Hook(tf1.train.SessionRunHook):
    """Tells of its calls, and does what it is told to before one of them, once."""

    def __init__(self, name, story, **does):
        self.name, self.story, self.does = name, story, does

    def happens(self, what, *objects):
        self.story.told.append(" ".join([self.name, what] + [self.story.number(o) for o in objects]))
        if what in self.does:
            self.does.pop(what)()

    def begin(self):
        self.happens("begin")

    def after_create_session(self, session, coord):
        self.happens("create", session, coord)

    def before_run(self, run_context):
        self.happens("before")

    def after_run(self, run_context, run_values):
        self.happens("after")

    def end(self, session):
        self.happens("end")


class Story:

    def __init__(self):
        self.told, self.known = [], []

    def number(self, o):
        """The n-th object of its class has the number n; those that are known stay alive."""
        if not any(o is k for k in self.known):
            self.known.append(o)
        return str([k for k in self.known if type(k) is type(o)].index(o) + 1)


def free():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return f"localhost:{s.getsockname()[1]}"


def variables(is_chief):
    """Those of barrier_ops.py:45-64, and a step that counts."""
    with tf.device("/job:ps/task:0"):
        step = tf1.train.get_or_create_global_step()
        of_chief = [tf1.GraphKeys.LOCAL_VARIABLES] if is_chief else [tf1.GraphKeys.VARIABLES]
        placed = tf1.get_variable("barrier_var", initializer=[False], collections=of_chief, use_resource=True)
        action = tf1.get_variable("barrier_op_action", dtype=tf.string, initializer="", trainable=False,
                                  collections=[tf1.GraphKeys.LOCAL_VARIABLES], use_resource=True)
        place = [placed.assign([True], read_value=False), action.assign("Save", read_value=False)]
        return tf1.assign_add(step, 1), [placed.read_value(), action.read_value()], place


def monitored(target, is_chief, hooks):
    return tf1.train.MonitoredTrainingSession(master=target, is_chief=is_chief, hooks=hooks, save_checkpoint_secs=None,
                                              save_summaries_steps=None, log_step_count_steps=None)


def abort():
    raise tf.errors.AbortedError(None, None, "gone")


def tell(target, is_chief, steps=2, a={}, b={}):
    story = Story()
    with tf.Graph().as_default():
        step = variables(is_chief)[0]
        try:
            with monitored(target, is_chief, [Hook("a", story, **a), Hook("b", story, **b)]) as m:
                for _ in range(steps):
                    story.told.append(f"step {m.run(step)}")
        except tf.errors.AbortedError as e:
            story.told.append(f"AbortedError: {e.message}")
    return story.told


def main():
    if len(sys.argv) > 1:
        server = tf.distribute.Server(json.loads(sys.argv[1]), job_name="ps", task_index=0)
        print("up", flush=True)
        server.join()
    ps = PS()
    chief = tf.distribute.Server(ps.spec, job_name="chief", task_index=0).target
    worker = tf.distribute.Server(ps.spec, job_name="worker", task_index=0).target
    with tf.Graph().as_default():
        _, read, place = variables(True)

        def first(also=None):  # the chief has to initialize before a worker begins
            session = monitored(chief, True, [])._tf_sess()
            if also:
                session.run(also)
            return session

        def restart():
            ps.start_again()
            first()

        stories = {
            "a PS that is started again before a step of the chief": tell(chief, True, b={"before": ps.start_again}),
            "one that raises in a step": tell(chief, True, a={"after": abort}),
            "one that raises while the session is made": tell(chief, True, b={"create": abort}),
            "one that raises at the end": tell(chief, True, a={"end": abort}),
        }
        first()
        stories["a PS that is started again before a step of a worker"] = tell(worker, False, b={"before": restart})
        session = first(place)
        flags = {"placed by the chief": values(session, read)}
        tell(worker, False, 0)
        flags["after a session of a worker"] = values(session, read)
        first()
        flags["after a session of the chief"] = values(session, read)
    with open("again.json", "w") as f:
        lines = [f"  {json.dumps(name)}: {json.dumps(told)}" for name, told in stories.items()]
        f.write('{"tensorflow": %s, "stories": {\n' % json.dumps(tf.__version__) + ",\n".join(lines) +
                '\n }, "barrier": %s}\n' % json.dumps(flags))
    ps.process.kill()
    os._exit(0)


def values(session, read):
    placed, action = session.run(read)
    return [bool(placed[0]), action.decode()]


main()
