"""replica_manager (PROTOCOL.md section 9)."""
import contextlib
import types

from monolith.agent_service import data_def
from monolith.agent_service import replica_manager
from monolith.agent_service import utils

import recorder
import surroundings
from ops.data_def import make
from turns import Lock, Thread, turns
from values import Raw, Unanswerable, attempt, encode, pairs

replica_manager.threading = surroundings.threading_with(surroundings.IdleThread)
replica_manager.time = surroundings.clock

ADDRESS = {"address": "h:5", "address_ipv6": "[fd00::1]:5", "archon_address": "h:6",
           "archon_address_ipv6": "[fd00::1]:6"}


class OwnLock:
    """A lock of a single thread: where the real one would wait for ever, the case has no answer."""

    def __init__(self):
        self.held = False

    def __enter__(self):
        if self.held:
            raise Unanswerable("the reference waits for a lock that it holds itself (Q113)")
        self.held = True

    def __exit__(self, *args):
        self.held = False


class RoundOver(BaseException):
    """Ends a polling loop after one round."""


def new_watcher(client, config, use_archon=False, family="ipv4"):
    watcher = replica_manager.ReplicaWatcher(client, config, use_archon, family)
    watcher._lock = OwnLock()
    return watcher


class Steps:
    """What the sequences have in common."""

    def __init__(self, config):
        self.client = recorder.Client()
        self.client.start()
        self.config = utils.AgentConfig(**config)

    def step(self, name, arguments):
        target, _, method = name.partition(".")
        if target == "zk":
            return recorder.call(self.client, method, arguments)
        return getattr(self, name.replace(".", "_"))(**arguments)

    def conf(self, **attributes):
        for name, value in attributes.items():
            setattr(self.config, name, value)


class Watcher(Steps):
    """ReplicaWatcher.sequence."""

    SHOW_REPLICAS = ("watch_data", "conf", "poll", "stop")

    def __init__(self, given):
        super().__init__(given["config"])
        self.watcher = new_watcher(self.client, self.config, given["use_archon"], given["zk_watch_address_family"])

    def answer(self, name, arguments):
        answer = attempt(self.step, name, arguments)
        writes = self.client.take_writes()
        if writes:
            answer["writes"] = writes
        if name in self.SHOW_REPLICAS or name.startswith("zk."):
            answer["replicas"] = Raw(encode([[path, pairs(by_replica)]
                                             for path, by_replica in self.watcher.replicas.items()]))
        return answer

    def watch_data(self):
        self.watcher.watch_data()

    def poll(self, should_poll=True):
        self.watcher._should_poll = should_poll
        clock = surroundings.clock
        clock.reset()
        clock.on_sleep = end_after_one
        try:
            self.watcher._poll()
        except RoundOver:
            pass
        finally:
            clock.on_sleep = None
        return clock.slept[0] if clock.slept else None

    def stop(self):
        self.watcher.stop()

    def drop_watches(self):
        self.client.drop_watches()

    def get_all_replicas(self, **arguments):
        return pairs(self.watcher.get_all_replicas(**arguments))

    def get_replicas(self, **arguments):
        return self.watcher.get_replicas(**arguments)

    def get_replica(self, **arguments):
        return self.watcher.get_replica(**arguments)

    def get_replicas_with_extra_info(self, **arguments):
        return pairs(self.watcher.get_replicas_with_extra_info(**arguments))

    def sync_get_sync_targets(self, sub_graph):
        name, targets = self.watcher.to_sync_wrapper().get_sync_targets(sub_graph)
        return [name, pairs(targets)]


def end_after_one(sleeps):
    if sleeps > 1:
        raise RoundOver()


def watcher_sequence(given):
    run = Watcher(given)
    steps = [run.answer(name, arguments) for name, arguments in given["steps"]]
    return {"steps": steps, "family": run.watcher._zk_watch_address_family, "path_prefix": run.watcher.path_prefix}


class Monitor:
    """Stands for TFSMonitor: answers a status that is set before."""

    status = None

    def start(self):
        pass

    def stop(self):
        pass

    def get_model_status(self, name):
        del name
        if isinstance(self.status, str):
            raise RuntimeError(self.status)
        if self.status is None:
            return None
        return [utils.gen_model_version_status(*entry) for entry in self.status]


class Updater(Steps):
    """ReplicaUpdater.sequence."""

    def __init__(self, given):
        super().__init__(given["config"])
        self.updater = replica_manager.ReplicaUpdater(self.client, self.config)
        self.updater.model_monitor = self.monitor = Monitor()

    def answer(self, name, arguments):
        answer = attempt(self.step, name, arguments)
        writes = self.client.take_writes()
        if writes:
            answer["writes"] = writes
        return answer

    def register(self):
        return self.updater.register()

    def props(self):
        return {"model_names": attempt(lambda: self.updater.model_names),
                "entry_path": attempt(lambda: self.updater.entry_path),
                "path_prefix": attempt(lambda: self.updater.path_prefix),
                "ps_path(3)": attempt(self.updater.ps_path, 3),
                "dense_path()": attempt(self.updater.dense_path)}

    def update(self, name, status):
        self.monitor.status = status
        return self.updater._do_update(name)

    def check_version(self, status, now, metrics=True):
        self.monitor.status = status
        surroundings.clock.now = now
        client = self.updater._metrics_cli
        self.updater._metrics_cli = client if metrics else None
        try:
            return self.updater._check_version()
        finally:
            self.updater._metrics_cli = client
            surroundings.clock.now = surroundings.START_TIME

    def latest_version_in_fs(self, name):
        return self.updater._get_latest_version_in_fs(name)


def updater_sequence(given):
    run = Updater(given)
    steps = [run.answer(name, arguments) for name, arguments in given["steps"]]
    if all(name == "latest_version_in_fs" for name, _ in given["steps"]):
        return steps
    return {"steps": steps, "replica_id": run.config.replica_id, "meta": pairs(run.updater.meta),
            "tree": run.client.tree()}


def zk_listener(given):
    watcher = types.SimpleNamespace(_should_poll=True)
    updater = types.SimpleNamespace(_should_update=True, _should_reregister=False)
    listener = replica_manager.ZKListener(watcher, updater)
    answer = []
    for state in given["states"]:
        returned = listener(state)
        answer.append({"state": state, "return": returned, "has_lost": listener._has_lost,
                       "should_poll": watcher._should_poll, "should_update": updater._should_update,
                       "should_reregister": updater._should_reregister, "sleeps": list(surroundings.clock.slept)})
    return answer


def manager(given):
    client = recorder.Client()
    client.start()
    made = replica_manager.ReplicaManager(client, utils.AgentConfig(**given["config"]))
    made.watcher._lock = OwnLock()
    made.watcher.watch_data()
    for path, stat in given["nodes"]:
        client.create(path, make(data_def.ReplicaMeta, {**ADDRESS, "stat": stat}).serialize(), makepath=True)
    return {"ps_set": attempt(made.is_ps_set_started), "dense_set": attempt(made.is_dense_set_started),
            "all_ps": attempt(made.get_all_replicas, 0), "replicas": attempt(made.get_replicas, 0, 0, "lf", "def"),
            "replica": attempt(made.get_replica, 0, 0, 1)}


class TimedClient(recorder.Client):
    """The fake client, which tells of each write when it is made."""

    def __init__(self, tell):
        super().__init__()
        self.tell_write = tell

    def note(self, name, **arguments):
        super().note(name, **arguments)
        for written, shown in self.take_writes(sort=()):
            self.tell_write(written, shown)


class Running:
    """ReplicaManager.sequence: a manager whose threads run."""

    def __init__(self, given):
        self.log = []
        self.client = TimedClient(lambda name, shown: self.log.append([turns.now_ms, name, shown]))
        self.client.start()
        self.manager = replica_manager.ReplicaManager(self.client, utils.AgentConfig(**given["config"]))
        self.monitor = self.manager.updater.model_monitor = Monitor()
        self.events = given.get("events") or []

    def run(self):
        for ms, name, arguments in self.events:
            turns.at(ms, lambda name=name, arguments=arguments: self.happen(name, arguments))
        self.manager.start()
        self.log.append([turns.now_ms, "started", None])

    def happen(self, name, arguments):
        if name.startswith("zk."):
            recorder.call(self.client, name[len("zk."):], arguments)
        else:
            getattr(self, name)(**arguments)

    def status(self, status):
        self.monitor.status = status

    def state(self, state):
        self.client.tell(state)

    def drop_watches(self):
        self.client.drop_watches()

    def look(self):
        replicas = self.manager.watcher.replicas
        self.log.append([turns.now_ms, "replicas", Raw(encode([[path, pairs(of)] for path, of in replicas.items()]))])

    def stop(self):
        self.manager.stop()
        if not turns.over:  # of which the reference knows nothing
            self.log.append([turns.now_ms, "stopped", None])


@contextlib.contextmanager
def running_threads():
    """Has the threads of replica managers run in turns meanwhile."""
    idle, clock = replica_manager.threading, replica_manager.time
    replica_manager.threading = types.SimpleNamespace(Thread=Thread, Lock=Lock)
    replica_manager.time = surroundings.clock.source = turns
    try:
        yield
    finally:
        replica_manager.threading, replica_manager.time = idle, clock


def manager_sequence(given):
    with running_threads():
        run = Running(given)
        turns.play(given["until_ms"], run.run, surroundings.START_TIME)
    return {"log": run.log}


OPS = {
    "replica_manager.ReplicaManager.sequence": manager_sequence,
    "replica_manager.ReplicaWatcher.sequence": watcher_sequence,
    "replica_manager.ReplicaUpdater.sequence": updater_sequence,
    "replica_manager.ZKListener": zk_listener,
    "replica_manager.ReplicaManager": manager,
}
