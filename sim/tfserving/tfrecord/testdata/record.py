"""Records how a real TensorFlow writes TFRecords and what its reader says of
damaged ones. Run it in this directory, with a Python that has TensorFlow:

    python3 record.py
"""
import json
import os
import tempfile

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf
from tensorflow.python.lib.io import _pywrap_record_io

RECORDS = [b'first', b'second', b'', b'\xff' * 40]


def read(path, data):
    with open(path, 'wb') as file:
        file.write(data)
    reader, offset, count = _pywrap_record_io.RandomRecordReader(path), 0, 0
    while True:
        try:
            _, offset = reader.read(offset)
        except IndexError:
            return {'file': data.hex(), 'records': count, 'error': ''}
        except tf.errors.DataLossError as error:
            return {'file': data.hex(), 'records': count, 'error': error.message}
        count += 1


def main():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, 'file')
        with tf.io.TFRecordWriter(path) as writer:
            for record in RECORDS:
                writer.write(record)
        data = open(path, 'rb').read()

        def flip(at):
            return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
        files = [data, b'', b'short', b'this is no TFRecord file at all']
        files += [flip(at) for at in (0, 8, 12, 20, 21, 33, 39, len(data) - 1)]
        files += [data[:at] for at in (3, 12, 14, 20, 21, 24, 33, 35, len(data) - 1)]
        reads = [read(path, file) for file in files]
    with open('recorded.json', 'w') as file:
        json.dump({'tensorflow': tf.__version__, 'records': [r.hex() for r in RECORDS],
                   'file': data.hex(), 'reads': reads}, file, indent=1, sort_keys=True)
        file.write('\n')


main()
