"""agent_controller (PROTOCOL.md section 16)."""
from absl import flags
from absl.testing import flagsaver
from monolith.agent_service import agent_controller
from monolith.agent_service import backends

import surroundings
from ops.backends import fake_client, new_backend
from values import attempt

flags.FLAGS.mark_as_parsed()


def started_backend():
    backend, client = new_backend("gip")
    backend.start()
    return backend, client


def declare(backend, saved_models, base_path, policy):
    for model, graph in saved_models:
        path = base_path.replace("<graph>", graph)
        backend.decl_saved_model(backends.SavedModel(model, graph), backends.SavedModelDeployConfig(path, policy))


def declare_saved_model(given):
    backend, client = started_backend()
    declare(backend, given["declared_before"], "/old", "all")
    client.take_writes()
    options = {k: given[k] for k in ("model_name", "overwrite", "arch") if k in given}
    result = attempt(agent_controller.declare_saved_model, backend, given["export_base"], **options)
    writes = client.take_writes()
    return {"result": result, "writes": writes,
            "saved_models": attempt(lambda: [str(m) for m in backend.list_saved_models("ctr")])}


def map_model_to_layout(given):
    backend, client = started_backend()
    declare(backend, given["declared"], "/e/<graph>", "latest")
    for graph in given["published"]:
        backend.add_to_layout(given["layout_path"], backends.SavedModel("ctr", graph))
    client.take_writes()
    result = attempt(agent_controller.map_model_to_layout, backend, given["model_pattern"], given["layout_path"],
                     given["action"])
    writes = client.take_writes()
    with surroundings.captured_stdout() as printed:
        agent_controller.bzid_info(backend)
    return {"result": result, "writes": writes, "bzid_info": printed.getvalue()}


def main(given):
    """The whole command with these flags; the others have their defaults."""
    with flagsaver.flagsaver(**given["flags"]), fake_client() as client, surroundings.captured_stdout() as printed:
        result = attempt(agent_controller.main, None)
    return {"result": result, "writes": client.take_writes(), "printed": printed.getvalue()}


OPS = {
    "agent_controller.find_model_name":
        lambda given: agent_controller.find_model_name(given["exported_models_path"]),
    "agent_controller.declare_saved_model": declare_saved_model,
    "agent_controller.map_model_to_layout": map_model_to_layout,
    "agent_controller.main": main,
}
