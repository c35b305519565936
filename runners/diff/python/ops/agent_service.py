"""agent_service (PROTOCOL.md section 11)."""
import queue
import types

import grpc
from google.protobuf import json_format

from monolith.agent_service import agent_service
from monolith.agent_service import agent_service_pb2
from monolith.agent_service import agent_service_pb2_grpc
from monolith.agent_service import data_def
from monolith.agent_service import utils
from monolith.agent_service import zk_mirror

import recorder
from ops.data_def import make
from ops.replica_manager import new_watcher
from values import attempt

SERVICE = "monolith.serving.agent_service.AgentService"
V3_CONFIG = {"bzid": "b", "base_name": "n", "deploy_type": "unified", "agent_version": 3}


class Server:
    """A gRPC server that takes a free port of the loopback, whatever port it is given."""

    def __init__(self, pool, interceptors=()):
        self._server = grpc.server(pool, interceptors=interceptors)
        self.port = None

    def __getattr__(self, name):
        return getattr(self._server, name)

    def add_insecure_port(self, address):
        del address
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        return self.port


class IdleServer:
    """Stands for a server that is never started: takes no port."""

    def __init__(self, pool):
        del pool

    def __getattr__(self, name):
        return lambda *args, **kwargs: None


def use_server(server):
    """Makes what AgentService builds from now on a server of that class."""
    agent_service.grpc = types.SimpleNamespace(server=server)


def watcher_with(config, nodes, use_archon=False, family="ipv4"):
    """A watcher on a started client, then the nodes."""
    client = recorder.Client()
    client.start()
    watcher = new_watcher(client, config, use_archon, family)
    watcher.watch_data()
    for path, meta in nodes:
        client.create(path, make(data_def.ReplicaMeta, meta).serialize(), makepath=True)
    return watcher


def watcher_of(config, given):
    """The watcher of a case, over its nodes."""
    args = given.get("watcher") or {}
    return watcher_with(config, given.get("nodes") or [], args.get("archon", False), args.get("family", "ipv4"))


def mirror_with(replicas):
    """A started mirror that has registered the replicas."""
    client = recorder.Client()
    mirror = zk_mirror.ZKMirror(client, "b", queue.Queue(), 0, 1)
    mirror.start()
    if replicas is not None:
        mirror.update_service([make(data_def.ReplicaMeta, r) for r in replicas])
    return mirror


def provider_with(given):
    """A data provider that answers addrs, or fails when there is none."""

    def addrs():
        if "addrs" not in given:
            raise KeyError("m")
        return given["addrs"]

    return agent_service.AgentDataProvider(addrs)


def v3_config(given):
    return utils.AgentConfig(**(given["config"] if "addrs" in given else {**V3_CONFIG, **(given.get("config") or {})}))


def reply(message):
    return {"message": message, "json": json_format.MessageToDict(message, preserving_proto_field_name=True)}


def call_all(calls, call):
    """Makes the calls; a request is given by its fields and, after them, as the message, or as its bytes alone."""
    return {"calls": [call(rpc, message[0] if message else request_of(rpc, fields)) for rpc, fields, *message in calls]}


def request_of(rpc, fields):
    return fields if isinstance(fields, bytes) else getattr(agent_service_pb2, f"{rpc}Request")(**fields)


def call_directly(servicer, calls):
    return call_all(calls, lambda rpc, request: attempt(lambda: reply(getattr(servicer, rpc)(request, None))))


def v1(given):
    config = utils.AgentConfig(**given["config"])
    watcher = watcher_of(config, given)
    use_conf = given.get("impl_conf", True)
    servicer = agent_service.AgentServiceImpl(watcher, config) if use_conf else agent_service.AgentServiceImpl(watcher)
    return call_directly(servicer, given["calls"])


def v2(given):
    config = utils.AgentConfig(**given["config"])
    return call_directly(agent_service.AgentServiceImpl(mirror_with(given["replicas"]), config), given["calls"])


def v3(given):
    return call_directly(agent_service.AgentServiceImpl(provider_with(given), v3_config(given)), given["calls"])


def construct(given):
    args = given["args"] if "args" in given else [given["arg"]] if "arg" in given else []
    agent_service.AgentServiceImpl(*args)


def served(given):
    """The AgentService of the version asked for."""
    if given["version"] == 1:
        return agent_service.AgentService(watcher_of(utils.AgentConfig(**given["config"]), given))
    if given["version"] == 2:
        return agent_service.AgentService(mirror_with(None), conf=utils.AgentConfig(**given["config"]))
    return agent_service.AgentService(provider_with(given), conf=v3_config(given))


def ask(channel, rpc, request):
    """The reply to a request by the generated stub; to bytes, of any rpc, by a call that takes them as they are."""
    if not isinstance(request, bytes):
        return getattr(agent_service_pb2_grpc.AgentServiceStub(channel), rpc)(request)
    response = getattr(agent_service_pb2, f"{rpc}Response", agent_service_pb2.HeartBeatResponse)
    return channel.unary_unary(f"/{SERVICE}/{rpc}", response_deserializer=response.FromString)(request)


def status(error):
    return {"code": error.code().name, "details": error.details()}


def over_grpc(given):
    use_server(Server)
    service = served(given)
    service.start()
    channel = grpc.insecure_channel(f"127.0.0.1:{service._server.port}")

    def call(rpc, request):
        try:
            return {"r": reply(ask(channel, rpc, request))}
        except grpc.RpcError as e:
            return {"status": status(e)}

    try:
        return call_all(given["calls"], call)
    finally:
        channel.close()
        service.stop()


OPS = {
    "agent_service.AgentServiceImpl.v1": v1,
    "agent_service.AgentServiceImpl.v2": v2,
    "agent_service.AgentServiceImpl.v3": v3,
    "agent_service.AgentServiceImpl": construct,
    "agent_service.grpc": over_grpc,
}
