"""What the programs of the reference have in common (PROTOCOL.md section 23).

Use run(main, module, given) for a program behind its command line; Agent stands for the agent's service at the
other end, Client for ZooKeeper. A program's modules are in a process of their own, for their flags clash (Q60).
"""
import sys

import grpc
from absl import app, flags

from monolith.agent_service import agent_service_pb2

import recorder
import surroundings
from values import Raw, encode, error

USAGE = "<USAGE>"


class Agent:
    """The agent's service at the other end, and the grpc module that leads to it."""

    def __init__(self, given):
        self.addresses = given.get("addresses") or {}
        self.replicas = given.get("replicas") or []
        self.fails = given.get("fail", False)
        self.calls, self.targets = [], []

    def insecure_channel(self, target):
        self.targets.append(target)
        return target

    def stub(self, target):
        return Stub(self, target)

    def call(self, rpc, target, request):
        self.calls.append([rpc, target, Raw(encode(request))])
        if self.fails:
            raise grpc.RpcError()


class Stub:
    """An AgentServiceStub."""

    def __init__(self, agent, target):
        self.agent, self.target = agent, target

    def HeartBeat(self, request):  # pylint: disable=invalid-name
        self.agent.call("HeartBeat", self.target, request)
        reply = Reply()
        for name in sorted(self.agent.addresses):
            reply.message.addresses[name].address.extend(self.agent.addresses[name])
        return reply

    def GetReplicas(self, request):  # pylint: disable=invalid-name
        self.agent.call("GetReplicas", self.target, request)
        reply = agent_service_pb2.GetReplicasResponse()
        reply.address_list.address.extend(self.agent.replicas)
        return reply


class Reply:
    """A HeartBeatResponse whose map is in the order of its names, and not in that of protobuf's hashes."""

    def __init__(self):
        self.message = agent_service_pb2.HeartBeatResponse()

    @property
    def addresses(self):
        return {name: self.message.addresses[name] for name in sorted(self.message.addresses)}


class Client(recorder.Client):
    """The fake client, with the tree of a case once it is started, and a log of its own life."""

    def __init__(self, hosts, tree):
        super().__init__()
        self.given, self.left = tree, None
        self.log = [["client", hosts]]

    def start(self, *args, **kwargs):
        self.log.append(["start"])
        super().start(*args, **kwargs)
        with self.unlogged():
            for path, value in self.given:
                self.create(path, value, makepath=True)

    def stop(self):
        self.log.append(["stop"])
        self.left = self.tree()
        super().stop()

    def shown(self):
        tree = self.tree()
        return {"log": self.log, "writes": self.take_writes(), "tree": self.left if tree is None else tree}


class Clients:
    """Takes the place of MonolithKazooClient."""

    def __init__(self, tree):
        self.tree, self.made = tree, None

    def __call__(self, hosts):
        self.made = Client(hosts, self.tree)
        return self.made

    def shown(self):
        return self.made and self.made.shown()


def reset_flags():
    """All flags have their defaults, as in a new process."""
    for name in flags.FLAGS:
        flags.FLAGS[name].unparse()
    app._register_and_parse_flags_with_usage.done = False


def status(ended):
    """The exit status of a SystemExit."""
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    return 1


def run(main, name, given, modules):
    """The program as its command line has it: modules are those of the reference that make clients and channels."""
    agent, clients = Agent(given.get("agent") or {}), Clients(given["tree"])
    for module in modules:
        module.MonolithKazooClient = clients
        module.grpc = agent
        module.AgentServiceStub = agent.stub
    reset_flags()
    parsed, failed = False, None
    sys.argv = [name]
    with surroundings.captured_stdout() as printed:
        try:
            args = app._register_and_parse_flags_with_usage(argv=[name] + given["argv"])
            parsed = True
            app._run_main(main, args)
        except SystemExit as e:
            code = status(e)
        except Exception as e:  # pylint: disable=broad-except
            code, failed = 1, error(e)
    wrong = not parsed and failed is None and code != 0
    return {"exit": code, "error": Raw(failed), "stdout": USAGE if wrong else printed.getvalue(), "calls": agent.calls,
            "zk": clients.shown()}
