"""Runs the reference's agent, unmodified, as the process of a pod.

    python agent.py --conf=agent.conf --tfs_log=tfs.std.log

What it gets besides is in the environment, as runners/diff/testee/AGENT.md has it for agents in
any language (MONOSIM_POD and so on); MONOLITH_SRC names the checkout of the reference. It waits
to begin: it creates MONOSIM_READY when everything is imported, and reads a line.

What is supplied from outside, all before the agent's module is imported: modules that cannot
be installed (finder.py, protos.py and standins, beside this file or in runners/diff/python),
psutil from /proc/meminfo unless it is installed, and the two constants of utils.py that name
the home.
"""
import importlib
import os
import sys
import types

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "diff", "python"))
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


def load(name):
    """Imports a module of the reference's agents."""
    supply_psutil()
    pod = host.Host(os.environ["MONOSIM_POD"], os.environ["MONOSIM_IP"])
    host.install_names(pod)
    import finder  # pylint: disable=import-outside-toplevel
    import protos  # pylint: disable=import-outside-toplevel
    if "MONOSIM_LATEST_ONCE" in os.environ:  # the policy of monolith's fork (Q25)
        protos.OURS_ALONE.clear()
    finder.install(os.environ["MONOLITH_SRC"])
    utils = importlib.import_module("monolith.agent_service.utils")
    utils.TFS_HOME = os.environ["MONOSIM_HOME"]
    utils.DEFAULT_PLATFORM_CONFIG_FILE = os.path.join(utils.TFS_HOME, "conf", "platform_config_file.cfg")
    host.install_sockets(pod, utils)
    protos.load_all()  # an Any in text form wants its message known
    return importlib.import_module(name)


def told_to_begin():
    """Says that all is imported, and waits; False if whoever started this has ended."""
    with open(os.environ["MONOSIM_READY"], "w", encoding="ascii"):
        pass
    if not sys.stdin.readline():
        return False
    clock.begin(float(os.environ["MONOSIM_SPEED"]))
    return True


def main():
    clock.install()
    module = load("monolith.agent_service.agent")
    from absl import app, logging  # pylint: disable=import-outside-toplevel
    logging.set_verbosity(logging.INFO)
    if told_to_begin():
        app.run(module.main)


if __name__ == "__main__":
    main()
