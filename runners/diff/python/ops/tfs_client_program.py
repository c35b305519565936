"""tfs_client: the program behind its flags, and the thread that measures (PROTOCOL.md section 17)."""
import os
import sys
import types

from absl import flags, logging
from google.protobuf import text_format

from monolith.agent_service import tfs_client, utils
from monolith.native_training import env_utils

from ops import program
from ops.tfs_client import enter
from values import Raw, attempt, encode

import surroundings
import turns as threads
from turns import turns

NANOSECONDS = 1000000000
LOGGED = ("[Profile]", "Processing ", "Warning! call request failed")


class CallError(Exception):
    """A call that failed."""


class Servers:
    """What stands behind all channels, and the clock, which its calls move."""

    def reset(self, given):
        self.now_ns = surroundings.START_TIME * NANOSECONDS + given.get("nanosecond", 0)
        self.answers = given.get("answers") or [0]
        self.replies = given.get("replies") or [b""]
        self.calls, self.log = [], []

    def time(self):
        return float(self.now_ns) / NANOSECONDS

    def insecure_channel(self, target):
        return target

    def call(self, target, method, request, timeout, response):
        ms = self.answers[len(self.calls) % len(self.answers)]
        self.calls.append(Raw(encode([target, method, request, timeout])))
        self.now_ns += abs(ms) * 1000000
        if ms < 0:
            raise CallError("no answer")
        return response(self.replies[(len(self.calls) - 1) % len(self.replies)])

    def info(self, line):
        for beginning in LOGGED:
            if line.startswith(beginning):
                self.log.append(line if beginning != LOGGED[-1] else beginning)
        logging.info(line)


servers = Servers()


def stub(service):
    """The stub class of a service of the generated module, its calls noted."""
    real = getattr(tfs_client, service)

    class Stub:

        def __init__(self, target):
            methods = []
            channel = types.SimpleNamespace(unary_unary=lambda path, **kwargs: methods.append((path, kwargs)))
            real(channel)
            for path, kwargs in methods:
                setattr(self, path.rpartition("/")[2], self.method(target, path, kwargs))

        def method(self, target, path, kwargs):
            reply = kwargs["response_deserializer"]
            return lambda request, timeout=None: servers.call(target, path, request, timeout, reply)

    return Stub


class Thread:
    """Takes the place of threading.Thread below ProfileThread."""

    def __init__(self, *args):
        pass

    def start(self):
        self.run()

    def join(self):
        pass


tfs_client.ModelServiceStub = stub("ModelServiceStub")
tfs_client.PredictionServiceStub = stub("PredictionServiceStub")
tfs_client.grpc = servers
tfs_client.time = servers
tfs_client.logging = servers
tfs_client.ProfileThread.__bases__ = (Thread,)
env_utils.setup_host_ip = lambda: None
# str(message) as protobuf 3 has it; that of its C form from version 4 on has maps in the order of hashes.
tfs_client.print = lambda message: print(text_format.MessageToString(message))
listdir = os.listdir
os.listdir = lambda path=".": sorted(listdir(path))


class tqdm:  # pylint: disable=invalid-name
    """No progress bar."""

    def __new__(cls, items, desc=None):
        del desc
        return items


import tqdm as tqdm_module  # pylint: disable=wrong-import-position

tqdm_module.tqdm = tqdm


def main(given):
    enter(given)
    servers.reset(given)
    statuses = []

    def program_main():
        """What app.run makes of main."""
        try:
            sys.exit(tfs_client.main(None))
        except SystemExit as e:
            statuses.append(program.status(e))
            return e.code

    with surroundings.captured_stdout() as printed:
        result = attempt(program_main)
    return {"result": result, "exit": (statuses or [1])[0], "printed": printed.getvalue(), "calls": servers.calls,
            "log": servers.log}


def profile_thread(given):
    enter(given)
    servers.reset(given)
    stubs = [tfs_client.PredictionServiceStub(f"s{i}") for i in range(given["servers"])]
    data = [utils.make_tensor_proto([text.encode()]) for text in given["data"]]
    thread = tfs_client.ProfileThread(given["job_id"], given["model_name"], stubs, given["repeat_time"], data)
    thread.start()
    return {"calls": servers.calls, "log": servers.log, "latencies_ms": thread.get_result()}


class RunningThread(threads.Thread):
    """Takes the place of threading.Thread below ProfileThread where threads run in turns."""

    def __init__(self):
        super().__init__(target=lambda: self.run())  # pylint: disable=unnecessary-lambda


class Running:
    """Servers that take their time, and threads that measure them at once."""

    def __init__(self, given):
        self.given, self.log, self.asked = given, [], 0

    def note(self, name, value):
        if not turns.over:
            self.log.append([round(turns.now_ms), name, Raw(encode(value))])

    def call(self, target, method, request, timeout, response):
        del method
        ms = self.given["answers"][self.asked % len(self.given["answers"])]
        self.asked += 1
        data = request.inputs["example_batch"].string_val[0].decode()
        self.note("asked", [target, data, timeout])
        turns.sleep(abs(ms) / 1000)
        self.note("answered", [target, data])
        if ms < 0:
            raise CallError("no answer")
        return response(b"")

    def time(self):
        return float(surroundings.START_TIME * NANOSECONDS + round(turns.now_ms * 1000000)) / NANOSECONDS

    def run(self):
        stubs = [tfs_client.PredictionServiceStub(f"s{i}") for i in range(self.given["servers"])]
        data = [utils.make_tensor_proto([text.encode()]) for text in self.given["data"]]
        running = []
        for i in range(self.given["threads"]):
            running.append(tfs_client.ProfileThread(i, self.given["model_name"], stubs, self.given["repeat_time"], data))
            running[-1].start()
        for i, thread in enumerate(running):
            self.note("measured", [i, thread.get_result()])


def profile_threads(given):
    enter(given)
    servers.reset(given)
    run = Running(given)
    servers.call = run.call
    tfs_client.time, tfs_client.ProfileThread.__bases__ = run, (RunningThread,)
    try:
        turns.play(given["until_ms"], run.run, surroundings.START_TIME)
    finally:
        del servers.call
        tfs_client.time, tfs_client.ProfileThread.__bases__ = servers, (Thread,)
    return {"log": run.log}


OPS = {"tfs_client.ProfileThread.sequence": profile_threads, "tfs_client.main": main, "tfs_client.ProfileThread.run": profile_thread}
