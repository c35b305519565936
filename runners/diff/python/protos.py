"""The generated protobuf and gRPC modules, made from descriptors.pb.

descriptors.pb is a FileDescriptorSet of engine/proto; `go generate ./runners/diff/python`
writes it and a Go test says when it is old. No protoc is needed: module(name)
builds x.y_pb2 or x.y_pb2_grpc when the reference imports it, with the names that
protoc and the gRPC plugin give.

To change what differs from the public build look at OURS_ALONE; a .proto that
lies elsewhere here than upstream, MOVED.
"""
import functools
import os
import types

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, symbol_database
from google.protobuf.internal import builder

from standins import unused

DESCRIPTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "descriptors.pb")

# A policy of monolith's internal fork that engine/proto has and no release does (Q25):
# with the protos of a release the reference raises AttributeError.
OURS_ALONE = {
    "tensorflow_serving/sources/storage_path/file_system_storage_path_source.proto":
        ("FileSystemStoragePathSourceConfig", "ServableVersionPolicy", "latest_once", "LatestOnce"),
}

# Upstream's path, and ours where Go wants one package a directory.
MOVED = {"idl/matrix/proto/example.proto": "monolith/io/proto/example.proto"}

# Modules with messages that are imported, used by no operation, and not in engine/proto.
UNUSED = ("idl.matrix.proto.example_pb2", "monolith.native_training.runtime.hash_table.embedding_hash_table_pb2")


_left_out = ["google/protobuf/"]


def leave_to_tensorflow():
    """Has the messages of TensorFlow come from the package itself, which is installed. It is called first."""
    _left_out.append("tensorflow/")


@functools.lru_cache(maxsize=None)
def files():
    """The descriptors by path, without what is ours alone and what the protobuf package brings."""
    with open(DESCRIPTORS, "rb") as f:
        found = {p.name: p for p in descriptor_pb2.FileDescriptorSet.FromString(f.read()).file
                 if not p.name.startswith(tuple(_left_out))}
    for path, (outer, inner, field, message) in OURS_ALONE.items():
        for m in found[path].message_type:
            for n in m.nested_type:
                if (m.name, n.name) == (outer, inner):
                    drop(n.field, field)
                    drop(n.nested_type, message)
    return found


def drop(entries, name):
    for i in reversed(range(len(entries))):
        if entries[i].name == name:
            del entries[i]


@functools.lru_cache(maxsize=None)
def file_of_message():
    """The path of the file of every message, by full name."""
    found = {}

    def note(path, prefix, messages):
        for m in messages:
            name = f"{prefix}.{m.name}" if prefix else m.name
            found[name] = path
            note(path, name, m.nested_type)

    for path, file in files().items():
        note(path, file.package, file.message_type)
    return found


@functools.lru_cache(maxsize=None)
def descriptor(path):
    """The file in the default pool, its imports first."""
    file = files().get(path)
    if file is None:
        __import__(path[:-len(".proto")].replace("/", ".") + "_pb2")
        return descriptor_pool.Default().FindFileByName(path)
    for needed in file.dependency:
        descriptor(needed)
    return descriptor_pool.Default().AddSerializedFile(file.SerializeToString())


@functools.lru_cache(maxsize=None)
def messages(path):
    """The content of the x_pb2 module of a file; the classes of its imports are made first, as it needs them."""
    if path not in files():
        return {}
    for needed in files()[path].dependency:
        messages(needed)
    content = {"DESCRIPTOR": descriptor(path)}
    name = path[:-len(".proto")].replace("/", ".") + "_pb2"
    builder.BuildMessageAndEnumDescriptors(content["DESCRIPTOR"], content)
    builder.BuildTopDescriptorsAndMessages(content["DESCRIPTOR"], name, content)
    return content


def message(full_name, serialized):
    """A message by its type's name."""
    messages(file_of_message()[full_name])
    return symbol_database.Default().GetSymbol(full_name).FromString(serialized)


def load_all():
    """Makes every message known, as parsing an Any from text needs."""
    for path in files():
        messages(path)


def path_of(module_name):
    """The path of the .proto behind a generated module's name, or None."""
    for suffix in ("_pb2_grpc", "_pb2"):
        if module_name.endswith(suffix):
            path = module_name[:-len(suffix)].replace(".", "/") + ".proto"
            path = MOVED.get(path, path)
            return path if path in files() else None
    return None


def module(name):
    """The generated module of that name."""
    made = types.ModuleType(name)
    path = path_of(name)
    if name.endswith("_pb2"):
        if name in UNUSED:
            made.__getattr__ = unused.Module(name).__getattr__
        made.__dict__.update(messages(path))
    else:
        for service in descriptor(path).services_by_name.values():
            made.__dict__.update(service_classes(service))
    return made


def service_classes(service):
    """What the gRPC plugin writes for a service: stub, servicer, and the function that adds one to a server."""
    for m in service.methods:
        messages(m.input_type.file.name)
        messages(m.output_type.file.name)
    types_of = {
        m.name: [symbol_database.Default().GetSymbol(t.full_name) for t in (m.input_type, m.output_type)]
        for m in service.methods
    }

    class Stub:

        def __init__(self, channel):
            for name, (request, response) in types_of.items():
                call = channel.unary_unary(f"/{service.full_name}/{name}",
                                           request_serializer=request.SerializeToString,
                                           response_deserializer=response.FromString)
                setattr(self, name, call)

    def unimplemented(self, request, context):
        context.set_code(grpc.StatusCode.UNIMPLEMENTED)
        context.set_details("Method not implemented!")
        raise NotImplementedError("Method not implemented!")

    servicer = type(service.name + "Servicer", (), {name: unimplemented for name in types_of})

    def add(implementation, server):
        handlers = {
            name: grpc.unary_unary_rpc_method_handler(getattr(implementation, name),
                                                      request_deserializer=request.FromString,
                                                      response_serializer=response.SerializeToString)
            for name, (request, response) in types_of.items()
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))

    Stub.__name__ = Stub.__qualname__ = service.name + "Stub"
    return {Stub.__name__: Stub, servicer.__name__: servicer, f"add_{servicer.__name__}_to_server": add}
