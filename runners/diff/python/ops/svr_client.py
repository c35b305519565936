"""svr_client: SvrClient, which asks an agent (PROTOCOL.md sections 21 and 23): over gRPC in the sequence.

What its heart_beat prints is no part of an answer: a map in an order of its own.
"""
import os

import grpc

from monolith.agent_service import svr_client
from monolith.agent_service import utils

import recorder
import surroundings
from ops import agent_service, program
from ops.agent_service_sequence import raise_again, shown
from values import Raw, attempt, encode, play


class Sequence:
    """A SvrClient whose channels lead to the agent of the case, if they have its port."""

    def __init__(self, given):
        agent_service.use_server(agent_service.Server)
        self.dialed, self.channels, self.zk, self.service, self.port = [], [], None, None, None
        if given["serves"] is not None:
            config = utils.AgentConfig(**given["config"])
            self.service, self.port = self.agent(config, given), config.agent_port
            self.service.start()
        svr_client.grpc = self
        self.client = svr_client.SvrClient(given["fname"] if "fname" in given else
                                           utils.AgentConfig(**given["config"]))

    def agent(self, config, given):
        if given["serves"] == 3:
            return agent_service.agent_service.AgentService(agent_service.provider_with(given), conf=config)
        watcher = agent_service.watcher_of(config, given)
        self.zk = watcher._zk
        return agent_service.agent_service.AgentService(watcher, config.agent_port)

    def insecure_channel(self, target):
        self.dialed.append(target)
        reached = self.service is not None and target.rpartition(":")[2] == str(self.port)
        port = self.service._server.port if reached else surroundings.free_port()
        self.channels.append(grpc.insecure_channel(f"127.0.0.1:{port}"))
        return self.channels[-1]

    def answer(self, name, arguments):
        with surroundings.captured_stdout() as printed:
            try:
                answer = {"r": Raw(encode(self.step(name, arguments)))}
            except grpc.RpcError as e:
                answer = {"status": shown(agent_service.status(e))}
            except Exception as e:  # pylint: disable=broad-except
                answer = attempt(raise_again, e)
        if self.dialed:
            answer["dialed"], self.dialed = self.dialed, []
        if name == "get_replicas" and printed.getvalue():
            answer["printed"] = printed.getvalue()
        return answer

    def step(self, name, arguments):
        if name.startswith("zk."):
            return recorder.call(self.zk, name[len("zk."):], arguments)
        if name == "env":
            return set_variables(arguments)
        if name == "stop":
            return self.stop()
        result = getattr(self.client, name)(**arguments)
        return result if name == "get_server_type" else agent_service.reply(result)

    def stop(self):
        if self.service is not None:
            self.service._server.stop(None).wait()

    def close(self):
        for channel in self.channels:
            channel.close()
        self.stop()


def set_variables(variables):
    for name, value in variables.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def sequence(given):
    return play(Sequence(given), given["steps"])


real_grpc, real_stub = svr_client.grpc, svr_client.AgentServiceStub


def calls(given):
    """The calls of a client of a.conf to the agent that the case describes. The flags are of no module."""
    agent = program.Agent(given["agent"])
    svr_client.grpc, svr_client.AgentServiceStub = agent, agent.stub
    try:
        with surroundings.captured_stdout() as printed:
            client = svr_client.SvrClient("a.conf")
            answers = [attempt(call, client, name, arguments) for name, arguments in given["calls"]]
    finally:
        svr_client.grpc, svr_client.AgentServiceStub = real_grpc, real_stub
    return {"calls": answers, "requests": [[rpc, request] for rpc, _, request in agent.calls],
            "targets": agent.targets, "stdout": printed.getvalue()}


def call(client, name, arguments):
    reply = getattr(client, name)(**arguments)
    return reply.message if isinstance(reply, program.Reply) else reply


OPS = {"svr_client.SvrClient.sequence": sequence, "svr_client.SvrClient": calls}
