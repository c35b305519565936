"""Records mirror.jsonl from the Python reference: what the replica manager has for parameter synchronisation and
metrics.

  MONOLITH_SRC=<checkout> PROTO_SRC=<engine/proto> python record_mirror.py < mirror.jsonl > again.jsonl

It works as record.py beside it, on whose stand-ins and client it stands.
"""
import importlib
import importlib.util
import os
import subprocess
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("record_sequences", os.path.join(HERE, "record.py"))
record = importlib.util.module_from_spec(spec)
spec.loader.exec_module(record)
base = record.base
ENCODE = record.ENCODE
record_operations = record.operations


def real_modules():
    """Puts the real modules where record.py has stand-ins that nothing there calls."""
    import tensorflow
    generated = next(finder.generated for finder in sys.meta_path if isinstance(finder, record.Modules))
    protos = ["monolith/native_training/model_export/export.proto",
              "monolith/native_training/runtime/parameter_sync/parameter_sync.proto"]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", "-I", base.PROTO, "--python_out", generated] + protos,
                   check=True)
    for name in list(sys.modules):
        if name.startswith(("monolith.native_training.model_export", "monolith.native_training.runtime")):
            del sys.modules[name]
    tensorflow.io = types.SimpleNamespace(gfile=types.SimpleNamespace(GFile=open))
    tensorflow.errors = types.SimpleNamespace(NotFoundError=FileNotFoundError)
    return importlib.import_module("monolith.native_training.model_export.export_state_utils"), importlib.import_module(
        "monolith.native_training.runtime.parameter_sync.parameter_sync_pb2")


def operations():
    export_state_utils, parameter_sync_pb2 = real_modules()
    recorded = record_operations()[1]
    from monolith.agent_service import replica_manager, utils

    Client = record.clients()

    from tensorflow_serving.apis import get_model_status_pb2
    from tensorflow_serving.util import status_pb2
    replica_manager.export_state_utils = export_state_utils
    replica_manager.ClientConfig = parameter_sync_pb2.ClientConfig
    watcher = replica_manager.ReplicaWatcher
    with_info = watcher.get_replicas_with_extra_info
    watcher.get_replicas_with_extra_info = lambda w, **a: list(with_info(w, **a).items())

    def sync_targets(w, sub_graph):
        class Plain:
            get_replicas_with_extra_info = lambda self, *a: with_info(w, *a)
        name, targets = replica_manager.SyncBackendWrapper(Plain()).get_sync_targets(sub_graph)
        return [name, list(targets.items())]
    setattr(watcher, "sync.get_sync_targets", sync_targets)

    def updater_sequence(i, tmp):
        u = replica_manager.ReplicaUpdater(Client(), utils.AgentConfig(**i["config"]))
        stored, answer = [], {}

        class Metrics:
            def __init__(self, name):
                self.name = name

            def emit_store(self, key, value, tags):
                stored.append([self.name, key, value, dict(tags)])

            def flush(self):
                stored.append([self.name, "flush"])

        class Monitor:
            def get_model_status(self, name):
                if isinstance(answer["status"], str):
                    raise RuntimeError(answer["status"])
                return answer["status"] and [get_model_status_pb2.ModelVersionStatus(
                    version=v, state=s, status=status_pb2.StatusProto(error_code=code, error_message=message or ""))
                    for v, s, code, message in answer["status"]]
        u.model_monitor = Monitor()

        def do(name, a):
            if name == "latest_version_in_fs":
                return u._get_latest_version_in_fs(a["name"])
            clients = a.get("metrics", True)
            u._metrics_cli, u._metrics_cli_global = (Metrics("cli"), Metrics("global")) if clients else (None, None)
            answer["status"] = a["status"]
            replica_manager.time = types.SimpleNamespace(time=lambda: a["now"])
            return u._check_version()
        steps = []
        for name, a in i["steps"]:
            stored.clear()
            steps.append(base.attempt(lambda: do(name, a), tmp))
            if stored:
                steps[-1]["metrics"] = ENCODE(stored, tmp)
        only_files = all(name == "latest_version_in_fs" for name, _ in i["steps"])
        return steps if only_files else {"steps": steps, "replica_id": u._conf.replica_id, "meta": [], "tree": []}

    ops = {
        "replica_manager.ReplicaUpdater.sequence": updater_sequence,
    }
    ops = {name: record.faked(op, replica_manager) for name, op in ops.items()}
    ops["replica_manager.ReplicaWatcher.sequence"] = recorded["replica_manager.ReplicaWatcher.sequence"]
    return utils, ops


if __name__ == "__main__":
    record.operations = operations
    record.main()
