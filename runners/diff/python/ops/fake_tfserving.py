"""mocked_tfserving.FakeTFServing (PROTOCOL.md section 13): the fake model server as it is started, behind real gRPC."""
import fractions
import os
import threading
import types

import grpc
from google.protobuf import text_format
from tensorflow_serving.apis import classification_pb2
from tensorflow_serving.apis import get_model_metadata_pb2
from tensorflow_serving.apis import get_model_status_pb2
from tensorflow_serving.apis import inference_pb2
from tensorflow_serving.apis import model_management_pb2
from tensorflow_serving.apis import predict_pb2
from tensorflow_serving.apis import regression_pb2
from tensorflow_serving.config import model_server_config_pb2

from monolith.agent_service import mocked_tfserving

import surroundings
from ops.mocked_tfserving import shown_model, shown_queue
from values import Raw, SortedSet, attempt, encode

HOP_US = 10
GROWTH_US = 30 * 10**6
CALL_SECONDS = 20

MODEL_SERVICE, PREDICTION_SERVICE = "tensorflow.serving.ModelService", "tensorflow.serving.PredictionService"
METHODS = {
    "GetModelStatus": (MODEL_SERVICE, get_model_status_pb2.GetModelStatusRequest,
                       get_model_status_pb2.GetModelStatusResponse),
    "HandleReloadConfigRequest": (MODEL_SERVICE, model_management_pb2.ReloadConfigRequest,
                                  model_management_pb2.ReloadConfigResponse),
    "Predict": (PREDICTION_SERVICE, predict_pb2.PredictRequest, predict_pb2.PredictResponse),
    "Classify": (PREDICTION_SERVICE, classification_pb2.ClassificationRequest,
                 classification_pb2.ClassificationResponse),
    "Regress": (PREDICTION_SERVICE, regression_pb2.RegressionRequest, regression_pb2.RegressionResponse),
    "MultiInference": (PREDICTION_SERVICE, inference_pb2.MultiInferenceRequest, inference_pb2.MultiInferenceResponse),
    "GetModelMetadata": (PREDICTION_SERVICE, get_model_metadata_pb2.GetModelMetadataRequest,
                         get_model_metadata_pb2.GetModelMetadataResponse),
}


class Turns:
    """The clock of the thread, which waits at the top of its loop for time to pass."""

    def __init__(self, draws):
        self.draws = draws
        self.changed = threading.Condition()
        self.now_us = self.until_us = 0
        self.since_us = None  # when the thread last looked whether 30 s have passed, and they had
        self.busy = False
        self.waits, self.stopped, self.ended = False, False, None

    def top(self, queue):
        """The loop's condition: whether the thread is to stop."""
        with self.changed:
            while not self.stopped and not self.may_turn(queue):
                self.waits = True
                self.changed.notify_all()
                self.changed.wait()
            self.waits = False
            self.busy = not queue.empty()
            return self.stopped

    def may_turn(self, queue):
        if queue.empty():
            return self.now_us < self.until_us
        return self.now_us + HOP_US <= self.until_us

    def time(self):
        """The wall clock of the module, exact to the microsecond; only the thread looks at it."""
        if self.since_us is None:
            self.since_us = self.now_us
        elif self.busy:
            self.now_us += HOP_US
        else:
            self.now_us = min(self.until_us, self.since_us + GROWTH_US + HOP_US)
        if self.now_us - self.since_us > GROWTH_US:
            self.since_us = self.now_us
        return fractions.Fraction(self.now_us, 10**6)

    def choice(self, names):
        """The random choice of the n-th time that 30 s have passed."""
        n = self.now_us // (GROWTH_US + HOP_US) - 1
        return names[self.draws[n % len(self.draws)] % len(names)] if self.draws else names[0]

    def advance(self, duration_us):
        with self.changed:
            self.until_us += duration_us
            self.changed.notify_all()
        self.settle()

    def settle(self):
        """Waits until the thread can do no more."""
        with self.changed:
            self.changed.wait_for(lambda: self.waits and not self.stuck() or self.ended)
            self.now_us = self.until_us

    def stuck(self):
        """Whether it was told to go on and has not woken up yet."""
        return self.may_turn(self.queue())

    def queue(self):
        return self.manager._queue

    def end(self, why):
        with self.changed:
            self.ended = why
            self.changed.notify_all()

    def stop(self):
        with self.changed:
            self.stopped = True
            self.changed.notify_all()


def manager_with(turns):
    """The class ModelMgr, whose thread turns when it is told."""

    class Manager(mocked_tfserving.ModelMgr):

        def __init__(self, *args):
            turns.manager = self
            super().__init__(*args)

        @property
        def _has_stopped(self):
            return turns.top(self._queue)

        @_has_stopped.setter
        def _has_stopped(self, value):
            if value:
                turns.stop()

        def _poll(self):
            try:
                super()._poll()
                turns.end("stopped")
            except Exception as e:  # pylint: disable=broad-except
                turns.end(type(e).__name__)

        def get_alive_model_names(self):
            return SortedSet(super().get_alive_model_names())

    return Manager


class Server:
    """A FakeTFServing that was started, and a channel to it."""

    def __init__(self, given, draws):
        self.turns = Turns(draws)
        mocked_tfserving.time = types.SimpleNamespace(time=self.turns.time)
        mocked_tfserving.random = types.SimpleNamespace(choice=self.turns.choice)
        before = listening_sockets()
        self.port = surroundings.free_port()
        self.config = None
        real, mocked_tfserving.ModelMgr = mocked_tfserving.ModelMgr, manager_with(self.turns)
        try:
            self.fake = mocked_tfserving.FakeTFServing(port=self.port, **self.arguments(given))
        finally:
            mocked_tfserving.ModelMgr = real
        self.manager = self.fake._model_mgr
        self.addresses = sorted({a for inode, a in listening_sockets().items() if inode not in before})
        self.channels = {}
        self.thread = threading.Thread(target=self.fake.start, daemon=True)
        self.start()

    def start(self):
        """Starts the server, which stays in the call; answers when it serves."""
        serves, start = threading.Event(), self.fake._server.start

        def start_and_tell():
            start()
            serves.set()

        self.fake._server.start = start_and_tell
        self.thread.start()
        serves.wait()
        self.turns.settle()

    def arguments(self, given):
        arguments = {k: v for k, v in given.items() if k in ("model_name", "base_path", "num_versions")}
        if "config" in given:
            self.config = text_format.Parse(given["config"], model_server_config_pb2.ModelServerConfig())
            arguments["model_config_file"] = self.config
        elif "config_file" in given:
            arguments["model_config_file"] = given["config_file"]
        return arguments

    def call(self, method, request, address="127.0.0.1"):
        """The answer to a request as a client of that address gets it."""
        if address not in self.channels:
            self.channels[address] = grpc.insecure_channel(f"{address}:{self.port}")
        service, kind, reply = METHODS.get(method, (None, None, None))
        path = f"/{service}/{method}" if service else method
        if isinstance(request, str):
            request = text_format.Parse(request, kind()).SerializeToString()
        parse = reply.FromString if reply else None
        try:
            answer = self.channels[address].unary_unary(path, response_deserializer=parse)(
                request, timeout=CALL_SECONDS, wait_for_ready=True)
        except grpc.RpcError as e:
            return {"status": [e.code().name, e.details()]}
        return {"r": Raw(encode(answer))}

    def close(self):
        for channel in self.channels.values():
            channel.close()
        self.fake.stop()
        self.thread.join()


def listening_sockets():
    """The TCP sockets of this process that listen: the address without the port, by inode."""
    own = set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            own.add(os.readlink(f"/proc/self/fd/{fd}"))
        except OSError:
            pass  # the directory's own
    found = {}
    for table, any_address in (("tcp", "0.0.0.0"), ("tcp6", "[::]")):
        if not os.path.exists(f"/proc/self/net/{table}"):
            continue
        with open(f"/proc/self/net/{table}", "r", encoding="ascii") as f:
            for line in f.readlines()[1:]:
                fields = line.split()
                local, state, inode = fields[1], fields[3], fields[9]
                if state == "0A" and f"socket:[{inode}]" in own:
                    address = local.split(":", maxsplit=1)[0]
                    found[inode] = address if address.strip("0") else any_address
    return found


class Sequence:
    """The steps of a case on a server."""

    def __init__(self, given):
        self.server = Server(given["server"], given.get("draws") or [])
        self.manager = self.server.manager

    def answer(self, name, arguments):
        answer = attempt(getattr(self, name), **arguments)
        if name == "call" and "r" in answer:
            answer = {k: Raw(v) for k, v in answer["r"].json.items()}
        answer["models"] = Raw(encode([shown_model(m) for m in self.manager._models.values()]))
        answer["queue"] = shown_queue(self.manager)
        answer["thread"] = self.server.turns.ended or "turns"
        return answer

    def turns(self, n=1):
        self.server.turns.advance(n * HOP_US)

    def seconds(self, n):
        self.server.turns.advance(n * 10**6)

    def call(self, method, request):
        return self.server.call(method, request)

    def load(self, config, locked=False):
        parsed = text_format.Parse(config, model_server_config_pb2.ModelServerConfig())
        self.unlocked(locked, lambda: self.manager.load(parsed.model_config_list.config))
        return parsed

    def remove(self, names, locked=False):
        self.unlocked(locked, lambda: self.manager.remove(names))

    def unlocked(self, locked, do):
        """Does it while the lock is held, where it waits for ever if it wants the lock."""
        if not locked:
            do()
            return
        with self.manager._lock:
            do()

    def write(self, files):
        surroundings.directory.write(files)

    def config(self):
        return self.server.config

    def close(self):
        self.server.close()


def sequence(given):
    run = Sequence(given)
    try:
        return {"steps": [run.answer(name, arguments) for name, arguments in given["steps"]]}
    finally:
        run.close()


def served(given):
    server = Server(given["server"], [])
    try:
        calls = []
        for address, method, request in given["calls"]:
            server.turns.advance(10**6)
            calls.append(server.call(method, request, address))
        server.turns.advance(10**6)
        workers = server.fake._server._state.thread_pool._max_workers
        return {"listening": server.addresses, "workers": workers, "calls": calls}
    finally:
        server.close()


OPS = {
    "mocked_tfserving.FakeTFServing.sequence": sequence,
    "mocked_tfserving.FakeTFServing.served": served,
}
