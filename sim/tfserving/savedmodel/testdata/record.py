"""Exports small SavedModels with a real TensorFlow and records what it says of
them: index.json has tags and signatures as its own loader gives them, damage.json
what its C++ loader answers for damaged files, runtime.json what its session
answers for inputs that do not fit. Run it in this directory, with a Python that
has TensorFlow:

    python3 record.py
"""
import ctypes
import json
import os
import shutil
import tempfile

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.protobuf import saved_model_pb2

v1 = tf.compat.v1
sm = v1.saved_model
HERE = os.path.dirname(os.path.abspath(__file__))


def info(tensor):
    return sm.build_tensor_info(tensor)


def signature(inputs, outputs, method):
    return sm.build_signature_def({k: info(v) for k, v in inputs.items()},
                                  {k: info(v) for k, v in outputs.items()}, method)


def half_plus_two(where, as_text=False):
    """TensorFlow 1: variables that are no resources; regress, classify and predict."""
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.Variable(0.5, name='a', use_resource=False)
        b = v1.Variable(2.0, name='b', use_resource=False)
        serialized = v1.placeholder(tf.string, name='tf_example')
        parsed = v1.parse_example(serialized, {'x': tf.io.FixedLenFeature([1], tf.float32)})
        x = tf.identity(parsed['x'], name='x')
        y = tf.add(tf.multiply(a, x), b, name='y')
        v1.train.get_or_create_global_step()
        session.run(v1.global_variables_initializer())
        builder = sm.Builder(where)
        builder.add_meta_graph_and_variables(session, ['serve'], {
            'serving_default': signature({'x': x}, {'y': y}, 'tensorflow/serving/predict'),
            'regress_x_to_y': signature({'inputs': serialized}, {'outputs': y}, 'tensorflow/serving/regress'),
            'classify_x_to_y': signature({'inputs': serialized}, {'scores': y}, 'tensorflow/serving/classify'),
        })
        builder.save(as_text=as_text)


def types(where):
    """TensorFlow 1 without variables: every kind of input, two meta graphs."""
    def build():
        known = {
            'scalar': v1.placeholder(tf.float32, [], name='scalar'),
            'text': v1.placeholder(tf.string, [None], name='text'),
            'flag': v1.placeholder(tf.bool, [None, 2], name='flag'),
            'any': v1.placeholder(tf.int32, None, name='any'),
            'long': v1.placeholder(tf.int64, [3], name='long'),
        }
        outputs = {k + '_out': tf.identity(v, name=k + '_out') for k, v in known.items()}
        sparse = v1.sparse_placeholder(tf.float32, [None, 5], name='sparse')
        return {
            'serving_default': signature(known, outputs, 'tensorflow/serving/predict'),
            'sparse': signature({'s': sparse}, {'sum': v1.sparse_reduce_sum(sparse)}, 'tensorflow/serving/predict'),
            'sparse_out': signature({'long': known['long']}, {'s': tf.sparse.reorder(sparse)}, ''),
        }
    builder = sm.Builder(where)
    with tf.Graph().as_default(), v1.Session() as session:
        builder.add_meta_graph_and_variables(session, ['serve'], build())
    with tf.Graph().as_default(), v1.Session():
        two = dict(list(build().items())[:1])
        builder.add_meta_graph(['serve', 'gpu'], {'on_gpu': two['serving_default']})
    builder.save()


def module(where):
    """TensorFlow 2: a resource variable and two signatures."""
    class Module(tf.Module):
        def __init__(self):
            self.w = tf.Variable([[1.], [2.]], name='w')

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name='x')])
        def score(self, x):
            return {'y': tf.matmul(x, self.w)}

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name='s'), tf.TensorSpec([], tf.int32, name='n')])
        def text(self, s, n):
            return {'length': tf.strings.length(s) + n}
    m = Module()
    tf.saved_model.save(m, where, signatures={'serving_default': m.score, 'text': m.text})


MODELS = {'half_plus_two': half_plus_two, 'types': types, 'module': module,
          'half_plus_two_text': lambda where: half_plus_two(where, as_text=True)}


def index(where):
    """What TensorFlow's own loader gives for each set of tags."""
    graphs = []
    for tags in (['serve'], ['gpu', 'serve']):
        with tf.Graph().as_default(), v1.Session() as session:
            try:
                graph = sm.load(session, tags, where)
            except RuntimeError as error:
                assert 'MetaGraphDef associated with tags' in str(error), error
                continue
            graphs.append({'tags': tags, 'signatures': {
                name: text_format.MessageToString(d) for name, d in sorted(graph.signature_def.items())}})
    return graphs


# The C API of the library, for what Python's own checks would hide.

lib = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), 'libtensorflow_cc.so.2'))
for name in ('TF_NewStatus', 'TF_NewGraph', 'TF_NewSessionOptions', 'TF_LoadSessionFromSavedModel',
             'TF_GraphOperationByName', 'TF_AllocateTensor', 'TF_TensorData', 'TF_NewDeprecatedSession'):
    getattr(lib, name).restype = ctypes.c_void_p
lib.TF_Message.restype = ctypes.c_char_p


class Output(ctypes.Structure):
    _fields_ = [('oper', ctypes.c_void_p), ('index', ctypes.c_int)]


def pointer(value):
    return ctypes.c_void_p(value)


class Status:
    def __init__(self):
        self.own = pointer(lib.TF_NewStatus())

    def answer(self):
        return {'code': lib.TF_GetCode(self.own), 'message': lib.TF_Message(self.own).decode()}


def load(where, tags):
    status, graph = Status(), pointer(lib.TF_NewGraph())
    names = (ctypes.c_char_p * len(tags))(*[t.encode() for t in tags])
    session = lib.TF_LoadSessionFromSavedModel(pointer(lib.TF_NewSessionOptions()), None, where.encode(),
                                               names, len(tags), graph, None, status.own)
    return status.answer(), pointer(session), graph


def c_tensor(value):
    value = np.asarray(value)
    dims = (ctypes.c_int64 * value.ndim)(*value.shape)
    size = value.nbytes
    own = pointer(lib.TF_AllocateTensor(tf.as_dtype(value.dtype).as_datatype_enum, dims, value.ndim, ctypes.c_size_t(size)))
    ctypes.memmove(lib.TF_TensorData(own), value.ctypes.data, size)
    return own


def c_run(session, graph, feeds, fetch):
    """Runs a session; names are those of tensors."""
    def output(name):
        op, port = name.split(':')
        return Output(lib.TF_GraphOperationByName(graph, op.encode()), int(port))
    status = Status()
    n = len(feeds)
    inputs = (Output * n)(*[output(k) for k in feeds])
    values = (ctypes.c_void_p * n)(*[c_tensor(v).value for v in feeds.values()])
    outputs, results = (Output * 1)(output(fetch)), (ctypes.c_void_p * 1)()
    lib.TF_SessionRun(session, None, inputs, values, n, outputs, results, 1, None, 0, None, status.own)
    return status.answer()


def damage(models):
    """The C++ loader on damaged copies of module/saved_model.pb; an edit cuts the
    file, sets its first byte, or puts bytes before or behind."""
    data = open(os.path.join(models, 'module', 'saved_model.pb'), 'rb').read()
    bad = bytes([0x12, 100, 0x0a, 5, 0x22, 3]) + b'abc' + b'\xff' * 93
    edits = [{}, {'cut': len(data) - 1}, {'cut': len(data) // 2}, {'cut': 1}, {'cut': 0},
             {'first': 0x67}, {'suffix': '67'}, {'suffix': '00'}, {'suffix': '0c'},
             {'prefix': bad.hex()}, {'prefix': bad.hex(), 'cut': 0}]
    edits += [{'first': 0x67, 'cut': n} for n in (5, 8, 15, 16, 17, 18, 40)]
    edits += [{'cut': 0, 'prefix': text.encode().hex()} for text in ('graph', 'garbage', '{"tags": []}', 'a text that is no model at all')]
    rows = []
    for edit in edits:
        edited = data[:edit.get('cut', len(data))]
        if 'first' in edit:
            edited = bytes([edit['first']]) + edited[1:]
        edited = bytes.fromhex(edit.get('prefix', '')) + edited + bytes.fromhex(edit.get('suffix', ''))
        where = os.path.join(models, 'damaged')
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(os.path.join(models, 'module'), where)
        open(os.path.join(where, 'saved_model.pb'), 'wb').write(edited)
        answer = load(where, ['serve'])[0]
        answer['message'] = answer['message'].replace(where, '<dir>')
        rows.append({'edit': edit, **answer})
    return rows


def run_answers(feeds, fetch):
    """A session of Python's, past its own checks."""
    with tf.Graph().as_default():
        placed = {name: v1.placeholder(dtype, shape, name=name) for name, (dtype, shape, _) in feeds.items()}
        ensured = {name: tf.ensure_shape(p, shape, name='EnsureShape' if i == 0 else 'EnsureShape_%d' % i)
                   for i, (name, (_, shape, _), p) in enumerate((n, f, placed[n]) for n, f in feeds.items())}
        with v1.Session() as session:
            values = {placed[n]._as_tf_output(): np.asarray(v) for n, (_, _, v) in feeds.items()}
            try:
                session._call_tf_sessionrun(None, values, [ensured[n]._as_tf_output() for n in fetch], [], None)
            except tf.errors.OpError as error:
                return {'code': error.error_code, 'message': error.message}
            return {'code': 0, 'message': ''}


def runtime(models):
    """What the runtime says of inputs that do not fit."""
    rows = []
    ones = lambda shape, dtype: np.ones(shape, dtype)
    cases = [
        {'x': (tf.float32, [None, 4], ones([1, 4], np.float64))},
        {'x': (tf.float32, [None, 4], ones([2, 4], np.int32))},
        {'a': (tf.float32, [None], ones([1], np.int32)), 'b': (tf.int64, [None], ones([1], np.float32))},
        {'b': (tf.int64, [None], ones([1], np.float32)), 'a': (tf.float32, [None], ones([1], np.float32))},
        {'x': (tf.float32, [None, 4], ones([1, 3], np.float32))},
        {'x': (tf.float32, [None, 4], ones([4], np.float32))},
        {'x': (tf.float32, [None, 4], np.float32(1))},
        {'s': (tf.string, [], np.array([b'x'], object))},
        {'a': (tf.float32, [2], ones([2], np.float32)), 'b': (tf.bool, [2, 2], ones([2, 3], np.bool_))},
        {'x': (tf.float32, [None, 4], ones([7, 4], np.float32))},
    ]
    for case in cases:
        rows.append({'inputs': {
            n: {'dtype': t.as_datatype_enum, 'shape': [-1 if d is None else d for d in s],
                'sent_dtype': 7 if np.asarray(v).dtype == object else tf.as_dtype(np.asarray(v).dtype).as_datatype_enum,
                'sent_shape': list(np.asarray(v).shape)} for n, (t, s, v) in case.items()},
            **run_answers(case, case)})
    return rows


def without_variables(models):
    """Runs of models whose variables directory is missing."""
    rows = []
    for model, feeds, fetch in (('half_plus_two', {'x:0': np.ones([1, 1], np.float32)}, 'y:0'),
                                ('module', {'serving_default_x:0': np.ones([1, 2], np.float32)}, 'StatefulPartitionedCall:0')):
        where = os.path.join(models, 'bare')
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(os.path.join(models, model), where)
        shutil.rmtree(os.path.join(where, 'variables'))
        loaded, session, graph = load(where, ['serve'])
        rows.append({'model': model, 'load': loaded, 'run': c_run(session, graph, feeds, fetch)})
    return rows


def sparse_feed(models):
    """A tensor without a name, as Predict feeds one for a sparse input."""
    saved = saved_model_pb2.SavedModel()
    saved.ParseFromString(open(os.path.join(models, 'types', 'saved_model.pb'), 'rb').read())
    graph = saved.meta_graphs[0].graph_def.SerializeToString()
    status = Status()
    session = pointer(lib.TF_NewDeprecatedSession(pointer(lib.TF_NewSessionOptions()), status.own))
    lib.TF_ExtendGraph(session, graph, ctypes.c_size_t(len(graph)), status.own)
    assert lib.TF_GetCode(status.own) == 0, status.answer()
    names, fetch = (ctypes.c_char_p * 1)(b''), (ctypes.c_char_p * 1)(b'scalar_out:0')
    values, results = (ctypes.c_void_p * 1)(c_tensor(np.float32(1)).value), (ctypes.c_void_p * 1)()
    lib.TF_Run(session, None, names, values, 1, fetch, results, 1, None, 0, None, status.own)
    return status.answer()


def timeout():
    """A run that takes longer than RunOptions.timeout_in_ms."""
    from tensorflow.python.client import pywrap_tf_session
    with tf.Graph().as_default(), v1.Session() as session:
        long = tf.while_loop(lambda i: i < 10**9, lambda i: i + 1, [tf.constant(0)])
        long = long[0] if isinstance(long, (list, tuple)) else long
        options = pywrap_tf_session.TF_NewBufferFromString(v1.RunOptions(timeout_in_ms=50).SerializeToString())
        try:
            session._call_tf_sessionrun(options, {}, [long._as_tf_output()], [], None)
        except tf.errors.OpError as error:
            return {'code': error.error_code, 'message': error.message}


def write(name, value):
    with open(os.path.join(HERE, name), 'w') as file:
        json.dump(value, file, indent=1, sort_keys=True)
        file.write('\n')


def main():
    with tempfile.TemporaryDirectory() as models:
        found = {}
        for name, export in MODELS.items():
            where = os.path.join(models, name)
            export(where)
            found[name] = index(where)
            os.makedirs(os.path.join(HERE, name), exist_ok=True)
            for file in ('saved_model.pb', 'saved_model.pbtxt'):
                if os.path.exists(os.path.join(where, file)):
                    shutil.copy(os.path.join(where, file), os.path.join(HERE, name, file))
        write('index.json', {'tensorflow': tf.__version__, 'models': found})
        write('damage.json', {'tensorflow': tf.__version__, 'rows': damage(models)})
        write('runtime.json', {
            'tensorflow': tf.__version__, 'feeds': runtime(models), 'sparse': sparse_feed(models),
            'without_variables': without_variables(models), 'timeout': timeout(),
            'missing': load(os.path.join(models, 'nowhere'), ['serve'])[0]['message'].replace(models, '<dir>')})


main()
