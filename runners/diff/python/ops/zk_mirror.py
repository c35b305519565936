"""zk_mirror.sequence (PROTOCOL.md section 8)."""
import os
import queue

from monolith.agent_service import data_def
from monolith.agent_service import zk_mirror

import recorder
import surroundings
from ops.data_def import make
from values import Raw, attempt, encode, pairs

zk_mirror.Thread = surroundings.InlineThread
zk_mirror.time = surroundings.clock

PROPERTIES = ("resources", "local_replica_paths", "tce_replica_id", "is_leader", "num_tce_replica")
IN_PAIRS = ("get_all_replicas", "get_model_replicas")


def text(data):
    """Event data as text; bytes when it is not UTF-8."""
    try:
        return data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError:
        return data


def replica_metas(replicas):
    return [make(data_def.ReplicaMeta, r) for r in replicas]


class Sequence:
    """A mirror on a client, its queue, and the calls of the leader function."""

    def __init__(self, arguments):
        self.client = recorder.Client()
        self.queue = queue.Queue()
        self.mirror = zk_mirror.ZKMirror(zk=self.client, queue=self.queue, **arguments)
        self.called = []

    def answer(self, name, arguments):
        """Does a step; answers what it returned and caused."""
        answer = attempt(self.step, name, arguments)
        for key, entries in (("events", self.take_events()), ("writes", self.client.take_writes()),
                             ("calls", self.called)):
            if entries:
                answer[key] = entries
        self.called = []
        return answer

    def step(self, name, arguments):
        target, _, method = name.partition(".")
        if name == "env":
            return self.env(arguments)
        if target == "zk":
            return recorder.call(self.client, method, arguments)
        if hasattr(self, method):
            return getattr(self, method)(**arguments)
        if method in PROPERTIES:
            return getattr(self.mirror, method)
        result = getattr(self.mirror, method)(**arguments)
        return pairs(result) if method in IN_PAIRS else result

    def take_events(self):
        taken = []
        while not self.queue.empty():
            event = self.queue.get_nowait()
            taken.append([event.path, event.etype.name, Raw(encode(text(event.data)))])
        return taken

    def env(self, variables):
        for name, value in variables.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def create_model(self, meta):
        made = make(data_def.ModelMeta, meta)
        return self.mirror.create(made.get_path(self.mirror.portal_base_path), made.serialize())

    def publish_loadding(self, info=None, infos=None):
        if infos is not None:
            return self.mirror.publish_loadding([make(data_def.PublishMeta, i) for i in infos])
        return self.mirror.publish_loadding(make(data_def.PublishMeta, info))

    def expected_loading(self):
        return pairs(self.mirror.expected_loading())

    def update_service(self, replicas):
        return self.mirror.update_service(replica_metas(replicas))

    def report_resource(self, resource):
        return self.mirror.report_resource(make(data_def.ResourceSpec, resource))

    def election(self, identifier=None, raises=False, asks=False, closes=False, happens=()):
        """With asks the leader asks whether it leads; with closes the first one loses the connection, after
        what happens."""
        leaders = []

        def leader(zk, sched):
            leaders.append(zk)
            self.called.append(["leader", zk is self.mirror, sched])
            if asks:
                self.called.append(["is_leader", zk.is_leader])
            if closes and len(leaders) == 1:
                for name, arguments in happens:
                    recorder.call(self.client, name, arguments)
                recorder.call(self.client, "stop", {})
                raise zk_mirror.ConnectionClosedError("connection closed")
            if raises:
                raise ValueError("leader failed")

        return self.mirror.election(leader, "sched-object", identifier)


def sequence(given):
    run = Sequence(given["mirror"])
    steps = [run.answer(name, arguments) for name, arguments in given["steps"]]
    return {"steps": steps, "data": pairs(run.mirror._data), "tree": run.client.tree()}


OPS = {"zk_mirror.sequence": sequence}
