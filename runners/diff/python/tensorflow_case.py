"""What the operations of the training side share (PROTOCOL.md section 24).

Use graph() for a case's graph, steps(run, list, after) for a sequence of steps on one
object, and time, which stands for the time module: sleeps take no time to answer, are
noted, and let steps of other processes take place.
"""
import contextlib
from time import sleep

import tensorflow as tf

import surroundings
from values import Raw, attempt, encode

MOST_SLEEPS = 4000

# TensorFlow asks the environment how much to log when it first does, which is while there is one.
tf.compat.v1.Session(graph=tf.Graph()).close()


class Endless(BaseException):
    """Ends a step that sleeps for ever, or one of another process at its first sleep."""


def can_be_slept(seconds):
    """Whether time.sleep takes such seconds. Its longest has nanoseconds of 63 bits."""
    return isinstance(seconds, (int, float)) and 0 <= seconds < 2**63 / 10**9


class Time:
    """Takes the place of the time module."""

    def __init__(self):
        self.reset()

    def reset(self, now=surroundings.START_TIME):
        self.now, self.slept, self.on_sleep, self.within = float(now), [], None, False

    def time(self):
        return self.now

    def sleep(self, seconds):
        if self.within:
            raise Endless()
        if not can_be_slept(seconds):
            sleep(seconds)  # which raises
        self.slept.append(seconds)
        if len(self.slept) > MOST_SLEEPS:
            raise Endless()
        self.now += seconds
        if self.on_sleep:
            self.within = True
            try:
                self.on_sleep(len(self.slept))
            finally:
                self.within = False

    def take_slept(self):
        """The sleeps since the last call, as [seconds, how often in a row]."""
        taken, self.slept = self.slept, []
        return in_rows(taken)


time = Time()


def in_rows(entries):
    """Equal neighbours as one [entry, how many]."""
    rows = []
    for entry in entries:
        if rows and rows[-1][0] == entry and type(rows[-1][0]) is type(entry):
            rows[-1][1] += 1
        else:
            rows.append([entry, 1])
    return rows


def bounded(function, *args, **kwargs):
    """An attempt, of a call that may have no end."""
    try:
        return attempt(function, *args, **kwargs)
    except Endless:
        return {"r": None, "endless": True}


def steps(run, given, after=None):
    """The answers to steps; run(name, arguments) does one, after(answer, name) adds to its answer."""
    answers = []
    for name, *rest in given:
        arguments = dict(rest[0]) if rest else {}
        during = arguments.pop("during", [])
        took_place = []
        time.on_sleep = other_processes(run, during, took_place)
        answer = bounded(run, name, arguments)
        slept = time.take_slept()
        if slept:
            answer["slept"] = slept
        if took_place:
            answer["during"] = took_place
        if after:
            after(answer, name)
        answers.append(Raw(encode(answer)))
    return answers


def other_processes(run, during, took_place):
    """What is done within a sleep: the steps of during that belong there."""
    def within(n):
        for at, name, arguments in during:
            if at == n:
                took_place.append([n, name, Raw(encode(bounded(run, name, dict(arguments))))])
    return within


def appear(given):
    """Has files appear: [[n, files]...], within the n-th sleep."""
    def within(n):
        for at, files in given or []:
            if at == n:
                surroundings.directory.write(files)
    time.on_sleep = within


@contextlib.contextmanager
def graph(now=surroundings.START_TIME):
    """A case's graph, empty; the clock is set."""
    time.reset(now)
    surroundings.clock.source = time  # which absl asks for what it logs every so often
    with tf.Graph().as_default() as made:
        yield made


def session():
    """A session in which all variables of the graph have their first values."""
    made = tf.compat.v1.Session()
    made.run([tf.compat.v1.global_variables_initializer(), tf.compat.v1.local_variables_initializer()])
    return made


def plain(value):
    """A value without numpy's types."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value
