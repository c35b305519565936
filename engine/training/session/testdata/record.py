"""Records what TensorFlow answers of sessions that are closed into closed.json: PYTHON record.py.

The recorded file says which TensorFlow that was (2.4.4). Each story names its acts, and each act has
what it returned, or the error that it raised. The servers are a chief and a PS: the process of a PS
that is stopped answers nobody until it goes on.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf  # noqa: E402

tf1 = tf.compat.v1
tf1.disable_eager_execution()
tf1.logging.set_verbosity("ERROR")
HELD = 3  # seconds in which what can end has ended


def outcome(fn):
    try:
        fn()
    except Exception as e:  # all that TensorFlow raises
        return f"{type(e).__name__}: {getattr(e, 'message', e)}"
    return ""


class Hook(tf1.train.SessionRunHook):
    """Keeps the sessions that it gets, and raises what it is told to, once."""

    def __init__(self, raises):
        self.raises, self.got, self.ends = dict(raises), [], []

    def happens(self, at):
        if at in self.raises:
            raise self.raises.pop(at)

    def after_create_session(self, session, coord):
        self.got.append(session)
        self.coord = coord
        self.happens("create")

    def after_run(self, run_context, run_values):
        self.happens("step")

    def end(self, session):
        self.ends.append(session)
        self.happens("end")


class Story:
    """A monitored session over a chief and a PS, and what is done with it."""

    def __init__(self, target, ps, folder=None, **raises):
        self.hook, self.ps, self.acts, self.threads, self.begun = Hook(raises), ps, [], [], []
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:0"):
                kept = tf1.get_variable("kept", initializer=tf.constant(0, tf.int64), use_resource=True)
                local = tf1.get_local_variable("local", initializer=tf.constant(0, tf.int64), use_resource=True)
            tf1.train.get_or_create_global_step()
            self.step, self.read = tf1.assign_add(kept, 1), kept.read_value()
            self.read_local, self.set_local = local.read_value(), local.assign(7, read_value=False)
            self.saver = tf1.train.Saver()
            creator = tf1.train.ChiefSessionCreator(tf1.train.Scaffold(saver=self.saver), master=target, checkpoint_dir=folder)
            self.do("create", lambda: setattr(self, "monitored", tf1.train.MonitoredSession(creator, hooks=[self.hook])))

    def do(self, name, fn):
        self.acts.append([name, outcome(fn)])

    def begin(self, name, fn):
        """Does it in a thread, and gives it time to end. What came of it is told later."""
        self.threads.append(threading.Thread(target=lambda: self.begun.append([name, outcome(fn)])))
        self.threads[-1].start()
        self.acts.append([name, ""])
        time.sleep(HELD)

    def act(self, name):
        m, hook = getattr(self, "monitored", None), self.hook
        if name == "run":
            self.do(name, lambda: m.run(self.step))
        elif name == "with run":  # a step that raises leaves a with statement
            def body():
                with m:
                    m.run(self.step)
            self.do(name, body)
        elif name == "hold":
            hook.got[0].run(self.read)
            self.ps.send_signal(signal.SIGSTOP)
            self.begin(name, lambda: hook.got[0].run(self.read))
        elif name == "begin to close":
            self.begin(name, m.close)
        elif name == "both":  # their outcomes, once the PS goes on
            self.ps.send_signal(signal.SIGCONT)
            for thread in self.threads:
                thread.join()
            self.acts.append([name, ", ".join(f"{what} {how or 'is done'}" for what, how in sorted(self.begun))])
        elif name == "closes":
            self.acts.append([name, str(self.threads[-1].is_alive())])
        elif name == "close":
            self.do(name, m.close)
        elif name == "should_stop":
            self.acts.append([name, str(m.should_stop())])
        elif name == "raw":
            self.do(name, lambda: hook.got[0].run(self.read))
        elif name == "coord":
            self.acts.append([name, str(hook.coord.should_stop())])
        elif name == "ends":
            self.acts.append([name, ", ".join("None" if s is None else "a session" for s in hook.ends)])
        elif name == "task":  # of the coordinator, which uses the session after the stop
            def task():
                hook.coord.wait_for_stop()
                hook.got[0].run(self.read)
            self.begin(name, task)
            hook.coord.register_thread(self.threads[-1])
        return self


def free():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return f"localhost:{s.getsockname()[1]}"


def locals_again(target, ps):
    """A session that is made again restores what was saved, and initializes local variables anew."""
    folder = tempfile.mkdtemp()
    story = Story(target, ps, folder, step=tf.errors.AbortedError(None, None, "gone"))
    values = lambda s: [int(v) for v in s.run([story.read, story.read_local])]  # noqa: E731
    first = story.hook.got[0]
    first.run([story.set_local, story.step])
    story.saver.save(first, os.path.join(folder, "model.ckpt"), global_step=1)
    before = values(first)
    story.monitored.run(story.step)
    return {"before": before, "after the step that is made again": values(story.hook.got[1])}


def main():
    if len(sys.argv) > 1:
        tf.distribute.Server(json.loads(sys.argv[1]), job_name="ps", task_index=0).join()
    spec = {"chief": [free()], "ps": [free()]}
    ps = subprocess.Popen([sys.executable, __file__, json.dumps(spec)])
    target = tf.distribute.Server(spec, job_name="chief", task_index=0).target
    stories = {
        "an end": (["run", "close", "should_stop", "run", "raw", "close", "ends"], {}),
        "a step that fails": (["with run", "raw", "should_stop", "run", "ends"], {"step": ValueError("a step")}),
        "an end that fails": (["run", "close", "raw", "should_stop", "close", "ends"], {"end": ValueError("an end")}),
        "a creation that fails": (["raw", "coord"], {"create": ValueError("a creation")}),
        "a task at the end": (["task", "close", "both", "raw"], {}),
        "a call that is held": (["hold", "begin to close", "closes", "raw", "both", "raw"], {}),
    }
    found = {"tensorflow": tf.__version__, "stories": {}}
    for name, (acts, raises) in stories.items():
        story = Story(target, ps, **raises)
        for act in acts:
            story.act(act)
        found["stories"][name] = story.acts
    found["local variables"] = locals_again(target, ps)
    lines = [f"  {json.dumps(name)}: {json.dumps(acts)}" for name, acts in found["stories"].items()]
    with open("closed.json", "w") as f:
        f.write('{"tensorflow": %s, "stories": {\n' % json.dumps(tf.__version__) + ",\n".join(lines) +
                '\n }, "local variables": %s}\n' % json.dumps(found["local variables"]))
    ps.kill()
    os._exit(0)


main()
