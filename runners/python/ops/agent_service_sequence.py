"""agent_service.AgentService.sequence (PROTOCOL.md section 11): a service over what steps change."""
import grpc

from monolith.agent_service import agent_service as reference
from monolith.agent_service import utils

import recorder
from ops import agent_service
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


def sequence(given):
    return play(Sequence(given), given["steps"])


OPS = {"agent_service.AgentService.sequence": sequence}
