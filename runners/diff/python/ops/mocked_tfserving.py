"""mocked_tfserving.ModelMgr.sequence (PROTOCOL.md section 13)."""
from tensorflow_serving.apis import get_model_metadata_pb2
from tensorflow_serving.apis import get_model_status_pb2
from tensorflow_serving.apis import model_management_pb2

from monolith.agent_service import mocked_tfserving
from monolith.agent_service import utils

from values import Raw, SortedSet, attempt, encode

START = 10


def model_configs(configs):
    return [utils.gen_model_config(**c) for c in configs]


def shown_model(meta):
    conf = meta.conf
    versions = [[v.version, v.version_label, v.state] for v in meta.versions]
    return [conf.model_name, conf.base_path, conf.version_policy, conf.version_data, meta.is_unloading(), versions]


def shown_queue(manager):
    return [[e.model_name, e.version, e.state] for e in manager._queue.queue]


class Sequence:
    """A manager whose queue is handled by hand, and the servicers on it."""

    def __init__(self, configs):
        self.manager = mocked_tfserving.ModelMgr(None if configs is None else model_configs(configs))
        alive = self.manager.get_alive_model_names
        self.manager.get_alive_model_names = lambda: SortedSet(alive())

    def answer(self, name, arguments):
        answer = attempt(getattr(self, name.replace(".", "_")), **arguments)
        answer["models"] = Raw(encode([shown_model(m) for m in self.manager._models.values()]))
        answer["queue"] = shown_queue(self.manager)
        return answer

    def load(self, configs):
        return self.manager.load(model_configs(configs))

    def remove(self, names):
        return self.manager.remove(names)

    def handle(self, n=1):
        for _ in range(n):
            if self.manager._queue.empty():
                return "empty"
            self.manager._event_handler(self.manager._queue.get())
        return None

    def drain(self):
        handled = 0
        while not self.manager._queue.empty():
            self.manager._event_handler(self.manager._queue.get())
            handled += 1
        return handled

    def event(self, **arguments):
        return self.manager._event_handler(mocked_tfserving.Event(**arguments))

    def new_version(self, name):
        versions = self.manager._models[name].versions
        version = versions[-1].version + 1
        versions.append(mocked_tfserving.ModelVersion(version))
        self.manager._queue.put(mocked_tfserving.Event(name, version, START))

    def set_label(self, name, index, label):
        self.manager._models[name].versions[index].version_label = label

    def get_status(self, **arguments):
        return self.manager.get_status(utils.gen_model_spec(**arguments))

    def get_metadata(self, name, fields, version=None):
        return self.manager.get_metadata(utils.gen_model_spec(name, version), fields)

    def alive(self):
        return sorted(self.manager.get_alive_model_names())

    def rpc_GetModelStatus(self, **arguments):  # pylint: disable=invalid-name
        request = get_model_status_pb2.GetModelStatusRequest(model_spec=utils.gen_model_spec(**arguments))
        return mocked_tfserving.ModelServiceImpl(self.manager).GetModelStatus(request, None)

    def rpc_GetModelMetadata(self, name, fields, version=None):  # pylint: disable=invalid-name
        request = get_model_metadata_pb2.GetModelMetadataRequest(model_spec=utils.gen_model_spec(name, version),
                                                                 metadata_field=fields)
        return mocked_tfserving.PredictionServiceImpl(self.manager).GetModelMetadata(request, None)

    def rpc_HandleReloadConfigRequest(self, configs):  # pylint: disable=invalid-name
        request = model_management_pb2.ReloadConfigRequest()
        request.config.model_config_list.config.extend(model_configs(configs))
        return mocked_tfserving.ModelServiceImpl(self.manager).HandleReloadConfigRequest(request, None)


def sequence(given):
    run = Sequence(given["configs"])
    return {"steps": [run.answer(name, arguments) for name, arguments in given["steps"]]}


OPS = {"mocked_tfserving.ModelMgr.sequence": sequence}
