"""The small modules of the training side (PROTOCOL.md section 19)."""
import datetime
import os
import socket
import types

from monolith import path_utils
from monolith.common.python import mem_profiling
from monolith.native_training import consul
from monolith.native_training import env_utils
from monolith.native_training import mlp_utils
from monolith.native_training import net_utils
from monolith.native_training import yarn_runtime
from monolith.native_training import zk_utils

import recorder
import surroundings
from values import attempt

net_utils.threading = surroundings.threading_with(surroundings.InlineThread)

HEAP_VARIABLES = ("LD_PRELOAD", "HEAPPROFILE", "HEAP_PROFILE_INUSE_INTERVAL", "HEAP_PROFILE_ALLOCATION_INTERVAL",
                  "HEAP_PROFILE_SAMPLE_RATIO", "HEAP_PROFILE_TIME_INTERVAL", "HEAP_PROFILE_MMAP")
MLP_FIELDS = ("framework", "ssh_port", "role", "all_roles", "index", "port", "avaiable", "cpu", "gpu", "gpu_type",
              "mem", "host", "enable_mpi", "queue_device")


def find_main(given):
    real, path_utils.__file__ = path_utils.__file__, given["__file__"]
    try:
        return {"find_main": attempt(path_utils.find_main),
                "get_libops_path": attempt(path_utils.get_libops_path, "lib/x.so"),
                "get_libops_path_abs": attempt(path_utils.get_libops_path, "/abs/x.so")}
    finally:
        path_utils.__file__ = real


def get_local_server_addr(given):
    del given
    return {"get_local_ip": attempt(net_utils.get_local_ip), "is_ipv4_supported": attempt(net_utils.is_ipv4_supported),
            "get_local_server_addr": attempt(net_utils.get_local_server_addr, 2222),
            "none_port": attempt(net_utils.get_local_server_addr, None)}


def node_alive_checker(given):
    checker = net_utils.NodeAliveChecker(given["addrs"], given["timeout"], given["num_thread"])
    return {"all": checker.all_nodes_alive(), "dead": sorted(checker.get_dead_nodes()),
            "alive": sorted(checker.get_alive_nodes()), "addrs": checker.get_addrs()}


class OpenSocket:
    """A socket that connects to what is open only, and notes."""

    def __init__(self, opened, connects, family):
        self.opened, self.connects, self.family, self.timeout = opened, connects, family, None

    def settimeout(self, timeout):
        self.timeout = timeout

    def connect(self, address):
        host, port = address
        self.connects.append(["ipv6" if self.family == socket.AF_INET6 else "ipv4", host, port, self.timeout])
        if [host, port] not in self.opened:
            raise ConnectionRefusedError(111, "Connection refused")

    def close(self):
        pass


def reachable(given):
    connects = []
    real, net_utils.socket = net_utils.socket, types.SimpleNamespace(
        socket=lambda family, kind: OpenSocket(given["open"], connects, family), AF_INET=socket.AF_INET, AF_INET6=socket.AF_INET6,
        SOCK_STREAM=socket.SOCK_STREAM)
    try:
        with surroundings.captured_stdout() as printed:
            checker = net_utils.NodeAliveChecker(given["addrs"], given["timeout"], given["num_thread"])
    finally:
        net_utils.socket = real
    return {"all": checker.all_nodes_alive(), "dead": sorted(checker.get_dead_nodes()), "alive": sorted(checker.get_alive_nodes()),
            "connects": connects, "printed": len(printed.getvalue().splitlines())}


def is_ipv6_only(given):
    del given
    return {"ipv6_only": zk_utils.is_ipv6_only(), "default": zk_utils.default_zk_servers(),
            "default_v6": zk_utils.default_zk_servers(True)}


def get_zk_auth_data(given):
    del given
    with surroundings.captured_stdout() as printed:
        auth = env_utils.get_zk_auth_data()
    return {"auth": auth, "stdout": printed.getvalue()}


def heap_variables():
    return {name: os.environ.get(name) for name in HEAP_VARIABLES}


def enable_tcmalloc(given):
    del given
    mem_profiling.enable_tcmalloc()
    return heap_variables()


def setup_heap_profile(given):
    result = attempt(mem_profiling.setup_heap_profile, **given)
    return {"result": result, "env": heap_variables()}


def mlp_env(given):
    del given
    env = mlp_utils.MLPEnv()
    queries = {}
    for role in (None, "ps", "worker", "chief", "dsworker", "nope"):
        for method in ("num_replicas", "get_all_host", "get_all_addrs"):
            queries[f"{method}({role})"] = attempt(getattr(env, method), role)
        for i in (None, 0, 1, 2):
            queries[f"get_addr({role},{i})"] = attempt(env.get_addr, role, i)
            queries[f"get_host({role},{i},secondary)"] = attempt(env.get_host, role, i, False)
            queries[f"get_port({role},{i})"] = attempt(env.get_port, role, i)
    queries["dispatcher_target"] = attempt(env.dispatcher_target)
    queries["dispatcher_target(ps)"] = attempt(env.dispatcher_target, "ps")
    return {"fields": {name: getattr(env, name) for name in MLP_FIELDS}, "queries": queries}


def consul_client(given):
    del given
    client = consul.Client()
    return {"host": client._consul_host, "port": client._consul_port}


def setup_hdfs_env(given):
    del given
    names = ("setup_hdfs_env", "setup_host_ip", "generate_psm_from_uuid", "get_zk_auth_data")
    return {"result": env_utils.setup_hdfs_env(), "names": sorted(n for n in names if hasattr(env_utils, n))}


def monolith_kazoo_client(given):
    with surroundings.captured_stdout():
        client = zk_utils.MonolithKazooClient("127.0.0.1:1", **(given.get("kwargs") or {}))
    return {"auth_data": sorted(list(pair) for pair in client.auth_data)}


class OldNodes(recorder.Client):
    """A client whose nodes below /monolith were modified some weeks ago."""

    def __init__(self, given, log):
        super().__init__()
        self.given, self.log, self.left = given, log, None

    def start(self):
        super().start()
        with self.unlogged():
            for path, value in self.given["tree"]:
                self.create(path, value, makepath=True)

    def get_children(self, path, include_data=False):
        names = super().get_children(path)
        weeks = (self.given.get("weeks_old") or {}).get(path, 0)
        modified = types.SimpleNamespace(mtime=(surroundings.START_TIME - weeks * 7 * 86400) * 1000)
        return (names, modified) if include_data else names

    def exists(self, path):
        return types.SimpleNamespace() if super().exists(path) else None

    def delete(self, path, recursive=True):
        if path in (self.given.get("failing_deletes") or ()):
            self.note("delete", path=path, recursive=recursive)
            raise RuntimeError("delete failed")
        super().delete(path, recursive)

    def stop(self):
        self.log.append(["stop"])
        self.left = [node[0] for node in self.tree()]
        super().stop()


class Now(datetime.datetime):
    """The time of the case."""

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(surroundings.START_TIME, tz)


def clear_zk_path(given):
    log, made = [], []

    def client(*servers):
        log.append(["client", list(servers)])
        made.append(OldNodes(given, log))
        return made[0]

    real = zk_utils.MonolithKazooClient, zk_utils.datetime
    zk_utils.MonolithKazooClient, zk_utils.datetime = client, Now
    try:
        result = attempt(zk_utils.clear_zk_path, None, given["job_name"], given["force_clear_zk_path"])
    finally:
        zk_utils.MonolithKazooClient, zk_utils.datetime = real
    return {"result": result, "writes": made[0].take_writes(()), "log": log, "left": made[0].left}


OPS = {
    "env_utils.setup_hdfs_env": setup_hdfs_env,
    "net_utils.AddressFamily": lambda given: {"IPV4": net_utils.AddressFamily.IPV4, "IPV6": net_utils.AddressFamily.IPV6},
    "zk_utils.MonolithKazooClient": monolith_kazoo_client,
    "zk_utils.clear_zk_path": clear_zk_path,
    "path_utils.find_main": find_main,
    "net_utils.is_ipv6_address": lambda given: net_utils.is_ipv6_address(given["ip"]),
    "net_utils.concat_ip_and_port": lambda given: net_utils.concat_ip_and_port(given["ip"], given["port"]),
    "net_utils.get_local_server_addr": get_local_server_addr,
    "net_utils.NodeAliveChecker": node_alive_checker,
    "net_utils.NodeAliveChecker.reachable": reachable,
    "zk_utils.is_ipv6_only": is_ipv6_only,
    "env_utils.get_zk_auth_data": get_zk_auth_data,
    "env_utils.generate_psm_from_uuid": lambda given: env_utils.generate_psm_from_uuid(given["s"]),
    "mem_profiling.enable_tcmalloc": enable_tcmalloc,
    "mem_profiling.setup_heap_profile": setup_heap_profile,
    "yarn_runtime.get_local_host": lambda given: yarn_runtime.get_local_host(),
    "mlp_utils.MLPEnv": mlp_env,
    "consul.Client": consul_client,
}
