"""tfs_wrapper (PROTOCOL.md section 14)."""
import types

import grpc
from tensorflow_serving.apis import get_model_status_pb2

from monolith.agent_service import tfs_wrapper
from monolith.agent_service import utils

from values import attempt, pairs

# The constructor, also of agent_v3's, runs "strings None | grep …", which finds nothing (Q149).
tfs_wrapper.subprocess = types.SimpleNamespace(run=lambda *args, **kwargs: types.SimpleNamespace(returncode=1))


class RpcError(grpc.RpcError):
    """A failed call."""

    def __init__(self, code, details):
        super().__init__()
        self._code, self._details = code, details

    def code(self):
        return self._code

    def details(self):
        return self._details


def prepare_cmd(given):
    wrapper = tfs_wrapper.TFSWrapper(given["archon_port"], given["grpc_port"], given["http_port"],
                                     given["model_config_file"], utils.AgentConfig(**given["config"]), "/log")
    wrapper._is_grpc_remote_op = given["is_grpc_remote_op"]
    cmd = wrapper._prepare_cmd()
    return {"cmd": cmd, "flags": cmd.split(" ")}


def list_saved_models_status(given):
    wrapper = tfs_wrapper.TFSWrapper(1, 2, 3, "models.cfg", utils.AgentConfig(**given["config"]), "/log")
    versions = given["versions"]

    def get_model_status(request):
        if isinstance(versions, dict):
            raise RpcError(grpc.StatusCode[versions["rpc_error"]], f"{request.model_spec.name} failed")
        statuses = [utils.gen_model_version_status(version, state) for version, state in versions]
        return get_model_status_pb2.GetModelStatusResponse(model_version_status=statuses)

    wrapper._stub = types.SimpleNamespace(GetModelStatus=get_model_status)
    return {"names": wrapper.list_saved_models(), "status": pairs(wrapper.list_saved_models_status())}


def fake_wrapper(given):
    del given
    wrapper = tfs_wrapper.FakeTFSWrapper("models.cfg")
    return {"names": attempt(wrapper.list_saved_models), "status": attempt(wrapper.list_saved_models_status),
            "poll": wrapper.poll()}


OPS = {
    "tfs_wrapper.TFSWrapper._prepare_cmd": prepare_cmd,
    "tfs_wrapper.TFSWrapper.list_saved_models_status": list_saved_models_status,
    "tfs_wrapper.FakeTFSWrapper": fake_wrapper,
}
