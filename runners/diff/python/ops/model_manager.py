"""model_manager.ModelManager.sequence (PROTOCOL.md section 15)."""
import os
import types

from monolith.agent_service import model_manager

import surroundings
from turns import Thread, turns
from values import Raw, attempt, encode, pairs

model_manager.threading = surroundings.threading_with(surroundings.IdleThread)
model_manager.time = surroundings.clock

MOST_SLEEPS = 400
METHODS = ("start", "remove_read_lock", "remove_old_file", "wait_for_download")


class Endless(BaseException):
    """Stops a call that goes on sleeping. The reference's sleeps are outside its handlers of BaseException."""


class Sequence:
    """A manager, and steps on it."""

    def __init__(self, given):
        self.manager = model_manager.ModelManager(given["model_name"], given["source_path"], given["receive_path"],
                                                  given.get("use_metrics", False))

    def answer(self, step):
        name, *arguments = [step] if isinstance(step, str) else step
        surroundings.clock.reset()
        surroundings.clock.on_sleep = limit
        slept = surroundings.clock.slept
        try:
            answer = attempt(self.step, name, arguments)
        except Endless:
            answer, slept = {"r": None, "endless": True}, slept[:3]
        if slept:
            answer["slept"] = list(slept)
        thread = self.manager._loop_thread
        answer.update(models=Raw(encode(sorted(pairs(self.manager._models)))),
                      latest=Raw(encode(sorted(pairs(self.manager._latest_models)))),
                      lock_files=Raw(encode(sorted(self.manager._lock_files))), thread=thread and thread.name,
                      tree=surroundings.directory.tree())
        return answer

    def step(self, name, arguments):
        if name in METHODS:
            return getattr(self.manager, name)()
        return getattr(self, name.replace("-", "_"))(*arguments)

    def loop(self):
        return self.manager.loop_once()

    def add(self, files):
        surroundings.directory.write(files)

    def timeout(self, seconds):
        self.manager._wait_timeout = seconds

    def start_then(self, n, files):

        def write(sleeps):
            if sleeps == n:
                surroundings.directory.write(files)
            limit(sleeps)

        surroundings.clock.on_sleep = write
        return self.manager.start()

    def run(self, n):

        def end(sleeps):
            if sleeps == n:
                self.manager._exist = True
            limit(sleeps)

        surroundings.clock.on_sleep = end
        return self.manager.run()

    def delete(self, name):
        return self.manager.delete(os.path.join(surroundings.directory.path, name))


def limit(sleeps):
    if sleeps > MOST_SLEEPS:
        raise Endless()


class Running:
    """A manager whose thread runs, and what happens to its files meanwhile."""

    def __init__(self, given):
        self.log, self.tree = [], None
        self.manager = model_manager.ModelManager(given["model_name"], given["source_path"], given["receive_path"],
                                                  given.get("use_metrics", False))
        self.events = given.get("events") or []

    def note(self, name, value=None):
        """What has become of the files first."""
        if turns.over:
            return
        tree = surroundings.directory.tree()
        if self.tree is None or tree.json != self.tree.json:
            self.tree = tree
            self.log.append([turns.now_ms, "files", tree])
        self.log.append([turns.now_ms, name, value])

    def sleep(self, seconds):
        self.note("sleep", seconds)
        turns.sleep(seconds)

    def run(self):
        for ms, name, arguments in self.events:
            turns.at(ms, lambda name=name, arguments=arguments: getattr(self, name)(*arguments))
        self.note("started", self.manager.start())

    def add(self, files):
        surroundings.directory.write(files)
        self.note("added")

    def delete(self, name):
        self.manager.delete(os.path.join(surroundings.directory.path, name))
        self.note("deleted")

    def look(self):
        self.note("models", Raw(encode(sorted(pairs(self.manager._models)))))
        self.note("latest", Raw(encode(sorted(pairs(self.manager._latest_models)))))

    def stop(self):
        self.manager.stop()
        self.note("stopped")


def run_in_turns(given):
    idle, clock = model_manager.threading, model_manager.time
    run = Running(given)
    model_manager.threading = types.SimpleNamespace(Thread=Thread)
    model_manager.time = types.SimpleNamespace(time=turns.time, sleep=run.sleep)
    surroundings.clock.source = turns
    try:
        turns.play(given["until_ms"], run.run, surroundings.START_TIME)
    finally:
        model_manager.threading, model_manager.time = idle, clock
    return {"log": run.log}


def sequence(given):
    if "until_ms" in given:
        return run_in_turns(given)
    run = Sequence(given)
    return {"steps": [run.answer(step) for step in given["steps"]]}


OPS = {"model_manager.ModelManager.sequence": sequence}
