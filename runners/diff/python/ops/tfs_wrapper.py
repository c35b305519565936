"""tfs_wrapper (PROTOCOL.md section 14)."""
import os
import types

import grpc
from tensorflow_serving.apis import get_model_status_pb2

from monolith.agent_service import tfs_wrapper
from monolith.agent_service import utils

from values import attempt, pairs

# The constructor, also of agent_v3's, runs "strings None | grep …", which finds nothing (Q149).
tfs_wrapper.subprocess = types.SimpleNamespace(
    run=lambda *args, **kwargs: types.SimpleNamespace(returncode=1), STDOUT=None,
    Popen=lambda *args, **kwargs: Popen(*args, **kwargs))
# The directory of the reference's own program is that of the case.
tfs_wrapper.find_main = os.getcwd


def failed_call(code, details):
    """What grpcio raises when a call has failed."""
    return grpc._channel._InactiveRpcError(grpc._channel._RPCState((), (), (), code, details))


def prepare_cmd(given):
    wrapper = tfs_wrapper.TFSWrapper(given["archon_port"], given["grpc_port"], given["http_port"],
                                     given["model_config_file"], utils.AgentConfig(**given["config"]), "/log")
    wrapper._is_grpc_remote_op = given["is_grpc_remote_op"]
    cmd = wrapper._prepare_cmd()
    return {"cmd": cmd, "flags": cmd.split(" ")}


def list_saved_models_status(given):
    config = utils.AgentConfig(**given["config"])
    wrapper = tfs_wrapper.TFSWrapper(config.tfs_port_archon, config.tfs_port_grpc, config.tfs_port_http,
                                     os.path.abspath("models.cfg"), config, "tfs.log")
    wrapper.start()
    versions = given["versions"]

    def get_model_status(request):
        if isinstance(versions, dict):
            raise failed_call(grpc.StatusCode[versions["rpc_error"]], f"{request.model_spec.name} failed")
        statuses = [utils.gen_model_version_status(version, state) for version, state in versions]
        return get_model_status_pb2.GetModelStatusResponse(model_version_status=statuses)

    wrapper._stub = types.SimpleNamespace(GetModelStatus=get_model_status)
    return {"names": wrapper.list_saved_models(), "status": pairs(wrapper.list_saved_models_status())}


def fake_wrapper(given):
    del given
    wrapper = tfs_wrapper.FakeTFSWrapper("models.cfg")
    return {"names": attempt(wrapper.list_saved_models), "status": attempt(wrapper.list_saved_models_status),
            "poll": wrapper.poll()}


class Popen:
    """The model server: it ends when it is killed, or when a step says so."""

    stdout = None
    returncode = code = None

    def __init__(self, argv, shell, stderr, stdout, env):
        del shell, stderr, env
        self.argv, self.output = argv, stdout.name

    def poll(self):
        self.returncode = self.code
        return self.returncode

    def kill(self):
        self.code = -9


class Sequence:
    """TFSWrapper.sequence: a model server from its start to its end."""

    def __init__(self, given):
        self.wrapper = tfs_wrapper.TFSWrapper(given["archon_port"], given["grpc_port"], given["http_port"], "models.cfg",
                                              utils.AgentConfig(**given["config"]), "tfs.log")
        self.wrapper._is_grpc_remote_op = given["is_grpc_remote_op"]

    def start(self):
        self.wrapper.start()
        return [self.wrapper._proc.argv, self.wrapper._proc.output]

    def stop(self):
        self.wrapper.stop()

    def poll(self):
        return self.wrapper.poll()

    def end(self, code):
        self.wrapper._proc.code = code


def sequence(given):
    run = Sequence(given)
    return {"steps": [attempt(getattr(run, name), **arguments) for name, arguments in given["steps"]]}


OPS = {
    "tfs_wrapper.TFSWrapper.sequence": sequence,
    "tfs_wrapper.TFSWrapper._prepare_cmd": prepare_cmd,
    "tfs_wrapper.TFSWrapper.list_saved_models_status": list_saved_models_status,
    "tfs_wrapper.FakeTFSWrapper": fake_wrapper,
}
