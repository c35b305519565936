"""model_manager.ModelManager.sequence (PROTOCOL.md section 15)."""
import os

from monolith.agent_service import model_manager

import surroundings
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


def sequence(given):
    run = Sequence(given)
    return {"steps": [run.answer(step) for step in given["steps"]]}


OPS = {"model_manager.ModelManager.sequence": sequence}
