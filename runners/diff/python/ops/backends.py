"""backends.ZKBackend.sequence (PROTOCOL.md section 10)."""
import contextlib
import json

from kazoo.protocol.states import KazooState
from monolith.agent_service import backends

import recorder
from values import Raw, SortedSet, attempt, encode, pairs


@contextlib.contextmanager
def fake_client():
    """The fake client that backends have which are made meanwhile."""
    client = recorder.Client()
    real, backends.MonolithKazooClient = backends.MonolithKazooClient, lambda hosts: client
    try:
        yield client
    finally:
        backends.MonolithKazooClient = real


def new_backend(bzid, zk_servers=""):
    """A ZKBackend on a fresh fake client. Answers both."""
    with fake_client() as client:
        return backends.ZKBackend(bzid, zk_servers), client


def service_map(backend):
    return [[model, pairs(by_graph)] for model, by_graph in sorted(backend.get_service_map().items())]


class Sequence:
    """A backend, its client, and the calls of layout callbacks."""

    def __init__(self, given):
        self.backend, self.client = new_backend(given["bzid"])
        self.called = []

    def answer(self, name, arguments):
        answer = attempt(self.step, name, arguments)
        writes = self.client.take_writes(sort=("delete", "ensure_path"))
        if name == "sync_available_saved_models":
            writes.sort(key=lambda w: (w[0] != "create", w[1].json.get("path", "")))
        if writes:
            answer["writes"] = writes
        if self.called:
            answer["calls"], self.called = self.called, []
        return answer

    def step(self, name, arguments):
        if name.startswith("zk."):
            return recorder.call(self.client, name[len("zk."):], arguments)
        if hasattr(self, name):
            return getattr(self, name)(**arguments)
        return getattr(self.backend, name)(**arguments)

    def lost(self):
        self.client.tell(KazooState.LOST)

    def connected(self):
        self.client.tell(KazooState.CONNECTED)

    def decl_saved_model(self, saved_model, deploy_config):
        return self.backend.decl_saved_model(backends.SavedModel(*saved_model),
                                             backends.SavedModelDeployConfig(**deploy_config))

    def add_to_layout(self, layout, saved_model):
        return self.backend.add_to_layout(layout, backends.SavedModel(*saved_model))

    def remove_from_layout(self, layout, saved_model):
        return self.backend.remove_from_layout(layout, backends.SavedModel(*saved_model))

    def register_layout_callback(self, layout_path, id, behave=None):  # pylint: disable=redefined-builtin

        def callback(saved_models):
            self.called.append(Raw(encode([id, [[str(model), config] for model, config in saved_models]])))
            if behave == "raise":
                raise ValueError("callback failed")
            return True

        return self.backend.register_layout_callback(layout_path, callback)

    def sync_available_saved_models(self, container, saved_models):
        self.backend.sync_available_saved_models(backends.Container(*container),
                                                 SortedSet(backends.SavedModel(*m) for m in saved_models))
        return {"available": sorted(str(m) for m in self.backend._available_saved_model)}

    def report_service_info(self, container, service_info):
        return self.backend.report_service_info(backends.Container(*container),
                                                backends.ContainerServiceInfo(**service_info))

    def get_service_info(self, container):
        return self.backend.get_service_info(backends.Container(*container))

    def list_saved_models(self, model_name):
        return [str(m) for m in self.backend.list_saved_models(model_name)]

    def get_service_map(self):
        return service_map(self.backend)

    def bzid_info(self):
        return json.dumps(self.backend.bzid_info(), indent=2)


def sequence(given):
    run = Sequence(given)
    steps = [run.answer(name, arguments) for name, arguments in given["steps"]]
    tree = run.client.tree()
    return {"steps": steps, "tree": tree and sorted(tree, key=lambda node: node[0]),
            "service_map": service_map(run.backend)}


OPS = {"backends.ZKBackend.sequence": sequence}
