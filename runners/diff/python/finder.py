"""Imports of the reference, from an unmodified checkout (python-quirks.md section 5).

Use install(source) once, then import monolith.… as usual. Its own packages are
found without running their __init__, which would pull in TensorFlow and custom
ops; *_pb2 modules come from protos; tensorflow and a few packages that only
unused parts want come from standins.

To add a stand-in put a file into standins and name it in STAND_INS; a package of
which nothing is used goes into UNUSED.
"""
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

import protos
from standins import unused

HERE = os.path.dirname(os.path.abspath(__file__))

# Packages of the reference, and of the protos below tensorflow.
SOURCE_PACKAGES = ("monolith", "idl")
PROTO_PACKAGES = ("tensorflow", "tensorflow_serving")

STAND_INS = {"tensorflow": "tensorflow.py", "tensorflow.python.util.compat": "compat.py", "psutil": "psutil.py"}

# Nothing of these is used by an operation; importing them must merely work.
UNUSED = ("tensorflow.python", "tensorflow_estimator", "kafka", "numpy", "tqdm",
          "tensorflow_serving.apis.prediction_log_pb2",
          "monolith.native_training.proto.primus_am_service_pb2",
          "monolith.native_training.proto.primus_am_service_pb2_grpc",
          "monolith.native_training.metric.metric_hook")

# The same where TensorFlow is the real one: what loads the reference's own C++ ops, and
# packages that only unused parts want.
UNUSED_BESIDE_TENSORFLOW = (
    "kafka", "tqdm", "tensorflow_serving.apis.prediction_log_pb2", "monolith.native_training.runtime.ops.gen_monolith_ops",
    "monolith.native_training.proto.primus_am_service_pb2", "monolith.native_training.proto.primus_am_service_pb2_grpc",
    "monolith.native_training.metric.metric_hook", "monolith.native_training.data.feature_utils",
    "monolith.native_training.data.parsers", "monolith.native_training.data.transform.transforms", "cloud_tpu_client", "google.cloud",
    "monolith.native_training.hash_table_ops_pb2",
    "monolith.native_training.multi_hash_table_ops_pb2", "monolith.native_training.proto.ckpt_info_pb2",
    "monolith.native_training.data.data_op_config_pb2", "monolith.native_training.data.transform.transform_config_pb2",
    "monolith.native_training.model_dump.monolith_model_pb2", "monolith.native_training.proto.debugging_info_pb2")


class Generated(importlib.abc.Loader):
    """Loads x_pb2 and x_pb2_grpc."""

    def create_module(self, spec):
        return protos.module(spec.name)

    def exec_module(self, module):
        pass


class Unused(importlib.abc.Loader):
    """Loads a module that has every name."""

    def create_module(self, spec):
        real = [name.rpartition(".")[2] for name in STAND_INS if name.rpartition(".")[0] == spec.name]
        return unused.Module(spec.name, real)

    def exec_module(self, module):
        pass


class Finder(importlib.abc.MetaPathFinder):

    def __init__(self, source, real_tensorflow):
        self.source = source
        self.stand_ins = {n: f for n, f in STAND_INS.items() if not (real_tensorflow and within(n, ("tensorflow",)))}
        self.unused = UNUSED_BESIDE_TENSORFLOW if real_tensorflow else UNUSED
        self.proto_packages = PROTO_PACKAGES[1:] if real_tensorflow else PROTO_PACKAGES

    def find_spec(self, name, path=None, target=None):
        del path, target
        if name in self.stand_ins:
            return stand_in(name, os.path.join(HERE, "standins", self.stand_ins[name]))
        if protos.path_of(name):
            return importlib.machinery.ModuleSpec(name, Generated())
        if within(name, self.unused):
            return importlib.machinery.ModuleSpec(name, Unused(), is_package=True)
        if within(name, SOURCE_PACKAGES):
            return self.find_source(name)
        if within(name, self.proto_packages):
            return package(name, [])
        return None

    def find_source(self, name):
        place = os.path.join(self.source, *name.split("."))
        if os.path.isdir(place) or name in SOURCE_PACKAGES:
            return package(name, [place])
        if os.path.isfile(place + ".py"):
            return importlib.util.spec_from_file_location(name, place + ".py")
        return None


def within(name, packages):
    return any(name == p or name.startswith(p + ".") for p in packages)


def package(name, places):
    spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = places
    return spec


def stand_in(name, place):
    return importlib.util.spec_from_file_location(name, place, submodule_search_locations=[])


def install(source, real_tensorflow=False):
    """Makes the reference below source importable, beside the TensorFlow that is installed if so told."""
    sys.dont_write_bytecode = True
    if real_tensorflow:
        protos.leave_to_tensorflow()
    sys.meta_path.insert(0, Finder(os.path.abspath(source), real_tensorflow))
