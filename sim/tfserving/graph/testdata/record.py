"""Exports models with a real TensorFlow and records what its sessions answer, as a model
server runs them: models/NAME/ has the files that a server reads, recorded.json the requests
with dtypes, shapes and values, or with the code and the text of the error.

    python3 record.py [NAME ...]    with a Python that has tensorflow; all without a name

exported.py has the models, asked.py what is asked of them, edges.py both for single operations,
preprocessing.py both for what works on features and texts, states.py both for what changes while it serves,
formats.py both for CSV, JSON, tensors as text, sets, and numbers drawn from a seed,
numerics.py both for special functions, arithmetic of sparse tensors, sequence examples, and layers of Keras,
pictures.py both for volumes, pictures that are scaled, and the other layers of Keras,
patches.py both for numbers on a grid, patches of pictures, and colours that are turned,
matrices.py both for linear algebra, diagonals, and sequence examples that are parsed one by one,
served.py both for derivatives, lists, sparse tensors as text, batches within a graph, small operations, and cells and waves.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

EDGES = 'edges_'
if sys.argv[1:] and all(name.startswith(EDGES) for name in sys.argv[1:]):
    os.environ['TF_ENABLE_ONEDNN_OPTS'] = '0'  # whose kernels look at less, and end the process where inputs are odd
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['CUDA_VISIBLE_DEVICES'] = ''
import numpy as np
import tensorflow as tf

import asked
import served

v1 = tf.compat.v1
HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = ('saved_model.pb', 'variables', 'assets')
REQUESTS = {**asked.REQUESTS, **served.REQUESTS}  # each module adds to those of the one before


def plain(value):
    """A value as JSON has it: text is one character a byte, what is no number a word."""
    if isinstance(value, bytes):
        return value.decode('latin-1')
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)
    return value


def described(array):
    array = np.array(array, object) if isinstance(array, bytes) else np.asarray(array)  # which drops noughts at the end of texts
    text = array.dtype == object or array.dtype.kind in 'SU'
    dtype = tf.string if text else tf.as_dtype(array.dtype)
    flat = array.reshape(-1)
    if dtype in (tf.bfloat16, tf.half):
        flat = flat.astype(np.float32)
    values = [plain(v.encode() if isinstance(v, str) else v) for v in flat.tolist()]
    return {'dtype': dtype.as_datatype_enum, 'shape': list(array.shape), 'values': values}


def fed(value):
    array = np.asarray(value)
    return array.astype(object) if array.dtype.kind in 'SU' else array


def ask(session, signature, inputs, outputs):
    graph = session.graph
    tensor = lambda info: graph.get_tensor_by_name(info.name)._as_tf_output()
    feeds = {tensor(signature.inputs[alias]): fed(value) for alias, value in inputs.items()}
    names = sorted(outputs or signature.outputs)
    try:
        values = session._call_tf_sessionrun(None, feeds, [tensor(signature.outputs[n]) for n in names], [], None)
    except tf.errors.OpError as error:
        return {'code': error.error_code, 'message': error.message}
    return {'outputs': {n: described(v) for n, v in zip(names, values)}}


def record(name, where):
    rows = []
    with tf.Graph().as_default(), v1.Session() as session:
        loaded = v1.saved_model.load(session, ['serve'], where)
        for request in REQUESTS[name]:
            inputs, key, *rest = request if isinstance(request, tuple) else (request, 'serving_default')
            outputs = rest[0] if rest else None
            answer = ask(session, loaded.signature_def[key], inputs, outputs)
            row = {'signature': key, 'inputs': {alias: described(v) for alias, v in inputs.items()}, **answer}
            if outputs:
                row['filter'] = outputs
            rows.append(row)
    return rows


def export(name, where):
    """Exports a model beside the others, and keeps only what a server reads."""
    tf.keras.backend.clear_session()
    getattr(served, name)(where)  # which has the models of the others too
    kept = os.path.join(HERE, 'models', name)
    shutil.rmtree(kept, ignore_errors=True)
    os.makedirs(kept)
    for part in KEPT:
        source = os.path.join(where, part)
        if os.path.isdir(source) and os.listdir(source):
            shutil.copytree(source, os.path.join(kept, part))
        elif os.path.isfile(source):
            shutil.copy(source, os.path.join(kept, part))


def main():
    path = os.path.join(HERE, 'recorded.json')
    names = sys.argv[1:]
    if not names:
        for edge in (False, True):
            part = sorted(name for name in REQUESTS if name.startswith(EDGES) == edge)
            subprocess.run([sys.executable, __file__, *part], check=True)
        return
    rows = {}
    if os.path.exists(path):
        with open(path) as file:
            rows = json.load(file)['models']
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            where = os.path.join(scratch, name)
            export(name, where)
            rows[name] = record(name, where)
            print(name, len(rows[name]), flush=True)
            write(path, rows)


def write(path, rows):
    text = ',\n'.join('  %s: [\n   %s\n  ]' % (json.dumps(name), ',\n   '.join(json.dumps(r, sort_keys=True) for r in rows[name]))
                      for name in sorted(rows))
    with open(path, 'w') as file:
        file.write('{\n "tensorflow": %s,\n "models": {\n%s\n }\n}\n' % (json.dumps(tf.__version__), text))


main()
