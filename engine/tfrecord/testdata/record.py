"""Records what TensorFlow makes of damaged TFRecord files.

  python3 record.py > damage.json

Needs tensorflow 2.4. For a file of three records: for each length that it is cut to, and
for each byte in which a bit is turned, how many records are read and the error, or null.
"""
import json
import os
import tempfile

import tensorflow as tf
from tensorflow.python.lib.io import tf_record

RECORDS = [b"", b"hello", b"x" * 20]


def read(path, data):
    with open(path, "wb") as f:
        f.write(data)
    count = 0
    try:
        for _ in tf_record.tf_record_iterator(path):
            count += 1
    except tf.errors.OpError as e:
        return [count, type(e).__name__, e.message]
    return [count, None, None]


def main():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "records")
        with tf.io.TFRecordWriter(path) as writer:
            for r in RECORDS:
                writer.write(r)
        with open(path, "rb") as f:
            data = f.read()
        turned = [data[:i] + bytes([data[i] ^ 1]) + data[i + 1:] for i in range(len(data))]
        rows = {"cut": [read(path, data[:n]) for n in range(len(data) + 1)], "turned": [read(path, d) for d in turned]}
        lists = {k: "[\n  " + ",\n  ".join(map(json.dumps, v)) + "]" for k, v in rows.items()}
        print("{" + f'"file": "{data.hex()}",\n "cut": {lists["cut"]},\n "turned": {lists["turned"]}' + "}")


if __name__ == "__main__":
    main()
