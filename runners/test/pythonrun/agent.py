"""Runs the reference's agent, unmodified, as the process of a pod.

    python agent.py SETTINGS --conf=agent.conf --tfs_log=tfs.std.log

SETTINGS is a JSON object:

    source        the checkout of the reference
    name, ip      the pod's name and its address (host.py)
    home          the directory in the place of /opt/tiger/monolith_serving
    ready         a file to make when everything is imported; a line on stdin then begins
    speed         how much faster than the wall clock time passes from then on (clock.py)
    latest_once   give the protos the policy of monolith's fork (Q25)

What is supplied from outside, all before the agent's module is imported: modules that cannot
be installed (finder.py, protos.py and standins beside this file), psutil from /proc/meminfo
unless it is installed, and the two constants of utils.py that name the home.
"""
import importlib
import json
import os
import sys
import types

sys.dont_write_bytecode = True
import clock  # noqa: E402 pylint: disable=wrong-import-position; before all that keep a function of time
import host  # noqa: E402 pylint: disable=wrong-import-position


def memory():
    """psutil.virtual_memory, in bytes."""
    found = {}
    with open("/proc/meminfo", encoding="ascii") as f:
        for line in f:
            key, value = line.split(":")
            found[key] = int(value.split()[0]) * 1024
    return types.SimpleNamespace(total=found["MemTotal"], available=found["MemAvailable"])


def supply_psutil():
    """Imports the installed one, before the finder offers that of recorded cases."""
    try:
        importlib.import_module("psutil")
    except ImportError:
        sys.modules["psutil"] = types.ModuleType("psutil")
        sys.modules["psutil"].virtual_memory = memory


def load(settings):
    """Imports the agent and returns its module."""
    supply_psutil()
    pod = host.Host(settings["name"], settings["ip"])
    host.install_names(pod)
    import finder  # pylint: disable=import-outside-toplevel
    import protos  # pylint: disable=import-outside-toplevel
    if settings["latest_once"]:
        protos.OURS_ALONE.clear()
    finder.install(settings["source"])
    utils = importlib.import_module("monolith.agent_service.utils")
    utils.TFS_HOME = settings["home"]
    utils.DEFAULT_PLATFORM_CONFIG_FILE = os.path.join(settings["home"], "conf", "platform_config_file.cfg")
    host.install_sockets(pod, utils)
    protos.load_all()  # an Any in text form wants its message known
    return importlib.import_module("monolith.agent_service.agent")


def main():
    settings = json.loads(sys.argv.pop(1))
    clock.install()
    module = load(settings)
    from absl import app, logging  # pylint: disable=import-outside-toplevel
    logging.set_verbosity(logging.INFO)
    with open(settings["ready"], "w", encoding="ascii"):
        pass
    if not sys.stdin.readline():
        return  # whoever started this has ended
    clock.begin(settings["speed"])
    app.run(module.main)


if __name__ == "__main__":
    main()
