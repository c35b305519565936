"""The models that record.py exports, each a function of a directory."""
import os
import tempfile

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
sm = v1.saved_model
F, I, L, S, B = tf.float32, tf.int32, tf.int64, tf.string, tf.bool


def spec(shape, dtype, name):
    return tf.TensorSpec(shape, dtype, name=name)


def export(where, module, **signatures):
    tf.saved_model.save(module, where, signatures=signatures)


def function(*specs):
    return tf.function(input_signature=list(specs))


def one(where, call):
    """A model of a single function without variables."""
    module = tf.Module()
    module.call = call
    export(where, module, serving_default=call)


def signature_v1(inputs, outputs, method='tensorflow/serving/predict'):
    info = sm.build_tensor_info
    return sm.build_signature_def({k: info(v) for k, v in inputs.items()}, {k: info(v) for k, v in outputs.items()}, method)


def half_plus_two(where):
    """The model of the tutorials, of TensorFlow 1: y = x / 2 + 2."""
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.Variable(0.5, name='a', use_resource=False)
        b = v1.Variable(2.0, name='b', use_resource=False)
        serialized = v1.placeholder(S, name='tf_example')
        parsed = v1.parse_example(serialized, {'x': tf.io.FixedLenFeature([1], F)})
        x = tf.identity(parsed['x'], name='x')
        y = tf.add(tf.multiply(a, x), b, name='y')
        session.run(v1.global_variables_initializer())
        builder = sm.Builder(where)
        builder.add_meta_graph_and_variables(session, ['serve'], {
            'serving_default': signature_v1({'x': x}, {'y': y}),
            'regress_x_to_y': signature_v1({'inputs': serialized}, {'outputs': y}, 'tensorflow/serving/regress'),
            'classify_x_to_y': signature_v1({'inputs': serialized}, {'scores': y}, 'tensorflow/serving/classify'),
        })
        builder.save()


def two_inputs(where):
    class Two(tf.Module):
        @function(spec([None], F, 'a'), spec([None], F, 'b'))
        def vectors(self, a, b):
            return {'sum': a + b, 'a_twice': 2.0 * a, 'b_squared': tf.square(b)}

        @function(spec(None, F, 'a'), spec(None, F, 'b'))
        def any_rank(self, a, b):
            return {'product': a * b, 'rank': tf.rank(a), 'size': tf.size(b)}

        @function(spec([None, 2], F, 'a'), spec([2, None], F, 'b'))
        def matrices(self, a, b):
            return {'product': tf.matmul(a, b), 'transposed': tf.matmul(a, b, transpose_a=True, transpose_b=True)}
    m = Two()
    export(where, m, serving_default=m.vectors, any_rank=m.any_rank, matrices=m.matrices)


def embedding(where):
    class Embedding(tf.Module):
        def __init__(self):
            self.table = tf.Variable(np.arange(15, dtype=np.float32).reshape(5, 3) / 4, name='table')
            self.bias = tf.Variable([1.0, 2.0, 3.0], name='bias')

        @function(spec([None], L, 'ids'))
        def look_up(self, ids):
            return {'rows': tf.nn.embedding_lookup(self.table, ids)}

        @function(spec([None, None], I, 'ids'))
        def matrix(self, ids):
            return {'mean': tf.reduce_mean(tf.gather(self.table, ids), 1) + self.bias}

        @function(spec([None], L, 'ids'))
        def constant(self, ids):
            return {'names': tf.gather(tf.constant(['red', 'green', 'blue']), ids)}
    m = Embedding()
    export(where, m, serving_default=m.look_up, matrix=m.matrix, constant=m.constant)


def keras_dense(where):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([
        tf.keras.layers.Input([4]), tf.keras.layers.Dense(5, activation='relu'),
        tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(3, activation='softmax')])
    model.export(where, verbose=False)


def keras_conv(where):
    tf.keras.utils.set_random_seed(2)
    model = tf.keras.Sequential([
        tf.keras.layers.Input([6, 6, 1]),
        tf.keras.layers.Conv2D(3, 3, padding='same', activation='relu'), tf.keras.layers.BatchNormalization(),
        tf.keras.layers.MaxPooling2D(2), tf.keras.layers.DepthwiseConv2D(2), tf.keras.layers.AveragePooling2D(2, strides=1, padding='same'),
        tf.keras.layers.Flatten(), tf.keras.layers.Dense(2, activation='sigmoid')])
    model.export(where, verbose=False)


def keras_lstm(where):
    tf.keras.utils.set_random_seed(3)
    model = tf.keras.Sequential([
        tf.keras.layers.Input([None], dtype='int32'), tf.keras.layers.Embedding(7, 4),
        tf.keras.layers.LSTM(3), tf.keras.layers.Dense(1)])
    model.export(where, verbose=False)


def keras_attention(where):
    tf.keras.utils.set_random_seed(4)
    x = tf.keras.layers.Input([3, 4])
    y = tf.keras.layers.MultiHeadAttention(2, 2)(x, x)
    y = tf.keras.layers.LayerNormalization()(x + y)
    y = tf.keras.layers.Dense(4, activation='gelu')(y)
    tf.keras.Model(x, tf.keras.layers.GlobalAveragePooling1D()(y)).export(where, verbose=False)


def keras_features(where):
    """Layers that prepare features: look-ups, buckets, normalisation."""
    tf.keras.utils.set_random_seed(5)
    colour = tf.keras.layers.Input([1], dtype='string', name='colour')
    age = tf.keras.layers.Input([1], dtype='float32', name='age')
    colours = tf.keras.layers.StringLookup(vocabulary=['red', 'green', 'blue'], output_mode='one_hot')(colour)
    ages = tf.keras.layers.Discretization([10.0, 20.0, 40.0], output_mode='one_hot')(age)
    normal = tf.keras.layers.Normalization(mean=30.0, variance=25.0)(age)
    joined = tf.keras.layers.Concatenate()([colours, ages, normal])
    tf.keras.Model({'colour': colour, 'age': age}, tf.keras.layers.Dense(2)(joined)).export(where, verbose=False)


def strings(where):
    class Strings(tf.Module):
        @function(spec([None], S, 's'))
        def words(self, s):
            split = tf.strings.split(s)
            return {
                'lower': tf.strings.lower(s), 'upper': tf.strings.upper(s), 'strip': tf.strings.strip(s),
                'length': tf.strings.length(s), 'characters': tf.strings.length(s, unit='UTF8_CHAR'),
                'joined': tf.strings.join([s, s], separator='-'), 'words': split.to_tensor('none'),
                'count': split.row_lengths(), 'all': tf.strings.reduce_join(s, separator='|'),
                'digits': tf.strings.regex_replace(s, r'([0-9]+)', r'<\1>'),
                'number': tf.strings.regex_full_match(s, '[0-9]+'), 'bucket': tf.strings.to_hash_bucket_fast(s, 1000),
                'coded': tf.io.encode_base64(s),
            }

        @function(spec([None], S, 's'), spec([], I, 'at'), spec([], I, 'n'))
        def part(self, s, at, n):
            return {'part': tf.strings.substr(s, at, n)}

        @function(spec([None], S, 's'))
        def numbers(self, s):
            return {'float': tf.strings.to_number(s)}

        @function(spec([None], S, 's'))
        def whole(self, s):
            return {'int': tf.strings.to_number(s, L)}

        @function(spec([None], F, 'x'), spec([None], I, 'i'), spec([None], B, 'b'))
        def printed(self, x, i, b):
            return {'x': tf.strings.as_string(x), 'short': tf.strings.as_string(x, shortest=True),
                    'two': tf.strings.as_string(x, precision=2), 'e': tf.strings.as_string(x, scientific=True),
                    'i': tf.strings.as_string(i), 'wide': tf.strings.as_string(i, width=5, fill='0'), 'b': tf.strings.as_string(b)}

        @function(spec([None], S, 's'))
        def bytes(self, s):
            return {'raw': tf.io.decode_raw(s, tf.uint8), 'words': tf.io.decode_raw(s, tf.int16), 'decoded': tf.strings.length(s)}

        @function(spec([None], S, 's'))
        def base64(self, s):
            return {'decoded': tf.io.decode_base64(s)}
    m = Strings()
    export(where, m, serving_default=m.words, part=m.part, numbers=m.numbers, whole=m.whole, printed=m.printed, bytes=m.bytes, base64=m.base64)


def tables(where):
    class Tables(tf.Module):
        def __init__(self, vocabulary):
            lookup = tf.lookup
            self.keys = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(['a', 'b', 'c'], tf.constant([1, 2, 3], L)), -1)
            self.scores = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(tf.constant([10, 20], L), [0.5, 0.25]), 0.0)
            self.asset = tf.saved_model.Asset(vocabulary)
            file = lookup.TextFileInitializer(self.asset, S, lookup.TextFileIndex.WHOLE_LINE, L, lookup.TextFileIndex.LINE_NUMBER)
            self.words = lookup.StaticHashTable(file, -1)
            self.buckets = lookup.StaticVocabularyTable(lookup.TextFileInitializer(
                self.asset, S, lookup.TextFileIndex.WHOLE_LINE, L, lookup.TextFileIndex.LINE_NUMBER), 5)
            self.names = lookup.StaticHashTable(lookup.TextFileInitializer(
                self.asset, L, lookup.TextFileIndex.LINE_NUMBER, S, lookup.TextFileIndex.WHOLE_LINE), 'unknown')

        @function(spec([None], S, 's'))
        def find(self, s):
            return {'keys': self.keys.lookup(s), 'words': self.words.lookup(s), 'buckets': self.buckets.lookup(s),
                    'size': self.words.size()}

        @function(spec([None, None], L, 'ids'))
        def ids(self, ids):
            return {'names': self.names.lookup(ids), 'scores': self.scores.lookup(ids)}
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, 'vocabulary.txt')
        with open(path, 'w') as file:
            file.write('the\nquick\nbrown\nfox\n')
        m = Tables(path)
        export(where, m, serving_default=m.find, ids=m.ids)


def tables_mutable(where):
    """A table that calls add to, with a key again in one call and in a later one."""
    class Table(tf.Module):
        def __init__(self):
            self.table = tf.lookup.experimental.MutableHashTable(L, F, -1.0)
            self.table.insert(tf.constant([1, 2], L), [1.0, 2.0])

        @function(spec([None], L, 'ids'), spec([None], F, 'values'))
        def insert(self, ids, values):
            with tf.control_dependencies([self.table.insert(ids, values)]):
                keys, values = self.table.export()
            order = tf.argsort(keys)
            return {'keys': tf.gather(keys, order), 'values': tf.gather(values, order), 'size': self.table.size()}

        @function(spec([None, None], L, 'ids'), spec(None, F, 'values'))
        def insert_rows(self, ids, values):
            with tf.control_dependencies([self.table.insert(ids, values)]):
                return {'size': self.table.size()}

        @function(spec([None], L, 'ids'))
        def find(self, ids):
            return {'values': self.table.lookup(ids)}
    m = Table()
    export(where, m, serving_default=m.find, insert=m.insert, rows=m.insert_rows)


def tables_v1(where):
    """A table and an asset of TensorFlow 1, with an initialiser in a collection."""
    with tf.Graph().as_default(), v1.Session() as session, tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, 'ids.txt')
        with open(path, 'w') as file:
            file.write('7 seven\n8 eight\n')
        asset = tf.constant(path, name='asset')
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, asset)
        lookup = tf.lookup
        table = lookup.StaticHashTable(lookup.TextFileInitializer(asset, L, 0, S, 1, delimiter=' '), '?')
        ids = v1.placeholder(L, [None], 'ids')
        weights = v1.get_variable('weights', initializer=tf.constant([[1.0, -1.0], [0.5, 2.0]]), use_resource=True)
        x = v1.placeholder(F, [None, 2], 'x')
        out = v1.nn.xw_plus_b(x, weights, tf.constant([0.25, 0.5]))
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        builder = sm.Builder(where)
        builder.add_meta_graph_and_variables(session, ['serve'], {
            'serving_default': signature_v1({'ids': ids}, {'words': table.lookup(ids)}),
            'linear': signature_v1({'x': x}, {'y': out}),
        }, assets_collection=v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS), main_op=v1.tables_initializer())
        builder.save()


def examples(where):
    class Examples(tf.Module):
        def __init__(self):
            self.w = tf.Variable([[0.5], [0.25]], name='w')

        @function(spec([None], S, 'inputs'))
        def regress(self, inputs):
            parsed = tf.io.parse_example(inputs, {'x': tf.io.FixedLenFeature([2], F), 'bias': tf.io.FixedLenFeature([1], F, [1.0])})
            return {'outputs': tf.matmul(parsed['x'], self.w) + parsed['bias']}

        @function(spec([None], S, 'inputs'))
        def classify(self, inputs):
            parsed = tf.io.parse_example(inputs, {'x': tf.io.FixedLenFeature([2], F)})
            scores = tf.nn.softmax(tf.concat([parsed['x'], tf.matmul(parsed['x'], self.w)], 1))
            names = tf.tile([['low', 'middle', 'high']], [tf.shape(scores)[0], 1])
            return {'classes': names, 'scores': scores}

        @function(spec([None], S, 'examples'))
        def all_kinds(self, examples):
            parsed = tf.io.parse_example(examples, {
                'id': tf.io.FixedLenFeature([], L), 'name': tf.io.FixedLenFeature([], S, 'nobody'),
                'tags': tf.io.VarLenFeature(S), 'scores': tf.io.RaggedFeature(F),
                'grid': tf.io.FixedLenSequenceFeature([2], L, allow_missing=True, default_value=-1)})
            tags = parsed['tags']
            return {'id': parsed['id'], 'name': parsed['name'], 'tags': tf.sparse.to_dense(tags, ''),
                    'tag_indices': tags.indices, 'tag_shape': tags.dense_shape, 'scores': parsed['scores'].to_tensor(),
                    'sums': tf.reduce_sum(parsed['scores'], 1), 'grid': parsed['grid']}

        @function(spec([], S, 'example'))
        def single(self, example):
            parsed = tf.io.parse_single_example(example, {'x': tf.io.FixedLenFeature([2], F), 'tags': tf.io.VarLenFeature(S)})
            return {'x': parsed['x'], 'tags': parsed['tags'].values}
    m = Examples()
    export(where, m, serving_default=m.all_kinds, regress=m.regress, classify=m.classify, single=m.single)


def ragged(where):
    class Ragged(tf.Module):
        @function(spec([None], F, 'values'), spec([None], L, 'lengths'))
        def rows(self, values, lengths):
            r = tf.RaggedTensor.from_row_lengths(values, lengths, validate=False)
            return {'sum': tf.reduce_sum(r, 1), 'max': tf.reduce_max(r, 1), 'mean': tf.reduce_mean(r, 1),
                    'dense': r.to_tensor(-1.0), 'splits': r.row_splits, 'rows': r.value_rowids(), 'first_two': r[:, :2].to_tensor(),
                    'twice': (r * 2.0).flat_values, 'starts': r.row_starts(), 'sparse': r.to_sparse().indices}

        @function(spec([None], F, 'values'), spec([None], L, 'lengths'))
        def checked(self, values, lengths):
            return {'dense': tf.RaggedTensor.from_row_lengths(values, lengths).to_tensor()}

        @function(spec([None], S, 's'))
        def text(self, s):
            words = tf.strings.split(s, ',')
            return {'lengths': tf.ragged.map_flat_values(tf.strings.length, words).to_tensor(), 'joined': tf.strings.reduce_join(words, 1, separator='+')}

        @function(spec([None], F, 'values'), spec([None], L, 'lengths'), spec([None], L, 'ids'))
        def gathered(self, values, lengths, ids):
            r = tf.RaggedTensor.from_row_lengths(values, lengths, validate=False)
            return {'rows': tf.gather(r, ids).to_tensor(), 'range': tf.ragged.range(ids).flat_values}
    m = Ragged()
    export(where, m, serving_default=m.rows, checked=m.checked, text=m.text, gathered=m.gathered)


def sparse(where):
    class Sparse(tf.Module):
        def __init__(self):
            self.table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2), name='table')

        @function(spec([None, 2], L, 'indices'), spec([None], F, 'values'), spec([2], L, 'shape'))
        def ops(self, indices, values, shape):
            s = tf.SparseTensor(indices, values, shape)
            return {'dense': tf.sparse.to_dense(s), 'sum': tf.sparse.reduce_sum(s, 1),
                    'flat': tf.sparse.reshape(s, [-1]).indices}

        @function(spec([None, 2], L, 'indices'), spec([None], F, 'values'), spec([2], L, 'shape'), spec([None, None], F, 'dense'))
        def product(self, indices, values, shape, dense):
            return {'product': tf.sparse.sparse_dense_matmul(tf.sparse.reorder(tf.SparseTensor(indices, values, shape)), dense)}

        @function(spec([None, 2], L, 'indices'), spec([None], L, 'ids'), spec([2], L, 'shape'))
        def embedded(self, indices, ids, shape):
            s = tf.SparseTensor(indices, ids, shape)
            return {'mean': tf.nn.embedding_lookup_sparse(self.table, s, None, combiner='mean'),
                    'sum': tf.nn.embedding_lookup_sparse(self.table, s, None, combiner='sum'),
                    'sqrtn': tf.nn.embedding_lookup_sparse(self.table, s, None, combiner='sqrtn'),
                    'safe': tf.nn.safe_embedding_lookup_sparse(self.table, s, default_id=0)}
    m = Sparse()
    export(where, m, serving_default=m.ops, product=m.product, embedded=m.embedded)


def images(where):
    class Images(tf.Module):
        @function(spec([], S, 'data'))
        def png(self, data):
            return {'image': tf.io.decode_png(data, channels=3)}

        @function(spec([], S, 'data'))
        def any(self, data):
            image = tf.io.decode_image(data, expand_animations=False)
            return {'image': image, 'mean': tf.reduce_mean(tf.cast(image, F))}

        @function(spec([None], S, 'data'))
        def batch(self, data):
            decode = lambda s: tf.cast(tf.io.decode_png(s, channels=1), F) / 255.0
            return {'images': tf.map_fn(decode, data, fn_output_signature=tf.TensorSpec([None, None, 1], F))}
    m = Images()
    export(where, m, serving_default=m.png, any=m.any, batch=m.batch)


def checks(where):
    class Checks(tf.Module):
        @function(spec([None], F, 'x'))
        def positive(self, x):
            tf.debugging.assert_positive(x, message='x must be positive')
            return {'log': tf.math.log(x)}

        @function(spec([None], I, 'x'), spec([], I, 'limit'))
        def below(self, x, limit):
            with tf.control_dependencies([tf.debugging.Assert(tf.reduce_all(x < limit), ['too large:', x, limit])]):
                return {'x': tf.identity(x)}

        @function(spec(None, F, 'x'))
        def shaped(self, x):
            return {'x': tf.ensure_shape(x, [None, 2])}

        @function(spec([None], F, 'x'))
        def finite(self, x):
            return {'y': tf.debugging.check_numerics(1.0 / x, 'inverse')}
    m = Checks()
    export(where, m, serving_default=m.positive, below=m.below, shaped=m.shaped, finite=m.finite)


def reductions(where):
    class Reductions(tf.Module):
        @function(spec([None, None], F, 'x'))
        def matrix(self, x):
            top = tf.math.top_k(x, 2)
            return {'sum': tf.reduce_sum(x, 1), 'mean': tf.reduce_mean(x), 'max': tf.reduce_max(x, 0), 'min': tf.reduce_min(x, 1, keepdims=True),
                    'prod': tf.reduce_prod(x), 'any': tf.reduce_any(x > 4, 1), 'all': tf.reduce_all(x > 0), 'argmax': tf.argmax(x, 1),
                    'argmin': tf.argmin(x, 0, output_type=I), 'top': top.values, 'at': top.indices, 'cumsum': tf.cumsum(x, 1, exclusive=True),
                    'norm': tf.norm(x), 'logsumexp': tf.reduce_logsumexp(x, 1), 'std': tf.math.reduce_std(x, 0)}

        @function(spec(None, F, 'x'), spec([], I, 'axis'))
        def axis(self, x, axis):
            return {'sum': tf.reduce_sum(x, axis)}

        @function(spec([None], F, 'x'), spec([None], I, 'ids'))
        def segments(self, x, ids):
            return {'sum': tf.math.segment_sum(x, ids), 'mean': tf.math.segment_mean(x, ids), 'unsorted': tf.math.unsorted_segment_max(x, ids, 4)}

        @function(spec([None], I, 'x'))
        def counts(self, x):
            y, at, n = tf.unique_with_counts(x)
            return {'unique': y, 'at': at, 'n': n, 'bins': tf.math.bincount(x, minlength=3), 'sum': tf.reduce_sum(x), 'mean': tf.reduce_mean(x)}
    m = Reductions()
    export(where, m, serving_default=m.matrix, axis=m.axis, segments=m.segments, counts=m.counts)


def control(where):
    class Control(tf.Module):
        @function(spec([], F, 'x'))
        def branches(self, x):
            sign = tf.cond(x > 0, lambda: tf.constant('positive'), lambda: tf.cond(x < 0, lambda: tf.constant('negative'), lambda: tf.constant('zero')))
            case = tf.switch_case(tf.cast(x, I), [lambda: x * 10.0, lambda: x * 100.0, lambda: -x])
            return {'sign': sign, 'case': case}

        @function(spec([], I, 'n'))
        def loop(self, n):
            i, a, b = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), [0, tf.constant(0, L), tf.constant(1, L)])
            return {'fibonacci': a, 'steps': i}

        @function(spec([None, 2], F, 'x'))
        def mapped(self, x):
            return {'rows': tf.map_fn(lambda row: tf.reduce_sum(row) * row, x), 'scan': tf.scan(lambda a, row: a + row, x)}

        @function(spec([None], F, 'x'), spec([], I, 'n'))
        def failing(self, x, n):
            return {'y': tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + tf.reshape(x, [2])), [0, tf.zeros([2])])[1]}
    m = Control()
    export(where, m, serving_default=m.branches, loop=m.loop, mapped=m.mapped, failing=m.failing)


def shapes(where):
    class Shapes(tf.Module):
        @function(spec([None, None], F, 'x'))
        def change(self, x):
            return {'shape': tf.shape(x), 'wide': tf.expand_dims(x, 0), 'turned': tf.transpose(x), 'row': x[0], 'last': x[:, -1], 'back': x[::-1, ::2],
                    'new': x[tf.newaxis, ..., 0], 'tiled': tf.tile(x, [2, 1]), 'padded': tf.pad(x, [[1, 0], [0, 2]], constant_values=9.0),
                    'mirror': tf.pad(x, [[1, 1], [1, 1]], 'REFLECT'), 'stacked': tf.stack([x, -x], 1), 'both': tf.concat([x, x], 1),
                    'zeros': tf.zeros_like(x), 'ones': tf.ones_like(x), 'hot': tf.one_hot(tf.argmax(x, 1), 3), 'where': tf.where(x > 2.0),
                    'chosen': tf.where(x > 2.0, x, -1.0), 'rolled': tf.roll(x, 1, 1), 'reversed': tf.reverse(x, [0]), 'band': tf.linalg.band_part(x, 0, -1)}

        @function(spec(None, F, 'x'), spec([None], I, 'shape'))
        def reshape(self, x, shape):
            return {'y': tf.reshape(x, shape)}

        @function(spec(None, F, 'a'), spec(None, F, 'b'))
        def join(self, a, b):
            return {'y': tf.concat([a, b], 0)}

        @function(spec(None, F, 'x'), spec([], I, 'at'))
        def index(self, x, at):
            return {'y': x[at]}

        @function(spec([None, None], F, 'x'), spec([None, None], I, 'at'))
        def nd(self, x, at):
            return {'y': tf.gather_nd(x, at), 'put': tf.tensor_scatter_nd_update(tf.zeros([3]), [[1]], [5.0])}

        @function(spec([], I, 'start'), spec([], I, 'limit'), spec([], I, 'delta'))
        def sequence(self, start, limit, delta):
            return {'range': tf.range(start, limit, delta), 'filled': tf.fill([limit], 1.5)}

        @function(spec([None, None], F, 'x'), spec([2], I, 'begin'), spec([2], I, 'size'))
        def cut(self, x, begin, size):
            return {'y': tf.slice(x, begin, size)}

        @function(spec([None, 4], F, 'x'))
        def parts(self, x):
            a, b = tf.split(x, 2, 1)
            c, d = tf.split(x, [1, 3], 1)
            return {'a': a, 'b': b, 'c': c, 'd': d, 'e': tf.unstack(x, axis=1)[2], 'squeezed': tf.squeeze(c, 1)}
    m = Shapes()
    export(where, m, serving_default=m.change, reshape=m.reshape, join=m.join, index=m.index, nd=m.nd, sequence=m.sequence, cut=m.cut, parts=m.parts)


def arithmetic(where):
    class Arithmetic(tf.Module):
        @function(spec([None], F, 'x'))
        def unary(self, x):
            n, m = tf.nn, tf.math
            return {name: f(x) for name, f in {
                'abs': m.abs, 'ceil': m.ceil, 'cos': m.cos, 'exp': m.exp, 'floor': m.floor, 'log': m.log, 'log1p': m.log1p, 'neg': m.negative, 'round': m.round,
                'rsqrt': m.rsqrt, 'sigmoid': m.sigmoid, 'sign': m.sign, 'sin': m.sin, 'sqrt': m.sqrt, 'square': m.square, 'tanh': m.tanh, 'erf': m.erf,
                'relu': n.relu, 'relu6': n.relu6, 'elu': n.elu, 'selu': n.selu, 'softplus': n.softplus, 'leaky': n.leaky_relu, 'softmax': n.softmax,
                'nan': m.is_nan, 'swish': n.silu, 'gelu': n.gelu, 'half': lambda x: tf.cast(x, tf.half) * 3, 'to_int': lambda x: tf.cast(x, I)}.items()}

        @function(spec([None], I, 'a'), spec([None], I, 'b'))
        def ints(self, a, b):
            return {'div': a // b, 'mod': a % b, 'true': a / b, 'power': tf.pow(a, 2), 'max': tf.maximum(a, b), 'min': tf.minimum(a, b), 'mul': a * b,
                    'bits': tf.bitwise.bitwise_xor(a, b), 'equal': a == b, 'less': a < b, 'float': tf.cast(a, F), 'difference': tf.math.squared_difference(a, b)}

        @function(spec([None], F, 'a'), spec([None], F, 'b'))
        def floats(self, a, b):
            return {'div': a / b, 'floor': a // b, 'mod': a % b, 'power': tf.pow(a, b), 'max': tf.maximum(a, b), 'safe': tf.math.divide_no_nan(a, b),
                    'greater': a >= b, 'not': tf.logical_not(a != b), 'either': tf.logical_or(a > b, b > 2.0), 'added': tf.add_n([a, b, a])}

        @function(spec([2], tf.uint8, 'u'), spec([2], tf.float64, 'd'), spec([2], tf.complex64, 'c'), spec([2], tf.half, 'h'), spec([2], tf.int8, 'i'), spec([2], tf.bfloat16, 'b'))
        def kinds(self, u, d, c, h, i, b):
            return {'u': u + u, 'd': d / 3.0, 'c': c * c, 'h': h / h[0] + h, 'i': i * i, 'real': tf.math.real(c), 'b': b + b[1], 'wide': tf.cast(u, L), 'abs': tf.abs(c)}
    m = Arithmetic()
    export(where, m, serving_default=m.unary, ints=m.ints, floats=m.floats, kinds=m.kinds)


def counter(where):
    """A model that changes while it serves."""
    class Counter(tf.Module):
        def __init__(self):
            self.n = tf.Variable(0.0, name='n')

        @function(spec([], F, 'delta'))
        def add(self, delta):
            return {'n': self.n.assign_add(delta)}

        @function()
        def get(self):
            return {'n': self.n.read_value()}

        @function()
        def reset(self):
            self.n.assign(0.0)
            return {'n': self.n.read_value()}
    m = Counter()
    export(where, m, serving_default=m.add, get=m.get, reset=m.reset)


def control_v1(where):
    """Branches as TensorFlow 1 writes them: Switch and Merge."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(F, [None], 'x')
        training = v1.placeholder_with_default(False, [], 'training')
        w = v1.get_variable('w', initializer=[2.0], use_resource=False)
        y = v1.cond(training, lambda: x + 1.0, lambda: x * w)
        check = v1.Assert(v1.reduce_all(x < 100.0), ['x is too large', x])
        with tf.control_dependencies([check]):
            y = tf.identity(y, 'y')
        session.run(v1.global_variables_initializer())
        builder = sm.Builder(where)
        builder.add_meta_graph_and_variables(session, ['serve'], {
            'serving_default': signature_v1({'x': x}, {'y': y}),
            'training': signature_v1({'x': x, 'training': training}, {'y': y})})
        builder.save()
    v1.enable_control_flow_v2()


def keras_text(where):
    """Words to numbers to a score, and a recurrent layer in both directions."""
    tf.keras.utils.set_random_seed(6)
    text = tf.keras.layers.Input([1], dtype='string', name='text')
    words = tf.keras.layers.TextVectorization(max_tokens=20, output_sequence_length=4, vocabulary=['the', 'cat', 'sat', 'mat'])(text)
    y = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(3))(tf.keras.layers.Embedding(20, 3)(words))
    tf.keras.Model(text, tf.keras.layers.Dense(1, activation='tanh')(y)).export(where, verbose=False)


def pixels(where):
    class Pixels(tf.Module):
        @function(spec([None, None, None, None], F, 'x'))
        def scaled(self, x):
            return {'bilinear': tf.image.resize(x, [3, 5]), 'nearest': tf.image.resize(x, [3, 5], 'nearest'),
                    'corners': v1.image.resize_bilinear(x, [5, 3], align_corners=True), 'deep': tf.nn.space_to_depth(x, 2),
                    'wide': tf.nn.depth_to_space(tf.tile(x[..., :1], [1, 1, 1, 4]), 2), 'flipped': tf.image.flip_left_right(x)}

        @function(spec([None], F, 'x'))
        def places(self, x):
            edges = tf.constant([0.0, 1.0, 2.0, 3.0])
            return {'left': tf.searchsorted(edges, x), 'right': tf.searchsorted(edges, x, side='right'), 'diagonal': tf.linalg.diag(x),
                    'sorted': tf.sort(x), 'repeated': tf.repeat(x, 2), 'mask': tf.sequence_mask(tf.cast(x, I), 3)}
    m = Pixels()
    export(where, m, serving_default=m.scaled, places=m.places)


def decoding(where):
    """A loop that ends early, as models of language have it."""
    class Decoding(tf.Module):
        def __init__(self):
            self.weights = tf.Variable(np.random.RandomState(0).randn(6, 6).astype(np.float32), name='weights')

        @function(spec([None, None], I, 'tokens'))
        def decode(self, tokens):
            out = tf.TensorArray(I, size=0, dynamic_size=True, clear_after_read=False)
            last = tokens[:, -1]
            for step in tf.range(4):
                last = tf.argmax(tf.gather(self.weights, last), -1, output_type=I)
                out = out.write(step, last)
                if tf.reduce_all(last == 3):
                    break
            return {'tokens': tf.transpose(out.stack())}
    m = Decoding()
    export(where, m, serving_default=m.decode)
