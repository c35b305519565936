"""The small modules of the training side (PROTOCOL.md section 19)."""
import os

from monolith import path_utils
from monolith.common.python import mem_profiling
from monolith.native_training import consul
from monolith.native_training import env_utils
from monolith.native_training import mlp_utils
from monolith.native_training import net_utils
from monolith.native_training import yarn_runtime
from monolith.native_training import zk_utils

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


OPS = {
    "path_utils.find_main": find_main,
    "net_utils.is_ipv6_address": lambda given: net_utils.is_ipv6_address(given["ip"]),
    "net_utils.concat_ip_and_port": lambda given: net_utils.concat_ip_and_port(given["ip"], given["port"]),
    "net_utils.get_local_server_addr": get_local_server_addr,
    "net_utils.NodeAliveChecker": node_alive_checker,
    "zk_utils.is_ipv6_only": is_ipv6_only,
    "env_utils.get_zk_auth_data": get_zk_auth_data,
    "env_utils.generate_psm_from_uuid": lambda given: env_utils.generate_psm_from_uuid(given["s"]),
    "mem_profiling.enable_tcmalloc": enable_tcmalloc,
    "mem_profiling.setup_heap_profile": setup_heap_profile,
    "yarn_runtime.get_local_host": lambda given: yarn_runtime.get_local_host(),
    "mlp_utils.MLPEnv": mlp_env,
    "consul.Client": consul_client,
}
