"""agent_service.AgentService.sequence (PROTOCOL.md section 11): a service over what steps change."""
import collections
from concurrent import futures
import types

import grpc

from monolith.agent_service import agent_service as reference
from monolith.agent_service import utils

import recorder
import surroundings
from ops import agent_service
from turns import Thread, turns
from values import GRPC_DETAILS, Raw, attempt, encode, play


class Sequence:
    """A service that is started, and a channel to it."""

    def __init__(self, given):
        agent_service.use_server(agent_service.Server)
        self.zk, self.value, self.raises, self.asked = None, None, None, 0
        self.service = self.made(given["version"], given)
        self.service.start()
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.service._server.port}")

    def made(self, version, given):
        config = utils.AgentConfig(**given["config"])
        if version == 1:
            watcher = agent_service.watcher_of(config, given)
            self.zk = watcher._zk
            return reference.AgentService(watcher)
        if version == 2:
            mirror = agent_service.mirror_with(None)
            self.zk = mirror._zk
            return reference.AgentService(mirror, conf=config)
        return reference.AgentService(reference.AgentDataProvider(self.tell), conf=config)

    def tell(self):
        self.asked += 1
        if self.raises is not None:
            raise ValueError(self.raises)
        return self.value

    def answer(self, name, arguments):
        try:
            answer = {"r": Raw(encode(self.step(name, arguments)))}
        except grpc.RpcError as e:
            answer = {"status": shown(agent_service.status(e))}
        except Exception as e:  # pylint: disable=broad-except
            answer = attempt(raise_again, e)
        if self.asked:
            answer["asked"], self.asked = self.asked, 0
        return answer

    def step(self, name, arguments):
        if name.startswith("zk."):
            return recorder.call(self.zk, name[len("zk."):], arguments)
        return getattr(self, name)(**arguments)

    def call(self, rpc, fields=None, bytes=None):  # pylint: disable=redefined-builtin
        request = agent_service.request_of(rpc, fields if bytes is None else bytes)
        return agent_service.reply(agent_service.ask(self.channel, rpc, request))

    def addrs(self, value=None, raises=None):
        self.value, self.raises = value, raises

    def stop(self):
        self.service._server.stop(None).wait()

    def close(self):
        self.channel.close()
        self.stop()


def shown(status):
    """A status; what gRPC words itself has the address in it."""
    ours = status["details"].startswith("Exception calling application: ")
    return status if ours else {**status, "details": GRPC_DETAILS}


def raise_again(exception):
    raise exception


class Pool:
    """futures.ThreadPoolExecutor with threads that take turns: a thread for each call, as far as there are workers,
    which goes on with the calls that wait."""

    def __init__(self, max_workers):
        self.idle, self.waiting = max_workers, collections.deque()

    def submit(self, function):
        if self.idle == 0:
            self.waiting.append(function)
            return
        self.idle -= 1
        Thread(target=lambda: self.work(function)).start()

    def work(self, function):
        function()
        while self.waiting:
            self.waiting.popleft()()
        self.idle += 1


class PooledServer:
    """grpc.server without a wire: a call is a turn of its pool."""

    def __init__(self, pool):
        self.pool, self.handlers = pool, []

    def add_generic_rpc_handlers(self, handlers):
        self.handlers.extend(handlers)

    def add_registered_method_handlers(self, service, handlers):
        pass

    def add_insecure_port(self, address):
        pass

    def start(self):
        pass

    def call(self, rpc, request, done):
        """Has done told of the reply, as a client that waits for it, once the thread has gone on."""
        path = types.SimpleNamespace(method=f"/{agent_service.SERVICE}/{rpc}", invocation_metadata=())
        method = next(filter(None, (h.service(path) for h in self.handlers)))

        def answer():
            try:
                message = method.unary_unary(method.request_deserializer(request.SerializeToString()), None)
                reply = {"r": Raw(encode(agent_service.reply(message)))}
            except Exception as e:  # pylint: disable=broad-except
                reply = {"status": {"code": "UNKNOWN", "details": f"Exception calling application: {e}"}}
            turns.at(turns.now_ms, lambda: done(reply))

        self.pool.submit(answer)


class Running:
    """A service of version 3 that is called while it answers others, over a function that takes its time."""

    def __init__(self, given):
        self.given, self.log, self.asked = given, [], 0

    def note(self, name, value=None):
        if not turns.over:
            self.log.append([round(turns.now_ms), name, value])

    def tell(self):
        ms = self.given["answers_ms"][self.asked % len(self.given["answers_ms"])]
        self.asked += 1
        self.note("asked")
        turns.sleep(ms / 1000)
        self.note("answered")
        return self.given["addrs"]

    def run(self):
        agent_service.use_server(PooledServer)
        service = reference.AgentService(reference.AgentDataProvider(self.tell),
                                         conf=utils.AgentConfig(**self.given["config"]))
        service.start()
        for ms, rpc, fields in self.given["events"]:
            request = agent_service.request_of(rpc, fields)
            turns.at(ms, lambda rpc=rpc, request=request: service._server.call(
                rpc, request, lambda reply: self.note(rpc, reply)))


def run_in_turns(given):
    run = Running(given)
    reference.futures = types.SimpleNamespace(ThreadPoolExecutor=Pool)
    try:
        turns.play(given["until_ms"], run.run, surroundings.START_TIME)
    finally:
        reference.futures = futures
    return {"log": run.log}


def sequence(given):
    if "until_ms" in given:
        return run_in_turns(given)
    return play(Sequence(given), given["steps"])


OPS = {"agent_service.AgentService.sequence": sequence}
