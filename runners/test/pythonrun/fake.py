"""Runs the reference's FakeTFServing, unmodified, as a model server without an agent.

    python fake.py --model_config_file=models.conf

It waits to begin as agent.py does, from which it has its surroundings. MONOSIM_SERVERS names the
folder in which it records its command line, its port once it serves, and each new state of a
version, as `monosim tfserving` does. States are read from the outside, after each event that the
fake has handled.
"""
import json
import os
import sys

import agent  # before all that keep a function of time
import clock


def record_name():
    """The common name of the files: the pid, and when the process began."""
    with open("/proc/self/stat", encoding="ascii") as f:
        began = f.read().rpartition(")")[2].split()[19]
    return os.path.join(os.environ["MONOSIM_SERVERS"], f"{os.getpid()}-{began}")


def put(name, text):
    """Writes a file in one step, for it may be read at any time."""
    with open(name + ".tmp", "w", encoding="utf-8") as f:
        f.write(text)
    os.rename(name + ".tmp", name)


class States:
    """Writes the new states of versions."""

    def __init__(self, name, state):
        self.file = open(name, "a", encoding="utf-8", buffering=1)  # pylint: disable=consider-using-with
        self.state = state

    def write(self, model, version, state):
        seconds = clock.wall.time()
        at = clock.wall.strftime("%Y-%m-%dT%H:%M:%S", clock.wall.gmtime(seconds)) + f"{seconds % 1:.6f}"[1:] + "Z"
        self.file.write(json.dumps({"time": at, "model": model, "version": version, "state": self.state.Name(state)}) + "\n")


def state_of(manager, event):
    """The present state of the version that an event is about, None for none."""
    meta = manager._models.get(event.model_name)  # pylint: disable=protected-access
    found = [v.state for v in meta.versions if v.version == event.version] if meta else []
    return found[0] if found else None


def watch(module, states):
    """Compares the state before and after each event. A version ends in the event that deletes it."""
    real = module.ModelMgr._event_handler  # pylint: disable=protected-access

    def handler(manager, event):
        before = state_of(manager, event)
        try:
            real(manager, event)
        finally:  # an event whose handling raises may have moved a version
            after = state_of(manager, event)
            if after is None and before == states.state.UNLOADING:
                after = states.state.END
            if after not in (None, before):
                states.write(event.model_name, event.version, after)

    module.ModelMgr._event_handler = handler  # pylint: disable=protected-access


def serve(module, name, flags):
    fake = module.FakeTFServing(model_config_file=flags["model_config_file"], port=int(flags.get("port", 8500)))
    server = fake._server  # pylint: disable=protected-access
    start = server.start

    def started():
        start()
        put(name + ".ports", json.dumps({"GRPC": int(flags.get("port", 8500))}) + "\n")

    server.start = started
    fake.start()


def main():
    clock.install()
    module = agent.load("monolith.agent_service.mocked_tfserving")
    if not agent.told_to_begin():
        return
    name = record_name()
    watch(module, States(name + ".events", module.ModelState))
    put(name + ".args", "\n".join([os.readlink("/proc/self/fd/1")] + sys.argv[1:]) + "\n")
    serve(module, name, dict(flag.lstrip("-").split("=", 1) for flag in sys.argv[1:] if "=" in flag))


if __name__ == "__main__":
    main()
