"""session_run_hooks.py (PROTOCOL.md section 24)."""
import calendar
import datetime

import tensorflow as tf
from monolith.native_training import session_run_hooks

import surroundings
import tensorflow_case as case

DAY = (2023, 11, 14)


class Now(datetime.datetime):
    """Takes the place of datetime: the case's clock tells the time."""

    @classmethod
    def utcnow(cls):
        return datetime.datetime.utcfromtimestamp(case.time.time())


class Random:
    """Takes the place of random."""

    def __init__(self):
        self.extra = 0

    def randint(self, low, high):
        del low, high
        return self.extra


random = Random()
session_run_hooks.time = case.time
session_run_hooks.datetime = Now
session_run_hooks.random = random


def moment(text):
    """The time of the case's day."""
    return calendar.timegm(DAY + tuple(int(n) for n in text.split(":")))


def tide_available_now(given):
    answers = []
    for text in given["times"]:
        case.time.reset(moment(text))
        answers.append([text[:5], session_run_hooks.tide_available_now(*given["window"])])
    return answers


def global_step():
    """The variable, and what sets it."""
    made = tf.compat.v1.train.create_global_step()
    value = tf.compat.v1.placeholder(tf.int64, [])
    assign = made.assign(value)
    return lambda session, n: session.run(assign, {value: n}) and None


def waiter(given):
    random.extra = given["random_extra_seconds"]
    start = given.get("now", surroundings.START_TIME)
    start = moment(start) if isinstance(start, str) else start
    with case.graph(start):
        set_step = global_step()
        hook = session_run_hooks.CustomGlobalStepWaiterHook(**given["kwargs"])
        hook.begin()
        with case.session() as session:

            def before_run():
                context = tf.estimator.SessionRunContext((), session)
                fetches = hook.before_run(context)
                return {"fetches": fetches, "stop": context.stop_requested, "now": case.time.now - start}

            def run(name, arguments):
                if name == "set":
                    set_step(session, arguments["value"])
                    return None
                if name == "pass":
                    case.time.now += arguments["seconds"]
                    return None
                return {"before_run": before_run}[name]()

            return {"steps": case.steps(run, given["steps"])}


def tide_stopping(given):
    case.time.reset(moment(given["now"]))
    context = tf.estimator.SessionRunContext((), None)
    session_run_hooks.TideStoppingHook(**given["kwargs"]).before_run(context)
    return {"stop": context.stop_requested}


OPS = {
    "session_run_hooks.before": lambda given: session_run_hooks.before(*given["args"]),
    "session_run_hooks.tide_available_now": tide_available_now,
    "session_run_hooks.CustomGlobalStepWaiterHook": waiter,
    "session_run_hooks.TideStoppingHook": tide_stopping,
}
