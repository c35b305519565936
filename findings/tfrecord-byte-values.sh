#!/bin/sh
# Guess:     tfrecord reads back the bytes that were written into a feature.
# Version:   tfrecord 1.14.6 (PyPI), numpy 1.26.4
# Behaviour: one value comes back whole. Several values of a feature become an array of numpy's fixed-width bytes, which
#            drops the zero bytes at the end of each value: packed numbers come back shorter, without an error. The file
#            has them: protobuf reads them.
# Seen:      in the file:       b'\x07\x00\x00\x00' b'\x00\x01\x00\x00'
#            one value:         b'\x07\x00\x00\x00'
#            two values:        b'\x07' b'\x00\x01'
# Shaped:    engine/tfrecord keeps values as the bytes that they are, and is held to TensorFlow's reader.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check tfrecord==1.14.6 numpy==1.26.4
cat > f.py <<'END'
import struct

from tfrecord import example_pb2
from tfrecord.reader import tfrecord_iterator, tfrecord_loader
from tfrecord.writer import TFRecordWriter

packed = [struct.pack("<I", n) for n in (7, 256)]
writer = TFRecordWriter("a.tfrecord")
writer.write({"one": (packed[:1], "byte"), "two": (packed, "byte")})
writer.close()

(record,) = tfrecord_iterator("a.tfrecord")
example = example_pb2.Example.FromString(bytes(record))
print("in the file:      ", *example.features.feature["two"].bytes_list.value)
(read,) = tfrecord_loader("a.tfrecord", None)
print("one value:        ", read["one"])
print("two values:       ", *read["two"].tolist())
END
cat > want <<'END'
in the file:       b'\x07\x00\x00\x00' b'\x00\x01\x00\x00'
one value:         b'\x07\x00\x00\x00'
two values:        b'\x07' b'\x00\x01'
END
venv/bin/python f.py > got
cat got
diff want got
