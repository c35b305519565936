"""agent_v3.AgentV3.sequence (PROTOCOL.md section 14): an agent from its start to its end."""
import sys
import types

from google.protobuf import text_format
from kazoo.protocol.states import KazooState
from tensorflow_serving.apis import get_model_status_pb2
from tensorflow_serving.config import model_server_config_pb2

from monolith.agent_service import agent_v3
from monolith.agent_service import tfs_wrapper

import recorder
import shown
import surroundings
from ops.agent_v3 import new_agent
from ops.backends import service_map
from turns import Thread as TurnsThread, turns
from values import Raw, SortedSet, attempt, encode, pairs

# What is available is a set, whose order the bindings would come in.
agent_v3.set = SortedSet

BACKGROUND = ("report_round", "bindings_round")


class Slept(BaseException):
    """Ends a thread's loop after one round."""


class Server(tfs_wrapper.FakeTFSWrapper):
    """A model server that is told what it is."""

    def __init__(self, config_file, is_grpc_remote_op):
        super().__init__(config_file)
        self.is_grpc_remote_op = is_grpc_remote_op
        self.states = {}

    def list_saved_models_status(self):
        found = super().list_saved_models_status()
        for name in found:
            if name in self.states:
                state = self.states[name]
                found[name] = 0 if state == "int" else get_model_status_pb2.ModelVersionStatus(state=state)
        return found


class Thread:
    """A thread that runs a round when a step says so."""

    made = []

    def __init__(self, target):
        self.run = target
        self.made.append(self)

    def start(self):
        pass

    def join(self):
        pass


class Sequence:

    thread = Thread

    def __init__(self, given):
        Thread.made = []
        agent_v3.threading = surroundings.threading_with(self.thread)
        agent_v3.time = types.SimpleNamespace(sleep=self.sleep)
        self.agent, self.client = new_agent(given["config"])
        path = self.agent._model_config_path
        wrapper = given["wrapper"]
        self.server = (tfs_wrapper.FakeTFSWrapper(path) if wrapper == "fake" else Server(path, wrapper == "grpc"))
        self.agent._tfs_wrapper = self.server
        self.shown = {}

    def sleep(self, seconds):
        shown.waited(seconds)
        raise Slept(seconds)

    def answer(self, name, arguments):
        answer = attempt(self.step, name, arguments)
        writes = self.client.take_writes(sort=("delete", "ensure_path"))
        if name == "bindings_round":
            writes.sort(key=lambda w: (w[0] != "create", recorder.path_of(w)))
        if writes:
            answer["writes"] = writes
        answer.update(self.changed())
        return answer

    def changed(self):
        found = {}
        for key, value in (("config", self.config()), ("services", service_map(self.agent._backend)),
                           ("addrs", attempt(self.addrs))):
            value = encode(value)
            if value != self.shown.get(key):
                self.shown[key] = value
                found[key] = Raw(value)
        return found

    def config(self):
        return text_format.Parse(self.server.model_config_text(), model_server_config_pb2.ModelServerConfig())

    def addrs(self):
        return sorted(pairs(self.agent._gen_addrs_map()))

    def step(self, name, arguments):
        if name.startswith("zk."):
            return recorder.call(self.client, name[len("zk."):], arguments)
        if name in BACKGROUND:
            return self.round(*Thread.made[BACKGROUND.index(name):][:1])
        return getattr(self, name)(**arguments)

    def round(self, thread=None):
        try:
            if thread:
                thread.run()
        except Slept as e:
            return e.args[0]
        return None

    def start(self):
        self.agent.start()

    def stop(self):
        self.agent.stop()

    def signal(self):
        self.agent.signal_handler(15, sys._getframe())

    def statuses(self, **states):
        self.server.states = states

    def lost(self):
        self.client.tell(KazooState.LOST)

    def connected(self):
        self.client.tell(KazooState.CONNECTED)


class Running(Sequence):
    """An agent whose threads run, and what happens meanwhile."""

    thread = TurnsThread

    def __init__(self, given):
        super().__init__(given)
        self.log = []
        self.events = given.get("events") or []

    def note(self, name, value=None):
        self.note_changes()
        if not turns.over:
            self.log.append([turns.now_ms, name, value])

    def note_changes(self):
        if turns.over:
            return
        writes = self.client.take_writes(sort=("delete", "ensure_path"))
        for name, value in [*writes, *self.changed().items()]:
            self.log.append([turns.now_ms, name, value])

    def sleep(self, seconds):
        self.note("sleep", seconds)
        turns.sleep(seconds)

    def run(self):
        for ms, name, arguments in self.events:
            turns.at(ms, lambda name=name, arguments=arguments: self.happen(name, arguments))
        self.agent.start()
        self.note("started")

    def happen(self, name, arguments):
        self.step(name, arguments)
        self.note(name)


def run_in_turns(given):
    run = Running(given)
    turns.play(given["until_ms"], run.run, surroundings.START_TIME)
    return {"log": run.log}


def sequence(given):
    if "until_ms" in given:
        return run_in_turns(given)
    run = Sequence(given)
    steps = [run.answer(name, arguments) for name, arguments in given["steps"]]
    tree = run.client.tree()
    return {"steps": steps, "tree": tree and sorted(tree, key=lambda node: node[0])}


OPS = {"agent_v3.AgentV3.sequence": sequence}
