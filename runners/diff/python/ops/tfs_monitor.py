"""tfs_monitor (PROTOCOL.md section 12)."""
import re
import types

import grpc
import grpc._channel
from tensorflow_serving.apis import get_model_status_pb2, model_management_pb2
from tensorflow_serving.config import model_server_config_pb2

from monolith.agent_service import data_def
from monolith.agent_service import mocked_tfserving
from monolith.agent_service import tfs_monitor
from monolith.agent_service import utils

import surroundings
from ops.data_def import make
from turns import RLock, turns
from values import GRPC_DETAILS, Raw, attempt, encode

SERVER_TYPES = ("entry", "ps", "dense")
LOOPBACK_PORT = re.compile(r"(localhost|127\.0\.0\.1|\[::1\]):\d+")
ELSEWHERE = re.compile(r"(?!127\.)\d+\.\d+\.\d+\.\d+:\d+")
REFUSED = "127.0.0.1:1"


def insecure_channel(target):
    """Only the loopback is there: a host elsewhere refuses at once instead of keeping silent for long."""
    return grpc.insecure_channel(REFUSED if ELSEWHERE.fullmatch(target) else target)


tfs_monitor.grpc = types.SimpleNamespace(insecure_channel=insecure_channel, _channel=grpc._channel)


def metas(pms):
    return [make(data_def.PublishMeta, pm) for pm in pms]


def with_names(config):
    return {"names": [c.name for c in config.model_config_list.config], "config": config}


def gen_model_config(given):
    monitor = tfs_monitor.TFSMonitor(utils.AgentConfig(**given["config"]))
    made = monitor.gen_model_config(metas(given["pms"]), given["fix_dense_version"])
    return {service_type: with_names(config) for service_type, config in made.items()}


def get_addr(given):
    monitor = tfs_monitor.TFSMonitor(utils.AgentConfig(**given["config"]))
    return {"get_addr": [[n, attempt(monitor.get_addr, n)] for n in given["names"]],
            "get_service_type": [[n, attempt(monitor.get_service_type, n)] for n in given["names"]],
            "host": attempt(lambda: monitor.host)}


class Sequence:
    """A monitor, and the fake servers it is to reach."""

    def __init__(self, given):
        config = utils.AgentConfig(**given["config"])
        self.servers = []
        for name in given["servers"]:
            port = surroundings.free_port()
            server = mocked_tfserving.FakeTFServing(port=port,
                                                    model_config_file=model_server_config_pb2.ModelServerConfig())
            server._server.start()  # its polling thread is not started: settle() does its work
            setattr(config, f"tfs_{name}_port", port)
            self.servers.append(server)
        self.monitor = tfs_monitor.TFSMonitor(config)
        self.monitor.start()

    def close(self):
        self.monitor.stop()
        for server in self.servers:
            server._server.stop(None)

    def settle(self):
        for server in self.servers:
            manager = server._model_mgr
            while not manager._queue.empty():
                manager._event_handler(manager._queue.get())

    def send(self, service_type, config):
        try:
            status = self.monitor.handle_reload_config_request(service_type, config)
        finally:
            self.settle()
        return {"status": status, "config": config}

    def reload(self, service_type, pms, fix_dense_version=False):
        return self.send(service_type, self.monitor.gen_model_config(metas(pms), fix_dense_version)[service_type])

    def reload_config(self, service_type, configs):
        config = model_server_config_pb2.ModelServerConfig()
        config.model_config_list.config.extend([utils.gen_model_config(**c) for c in configs])
        return self.send(service_type, config)

    def status_pm(self, pm, fix_dense_version=False):
        found = self.monitor.get_model_status(make(data_def.PublishMeta, pm), fix_dense_version)
        return [[name, path, without_details(status)] for name, (path, status) in found.items()]

    def status_name(self, name, **arguments):
        return [without_details(s) for s in self.monitor.get_model_status(name, **arguments)]

    def status_int(self, arg):
        return self.monitor.get_model_status(arg)

    def start(self):
        return self.monitor.start()

    def stop(self):
        return self.monitor.stop()


def without_details(status):
    """The status with gRPC's own wording hidden."""
    if "connect" in status.status.error_message:
        status.status.error_message = GRPC_DETAILS
    return status


def without_ports(json):
    """JSON with the ports of the loopback hidden in its strings, but for the bytes of messages."""
    if isinstance(json, str):
        return LOOPBACK_PORT.sub(r"\1:<PORT>", json)
    if isinstance(json, list):
        return [without_ports(v) for v in json]
    if isinstance(json, dict) and "$pb" not in json:
        return {k: without_ports(v) for k, v in json.items()}
    return json


class SlowServer:
    """A model server whose answers take their time, and that knows one version of every model."""

    def __init__(self, answers_ms):
        self.answers_ms, self.asked, self.log = answers_ms, 0, []

    def note(self, name, value):
        if not turns.over:
            self.log.append([round(turns.now_ms), name, value])

    def take_time(self, method, model):
        ms = self.answers_ms[self.asked % len(self.answers_ms)]
        self.asked += 1
        self.note("asked", [method, model])
        turns.sleep(ms / 1000)
        self.note("answered", [method, model])

    def GetModelStatus(self, request):  # pylint: disable=invalid-name
        self.take_time("GetModelStatus", request.model_spec.name)
        status = get_model_status_pb2.ModelVersionStatus(version=7, state="AVAILABLE", status={})
        return get_model_status_pb2.GetModelStatusResponse(model_version_status=[status])

    def HandleReloadConfigRequest(self, request):  # pylint: disable=invalid-name
        self.take_time("HandleReloadConfigRequest", None)
        del request
        return model_management_pb2.ReloadConfigResponse()


class Running(Sequence):
    """A monitor that several threads ask at once."""

    def __init__(self, given):  # pylint: disable=super-init-not-called
        self.server = SlowServer(given["answers_ms"])
        self.monitor = tfs_monitor.TFSMonitor(utils.AgentConfig(**given["config"]))
        self.monitor.start()
        for stubs in self.monitor.stubs.values():
            if stubs:
                stubs["model_service"] = self.server
        self.events, self.servers = given["events"], []

    def run(self):
        for ms, name, arguments in self.events:
            turns.at(ms, lambda name=name, arguments=arguments: self.happen(name, arguments))

    def happen(self, name, arguments):
        answer = attempt(getattr(self, name), **arguments)
        self.server.note(name, answer)


def run_in_turns(given):
    before, tfs_monitor.RLock = tfs_monitor.RLock, RLock
    try:
        run = Running(given)
    finally:
        tfs_monitor.RLock = before
    try:
        turns.play(given["until_ms"], run.run, surroundings.START_TIME)
    finally:
        run.close()
    return {"log": run.server.log}


def sequence(given):
    if "until_ms" in given:
        return run_in_turns(given)
    run = Sequence(given)
    try:
        steps = [attempt(getattr(run, name), **arguments) for name, arguments in given["steps"]]
        return Raw(without_ports(encode({"steps": steps})))
    finally:
        run.close()


OPS = {
    "tfs_monitor.TFSMonitor.gen_model_config": gen_model_config,
    "tfs_monitor.TFSMonitor.get_addr": get_addr,
    "tfs_monitor.TFSMonitor.sequence": sequence,
}
