"""constants: the name of a variable, and what the variable decides (PROTOCOL.md section 20)."""
import os

from monolith.agent_service import constants
from monolith.agent_service import utils

from values import attempt


def constants_by_name(given):
    del given
    return {name: value for name, value in vars(constants).items() if name.isupper()}


def shards_and_tasks(arguments):
    config = utils.AgentConfig(**arguments)
    return [config.num_shard, attempt(lambda: list(config.get_server_schedule_iter("ps")))]


def host_shard_env(given):
    os.environ.pop(constants.HOST_SHARD_ENV, None)
    config = utils.AgentConfig(**given["config"])
    before = attempt(lambda: config.num_tce_shard)
    if given["value"] is not None:
        os.environ[constants.HOST_SHARD_ENV] = given["value"]
    return {"before": before, "after": attempt(lambda: config.num_tce_shard),
            "made": attempt(shards_and_tasks, given["config"])}


OPS = {"constants.values": constants_by_name, "constants.HOST_SHARD_ENV": host_shard_env}
