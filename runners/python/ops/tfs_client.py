"""tfs_client (testee.md section 17)."""
import io

from absl import flags

from monolith.agent_service import tfs_client

from values import attempt

import protos

FLAGS = ("lagrangex_header", "has_sort_id", "kafka_dump", "kafka_dump_prefix")

flags.FLAGS.mark_as_parsed()


def set_flags(given):
    on = given.get("flags") or []
    for name in FLAGS:
        setattr(flags.FLAGS, name, name in on)


def from_stream(function):

    def op(given):
        set_flags(given)
        stream = io.BytesIO(given["stream"])
        return {"result": attempt(function, stream), "consumed": stream.tell()}

    return op


def with_flags(function, *names):
    """An operation that calls the function with these entries of `in`."""

    def op(given):
        set_flags(given)
        return function(*(given[n] for n in names))

    return op


def example_batch(given):
    set_flags(given)
    return tfs_client.get_example_batch_proto(given["input_file"], None, given["batch_size"], given["file_type"])


def random_instance_shape(given):
    set_flags(given)
    options = {k: given[k] for k in ("slots", "vocab_sizes") if k in given}
    instance = protos.message("parser.proto.Instance", tfs_client.generate_random_instance(**options))
    return {"slots_of_fids": [fid >> 54 for fid in instance.fid]}


OPS = {
    "tfs_client.read_header": from_stream(tfs_client.read_header),
    "tfs_client.read_data": from_stream(tfs_client.read_data),
    "tfs_client.get_example_batch_to_instance":
        with_flags(tfs_client.get_example_batch_to_instance, "input_file", "file_type"),
    "tfs_client.get_example_batch_proto": example_batch,
    "tfs_client.get_instance_proto": with_flags(tfs_client.get_instance_proto, "input_file", "batch_size"),
    "tfs_client.generate_random_instance.shape": random_instance_shape,
}
