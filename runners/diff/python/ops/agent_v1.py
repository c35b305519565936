"""agent_v1: which processes an agent starts, waits for and kills, and when (PROTOCOL.md section 20)."""
import errno
import os
import signal
import subprocess
import types

from google.protobuf import text_format
from tensorflow_serving.config.model_server_config_pb2 import ModelServerConfig

from monolith.agent_service import agent_base, agent_v1, data_def
from monolith.agent_service import utils

import recorder
import surroundings
from ops.data_def import make
from ops.replica_manager import ADDRESS, Monitor, TimedClient, running_threads
from turns import RLock, Thread, turns
from values import Raw, Unanswerable, encode

class Stage:
    """The world of one agent: its clock, and everything that happens on it."""

    def reset(self, given):
        self.log, self.processes, self.handlers = [], [], {}
        self.plans = given.get("servers") or []
        self.directory = os.getcwd()
        self.handling = RLock()
        self.events = given.get("events") or []

    def begin(self):
        for ms, name, arguments in self.events:
            turns.at(ms, lambda name=name, arguments=arguments: getattr(self, name)(*arguments))

    def note(self, name, value=None):
        if not turns.over:
            self.log.append(Raw(encode([turns.now_ms, name, value])))

    def sleep(self, seconds):
        turns.sleep(seconds)
        if turns.current is turns.main:
            with self.handling:  # a signal is handled in the main thread
                pass

    def time(self):
        return turns.time()

    # Events.

    def signal(self, number):
        with self.handling:
            self.handlers[number](number, None)

    def create(self, path, stat):
        recorder.call(self.client, "create", {"path": path, "value": replica(stat), "makepath": True})

    def set(self, path, stat):
        recorder.call(self.client, "set", {"path": path, "value": replica(stat)})

    def delete(self, path):
        recorder.call(self.client, "delete", {"path": path})

    def status(self, status):
        self.monitor.status = status

    def stop(self):
        self.agent.stop()

    # What the agent calls.

    def is_open(self, port):
        is_open = any(p.port == str(port) and p.is_open() for p in self.processes)
        self.note("probe", [port, is_open])
        return is_open

    def kill(self, pid, number):
        if (pid, number) != (os.getpid(), signal.SIGKILL):
            raise Unanswerable(f"signal {number} to process {pid}")
        self.note("killed self")
        turns.finish()

    def notify(self, number, handler):
        self.handlers[number] = handler

    def chdir(self, path):
        self.directory = path

    def open(self, name, mode):
        assert mode == "a"
        return name


stage = Stage()


def replica(stat):
    return make(data_def.ReplicaMeta, {**ADDRESS, "stat": stat}).serialize()


class Popen:
    """A process that does what its plan says."""

    def __init__(self, argv, shell, stderr, stdout, env):
        assert not shell and stderr == subprocess.STDOUT
        self.number = self.pid = len(stage.processes)
        plan = stage.plans[self.number] if self.number < len(stage.plans) else {}
        if plan.get("missing"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        stage.processes.append(self)
        self.args = argv
        self.returncode = self.code = None
        self.survives = plan.get("survives", 0)
        self.port = next((a[len("--port="):] for a in argv if a.startswith("--port=")), None)
        opens_ms = plan.get("opens_ms", 0)
        self.opens_ms = None if opens_ms is None else turns.now_ms + opens_ms
        if plan.get("ends_ms") is not None:
            turns.at(turns.now_ms + plan["ends_ms"], lambda: self.exit(plan.get("code", 0)))
        stage.note("start", [argv, difference(env, os.environ), stage.directory, stdout, models_of(argv)])

    __repr__ = subprocess.Popen.__repr__

    def is_open(self):
        return self.code is None and self.opens_ms is not None and self.opens_ms <= turns.now_ms

    def exit(self, code):
        if self.code is None:
            self.code = code
            stage.note("exit", [self.number, code])

    def poll(self):
        self.returncode = self.code
        return self.returncode

    def kill(self):
        if self.poll() is None:
            stage.note("kill", self.number)
            if self.survives == 0:
                self.code = -signal.SIGKILL
            self.survives -= 1


def models_of(argv):
    flag, path = argv[1].split("=")
    assert flag == "--model_config_file"
    with open(path, encoding="utf-8") as f:
        return text_format.Parse(f.read(), ModelServerConfig())


def difference(environment, other):
    changed = {k: v for k, v in environment.items() if other.get(k) != v}
    return {**changed, **{k: None for k in other if k not in environment}}


class Client(TimedClient):
    """The fake ZooKeeper client, its start, its stop and what is written noted."""

    def __init__(self):
        super().__init__(stage.note)

    def start(self, *arguments, **options):
        stage.note("zk.start")
        return super().start(*arguments, **options)

    def stop(self):
        stage.note("zk.stop")
        return super().stop()


class Service:
    """Takes the place of AgentService."""

    def __init__(self, watcher, port):
        del watcher
        self.port = port

    def start(self):
        stage.note("serve", self.port)

    def stop(self):
        stage.note("unserve")


class Pool:
    """A pool whose threads run at once: who submits waits for the result."""

    def __init__(self, max_workers):
        pass

    def submit(self, function):
        result = function()
        return types.SimpleNamespace(result=lambda: result)


def new_client(hosts):
    del hosts
    stage.client = Client()
    return stage.client


agent_v1.os = types.SimpleNamespace(environ=os.environ, getpid=os.getpid, kill=stage.kill)
agent_v1.subprocess = types.SimpleNamespace(Popen=Popen, STDOUT=subprocess.STDOUT)
agent_v1.signal = types.SimpleNamespace(SIGTERM=signal.SIGTERM, SIGINT=signal.SIGINT, SIGKILL=signal.SIGKILL,
                                        signal=stage.notify)
agent_v1.threading = types.SimpleNamespace(Thread=Thread)
agent_v1.ThreadPoolExecutor = Pool
agent_v1.time = stage
agent_v1.MonolithKazooClient = new_client
agent_v1.AgentService = Service

agent_base.os = types.SimpleNamespace(path=os.path, getcwd=lambda: stage.directory, chdir=stage.chdir)
agent_base.open = stage.open


def sequence(given):
    stage.reset(given)
    surroundings.host["is_open"] = stage.is_open
    agent_v1.ProcessMgr._is_killed, agent_v1.ProcessMgr._lock = False, RLock()
    with running_threads():
        turns.play(given["until_ms"], lambda: run(given), surroundings.START_TIME)
    return {"log": stage.log}


def run(given):
    config = utils.AgentConfig.from_file(given["conf"])
    stage.agent = agent_v1.AgentV1(config, conf_path=None, tfs_log=given["tfs_log"])
    stage.monitor = stage.agent.replica_mgr.updater.model_monitor = Monitor()
    stage.begin()
    try:
        stage.agent.start()
    except Exception as e:  # pylint: disable=broad-except
        stage.note("raised", type(e).__name__)
        turns.finish()
    stage.note("started")


OPS = {"agent_v1.AgentV1.sequence": sequence}
