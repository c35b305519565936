"""utils and agent_base (PROTOCOL.md section 5)."""
import os

from google.protobuf import text_format
from tensorflow_serving.config import platform_config_pb2

from monolith.agent_service import agent_base
from monolith.agent_service import utils

from values import attempt, pairs

PROPERTIES = ("num_tce_shard", "shard_id", "idc", "cluster", "location", "path_prefix", "layout_path",
              "container_cluster", "container_id")
SHIP_IN = {"none": (None, None), "idc-none": ("lf", None), "cluster-none": (None, "def"), "lf-def": ("lf", "def"),
           "lf-c": ("lf", "c"), "lf-1": ("lf", "1"), "empty": ("", ""), "LQ-Default-2": ("LQ", "Default-2")}
ZK_PATH = ("bzid", "base_name", "idc", "cluster", "server_type", "index", "replica_id", "task", "location")


def config_dump(config):
    """Every field of an AgentConfig, and its properties as attempts."""
    fields = {name: getattr(config, name) for name in config.__dataclass_fields__}
    fields["model_config_file"] = config.model_config_file
    fields["deploy_type"] = str(config.deploy_type)
    return {"fields": fields, "properties": {p: attempt(getattr, config, p) for p in PROPERTIES}}


def conf_parser(given):
    args = given.get("args") or {}
    utils.conf_parser(given["file_name"], args)
    return {"args": pairs(args)}


def from_file(given):
    return config_dump(utils.AgentConfig.from_file(given["fname"]))


def agent_config(given):
    return config_dump(utils.AgentConfig(**given["kwargs"]))


def get_cmd_and_port(given):
    config = utils.AgentConfig.from_file(given["fname"])
    cmd, port = config.get_cmd_and_port(given["binary"], given.get("server_type"), given.get("config_file"))
    binary, *flags = cmd.split(" ")
    answer = {"cmd": cmd, "binary": binary, "flags": flags, "port": port}
    if given.get("config_file") is None:
        with open(flags[0].split("=", 1)[1]) as f:
            answer["model_config_text"] = f.read()
    return answer


def gen_model_server_config(given):
    config = utils.AgentConfig.from_file(given["fname"])
    made = config._gen_model_server_config(given["server_type"])
    return {"names": [c.name for c in made.model_config_list.config], "config": made}


def get_server_schedule_iter(given):
    return {"items": list(utils.AgentConfig.from_file(given["fname"]).get_server_schedule_iter(given["server_type"]))}


def generate_platform_config_file(given):
    utils.AgentConfig.from_file(given["fname"])
    with open("p.cfg") as f:
        text = f.read()
    return {"text": text, "message": text_format.Parse(text, platform_config_pb2.PlatformConfigMap())}


def zk_path(given):
    path = utils.ZKPath(given["path"])
    if "attribute" in given:
        return getattr(path, given["attribute"])
    answer = {name: attempt(getattr, path, name) for name in ZK_PATH}
    for name, arguments in SHIP_IN.items():
        answer[f"ship_in:{name}"] = attempt(path.ship_in, *arguments)
    return answer


def parse_pattern(given):

    def collect(found, before, inside):
        return found + [[before, inside]]

    return utils.parse_pattern(given["pattern_str"], [], collect, given["lp"], given["rp"])


def formater(read):
    """An operation that reads a file into an InstanceFormater."""

    def op(given):
        made = read(given["fname"])
        answer = {"instance": made._inst, "tensor": made.to_tensor_proto(given["batch_size"])}
        if read == utils.InstanceFormater.from_pb_text:
            answer["str"] = str(made)
        return answer

    return op


def writer(method):
    """An operation that writes an Instance to a file."""

    def op(given):
        path = getattr(utils.InstanceFormater(given["instance"]), method)(given["fname"])
        with open(path, "rb") as f:
            return {"path": path, "content": f.read()}

    return op


def deploy_type(given):
    raw = given["dtype"]
    made = utils.DeployType(raw)
    return {"str": str(made), "eq_lower": made == raw.lower(), "eq_raw": made == raw,
            "eq_self": made == utils.DeployType(raw), "eq_none": made == None,  # pylint: disable=singleton-comparison
            "in_set": made in {"ps", "mixed"}}


def proxy_cmd_and_port(given):
    cmd, port = agent_base.get_cmd_and_port(utils.AgentConfig.from_file(given["fname"]), given["conf_path"],
                                            given["server_type"], given["config_file"])
    return {"cmd": cmd, "port": port}


def keywords(function):
    """An operation that hands `in` over as keyword arguments."""
    return lambda given: function(**given)


OPS = {
    "utils.conf_parser": conf_parser,
    "utils.AgentConfig.from_file": from_file,
    "utils.AgentConfig": agent_config,
    "utils.AgentConfig.get_cmd_and_port": get_cmd_and_port,
    "utils.AgentConfig._gen_model_server_config": gen_model_server_config,
    "utils.AgentConfig.get_server_schedule_iter": get_server_schedule_iter,
    "utils.AgentConfig.generate_platform_config_file": generate_platform_config_file,
    "utils.ZKPath": zk_path,
    "utils.normalize_regex": keywords(utils.normalize_regex),
    "utils.expand_pattern": keywords(utils.expand_pattern),
    "utils.parse_pattern": parse_pattern,
    "utils.gen_model_spec": keywords(utils.gen_model_spec),
    "utils.gen_model_config": keywords(utils.gen_model_config),
    "utils.gen_status_proto": keywords(utils.gen_status_proto),
    "utils.gen_model_version_status": keywords(utils.gen_model_version_status),
    "utils.make_tensor_proto": keywords(utils.make_tensor_proto),
    "utils.InstanceFormater.from_json": formater(utils.InstanceFormater.from_json),
    "utils.InstanceFormater.from_pb_text": formater(utils.InstanceFormater.from_pb_text),
    "utils.InstanceFormater.from_dump": formater(utils.InstanceFormater.from_dump),
    "utils.InstanceFormater.to_pb": writer("to_pb"),
    "utils.InstanceFormater.to_json": writer("to_json"),
    "utils.InstanceFormater.to_pb_text": writer("to_pb_text"),
    "utils.pasre_sub_model_name": lambda given: list(utils.pasre_sub_model_name(given["sub_model_name"])),
    "utils.DeployType.compat_server_type":
        lambda given: utils.DeployType(given["deploy_type"]).compat_server_type(given["server_type"]),
    "utils.DeployType": deploy_type,
    "utils.replica_id_from_pod_name": lambda given: utils.replica_id_from_pod_name(),
    "utils.get_local_ip": lambda given: utils.get_local_ip(),
    "utils.isabs": lambda given: os.path.isabs(given["path"]),
    "agent_base.get_cmd_and_port": proxy_cmd_and_port,
}
