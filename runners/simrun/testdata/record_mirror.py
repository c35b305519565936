"""Records mirror.jsonl from the Python reference: ZKMirror, the service of agent v2, TFSMonitor, and what the
replica manager has for parameter synchronisation and metrics.

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
    import queue
    export_state_utils, parameter_sync_pb2 = real_modules()
    recorded = record_operations()[1]
    import grpc
    from concurrent import futures
    from monolith.agent_service import agent_service, agent_service_pb2, data_def, mocked_tfserving, replica_manager
    from monolith.agent_service import tfs_monitor, utils, zk_mirror
    from tensorflow_serving.apis.model_service_pb2_grpc import add_ModelServiceServicer_to_server

    Client = record.clients()

    def meta(cls, kwargs):
        kwargs = dict(kwargs)
        if isinstance(kwargs.get("ptype"), str):
            kwargs["ptype"] = data_def.PublishType[kwargs["ptype"]]
        return cls(**kwargs)

    def shown(v):
        if isinstance(v, list):
            return [shown(x) for x in v]
        if isinstance(v, dict):
            return [[k, shown(x)] for k, x in v.items()]
        if isinstance(v, set):
            return {"$set": sorted(v)}
        return record.fields(v) if hasattr(v, "__dataclass_fields__") else v

    def text(data):
        if data is None:
            return None
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data

    def mirror_sequence(i, tmp):
        zk = Client()
        events = queue.Queue()
        m = zk_mirror.ZKMirror(zk, queue=events, **i["mirror"])
        calls = []

        class Thread:
            def __init__(self, target):
                self.target = target

            def start(self):
                self.target()
        zk_mirror.Thread = Thread

        def do(name, a):
            if name == "env":
                for k, v in a.items():
                    os.environ.pop(k, None)
                    if v is not None:
                        os.environ[k] = v
                return None
            name = name[len("mirror."):]
            if name == "create_model":
                mm = data_def.ModelMeta(**a["meta"])
                return m.create(mm.get_path(m.portal_base_path), mm.serialize())
            if name == "publish_loadding":
                one = "info" in a
                return m.publish_loadding(meta(data_def.PublishMeta, a["info"]) if one else
                                          [meta(data_def.PublishMeta, x) for x in a["infos"]])
            if name == "update_service":
                return m.update_service([data_def.ReplicaMeta(**x) for x in a["replicas"]])
            if name == "report_resource":
                return m.report_resource(data_def.ResourceSpec(**a["resource"]))
            if name == "election":
                def leader(zk, sched):
                    calls.append(["leader", zk is m, sched])
                    if a.get("raises"):
                        raise ValueError("leader failed")
                return m.election(leader, "sched-object", a.get("identifier"))
            if name in ("resources", "local_replica_paths", "tce_replica_id", "is_leader", "num_tce_replica"):
                return shown(getattr(m, name))
            return shown(getattr(m, name)(**a))

        def after(name, step):
            for key, found in (("events", []), ("calls", list(calls))):
                while key == "events" and not events.empty():
                    e = events.get()
                    found.append([e.path, e.etype.name, text(e.data)])
                if found:
                    step[key] = ENCODE(found, tmp)
            calls.clear()
        steps = record.Sequence(zk, tmp, do, after).run(i["steps"])
        return {"steps": steps, "data": ENCODE([[p, d] for p, d in m._data.items()], tmp), "tree": ENCODE(zk.tree(), tmp)}

    def v2(i, tmp):
        m = zk_mirror.ZKMirror(Client(), "b", queue.Queue(), 0, 1)
        m.start()
        m.update_service([data_def.ReplicaMeta(**x) for x in i["replicas"]])
        impl = agent_service.AgentServiceImpl(m, utils.AgentConfig(**i["config"]))
        out = []
        for rpc, fields, *_ in i["calls"]:
            request = getattr(agent_service_pb2, rpc + "Request")(**fields)
            out.append(base.attempt(lambda: {"message": getattr(impl, rpc)(request, None)}, tmp))
        return {"calls": out}

    def gen_model_config(i, tmp):
        m = tfs_monitor.TFSMonitor(utils.AgentConfig(**i["config"]))
        configs = m.gen_model_config([meta(data_def.PublishMeta, p) for p in i["pms"]], i["fix_dense_version"])
        return {server: {"names": [c.name for c in config.model_config_list.config], "config": ENCODE(config, tmp)}
                for server, config in configs.items()}

    def monitor_sequence(i, tmp):
        from tensorflow_serving.config import model_server_config_pb2
        conf = utils.AgentConfig(**i["config"])
        servers, managers = [], []
        for name in i["servers"]:
            manager = mocked_tfserving.ModelMgr([])
            server = grpc.server(futures.ThreadPoolExecutor(max_workers=2))
            add_ModelServiceServicer_to_server(mocked_tfserving.ModelServiceImpl(manager), server)
            setattr(conf, f"tfs_{name}_port", server.add_insecure_port("[::]:0"))
            server.start()
            servers.append(server)
            managers.append(manager)
        m = tfs_monitor.TFSMonitor(conf)
        m.start()

        def settle():
            for manager in managers:
                while not manager._queue.empty():
                    manager._event_handler(manager._queue.get())

        def hidden(s):
            if "connect" in s.status.error_message:
                s.status.error_message = "<GRPC DETAILS>"
            return s

        def reload(server, config):
            status = m.handle_reload_config_request(server, config)
            settle()
            return {"status": status, "config": config}

        def do(name, a):
            if name == "reload":
                pms = [meta(data_def.PublishMeta, p) for p in a["pms"]]
                return reload(a["service_type"], m.gen_model_config(pms, a.get("fix_dense_version", False))[a["service_type"]])
            if name == "reload_config":
                config = model_server_config_pb2.ModelServerConfig()
                config.model_config_list.config.extend(utils.gen_model_config(**c) for c in a["configs"])
                return reload(a["service_type"], config)
            if name == "status_pm":
                found = m.get_model_status(meta(data_def.PublishMeta, a["pm"]), a.get("fix_dense_version", False))
                return [[n, path, hidden(s)] for n, (path, s) in found.items()]
            if name == "status_name":
                return [hidden(s) for s in m.get_model_status(a["name"], a.get("version"), a.get("signature_name"))]
            return getattr(m, name)()
        steps = [base.attempt(lambda: do(name, a), tmp) for name, a in i["steps"]]
        for server in servers:
            server.stop(None)
        return {"steps": steps}

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
        "zk_mirror.sequence": mirror_sequence,
        "agent_service.AgentServiceImpl.v2": v2,
        "tfs_monitor.TFSMonitor.gen_model_config": gen_model_config,
        "tfs_monitor.TFSMonitor.sequence": monitor_sequence,
        "replica_manager.ReplicaUpdater.sequence": updater_sequence,
    }
    ops = {name: record.faked(op, replica_manager) for name, op in ops.items()}
    ops["replica_manager.ReplicaWatcher.sequence"] = recorded["replica_manager.ReplicaWatcher.sequence"]
    return utils, ops


if __name__ == "__main__":
    record.operations = operations
    record.main()
