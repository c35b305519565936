"""Records python.json: what Python's text_format prints for messages of ours.

    go run ./engine/proto/gen -descriptors descriptors.bin
    pip install protobuf==3.20.3
    python engine/proto/textpb/testdata/record.py descriptors.bin engine/proto/textpb/testdata/python.json

Each case is written below as a text, so that it can be read; the file holds the
serialised message in hex and the text that Python printed for it. A case with a
callable is built by hand, where no text says it.
"""

import json
import random
import struct
import sys

import google.protobuf
from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, symbol_database, text_format
from google.protobuf import wrappers_pb2  # pylint: disable=unused-import

MODELS = """
model_config_list {
  config { name: "m:ps_0" base_path: "/data/m/exported_models/ps_0" model_platform: "tensorflow"
           model_version_policy { latest { num_versions: 1 } } }
  config { name: "m:entry" base_path: "/data/m/exported_models/entry" model_platform: "tensorflow"
           model_version_policy { latest_once { num_versions: 2 } } }
  config { name: "m:dense_0" base_path: "hdfs://haruna/m/dense_0" model_platform: "tensorflow"
           model_version_policy { specific { versions: 3 versions: 1 versions: 1700000000 } } }
}
"""

PLATFORM = """
platform_configs { key: "tensorflow" value { source_adapter_config {
  [type.googleapis.com/tensorflow.serving.SavedModelBundleSourceAdapterConfig] { legacy_config {
    session_config { gpu_options { allow_growth: true per_process_gpu_memory_fraction: 0.3 }
                     intra_op_parallelism_threads: 4 device_count { key: "GPU" value: 1 } device_count { key: "CPU" value: 8 } }
    batching_parameters { max_batch_size { value: 1024 } batch_timeout_micros { value: 0 } allowed_batch_sizes: [8, 64, 1024]
                          support_diff_dim_size_inputs: true }
    enable_model_warmup: true } } } } }
"""

CASES = [
    ("empty message", "tensorflow.serving.ModelServerConfig", ""),
    ("empty list is printed as an empty pair of braces", "tensorflow.serving.ModelServerConfig", "model_config_list {}"),
    ("three models", "tensorflow.serving.ModelServerConfig", MODELS),
    ("fields come by number, whatever the order they were set in", "tensorflow.serving.ModelConfig",
     'alias: "z" version_labels { key: "stable" value: 2 } model_version_policy { all {} } '
     'logging_config { sampling_config { sampling_rate: 0.01 } } model_platform: "tensorflow" base_path: "/b" name: "n"'),
    ("fields come by number although declared otherwise", "tensorflow.serving.FileSystemStoragePathSourceConfig",
     'servables { servable_name: "s" servable_version_policy { latest {} } } file_system_poll_wait_seconds: -1 '
     'servable_versions_always_present: true'),
    ("map is sorted by key", "tensorflow.serving.ModelConfig",
     'version_labels { key: "b" value: 1 } version_labels { key: "a" value: 2 } version_labels { key: "B" value: 3 } '
     'version_labels { key: "" value: 4 } version_labels { key: "\\303\\251" value: 5 }'),
    ("map entry leaves out default key and value", "tensorflow.serving.ModelConfig",
     'version_labels { key: "zero" value: 0 } version_labels { key: "" value: 0 }'),
    ("map entry keeps an empty message value", "tensorflow.serving.PlatformConfigMap",
     'platform_configs { key: "tensorflow" value {} }'),
    ("enum by name", "tensorflow.serving.ModelConfig", 'model_type: TENSORFLOW'),
    ("unknown enum by number", "tensorflow.serving.ModelConfig", 'model_type: 7'),
    ("default enum is unset", "tensorflow.serving.ModelConfig", 'model_type: MODEL_TYPE_UNSPECIFIED name: ""'),
    ("oneof member with the default value is set", "tensorflow.serving.ModelSpec", 'version_label: ""'),
    ("wrapper with the default value is an empty message", "tensorflow.serving.ModelSpec", 'version { value: 0 }'),
    ("optional field with the default value is set", "tensorflow.serving.PredictRequest", 'client_id: ""'),
    ("printable ASCII", "tensorflow.serving.ModelConfig",
     lambda m: setattr(m, "name", "".join(chr(c) for c in range(32, 127)))),
    ("control characters", "tensorflow.serving.ModelConfig",
     lambda m: setattr(m, "name", "".join(chr(c) for c in list(range(32)) + [127]))),
    ("non-ASCII strings are octal bytes", "tensorflow.serving.ModelConfig",
     lambda m: setattr(m, "base_path", "caf\u00e9/\u6a21\u578b/\U0001f600/\u00a0")),
    ("every byte", "tensorflow.TensorProto", lambda m: setattr(m, "tensor_content", bytes(range(256)))),
    ("octal escape before a digit", "tensorflow.TensorProto", lambda m: m.string_val.append(b"\x001\xff7")),
    ("repeated scalars have a line each", "tensorflow.TensorProto",
     'dtype: DT_INT32 tensor_shape { dim { size: -1 name: "batch" } dim { size: 2 } } int_val: [1, -2, 2147483647, -2147483648] '
     'bool_val: [true, false] uint64_val: 18446744073709551615 int64_val: -9223372036854775808'),
    ("signature", "tensorflow.serving.SignatureDefMap",
     'signature_def { key: "serving_default" value { inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } } '
     'outputs { key: "y" value { name: "y:0" dtype: DT_FLOAT_REF tensor_shape { unknown_rank: true } } } method_name: "tensorflow/serving/predict" } }'),
    ("status", "tensorflow.serving.GetModelStatusResponse",
     'model_version_status { version: 1 state: END status { error_code: NOT_FOUND error_message: "Could not find \\"m\\"" } } '
     'model_version_status { version: 2 state: AVAILABLE status {} }'),
    ("agent addresses", "monolith.serving.agent_service.HeartBeatResponse",
     'addresses { key: "ps:1" value { address: "10.0.0.2:80" address: "10.0.0.1:80" } } addresses { key: "ps:0" value {} }'),
    ("platform config with an expanded Any", "tensorflow.serving.PlatformConfigMap", PLATFORM),
    ("empty Any", "tensorflow.serving.PlatformConfig", "source_adapter_config {}"),
    ("Any with an empty value is expanded", "tensorflow.serving.PlatformConfig",
     'source_adapter_config { type_url: "type.googleapis.com/tensorflow.serving.LoggingConfig" }'),
    ("Any of an unknown type is not expanded", "tensorflow.serving.PlatformConfig",
     'source_adapter_config { type_url: "type.googleapis.com/no.such.Type" value: "\\001\\002" }'),
    ("Any without a slash is not expanded", "tensorflow.serving.PlatformConfig",
     'source_adapter_config { type_url: "tensorflow.serving.LoggingConfig" }'),
    ("Any with another host is expanded", "tensorflow.serving.PlatformConfig",
     'source_adapter_config { type_url: "a/b/tensorflow.serving.LogCollectorConfig" value: "\\n\\001t" }'),
    ("Any at the top is expanded", "google.protobuf.Any",
     'type_url: "x/tensorflow.serving.LogCollectorConfig" value: "\\n\\001t"'),
    ("resources", "monolith.serving.agent_service.GetResourceResponse",
     'address: "10.0.0.1:80" shard_id: -1 memory: 1099511627776 cpu: 0.1 network: 1e30 work_load: -1'),
]

FLOATS = [0.0, 1.0, -1.5, 0.1, 0.9, 1 / 3, 16777216.0, 16777217.0, 123456789.0, 1e-4, 9.9999e-5, 1e-5, 1e15, 1e16, 1e17, 123456.0,
          1234567.0, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-45, 1.4e-44, 5e-40, float("inf"), float("-inf"), float("nan"), -0.0]
DOUBLES = FLOATS + [1e100, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 9999999999999998.0, 1e22, 0.30000000000000004,
                    123456789012345680.0, 0.0001, 0.00012345]


def random_bits(count, fmt, size):
    """Floats of random bits, the same on every run; no NaN, whose bits differ between machines."""
    rng = random.Random(20)
    values = (struct.unpack(fmt, rng.getrandbits(8 * size).to_bytes(size, "little"))[0] for _ in range(count))
    return [v for v in values if v == v]


CASES += [
    ("floats", "tensorflow.TensorProto", lambda m: m.float_val.extend(FLOATS)),
    ("doubles", "tensorflow.TensorProto", lambda m: m.double_val.extend(DOUBLES)),
    ("floats of random bits", "tensorflow.TensorProto", lambda m: m.float_val.extend(random_bits(200, "<f", 4))),
    ("doubles of random bits", "tensorflow.TensorProto", lambda m: m.double_val.extend(random_bits(200, "<d", 8))),
]


def load_types(path):
    """Registers the messages of a FileDescriptorSet in Python's default pool."""
    with open(path, "rb") as file:
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.Default()
    for file in files.file:
        if not file.name.startswith("google/protobuf/"):
            pool.AddSerializedFile(file.SerializeToString())
    database = symbol_database.Default()
    return lambda name: database.GetPrototype(pool.FindMessageTypeByName(name))()


def record(new_message, name, full_name, source):
    message = any_pb2.Any() if full_name == "google.protobuf.Any" else new_message(full_name)
    if callable(source):
        source(message)
    else:
        text_format.Parse(source, message)
    return {
        "name": name,
        "message": full_name,
        "hex": message.SerializeToString(deterministic=True).hex(),
        "text": text_format.MessageToString(message),
    }


def main():
    descriptors, output = sys.argv[1:]
    new_message = load_types(descriptors)
    golden = {
        "recorded_with": "protobuf " + google.protobuf.__version__,
        "cases": [record(new_message, *case) for case in CASES],
    }
    with open(output, "w", encoding="utf-8") as file:
        json.dump(golden, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
