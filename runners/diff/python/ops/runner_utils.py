"""runner_utils.py (PROTOCOL.md section 26)."""
import dataclasses
import os

from google.protobuf import text_format
from tensorflow.python.training.checkpoint_state_pb2 import CheckpointState
from monolith.native_training import runner_utils
from monolith.native_training.service_discovery import ServiceDiscoveryType, TfConfigServiceDiscovery

import command_line
import tensorflow_case as case
from ops import save_utils
from values import attempt

runner_utils.time = case.time
runner_utils.add_mpi_exception_hook = lambda: None
SHARED_FLAGS = ("kafka_topics", "kafka_group_id", "kafka_servers", "restore_ckpt")


def arguments(kwargs):
    """Keyword arguments of a RunnerConfig."""
    return {n: ServiceDiscoveryType[v] if n == "discovery_type" else v for n, v in kwargs.items()}


def changed(config):
    """The fields that differ from their defaults."""
    return {f.name: command_line.shown(getattr(config, f.name)) for f in dataclasses.fields(config)
            if getattr(config, f.name) != f.default}


def text_of(directory, name):
    """What is in a file; None without one."""
    path = os.path.join(directory, name)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def state_of(directory, name="checkpoint"):
    """The CheckpointState in a file, as it is written."""
    text = text_of(directory, name)
    try:
        return text is not None and save_utils.state(text_format.Parse(text, CheckpointState())) or None
    except (text_format.ParseError, UnicodeError):
        return "<unparsable>"


def isabs(given):
    return runner_utils.isabs(given["path"])


def get_checkpoint_state(given):
    command_line.parse(given["argv"])
    reads, real, calls = [], runner_utils.old_get_checkpoint_state, []

    def read(*args, **kwargs):
        staged = given.get("reads") or []
        reads.append(1)
        if len(reads) <= len(staged) and staged[len(reads) - 1] == "none":
            return None
        return real(*args, **kwargs)

    runner_utils.old_get_checkpoint_state = read
    try:
        under_test = runner_utils.gen_get_checkpoint_state()
        for _ in range(given["times"]):
            reads.clear()
            call = attempt(lambda: save_utils.state(under_test(given["dir"], given.get("latest_filename"))))
            call["reads"] = len(reads)
            calls.append(call)
    finally:
        runner_utils.old_get_checkpoint_state = real
    return {"calls": calls, "checkpoint": state_of(given["dir"]), "restore_ckpt": text_of(given["dir"], "restore_ckpt")}


def runner_config(given):
    command_line.parse(given["argv"])
    config = runner_utils.RunnerConfig(**arguments(given["kwargs"]))
    return {"changed": changed(config), "flags": command_line.values(SHARED_FLAGS)}


def restore(given):
    case.time.reset()
    case.appear(given.get("appear"))
    command_line.parse(given["argv"])

    def make():
        runner_utils.RunnerConfig(**arguments(given["kwargs"]))

    return {"made": case.bounded(make), "slept": case.time.take_slept(),
            "restore_ckpt_flag": command_line.values(["restore_ckpt"])["restore_ckpt"], "model_dir_exists": os.path.isdir("m"),
            "checkpoint": state_of("m"), "monolith_checkpoint": save_utils.monolith_state_of("m"), "marker": text_of("m", "restore_ckpt")}


def stubs(log):
    """Has the kinds of discovery that find processes be made only; log has their making and closing."""

    def stub(name):
        def made(self, *args):
            log.append([name, list(args)])
        return type(name, (), {"__init__": made, "close": lambda self: log.append(["close"])})

    for name in ("ConsulServiceDiscovery", "MLPServiceDiscovery", "ZKServiceDiscovery"):
        setattr(runner_utils, name, stub(name))


def kind_of(discovery):
    return None if discovery is None else type(discovery).__name__


def get_discovery(given):
    command_line.parse([])
    log = []
    stubs(log)
    config = runner_utils.RunnerConfig(**arguments(given["kwargs"]))
    discovery = runner_utils.get_discovery(config, given["psm"])
    answer = {"kind": kind_of(discovery), "made": log, "server_type": config.server_type, "index": config.index}
    if isinstance(discovery, TfConfigServiceDiscovery):
        answer["queries"] = {name: attempt(queried, discovery, name) for name in ("ps", "worker", "chief", "foo")}
        answer["addr"] = attempt(lambda: discovery.addr)
    return answer


def queried(discovery, name):
    return {str(i): addr for i, addr in discovery.query(name).items()}


def monolith_discovery(given):
    command_line.parse([])
    log = []
    stubs(log)
    config = runner_utils.RunnerConfig(**arguments(given["kwargs"]))

    def run():
        with runner_utils.monolith_discovery(config) as discovery:
            log.append(["enter", kind_of(discovery)])
            if given["body"] == "raise":
                raise RuntimeError("body failed")
            log.append(["leave"])

    return {"result": attempt(run), "log": log}


OPS = {
    "runner_utils.isabs": isabs,
    "runner_utils.get_checkpoint_state": get_checkpoint_state,
    "runner_utils.RunnerConfig": runner_config,
    "runner_utils.RunnerConfig.restore": restore,
    "runner_utils.get_discovery": get_discovery,
    "runner_utils.monolith_discovery": monolith_discovery,
}
