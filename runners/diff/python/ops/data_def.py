"""Values of data_def and backends (PROTOCOL.md section 6)."""
from monolith.agent_service import backends
from monolith.agent_service import data_def

from values import attempt

CLASSES = {
    "data_def.ModelMeta": data_def.ModelMeta,
    "data_def.ResourceSpec": data_def.ResourceSpec,
    "data_def.PublishMeta": data_def.PublishMeta,
    "data_def.ReplicaMeta": data_def.ReplicaMeta,
    "data_def.Event": data_def.Event,
    "backends.SavedModelDeployConfig": backends.SavedModelDeployConfig,
    "backends.ContainerServiceInfo": backends.ContainerServiceInfo,
}
ENUM_FIELDS = {"ptype": data_def.PublishType, "etype": data_def.EventType}
WITH_PATH = ("ModelMeta", "ResourceSpec", "PublishMeta", "ReplicaMeta")


def make(cls, arguments):
    """An object of the class; enum members are given by name, anything else as it is."""
    arguments = dict(arguments)
    for field, members in ENUM_FIELDS.items():
        value = arguments.get(field)
        if isinstance(value, str) and value in members.__members__:
            arguments[field] = members[value]
    return cls(**arguments)


def serialize(cls):

    def op(given):
        made = make(cls, given)
        serialized = made.serialize()
        return {"serialized": serialized, "roundtrip": attempt(cls.deserialize, serialized),
                "roundtrip_equal": attempt(lambda: cls.deserialize(serialized) == made)}

    return op


def deserialize(cls):

    def op(given):
        made = cls.deserialize(given["serialized"])
        return {"fields": made, "reserialized": attempt(made.serialize)}

    return op


def get_path(cls):
    return lambda given: make(cls, given["self"]).get_path(*given["args"])


def get_address(given):
    meta = make(data_def.ReplicaMeta, given["self"])
    return {f"{kind}-{family}": attempt(meta.get_address, kind == "archon", family)
            for kind in ("grpc", "archon") for family in ("ipv4", "ipv6", "IPV4", None)}


def enums(given):
    del given
    members = data_def.EventType.__members__.items()
    return {"PublishType": [[m.name, m.value] for m in data_def.PublishType],
            "EventType": [[m.name, m.value] for m in data_def.EventType],
            "EventType.members": [[alias, m.name] for alias, m in members],
            "default_event": data_def.Event().etype}


def texts(cls):

    def op(given):
        made = cls(*given["args"])
        return {"str": str(made), "repr": repr(made)}

    return op


OPS = {
    **{f"{name}.serialize": serialize(cls) for name, cls in CLASSES.items()},
    **{f"{name}.deserialize": deserialize(cls) for name, cls in CLASSES.items()},
    **{f"data_def.{name}.get_path": get_path(CLASSES[f"data_def.{name}"]) for name in WITH_PATH},
    "data_def.ReplicaMeta.get_address": get_address,
    "data_def.enums": enums,
    "backends.SavedModel": texts(backends.SavedModel),
    "backends.Container": texts(backends.Container),
}
