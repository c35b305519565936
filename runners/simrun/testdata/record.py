"""Records recorded.jsonl from the Python reference.

  MONOLITH_SRC=<checkout> PROTO_SRC=<engine/proto> python record.py < recorded.jsonl > again.jsonl

Cases come in one a line, as requests of the testee protocol; answers they have
already are dropped and made anew, so a second recording is equal to the first.
What it stands on, and what it needs, is in engine/agent/testdata/record.py.

Nothing that depends on the model config field latest_once is recorded: this
project's protos have it and no public build does.
"""
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location(
    "record_values", os.path.join(HERE, "..", "..", "..", "engine", "agent", "testdata", "record.py"))
base = importlib.util.module_from_spec(spec)
spec.loader.exec_module(base)

ENCODE, DECODE, FAILURE = base.encode, base.decode, base.failure


class Modules:
    """Finds the reference's packages, without their __init__, and generated modules beside them."""

    def __init__(self, generated):
        self.generated = generated

    def find_spec(self, name, path=None, target=None):
        places = [os.path.join(root, *name.split(".")) for root in (base.SRC, self.generated)]
        places = [p for p in places if os.path.isdir(p)]
        if name.split(".")[0] not in ("monolith", "idl") or not places:
            return None
        found = importlib.machinery.ModuleSpec(name, None, is_package=True)
        found.submodule_search_locations = places
        return found


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


def prepare():
    base.NAMESPACES = set()
    base.prepare()
    generated = tempfile.mkdtemp()
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", "-I", base.PROTO, "--python_out", generated,
                    "--grpc_python_out", generated, "monolith/agent_service/agent_service.proto",
                    "tensorflow_serving/apis/model_service.proto", "tensorflow_serving/apis/prediction_service.proto"],
                   check=True)
    sys.path.append(generated)
    sys.meta_path.insert(0, Modules(generated))
    available = {"bytes": 7000000000}
    stand_in("monolith.agent_service.resource_utils", cal_available_memory_v2=lambda: available["bytes"])
    stand_in("monolith.native_training.model_export", export_state_utils=None)
    extra_info = type("TargetExtraInfo", (), {"__init__": lambda self, **fields: None})
    stand_in("monolith.native_training.runtime", __path__=[])
    stand_in("monolith.native_training.runtime.parameter_sync", __path__=[])
    stand_in("monolith.native_training.runtime.parameter_sync.parameter_sync_pb2",
             ClientConfig=type("ClientConfig", (), {"TargetExtraInfo": extra_info}))
    stand_in("monolith.utils", find_main=lambda: "/src")


def clients():
    from monolith.agent_service import mocked_zkclient

    class Client(mocked_zkclient.FakeKazooClient):
        """Writes down its calls."""

        def __init__(self, *args, **kwargs):
            super().__init__()
            self.log = []
            self.quiet = False

        def note(self, name, **arguments):
            if not self.quiet:
                self.log.append([name, {k: v for k, v in arguments.items() if v not in (None, False)}])

        def create(self, path, value=b"", acl=None, ephemeral=False, makepath=False, include_data=False,
                   sequence=False):
            self.note("create", path=path, value=value, ephemeral=ephemeral, makepath=makepath, sequence=sequence)
            return super().create(path, value, acl, ephemeral, makepath, include_data, sequence)

        def set(self, path, value):
            self.note("set", path=path, value=value)
            return super().set(path, value)

        def delete(self, path, recursive=True):
            self.note("delete", path=path, recursive=recursive)
            return super().delete(path, recursive)

        def ensure_path(self, path):
            self.note("ensure_path", path=path)
            return super().ensure_path(path)

        def restart(self):
            self.note("restart")
            self.stop()
            self.start()

        def drop_watches(self):
            self._catalog._data_watches.clear()
            self._catalog._children_watches.clear()

            def walk(node):
                node._data_watch = node._children_watch = None
                for child in node.children.values():
                    walk(child)
            walk(self._catalog.root)

        def tree(self):
            if self._catalog is None:
                return None
            rows = []

            def walk(node):
                for child in node.children.values():
                    rows.append([child.path, child.value, child._version, child.ephemeral])
                    walk(child)
            walk(self._catalog.root)
            return rows

    return Client


def in_runs(log, names):
    """Sorts runs of consecutive calls of one name by path."""
    out, i = [], 0
    while i < len(log):
        j = i
        while j < len(log) and log[j][0] == log[i][0] and log[i][0] in names:
            j += 1
        out += sorted(log[i:j], key=lambda c: c[1].get("path")) if j > i else [log[i]]
        i = max(j, i + 1)
    return out


def direct(zk, name, arguments):
    result = getattr(zk, name)(**arguments)
    return result[0] if name == "get" else result


def fields(m):
    import dataclasses
    return {f.name: getattr(m, f.name) for f in dataclasses.fields(m)}


class Sorted(set):
    """A set with an order, which the reference's has not: what is written in a loop over it is sorted."""

    def __iter__(self):
        return iter(sorted(super().__iter__(), key=str))

    def __sub__(self, other):
        return Sorted(set(super().__iter__()) - set(other))


class Sequence:
    """Runs steps, each an attempt with what it caused."""

    def __init__(self, zk, tmp, do, after=lambda name, step: None, sort=("delete",)):
        self.zk, self.tmp, self.do, self.after, self.sort = zk, tmp, do, after, sort

    def run(self, steps):
        return [self.step(name, arguments) for name, arguments in steps]

    def step(self, name, arguments):
        self.zk.log.clear()
        self.zk.quiet = name.startswith("zk.")
        if self.zk.quiet:
            step = base.attempt(lambda: direct(self.zk, name[3:], arguments), self.tmp)
        else:
            step = base.attempt(lambda: self.do(name, arguments), self.tmp)
        self.zk.quiet = False
        if self.zk.log:
            step["writes"] = ENCODE(in_runs(self.zk.log, self.sort), self.tmp)
        self.after(name, step)
        return step


def operations():
    from unittest import mock
    from monolith.agent_service import backends, data_def, replica_manager, utils
    from tensorflow_serving.apis import get_model_status_pb2
    from tensorflow_serving.util import status_pb2

    Client = clients()
    backends.MonolithKazooClient = Client
    status = get_model_status_pb2.ModelVersionStatus

    def backend_sequence(i, tmp):
        b = backends.ZKBackend(i["bzid"], "none")
        calls = []

        def service_map(m):
            return [[name, [[g, [fields(s) for s in infos]] for g, infos in m[name].items()]] for name in sorted(m)]

        def model(v):
            return backends.SavedModel(*v)

        def do(name, a):
            if name in ("start", "stop"):
                return getattr(b, name)()
            if name == "lost":
                return b._is_lost.set()
            if name == "connected":
                return b._is_lost.clear()
            if name == "decl_saved_model":
                return b.decl_saved_model(model(a["saved_model"]), backends.SavedModelDeployConfig(**a["deploy_config"]))
            if name in ("add_to_layout", "remove_from_layout"):
                return getattr(b, name)(a["layout"], model(a["saved_model"]))
            if name == "register_layout_callback":
                def called(models):
                    calls.append([a["id"], [[str(m), fields(d)] for m, d in models]])
                    if a.get("behave") == "raise":
                        raise ValueError("callback failed")
                    return True
                return b.register_layout_callback(a["layout_path"], called)
            if name == "sync_available_saved_models":
                b.sync_available_saved_models(backends.Container(*a["container"]), Sorted(model(m) for m in a["saved_models"]))
                return {"available": sorted(str(m) for m in b._available_saved_model)}
            if name == "report_service_info":
                return b.report_service_info(backends.Container(*a["container"]),
                                             backends.ContainerServiceInfo(**a["service_info"]))
            if name == "get_service_info":
                info = b.get_service_info(backends.Container(*a["container"]))
                return None if info is None else fields(info)
            if name == "list_saved_models":
                return [str(m) for m in b.list_saved_models(a["model_name"])]
            if name == "get_service_map":
                return service_map(b.get_service_map())
            if name == "subscribe_model":
                return b.subscribe_model(a["model_name"])
            if name == "get_sync_targets":
                return b.get_sync_targets(a["sub_graph"])
            return getattr(b, name)(**a)

        def after(name, step):
            if calls:
                step["calls"] = ENCODE(list(calls), tmp)
                calls.clear()
            if name == "sync_available_saved_models" and "writes" in step:
                step["writes"].sort(key=lambda w: (w[0] != "create", w[0], w[1].get("path", "")))

        steps = Sequence(b._zk, tmp, do, after, ("delete", "ensure_path")).run(i["steps"])
        tree = b._zk.tree()
        return {"steps": steps, "tree": None if tree is None else ENCODE(sorted(tree), tmp),
                "service_map": ENCODE(service_map(b._service_info_map), tmp)}

    def replicas(w):
        return [[path, [[r, fields(m)] for r, m in rs.items()]] for path, rs in w.replicas.items()]

    def watch(w):
        """watch_data without its thread."""
        with mock.patch.object(replica_manager.threading, "Thread"):
            w.watch_data()
        w._thread = None

    def watcher_sequence(i, tmp):
        zk = Client()
        zk.start()
        conf = utils.AgentConfig(**i["config"])
        w = replica_manager.ReplicaWatcher(zk, conf, i["use_archon"], i["zk_watch_address_family"])

        def poll():
            slept = []

            def sleep(seconds):
                slept.append(seconds)
                w._has_stop = True
            w._has_stop = False
            with mock.patch.object(replica_manager.time, "sleep", sleep):
                w._poll()
            w._has_stop = False
            return slept

        def do(name, a):
            if name == "watch_data":
                return watch(w)
            if name == "conf":
                for k, v in a.items():
                    setattr(conf, k, v)
                return None
            if name == "poll":
                w._should_poll = a.get("should_poll", True)
                return poll()[0]
            if name == "stop":
                return w.stop()
            if name == "drop_watches":
                return zk.drop_watches()
            result = getattr(w, name)(**a)
            return list(result.items()) if name == "get_all_replicas" else result

        def after(name, step):
            if name.startswith("zk.") or name in ("watch_data", "conf", "poll", "stop"):
                step["replicas"] = ENCODE(replicas(w), tmp)

        return {"steps": Sequence(zk, tmp, do, after).run(i["steps"]), "family": w._zk_watch_address_family,
                "path_prefix": w.path_prefix}

    def versions(listed):
        return [status(version=v, state=s, status=status_pb2.StatusProto(error_code=code, error_message=message or ""))
                for v, s, code, message in listed]

    def updater_sequence(i, tmp):
        zk = Client()
        zk.start()
        conf = utils.AgentConfig(**i["config"])
        u = replica_manager.ReplicaUpdater(zk, conf)

        class Monitor:
            answer = None

            def get_model_status(self, name):
                if isinstance(self.answer, str):
                    raise RuntimeError(self.answer)
                return None if self.answer is None else versions(self.answer)

        u.model_monitor = Monitor()

        def do(name, a):
            if name == "conf":
                for k, v in a.items():
                    setattr(conf, k, v)
                return None
            if name == "props":
                return {"model_names": base.attempt(lambda: u.model_names, tmp)}
            if name == "update":
                u.model_monitor.answer = a["status"]
                return u._do_update(a["name"])
            return getattr(u, name)(**a)

        steps = Sequence(zk, tmp, do).run(i["steps"])
        return {"steps": steps, "replica_id": conf.replica_id,
                "meta": ENCODE([[p, fields(m)] for p, m in u.meta.items()], tmp), "tree": ENCODE(zk.tree(), tmp)}

    def listener(i, tmp):
        w = types.SimpleNamespace(_should_poll=True)
        u = types.SimpleNamespace(_should_update=True, _should_reregister=False)
        sleeps, out = [], []
        called = replica_manager.ZKListener(w, u)
        with mock.patch.object(replica_manager.time, "sleep", sleeps.append):
            for state in i["states"]:
                returned = called(state)
                out.append({"state": state, "return": returned, "has_lost": called._has_lost,
                            "should_poll": w._should_poll, "should_update": u._should_update,
                            "should_reregister": u._should_reregister, "sleeps": list(sleeps)})
        return out

    def manager(i, tmp):
        zk = Client()
        zk.start()
        conf = utils.AgentConfig(**i["config"])
        m = replica_manager.ReplicaManager(zk, conf)
        watch(m.watcher)
        for path, stat in i["nodes"]:
            meta = data_def.ReplicaMeta(address="h:5", address_ipv6="[fd00::1]:5", stat=stat, archon_address="h:6",
                                        archon_address_ipv6="[fd00::1]:6")
            zk.create(path, meta.serialize(), makepath=True)
        return {"ps_set": base.attempt(m.is_ps_set_started, tmp), "dense_set": base.attempt(m.is_dense_set_started, tmp),
                "all_ps": base.attempt(lambda: m.get_all_replicas(0), tmp),
                "replicas": base.attempt(lambda: m.get_replicas(0, 0, "lf", "def"), tmp),
                "replica": base.attempt(lambda: m.get_replica(0, 0, 1), tmp)}

    ops = {
        "backends.ZKBackend.sequence": backend_sequence,
        "replica_manager.ReplicaWatcher.sequence": watcher_sequence,
        "replica_manager.ReplicaUpdater.sequence": updater_sequence,
        "replica_manager.ZKListener": listener,
        "replica_manager.ReplicaManager": manager,
    }
    return utils, {name: faked(op, replica_manager) for name, op in ops.items()}


def faked(op, replica_manager):
    """The look-ups of the own address that are not in utils are the faked ones too."""
    def run(i, tmp):
        base.failure = lambda e: ENCODE(FAILURE(e), tmp)

        def getaddrinfo(*_):
            return [(None, None, None, "", ("2001:db8::10", 0, 0, 0))]
        replica_manager.socket = types.SimpleNamespace(
            gethostbyname=socket.gethostbyname, gethostname=lambda: "host", AF_INET6=socket.AF_INET6,
            getaddrinfo=getaddrinfo)
        tempfile.tempdir = tmp
        try:
            return op(i, tmp)
        finally:
            tempfile.tempdir = None
    return run


def main():
    prepare()
    utils, ops = operations()
    from absl import logging
    logging.set_verbosity(logging.FATAL)
    logging.set_stderrthreshold("fatal")
    import warnings
    warnings.simplefilter("ignore")
    for case in map(json.loads, sys.stdin):
        case.pop("out", None)
        case.pop("error", None)
        print(json.dumps({**case, **base.answer(case, utils, ops)}))


if __name__ == "__main__":
    main()
