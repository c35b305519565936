"""Records the messages of upstream as facts: fields, numbers, types, JSON names.

  python3 record.py NAME=CHECKOUT... > upstream.json

NAME is what a checkout of tensorflow/serving is called in the record ("2.4.0").
Needs grpcio-tools and tensorflow, which has the messages of package tensorflow.
"""

import importlib
import json
import pathlib
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool
from grpc_tools import protoc

# The files that our own .proto files stand for, besides those of package
# tensorflow.
FOLDERS = [
    "tensorflow_serving/apis",
    "tensorflow_serving/config",
    "tensorflow_serving/sources/storage_path",
    "tensorflow_serving/servables/tensorflow",
    "tensorflow_serving/util",
]
TENSORFLOW = [
    "tensorflow/core/example/example.proto",
    "tensorflow/core/framework/graph.proto",
    "tensorflow/core/framework/tensor.proto",
    "tensorflow/core/protobuf/config.proto",
    "tensorflow/core/protobuf/error_codes.proto",
    "tensorflow/core/protobuf/meta_graph.proto",
    "tensorflow/core/protobuf/named_tensor.proto",
    "tensorflow/core/protobuf/saved_model.proto",
    "tensorflow/core/util/event.proto",
]

Field = descriptor_pb2.FieldDescriptorProto


def main(arguments):
  import tensorflow

  record = {"tensorflow " + tensorflow.__version__: facts(tensorflow_files().file, "tensorflow")}
  for argument in arguments:
    name, _, checkout = argument.partition("=")
    record["serving " + name] = facts(compiled(pathlib.Path(checkout)).file, "tensorflow.serving")
  write(record)


def write(record):
  """One line for each message."""
  releases = []
  for release, messages in sorted(record.items()):
    lines = [f"  {json.dumps(name)}: {json.dumps(fact, sort_keys=True)}" for name, fact in sorted(messages.items())]
    releases.append(f" {json.dumps(release)}: {{\n" + ",\n".join(lines) + "\n }")
  print("{\n" + ",\n".join(releases) + "\n}")


def tensorflow_files():
  """The files of package tensorflow with all that they import."""
  pool, files, seen = descriptor_pool.Default(), descriptor_pb2.FileDescriptorSet(), set()

  def add(file):
    if file.name in seen:
      return
    seen.add(file.name)
    for dependency in file.dependencies:
      add(dependency)
    file.CopyToProto(files.file.add())

  for name in TENSORFLOW:
    importlib.import_module(name[:-len(".proto")].replace("/", ".") + "_pb2")
    add(pool.FindFileByName(name))
  for name in ("any", "wrappers"):
    add(pool.FindFileByName(f"google/protobuf/{name}.proto"))
  return files


def compiled(checkout):
  sources = sorted(
      str(path.relative_to(checkout)) for folder in FOLDERS for path in (checkout / folder).glob("*.proto"))
  # Of a model's own settings we have nothing, and tensorflow has not all that they import.
  sources = [source for source in sources if not source.endswith("/saved_model_config.proto")]
  with tempfile.TemporaryDirectory() as scratch:
    known, out = pathlib.Path(scratch, "known.pb"), pathlib.Path(scratch, "out.pb")
    known.write_bytes(tensorflow_files().SerializeToString())
    code = protoc.main(["protoc", f"--descriptor_set_in={known}", f"-I{checkout}", f"--descriptor_set_out={out}", *sources])
    if code:
      sys.exit(code)
    files = descriptor_pb2.FileDescriptorSet()
    files.ParseFromString(out.read_bytes())
    return files


def facts(files, package):
  by_name = {}
  for file in files:
    if file.package.split(".")[0] != "tensorflow" or package == "tensorflow" and file.package.startswith("tensorflow.serving"):
      continue
    for message in file.message_type:
      add_message(by_name, file, file.package + "." + message.name, message)
    for enum in file.enum_type:
      add_enum(by_name, file, file.package + "." + enum.name, enum)
    for service in file.service:
      by_name[f"{file.package}.{service.name}"] = {
          "file": file.name,
          "methods": {m.name: f"{m.input_type}{' stream' * m.client_streaming} -> {m.output_type}{' stream' * m.server_streaming}"
                      for m in service.method}}
  return by_name


def add_message(by_name, file, name, message):
  if message.options.map_entry:
    return
  by_name[name] = {"file": file.name, "fields": {f.name: field(message, f) for f in message.field}}
  for nested in message.nested_type:
    add_message(by_name, file, f"{name}.{nested.name}", nested)
  for enum in message.enum_type:
    add_enum(by_name, file, f"{name}.{enum.name}", enum)


def camel(name):
  """What json_name is where a file does not carry it."""
  first, *rest = name.split("_")
  return first + "".join(word[:1].upper() + word[1:] for word in rest)


def add_enum(by_name, file, name, enum):
  by_name[name] = {"file": file.name, "values": {v.name: v.number for v in enum.value}}


def field(message, f):
  kind = Field.Type.Name(f.type)[len("TYPE_"):].lower()
  if f.type_name:
    kind = f.type_name.lstrip(".")
  if f.label == Field.LABEL_REPEATED:
    kind = "repeated " + kind
  for nested in message.nested_type:
    if nested.options.map_entry and f.type_name.endswith("." + nested.name):
      kind = f"map {field(nested, nested.field[0])['type']} {field(nested, nested.field[1])['type']}"
  fact = {"number": f.number, "type": kind, "json": f.json_name or camel(f.name)}
  if f.HasField("oneof_index") and not f.proto3_optional:
    fact["oneof"] = message.oneof_decl[f.oneof_index].name
  if f.proto3_optional:
    fact["optional"] = True
  return fact


if __name__ == "__main__":
  main(sys.argv[1:])
