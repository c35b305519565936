"""Records recorded.jsonl from the Python reference.

  MONOLITH_SRC=<checkout> PROTO_SRC=<engine/proto> python record.py < recorded.jsonl > again.jsonl

Cases come in one a line, as requests of the testee protocol; answers they have
already are dropped and made anew, so a second recording is equal to the first.

Needs protobuf, grpcio-tools, dataclasses-json, absl-py and kazoo. The protos are
compiled from this project's own, which have one field that no public build has
(latest_once), so nothing that depends on it is recorded here.
"""
import importlib.machinery
import json
import os
import socket
import subprocess
import sys
import tempfile
import types

SRC = os.environ["MONOLITH_SRC"]
PROTO = os.environ["PROTO_SRC"]
NAMESPACES = {"monolith", "monolith.agent_service", "monolith.native_training", "idl", "idl.matrix",
              "idl.matrix.proto"}
FREE_PORT = 59999


class Namespaces:
    """Answers for the packages whose __init__ pulls in TensorFlow."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in NAMESPACES:
            return None
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [os.path.join(SRC, *name.split("."))]
        return spec


def prepare():
    sys.dont_write_bytecode = True
    out = tempfile.mkdtemp()
    protos = []
    for base, _, names in os.walk(PROTO):
        protos += [os.path.join(base, n) for n in names
                   if n.endswith(".proto") and os.sep + "tensorflow" in base and "testdata" not in base]
    subprocess.run([sys.executable, "-m", "grpc_tools.protoc", "-I", PROTO, "--python_out", out] + sorted(protos),
                   check=True)
    sys.path.insert(0, out)
    sys.meta_path.insert(0, Namespaces)
    instance = types.ModuleType("idl.matrix.proto.proto_parser_pb2")
    instance.Instance = type("Instance", (), {})
    sys.modules[instance.__name__] = instance


def fake_host(host):
    """Patches the look-ups of the host with the case's answers."""
    answers = {"gethostbyname": "192.0.2.10", "udp_ip": None, **host}

    def gethostbyname(name):
        if answers["gethostbyname"] is None:
            raise socket.gaierror(-2, "Name or service not known")
        return answers["gethostbyname"]

    class Datagram:
        def connect(self, address):
            if answers["udp_ip"] is None:
                raise OSError(101, "Network is unreachable")

        def getsockname(self):
            return (answers["udp_ip"], 1)

        def close(self):
            pass

    socket.gethostbyname = gethostbyname
    return Datagram


def encode(v, tmp):
    from enum import Enum
    if isinstance(v, Enum):
        return {"$enum": type(v).__name__, "name": v.name, "value": v.value}
    if v is None or isinstance(v, bool):
        return v
    if isinstance(v, int):
        return {"$int": str(v)} if abs(v) > 2**53 else v
    if isinstance(v, float):
        return {"$f64": repr(v)}
    if isinstance(v, bytes):
        return {"$hex": v.hex()}
    if isinstance(v, str):
        return v.replace(tmp, "<TMP>")
    if isinstance(v, (list, tuple)):
        return [encode(x, tmp) for x in v]
    if isinstance(v, dict):
        return {k: encode(x, tmp) for k, x in v.items()}
    if hasattr(v, "SerializeToString"):
        return {"$pb": v.DESCRIPTOR.full_name, "hex": v.SerializeToString(deterministic=True).hex()}
    return str(v)


def decode(v, tmp):
    if isinstance(v, dict):
        if "$hex" in v:
            return bytes.fromhex(v["$hex"])
        if "$f64" in v:
            return float(v["$f64"])
        if "$int" in v:
            return int(v["$int"])
        return {k: decode(x, tmp) for k, x in v.items()}
    if isinstance(v, list):
        return [decode(x, tmp) for x in v]
    return v.replace("<TMP>", tmp) if isinstance(v, str) else v


def failure(e):
    return {"type": type(e).__name__, "message": str(e)}


def attempt(fn, tmp):
    try:
        return {"r": encode(fn(), tmp)}
    except Exception as e:
        return {"e": failure(e)}


PROPERTIES = ("num_tce_shard", "shard_id", "idc", "cluster", "location", "path_prefix", "layout_path",
              "container_cluster", "container_id")


def dump(conf, tmp):
    import dataclasses
    fields = {f.name: encode(getattr(conf, f.name), tmp) for f in dataclasses.fields(conf)}
    fields["model_config_file"] = conf.model_config_file
    return {"fields": fields, "properties": {p: attempt(lambda: getattr(conf, p), tmp) for p in PROPERTIES}}


def operations():
    import dataclasses
    from monolith.agent_service import backends, data_def, utils
    classes = {"data_def." + n: getattr(data_def, n)
               for n in ("ModelMeta", "ResourceSpec", "PublishMeta", "ReplicaMeta", "Event")}
    classes.update({"backends." + n: getattr(backends, n)
                    for n in ("SavedModelDeployConfig", "ContainerServiceInfo")})

    def construct(cls, kwargs):
        for name, enum in (("ptype", data_def.PublishType), ("etype", data_def.EventType)):
            if isinstance(kwargs.get(name), str):
                kwargs[name] = enum[kwargs[name]]
        return cls(**kwargs)

    def fields(m, tmp):
        return {f.name: encode(getattr(m, f.name), tmp) for f in dataclasses.fields(m)}

    def conf_parser(i, tmp):
        args = {}
        utils.conf_parser(i["file_name"], args)
        return {"args": encode(list(args.items()), tmp)}

    def command(i, tmp):
        cmd, port = utils.AgentConfig.from_file(i["fname"]).get_cmd_and_port(
            i["binary"], i["server_type"], i["config_file"])
        binary, *flags = cmd.split(" ")
        return encode({"cmd": cmd, "binary": binary, "flags": flags, "port": port}, tmp)

    def zkpath(i, tmp):
        if "attribute" in i:
            return getattr(utils.ZKPath(i["path"]), i["attribute"])
        path = utils.ZKPath(i["path"])
        ship = {"none": (None, None), "idc-none": ("lf", None), "cluster-none": (None, "def"),
                "lf-def": ("lf", "def"), "lf-c": ("lf", "c"), "lf-1": ("lf", "1"), "empty": ("", ""),
                "LQ-Default-2": ("LQ", "Default-2")}
        out = {n: attempt(lambda: getattr(path, n), tmp)
               for n in ("bzid", "base_name", "idc", "cluster", "server_type", "index", "replica_id", "task",
                         "location")}
        out.update({"ship_in:" + n: attempt(lambda: path.ship_in(*a), tmp) for n, a in ship.items()})
        return out

    def pattern(i, tmp):
        return encode(utils.parse_pattern(i["pattern_str"], [], lambda v, a, b: v + [[a, b]], i["lp"], i["rp"]), tmp)

    def model_server_config(i, tmp):
        config = utils.AgentConfig.from_file(i["fname"])._gen_model_server_config(i["server_type"])
        return {"names": [c.name for c in config.model_config_list.config], "config": encode(config, tmp)}

    def serialize(cls):
        def op(i, tmp):
            m = construct(cls, i)
            data = m.serialize()
            return {"serialized": encode(data, tmp),
                    "roundtrip": attempt(lambda: fields(cls.deserialize(data), tmp), tmp),
                    "roundtrip_equal": attempt(lambda: cls.deserialize(data) == m, tmp)}
        return op

    def deserialize(cls):
        def op(i, tmp):
            m = cls.deserialize(i["serialized"])
            return {"fields": fields(m, tmp), "reserialized": attempt(m.serialize, tmp)}
        return op

    def address(i, tmp):
        m = construct(data_def.ReplicaMeta, i["self"])
        return {f"{'archon' if archon else 'grpc'}-{family}": attempt(lambda: m.get_address(archon, family), tmp)
                for archon in (False, True) for family in ("ipv4", "ipv6", "IPV4", None)}

    ops = {
        "utils.conf_parser": conf_parser,
        "utils.AgentConfig.from_file": lambda i, tmp: dump(utils.AgentConfig.from_file(i["fname"]), tmp),
        "utils.AgentConfig": lambda i, tmp: dump(utils.AgentConfig(**i["kwargs"]), tmp),
        "utils.AgentConfig.get_cmd_and_port": command,
        "utils.AgentConfig._gen_model_server_config": model_server_config,
        "utils.AgentConfig.get_server_schedule_iter": lambda i, tmp: {
            "items": encode(list(utils.AgentConfig.from_file(i["fname"]).get_server_schedule_iter(i["server_type"])),
                            tmp)},
        "utils.ZKPath": zkpath,
        "utils.normalize_regex": lambda i, tmp: utils.normalize_regex(i["pattern_str"]),
        "utils.expand_pattern": lambda i, tmp: utils.expand_pattern(i["pattern_str"]),
        "utils.parse_pattern": pattern,
        "utils.gen_model_spec": lambda i, tmp: encode(utils.gen_model_spec(**i), tmp),
        "utils.gen_model_config": lambda i, tmp: encode(utils.gen_model_config(**i), tmp),
        "utils.pasre_sub_model_name": lambda i, tmp: encode(utils.pasre_sub_model_name(**i), tmp),
        "utils.DeployType.compat_server_type": lambda i, tmp: str(
            utils.DeployType(i["deploy_type"]).compat_server_type(i["server_type"])),
        "utils.replica_id_from_pod_name": lambda i, tmp: encode(utils.replica_id_from_pod_name(), tmp),
        "utils.get_local_ip": lambda i, tmp: utils.get_local_ip(),
        "data_def.ReplicaMeta.get_address": address,
    }
    for name, cls in classes.items():
        ops[name + ".serialize"] = serialize(cls)
        ops[name + ".deserialize"] = deserialize(cls)
        ops[name + ".get_path"] = lambda i, tmp, cls=cls: construct(cls, i["self"]).get_path(*i["args"])
    return utils, ops


def answer(case, utils, ops):
    tmp = os.path.realpath(tempfile.mkdtemp())
    os.chdir(tmp)
    os.environ.clear()
    os.environ.update({k: decode(v, tmp) for k, v in case.get("env", {}).items()})
    for name, content in case.get("files", {}).items():
        path = os.path.join(tmp, name)
        if content is None or name.endswith("/"):
            os.makedirs(path, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = decode(content, tmp)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
    datagram = fake_host(case.get("host", {}))
    utils.socket = types.SimpleNamespace(
        gethostbyname=socket.gethostbyname, gethostname=lambda: "host", AF_INET=socket.AF_INET,
        SOCK_DGRAM=socket.SOCK_DGRAM, socket=lambda *a: datagram())
    utils.find_free_port = lambda: FREE_PORT
    try:
        return {"out": ops[case["op"]](decode(case["in"], tmp), tmp)}
    except Exception as e:
        return {"error": failure(e)}


def main():
    prepare()
    utils, ops = operations()
    from absl import logging
    logging.set_verbosity(logging.FATAL)
    import warnings
    warnings.simplefilter("ignore")
    for case in map(json.loads, sys.stdin):
        case.pop("out", None)
        case.pop("error", None)
        print(json.dumps({**case, **answer(case, utils, ops)}))


if __name__ == "__main__":
    main()
