"""tfs_client: data files, and what is made of them (PROTOCOL.md section 17)."""
import io

from absl import flags

from monolith.agent_service import tfs_client
from monolith.native_training.data import feature_list
from monolith.native_training.model_export import data_gen_utils

from values import attempt

import protos
import surroundings

FRAMING = ("lagrangex_header", "has_sort_id", "kafka_dump", "kafka_dump_prefix")

GLOBALS = ("VALID_SLOTS", "user_features")

LOGGING = ("v", "verbosity", "stderrthreshold")  # flags of absl's log, which shown.py sets

# A graph's collections: there is no graph.
data_gen_utils.get_collection = lambda name: None

flags.FLAGS.mark_as_parsed()


class Draws:
    """Takes the place of the random module."""

    def __init__(self):
        self.numbers, self.made = [0], 0

    def reset(self, numbers):
        self.numbers, self.made = numbers or [0], 0

    def randint(self, least, most):
        if most < least:
            raise ValueError("empty range for randrange()")
        self.made += 1
        return least + self.numbers[(self.made - 1) % len(self.numbers)] % (most - least + 1)

    def choice(self, items):
        return items[self.randint(0, len(items) - 1)]


class Datetime:
    """Takes the place of the class datetime."""

    @staticmethod
    def now():
        return Datetime()

    def timestamp(self):
        return surroundings.clock.time()


draws = Draws()
tfs_client.random = draws
tfs_client.datetime = Datetime
data_gen_utils.datetime = Datetime
data_gen_utils.randint = draws.randint
data_gen_utils.uniform = lambda a, b: draws.randint(0, 1)
data_gen_utils.choice = draws.choice


def enter(given):
    """Sets flags, names of the module and random numbers as the case has them; all others are as at the start."""
    for name in flags.FLAGS:
        if name not in LOGGING and flags.FLAGS[name].value != flags.FLAGS[name].default:
            setattr(flags.FLAGS, name, flags.FLAGS[name].default)
    for name in given.get("flags") or []:
        if name in FRAMING:
            setattr(flags.FLAGS, name, True)
    for name, value in (given.get("options") or {}).items():
        setattr(flags.FLAGS, name, value)
    names = given.get("globals") or {}
    tfs_client.VALID_SLOTS = names.get("VALID_SLOTS", [])
    vars(tfs_client).pop("user_features", None)
    if "user_features" in names:
        tfs_client.user_features = names["user_features"]
    draws.reset(given.get("draws"))


def from_stream(function):

    def op(given):
        enter(given)
        stream = io.BytesIO(given["stream"])
        return {"result": attempt(function, stream), "consumed": stream.tell()}

    return op


def entered(function, *names):
    """An operation that calls the function with these entries of `in`."""

    def op(given):
        enter(given)
        return function(*(given[n] for n in names))

    return op


def features(given):
    return [feature_list.Feature(**f) for f in given["features"]] if "features" in given else None


def example_batch(given):
    enter(given)
    return tfs_client.get_example_batch_proto(given["input_file"], features(given), given["batch_size"],
                                              given["file_type"])


def random_instance(given):
    enter(given)
    options = {k: given[k] for k in ("slots", "vocab_sizes") if k in given}
    return protos.message("parser.proto.Instance", tfs_client.generate_random_instance(**options))


def random_instance_shape(given):
    return {"slots_of_fids": [fid >> 54 for fid in random_instance(given).fid]}


def random_example_batch(given):
    enter(given)
    batch = tfs_client.generate_random_example_batch(features(given), given["batch_size"])
    return protos.message("monolith.io.proto.ExampleBatch", batch)


def random_file(given):
    enter(given)
    path = tfs_client.gen_random_file(given["input_file"], *([given["variant_type"]] if "variant_type" in given else []))
    with open(path, "rb") as f:
        return {"content": f.read()}


OPS = {
    "tfs_client.read_header": from_stream(tfs_client.read_header),
    "tfs_client.read_data": from_stream(tfs_client.read_data),
    "tfs_client.get_example_batch_to_instance":
        entered(tfs_client.get_example_batch_to_instance, "input_file", "file_type"),
    "tfs_client.get_example_batch_proto": example_batch,
    "tfs_client.get_example_batch_proto_v2": entered(tfs_client.get_example_batch_proto_v2, "input_file"),
    "tfs_client.get_instance_proto": entered(tfs_client.get_instance_proto, "input_file", "batch_size"),
    "tfs_client.generate_random_instance": random_instance,
    "tfs_client.generate_random_instance.shape": random_instance_shape,
    "tfs_client.generate_random_example_batch": random_example_batch,
    "tfs_client.gen_random_file": random_file,
}
