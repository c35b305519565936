"""Records how TensorFlow reads and writes TensorProtos.

    PYTHON testdata/record.py > testdata/recorded.json

PYTHON is a Python with tensorflow. Each case of "parse" is a serialised
TensorProto and what Tensor::FromProto (through the op ParseTensor) makes of it:
the bytes of its elements, or an error. "serialize" is what SerializeTensor
(Tensor::AsProtoTensorContent) and make_tensor_proto write. "cast" is how a
double is rounded to the 16-bit floating-point types.
"""
import json
import sys

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2, tensor_shape_pb2

NUMBERS = [tf.float32, tf.float64, tf.int32, tf.uint8, tf.int16, tf.int8,
           tf.complex64, tf.int64, tf.bool, tf.qint8, tf.quint8, tf.qint32,
           tf.bfloat16, tf.qint16, tf.quint16, tf.uint16, tf.complex128,
           tf.half, tf.uint32, tf.uint64]
FIELDS = {
    tf.float32: ("float_val", [1.5, -2.25, 3e38, 1e-45]),
    tf.float64: ("double_val", [1.5, -2.25, 1e300, 5e-324]),
    tf.complex64: ("scomplex_val", [1.5, -2.25, 3.0, 4.0, 5.0, 6.0]),
    tf.complex128: ("dcomplex_val", [1.5, -2.25, 3.0, 4.0, 5.0, 6.0]),
    tf.int64: ("int64_val", [1, -2, 2**62, -2**63]),
    tf.bool: ("bool_val", [True, False, True, True]),
    tf.half: ("half_val", [15360, 0xC000, 0x7C00, 70000]),
    tf.bfloat16: ("half_val", [15360, 0xC000, 0x7F80, 70000]),
    tf.uint32: ("uint32_val", [1, 2, 2**32 - 1, 7]),
    tf.uint64: ("uint64_val", [1, 2, 2**64 - 1, 7]),
}


def shape(*sizes):
    dims = [tensor_shape_pb2.TensorShapeProto.Dim(size=s) for s in sizes]
    return tensor_shape_pb2.TensorShapeProto(dim=dims)


def elements(value):
    """The elements as hex: one string, or a list for DT_STRING."""
    if value.dtype == tf.string:
        return [v.hex() for v in np.array(value.numpy(), dtype=object).reshape(-1).tolist()]
    if value.dtype.is_quantized:
        value = tf.bitcast(value, {tf.qint8: tf.int8, tf.quint8: tf.uint8, tf.qint32: tf.int32,
                                   tf.qint16: tf.int16, tf.quint16: tf.uint16}[value.dtype])
    return value.numpy().tobytes().hex()


def parse(name, proto):
    case = {"name": name, "proto": proto.SerializeToString().hex()}
    try:
        value = tf.io.parse_tensor(proto.SerializeToString(), tf.as_dtype(proto.dtype or 1))
        case["shape"] = value.shape.as_list()
    except tf.errors.InvalidArgumentError as error:
        case["error"] = error.message.split("}} ")[-1].split(":")[0]
        return case
    if len(case["shape"]) < 10 and max(case["shape"] + [0]) < 100:  # what numpy can hold
        case["elements"] = elements(value)
    return case


def field_of(dtype):
    return FIELDS.get(dtype, ("int_val", [1, -2, 300, 70000]))


def parse_cases():
    for dtype in NUMBERS:
        name, values = field_of(dtype)
        width = 2 if dtype.is_complex else 1
        count = len(values) // width
        for label, used, dims in [
                ("exact", values, [count]), ("one value repeated", values[:width], [2, 3]),
                ("last repeated", values, [count + 2]), ("cut", values, [2]),
                ("none", [], [3]), ("scalar", values[:width], []),
                ("empty", values, [0, 3]), ("half an element", values[:2 * width - 1], [2])]:
            proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shape(*dims))
            getattr(proto, name).extend(used)
            yield parse(f"{dtype.name}/{label}", proto)
        size = 1 if dtype == tf.bool else dtype.size
        for label, length, dims in [("content", 2 * size, [2]), ("content too short", 2 * size - 1, [2]),
                                    ("content too long", 3 * size, [2]), ("content of nothing", size, [0])]:
            content = bytes((7 * i + 1) % 256 if dtype != tf.bool else i % 2 for i in range(length))
            yield parse(f"{dtype.name}/{label}", tensor_pb2.TensorProto(
                dtype=dtype.as_datatype_enum, tensor_shape=shape(*dims), tensor_content=content))
        proto = tensor_pb2.TensorProto(dtype=dtype.as_datatype_enum, tensor_shape=shape(1),
                                       tensor_content=b"\x01" + bytes(size - 1))
        getattr(proto, name).extend(values)
        yield parse(f"{dtype.name}/content before list", proto)


def string_cases():
    for label, values, dims in [("exact", [b"a", b"\xff\x00"], [2]), ("repeated", [b"a", b"bc"], [2, 2]),
                                ("cut", [b"a", b"b", b"c"], [2]), ("none", [], [2]), ("scalar", [b"x"], [])]:
        yield parse(f"string/{label}", tensor_pb2.TensorProto(
            dtype=tf.string.as_datatype_enum, tensor_shape=shape(*dims), string_val=values))
    for label, content in [("content", b"\x01\x02abc"), ("content ends early", b"\x01\x02ab"),
                           ("content goes on", b"\x01\x02abcd"), ("content without lengths", b"\x01"),
                           ("content with a long length", b"\x81\x00\x02abc"),
                           ("content with a length of six bytes", b"\x81\x80\x80\x80\x80\x00\x02abc")]:
        yield parse(f"string/{label}", tensor_pb2.TensorProto(
            dtype=tf.string.as_datatype_enum, tensor_shape=shape(2), tensor_content=content))


def bad_cases():
    f = tf.float32.as_datatype_enum
    for label, dims in [("negative size", [-1]), ("overflow", [2**62, 4]), ("overflow then zero", [2**62, 4, 0]),
                        ("zero before overflow", [0, 2**62, 4]), ("254 dimensions", [1] * 254),
                        ("255 dimensions", [1] * 255)]:
        yield parse(f"shape/{label}", tensor_pb2.TensorProto(dtype=f, tensor_shape=shape(*dims), float_val=[1]))
    unknown = tensor_shape_pb2.TensorShapeProto(unknown_rank=True)
    yield parse("shape/unknown rank", tensor_pb2.TensorProto(dtype=f, tensor_shape=unknown, float_val=[1]))
    yield parse("shape/absent", tensor_pb2.TensorProto(dtype=f, float_val=[1]))
    yield parse("dtype/absent", tensor_pb2.TensorProto(float_val=[1]))
    yield parse("dtype/reference", tensor_pb2.TensorProto(dtype=101, float_val=[1]))
    yield parse("bool/content of other bytes", tensor_pb2.TensorProto(
        dtype=tf.bool.as_datatype_enum, tensor_shape=shape(2), tensor_content=b"\x02\x00"))


def serialize_cases():
    values = {tf.string: [b"a", b"", b"\xff" * 130], tf.bool: [True, False, True],
              tf.complex64: [1 + 2j, -3.5j, 0], tf.complex128: [1 + 2j, -3.5j, 0]}
    for dtype in NUMBERS + [tf.string]:
        if dtype.is_quantized:
            continue
        used = values.get(dtype, [1, 2, 3])
        value = tf.constant(used, dtype)
        yield {
            "name": dtype.name, "elements": elements(value),
            "content": tf.io.serialize_tensor(value).numpy().hex(),
            "scalar": tf.make_tensor_proto(used[0], dtype).SerializeToString().hex(),
            "scalar_elements": elements(tf.constant(used[0], dtype)),
            "list": tf.make_tensor_proto(used, dtype).SerializeToString().hex(),
        }


def cast_cases():
    inputs = [0.0, -0.0, 1, -1, 1 / 3, 65504, 65519.99, 65520, 1e9, 6e-8, 2.9e-8, 3e-8, 6.1e-5, 6.103515625e-05,
              2049, 2051, 2047.5, 1.00048828125, 0.99975, float("inf"), -float("inf"), 3.4e38, 1e-40, 256.5, 257.5]
    for value in inputs:
        single = np.float32(value)
        yield {"input": float(single).hex(),
               "half": int(tf.bitcast(tf.cast(tf.constant(single), tf.half), tf.uint16)),
               "bfloat16": int(tf.bitcast(tf.cast(tf.constant(single), tf.bfloat16), tf.uint16))}


json.dump({
    "tensorflow": tf.__version__,
    "parse": [*parse_cases(), *string_cases(), *bad_cases()],
    "serialize": list(serialize_cases()),
    "cast": list(cast_cases()),
}, sys.stdout, indent=1)
print()
