"""agent_v3 (PROTOCOL.md section 14)."""
import signal
import types

from google.protobuf import text_format
from tensorflow_serving.apis import get_model_status_pb2
from tensorflow_serving.config import model_server_config_pb2

from monolith.agent_service import agent_v3
from monolith.agent_service import backends
from monolith.agent_service import tfs_wrapper
from monolith.agent_service import utils

import recorder
from ops import agent_service
from values import attempt, pairs

# A testee's own signals are not the agent's.
agent_v3.signal = types.SimpleNamespace(SIGTERM=signal.SIGTERM, SIGINT=signal.SIGINT,
                                        signal=lambda number, handler: None)


def new_agent(config):
    """An agent on a fake client, nothing started. Answers both."""
    agent_service.use_server(agent_service.IdleServer)
    client = recorder.Client()
    real, backends.MonolithKazooClient = backends.MonolithKazooClient, lambda hosts: client
    try:
        return agent_v3.AgentV3(utils.AgentConfig(**config), "/conf", "/log"), client
    finally:
        backends.MonolithKazooClient = real


def filters(agent):
    return [list(f) for f in agent._layout_filters]


def construct(given):
    agent, _ = new_agent(given["config"])
    wrapper = agent._tfs_wrapper
    return {"container": str(agent._container), "service_info": agent._service_info.serialize(),
            "filters": filters(agent), "config_text": wrapper.model_config_text(),
            "grpc_remote_op": wrapper.is_grpc_remote_op}


def layout_update_callback(given):
    agent, _ = new_agent(given["config"])
    answer = {"filters": filters(agent), "initial_text": agent._tfs_wrapper.model_config_text()}
    saved_models = [(backends.SavedModel(model, graph), backends.SavedModelDeployConfig(path, policy))
                    for model, graph, path, policy in given["saved_models"]]
    answer["callback"] = attempt(agent.layout_update_callback, saved_models)
    text = agent._tfs_wrapper.model_config_text()
    config = text_format.Parse(text, model_server_config_pb2.ModelServerConfig())
    answer["file"] = {"text": text, "names": [c.name for c in config.model_config_list.config], "config": config}
    return answer


def gen_addrs_map(given):
    agent, _ = new_agent(given["config"])
    agent._backend._service_info_map = {
        model: {graph: [backends.ContainerServiceInfo(**i) for i in infos] for graph, infos in by_graph.items()}
        for model, by_graph in given["service_map"].items()
    }
    if given["wrapper"] == "fake":
        agent._tfs_wrapper = tfs_wrapper.FakeTFSWrapper(agent._model_config_path)
    else:
        agent._tfs_wrapper._is_grpc_remote_op = given["wrapper"] == "grpc"
    return pairs(agent._gen_addrs_map())


def status_of(state):
    return 0 if state == "int" else get_model_status_pb2.ModelVersionStatus(state=state)


def sync_available_saved_models(given):
    agent, client = new_agent(given["config"])
    client.start()
    statuses = {name: status_of(state) for name, state in given["statuses"].items()}
    agent._tfs_wrapper.list_saved_models_status = lambda: statuses
    result = attempt(agent.sync_available_saved_models)
    writes = sorted(client.take_writes(), key=lambda w: (w[0], recorder.path_of(w)))
    return {"result": result, "writes": writes,
            "available": sorted(str(m) for m in agent._backend._available_saved_model)}


OPS = {
    "agent_v3.AgentV3": construct,
    "agent_v3.AgentV3.layout_update_callback": layout_update_callback,
    "agent_v3.AgentV3._gen_addrs_map": gen_addrs_map,
    "agent_v3.AgentV3.sync_available_saved_models": sync_available_saved_models,
}
