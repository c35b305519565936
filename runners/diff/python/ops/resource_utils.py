"""resource_utils (PROTOCOL.md section 18)."""
import importlib.machinery
import importlib.util
import sys
import threading
import types

from monolith.agent_service import resource_utils

import surroundings
from values import attempt


def real_psutil():
    """psutil itself, beside the stand-in that the reference imports."""
    found = importlib.machinery.PathFinder.find_spec("psutil")
    spec = importlib.util.spec_from_file_location("real_psutil", found.origin,
                                                  submodule_search_locations=found.submodule_search_locations)
    module = sys.modules["real_psutil"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


stand_in, psutil = resource_utils.psutil, real_psutil()


def rooted(path):
    """The file of the case's directory that stands for one of the host."""
    return surroundings.directory.path + path if path.startswith(("/proc/", "/sys/")) else path


def cat(command):
    program, path = command
    assert program == "cat"
    with open(rooted(path), "rb") as f:
        return f.read()


resource_utils.open = lambda path, *args: open(rooted(path), *args)
resource_utils.subprocess = types.SimpleNamespace(check_output=cat)


class Clock:
    """A clock that sleeping moves, and with it the files."""

    def __init__(self, later):
        self.now_ns, self.later = 0, list(later)

    def time_ns(self):
        return self.now_ns

    def sleep(self, seconds):
        surroundings.shown.waited(seconds)
        self.now_ns += seconds * 10**9
        if self.later:
            surroundings.directory.write(self.later.pop(0))


def container(given):
    """What the functions measure of a host whose files are the case's."""
    stand_in.PROCFS_PATH = psutil.PROCFS_PATH = rooted("/proc/").rstrip("/")  # it looks in sys.modules
    resource_utils.psutil, resource_utils.time = psutil, Clock(given.get("later") or [])
    try:
        psutil._last_cpu_times[threading.current_thread().ident] = psutil.cpu_times()
    except OSError:
        pass
    resource_utils._POD_CGROUP_PATH = resource_utils._get_pod_cgroup_path()
    try:
        return {"cgroup": resource_utils._POD_CGROUP_PATH, "total": attempt(resource_utils.total_memory),
                "available": attempt(resource_utils.cal_available_memory),
                "total_v2": attempt(resource_utils.total_memory_v2),
                "available_v2": attempt(resource_utils.cal_available_memory_v2),
                "num_cpu": attempt(resource_utils.num_cpu), "cpu_usage": attempt(resource_utils.cal_cpu_usage),
                "cpu_usage_v2": attempt(resource_utils.cal_cpu_usage_v2)}
    finally:
        resource_utils.psutil = stand_in


def cal_model_info_v2(given):
    info = resource_utils.cal_model_info_v2(given["exported_models_path"], given.get("ckpt"), given.get("version"))
    return [[name, size, path] for name, (size, path) in info.items()]


def memory(given):
    del given
    return {"total": resource_utils.total_memory_v2(), "available": resource_utils.cal_available_memory_v2()}


OPS = {
    "resource_utils.container": container,
    "resource_utils.cal_model_info_v2": cal_model_info_v2,
    "resource_utils.memory": memory,
    "resource_utils.exists": lambda given: resource_utils.exists(given["dirname"]),
}
