"""Special functions, arithmetic of sparse tensors, sequence examples, functions mapped over ragged rows; layers of Keras
that recur and that look up; signatures of one function at several dtypes; and what record.py asks of all."""
from formats import *

B16, H, D, C = tf.bfloat16, tf.half, tf.float64, tf.complex64
FUNCTIONS = ('Digamma', 'Erfinv', 'Ndtri', 'BesselI0', 'BesselI0e', 'BesselI1', 'BesselI1e', 'BesselJ0', 'BesselJ1', 'BesselY0', 'BesselY1', 'Lgamma', 'Erfc')


def edges_special(where):
    two = lambda op: ([X('a'), X('b')], lambda a, b: getattr(R, op)(**dict(zip({'Zeta': 'xq', 'Xlog1py': 'xy'}.get(op, 'ax'), (a, b)))))
    build(where, {
        **{op: ([X()], lambda x, op=op: getattr(R, op)(x=x)) for op in FUNCTIONS},
        **{op: two(op) for op in ('Igamma', 'Igammac', 'Zeta', 'Polygamma', 'Xlog1py')},
        'Betainc': ([X('a'), X('b'), X('x')], lambda a, b, x: R.Betainc(a=a, b=b, x=x)),
        'double': ([X('x', D)], lambda x: {'d': tf.math.digamma(x), 'e': tf.math.erfinv(x), 'g': tf.math.igamma(x, x), 'b': tf.math.betainc(x, x, tf.abs(x) / 9)}),
        'half': ([X('x', H)], lambda x: {'d': tf.math.digamma(x), 'l': tf.math.lgamma(x)}),
        'angle': ([X('x', C)], lambda x: R.Angle(input=x)),
        'cumulative': ([X(), X('axis', I)], lambda x, axis: {'y': R.CumulativeLogsumexp(x=x, axis=axis), 'z': R.CumulativeLogsumexp(x=x, axis=axis, exclusive=True, reverse=True)}),
        'histogram': ([X(), X('r'), X('n', I)], lambda x, r, n: R.HistogramFixedWidth(values=x, value_range=r, nbins=n)),
        'lbeta': ([X()], lambda x: tf.math.lbeta(x)), 'gelu': ([X()], lambda x: tf.nn.gelu(x)),
        'logistic': ([X('a'), X('b')], lambda a, b: {'s': tf.nn.sigmoid_cross_entropy_with_logits(labels=a, logits=b), 'e': tf.math.reduce_logsumexp(a), 'd': tf.math.reduce_std(a), 'v': tf.math.reduce_variance(b)}),
        'softmax': ([X('a'), X('b')], lambda a, b: dict(zip('lb', R.SoftmaxCrossEntropyWithLogits(features=a, labels=b)))),
        'sparse_softmax': ([X('a'), X('b', L)], lambda a, b: dict(zip('lb', R.SparseSoftmaxCrossEntropyWithLogits(features=a, labels=b)))),
    })


def edges_sparsemath(where):
    P = lambda k, d=F: [X('i' + k, L), X('v' + k, d), X('s' + k, L)]
    one_, pair, dense = P('a'), P('a') + P('b'), P('a') + [X('d')]
    out = lambda t: dict(zip('ivs', t))
    split = lambda t: {**{'i%d' % n: x for n, x in enumerate(t[0])}, **{'v%d' % n: x for n, x in enumerate(t[1])}, **{'s%d' % n: x for n, x in enumerate(t[2])}}
    of = lambda op: (dense, lambda ia, va, sa, d: getattr(R, op)(sp_indices=ia, sp_values=va, sp_shape=sa, dense=d))
    reduce = lambda op, wrap=lambda y: y, **more: (one_ + [X('axis', I)], lambda ia, va, sa, axis: wrap(getattr(R, op)(input_indices=ia, input_values=va, input_shape=sa, reduction_axes=axis, **more)))
    build(where, {
        'add': (pair + [X('t')], lambda ia, va, sa, ib, vb, sb, t: out(R.SparseAdd(a_indices=ia, a_values=va, a_shape=sa, b_indices=ib, b_values=vb, b_shape=sb, thresh=t))),
        'addi': (P('a', L) + P('b', L) + [X('t', L)], lambda ia, va, sa, ib, vb, sb, t: out(R.SparseAdd(a_indices=ia, a_values=va, a_shape=sa, b_indices=ib, b_values=vb, b_shape=sb, thresh=t))),
        'adddense': (dense, lambda ia, va, sa, d: R.SparseTensorDenseAdd(a_indices=ia, a_values=va, a_shape=sa, b=d)),
        'cadd': of('SparseDenseCwiseAdd'), 'cmul': of('SparseDenseCwiseMul'), 'cdiv': of('SparseDenseCwiseDiv'),
        'max': reduce('SparseReduceMax'), 'maxkeep': reduce('SparseReduceMax', keep_dims=True), 'sum': reduce('SparseReduceSum'),
        'sumsparse': reduce('SparseReduceSumSparse', out), 'maxsparse': reduce('SparseReduceMaxSparse', out), 'sumsparsekeep': reduce('SparseReduceSumSparse', out, keep_dims=True),
        **{'concat%d' % n: (pair, lambda ia, va, sa, ib, vb, sb, n=n: out(R.SparseConcat(indices=[ia, ib], values=[va, vb], shapes=[sa, sb], concat_dim=n))) for n in (0, 1, -1, 2)},
        'slice': (one_ + [X('b', L), X('n', L)], lambda ia, va, sa, b, n: out(R.SparseSlice(indices=ia, values=va, shape=sa, start=b, size=n))),
        'softmax': (one_, lambda ia, va, sa: R.SparseSoftmax(sp_indices=ia, sp_values=va, sp_shape=sa)),
        'larger': (pair, lambda ia, va, sa, ib, vb, sb: dict(zip('iv', R.SparseSparseMaximum(a_indices=ia, a_values=va, a_shape=sa, b_indices=ib, b_values=vb, b_shape=sb)))),
        'smaller': (pair, lambda ia, va, sa, ib, vb, sb: dict(zip('iv', R.SparseSparseMinimum(a_indices=ia, a_values=va, a_shape=sa, b_indices=ib, b_values=vb, b_shape=sb)))),
        'split': (one_ + [X('axis', L)], lambda ia, va, sa, axis: split(R.SparseSplit(split_dim=axis, indices=ia, values=va, shape=sa, num_split=2))),
        'python': (one_ + [X('d')], lambda ia, va, sa, d: (lambda s: {
            'sum': tf.sparse.reduce_sum(s, 1), 'mul': (s * d).values, 'div': (s / d).values, 'both': tf.sparse.add(s, s, 5.).values, 'dense': tf.sparse.add(s, d), 'turned': tf.sparse.transpose(s).values,
            'mapped': tf.sparse.map_values(tf.abs, s).values, 'shape': tf.sparse.reset_shape(s).dense_shape})(tf.SparseTensor(ia, va, sa))),
    })


def edges_sequences(where):
    context = {'id': tf.io.FixedLenFeature([], L), 'w': tf.io.FixedLenFeature([2], F, [0.5, 0.25]), 'tags': tf.io.VarLenFeature(S)}
    steps = {'x': tf.io.FixedLenSequenceFeature([], F), 'xy': tf.io.FixedLenSequenceFeature([2], L, allow_missing=True), 'words': tf.io.VarLenFeature(S), 'n': tf.io.RaggedFeature(L)}
    def flat(c, s, *lengths):
        out = {}
        for side, values in zip('csl', (c, s) + lengths):
            for key, v in values.items():
                parts = {'i': v.indices, 'v': v.values, 's': v.dense_shape} if isinstance(v, tf.SparseTensor) else {'f': v.flat_values, **{'r%d' % n: x for n, x in enumerate(v.nested_row_splits)}} if isinstance(v, tf.RaggedTensor) else {'': v}
                out.update({side + '_' + key + part: x for part, x in parts.items()})
        return out
    ragged = {'words': tf.io.RaggedFeature(S, row_splits_dtype=L), 'n': tf.io.RaggedFeature(L)}
    build(where, {
        'many': ([spec([None], S, 's')], lambda s: flat(*tf.io.parse_sequence_example(s, context, steps))),
        'named': ([spec([None], S, 's'), X('names', S)], lambda s, names: flat(*tf.io.parse_sequence_example(s, {'id': context['id']}, {'x': steps['x']}, example_names=names))),
        'ragged': ([spec([None], S, 's')], lambda s: flat(*tf.io.parse_sequence_example(s, {'tags': tf.io.RaggedFeature(S), 'id': tf.io.VarLenFeature(L)}, ragged))),
        'only': ([spec([None], S, 's')], lambda s: flat(*tf.io.parse_sequence_example(s, None, {'x': tf.io.FixedLenSequenceFeature([], F, allow_missing=True)}))),
        'single': ([spec([], S, 's')], lambda s: flat(*tf.io.parse_single_sequence_example(s, context, steps))),
    })


def ragged_maps(where):
    """Functions mapped over the rows of ragged tensors, loops that grow them, and what is made of their rows."""
    RT = tf.RaggedTensor
    both = [spec([None], F, 'x'), spec([None], L, 'n')]
    rt = lambda x, n: RT.from_row_lengths(x, n, validate=False)
    def loop(x, n):
        return {'y': tf.while_loop(lambda i, s: i < tf.size(n), lambda i, s: (i + 1, s + tf.reduce_sum(rt(x, n)[i]) * tf.cast(i + 1, F)), [0, 0.0])[1]}
    build(where, {
        'sums': (both, lambda x, n: tf.map_fn(tf.reduce_sum, rt(x, n), fn_output_signature=F)),
        'rows': (both, lambda x, n: (lambda r: {'v': r.flat_values, 'r': r.row_splits})(tf.map_fn(lambda row: row * 2 + tf.cast(tf.size(row), F), rt(x, n), fn_output_signature=tf.RaggedTensorSpec([None], F)))),
        'ranges': ([spec([None], I, 'k')], lambda k: (lambda r: {'v': r.flat_values, 'r': r.row_splits})(tf.map_fn(tf.range, k, fn_output_signature=tf.RaggedTensorSpec([None], I)))),
        'nested': ([spec([None], I, 'x'), spec([None], L, 'n')], lambda x, n: (lambda r: {'v': r.flat_values, 'r': r.nested_row_splits[0], 's': r.nested_row_splits[1]})(
            tf.map_fn(tf.ragged.range, rt(x, n), fn_output_signature=tf.RaggedTensorSpec([None, None], I)))),
        'texts': ([spec([None], S, 'x'), spec([None], L, 'n')], lambda x, n: tf.map_fn(lambda row: tf.strings.reduce_join(row, separator='-'), rt(x, n), fn_output_signature=S)),
        'matrix': ([spec([None, 2], F, 'x'), spec([None], L, 'n')], lambda x, n: tf.map_fn(lambda row: tf.reduce_sum(row, 0), rt(x, n), fn_output_signature=F)),
        'loop': (both, loop),
        'made': (both, lambda x, n: (lambda r: {'mean': tf.reduce_mean(r, 1), 'max': tf.reduce_max(r, 1), 'twice': tf.concat([r, r], 1).flat_values, 'stacked': tf.stack([r, r]).flat_values, 'cut': r[:, :2].to_tensor(),
                                                'back': tf.reverse(r, [1]).flat_values, 'tiled': tf.tile(r, [1, 2]).flat_values, 'some': tf.ragged.boolean_mask(r, r > 1).flat_values, 'any': tf.reduce_any(r > 1, 1),
                                                'bounds': r.bounding_shape(), 'total': tf.reduce_sum(r), 'text': tf.strings.reduce_join(tf.strings.as_string(r), axis=1), 'hot': tf.one_hot(tf.cast(r, I), 3).flat_values,
                                                'soft': tf.nn.softmax(r).flat_values})(rt(x, n))),
        'add': (both + [spec([None], F, 'y')], lambda x, n, y: (rt(x, n) + rt(y, n)).flat_values),
        'rank': ([X(), spec([None], L, 'n')], lambda x, n: tf.map_fn(tf.reduce_sum, RT.from_row_lengths(x, n), fn_output_signature=F)),
    })


def seeded(model):
    """Gives a model weights that are the same each time."""
    rng = np.random.RandomState(7)
    model.set_weights([np.abs(rng.normal(scale=0.5, size=w.shape)).astype(w.dtype) if w.dtype == np.float32 else w for w in model.get_weights()])
    return model


def served(model):
    return lambda x: {'y': model(x, training=False)}


def stack_of(where, table):
    """Exports a model with a signature for each stack of layers: the shape and dtype of its input, and the layers."""
    archive = tf.keras.export.ExportArchive()
    for name, (shape, dtype, stack) in table.items():
        given = tf.keras.Input(shape, dtype=dtype)
        model = seeded(tf.keras.Model(given, stack(given)))
        archive.track(model)
        archive.add_endpoint(name, served(model), input_signature=[spec([None, *shape], dtype, 'x')])
    archive.write_out(where, verbose=False)


def chain(*stack):
    def call(x):
        for layer in stack:
            x = layer(x)
        return x
    return call


def keras_recurrent(where):
    k = layers
    seq, one_ = [None, 3], [4, 3]
    stack_of(where, {
        'lstm': (seq, F, chain(k.LSTM(2))), 'lstmseq': (seq, F, chain(k.LSTM(2, return_sequences=True, go_backwards=True))), 'gru': (seq, F, chain(k.GRU(2))), 'gruold': (seq, F, chain(k.GRU(2, reset_after=False, return_sequences=True))),
        'simple': (seq, F, chain(k.SimpleRNN(2, activation='relu'))), 'both': (seq, F, chain(k.Bidirectional(k.LSTM(2, return_sequences=True)))), 'bothsum': (one_, F, chain(k.Bidirectional(k.GRU(2), merge_mode='sum'))),
        'masked': (seq, F, chain(k.Masking(0.), k.LSTM(2))), 'maskedseq': (seq, F, chain(k.Masking(0.), k.GRU(2, return_sequences=True))), 'cells': (seq, F, chain(k.RNN([k.LSTMCell(2), k.GRUCell(2)]))), 'unrolled': (one_, F, chain(k.LSTM(2, unroll=True))),
        'words': ([None], I, chain(k.Embedding(5, 3, mask_zero=True), k.LSTM(2, return_sequences=True), k.GRU(2))), 'images': ([None, 3, 3, 1], F, chain(k.ConvLSTM2D(2, 2))), 'each': (one_, F, chain(k.TimeDistributed(k.Dense(2, 'tanh')))),
    })


def keras_lookup(where):
    k = layers
    words, numbers = ['a', 'b', 'c'], [4, 5, 6]
    stack_of(where, {
        **{'word_' + m: ([1 if m == 'one_hot' else 3], S, chain(k.StringLookup(vocabulary=words, output_mode=m))) for m in ('int', 'one_hot', 'multi_hot', 'count')},
        **{'number_' + m: ([1 if m == 'one_hot' else 3], L, chain(k.IntegerLookup(vocabulary=numbers, output_mode=m))) for m in ('int', 'one_hot', 'multi_hot', 'count')},
        'idf': ([3], S, chain(k.StringLookup(vocabulary=words, idf_weights=[1., 2., 3.], output_mode='tf_idf'))), 'spread': ([3], S, chain(k.StringLookup(vocabulary=words, num_oov_indices=3))), 'strict': ([3], S, chain(k.StringLookup(vocabulary=words, num_oov_indices=0))),
        'strictnumber': ([3], L, chain(k.IntegerLookup(vocabulary=numbers, num_oov_indices=0))), 'back': ([3], L, chain(k.StringLookup(vocabulary=words, invert=True))), 'maskword': ([3], S, chain(k.StringLookup(vocabulary=words, mask_token=''), k.Embedding(6, 2))),
        'hash': ([3], S, chain(k.Hashing(7))), 'hashsalt': ([3], S, chain(k.Hashing(7, salt=[3, 4]))), 'hashmask': ([3], S, chain(k.Hashing(7, mask_value=''))), 'hashnumber': ([3], L, chain(k.Hashing(7, output_mode='multi_hot'))),
        'steps': ([3], F, chain(k.Discretization([0., 1., 2.5]))), 'stepshot': ([1], F, chain(k.Discretization([0., 1., 2.5], output_mode='one_hot'))), 'stepscount': ([3], F, chain(k.Discretization([0., 1., 2.5], output_mode='count'))),
        'hot': ([1], L, chain(k.CategoryEncoding(4, output_mode='one_hot'))), 'hots': ([3], L, chain(k.CategoryEncoding(4, output_mode='multi_hot'))), 'counted': ([3], L, chain(k.CategoryEncoding(4, output_mode='count'))),
        **{'text_' + m: ([], S, chain(k.TextVectorization(vocabulary=words, output_mode=m, ngrams=2, **({'idf_weights': [1., 2., 3.]} if m == 'tf_idf' else {})))) for m in ('int', 'multi_hot', 'count', 'tf_idf')},
        'letters': ([1], S, chain(k.TextVectorization(vocabulary=words, split='character', output_sequence_length=5))), 'plain': ([1], S, chain(k.TextVectorization(vocabulary=words, standardize='strip_punctuation', split='whitespace', output_sequence_length=3))),
        'scaled': ([3], F, chain(k.Normalization(mean=[1., 2., 3.], variance=[4., 0., 1.]))), 'unscaled': ([3], F, chain(k.Normalization(mean=1., variance=4., invert=True))),
        'crossed': ([1], S, lambda x: k.HashedCrossing(5)([x, x])), 'crossedhot': ([1], S, lambda x: k.HashedCrossing(5, output_mode='one_hot')([x, x])),
    })


def polymorphic(where):
    """Signatures of one function at several dtypes and ranks, and inputs that have a value of their own."""
    module = tf.Module()
    module.scale = tf.Variable(2.0)

    @tf.function
    def call(x, y=1.0, training=False):
        z = tf.cast(x, F) * module.scale + y
        return {'z': tf.reduce_sum(z, -1) if training else z, 'n': tf.size(x)}
    module.call = call
    signatures = {'float': call.get_concrete_function(spec([None], F, 'x')), 'whole': call.get_concrete_function(spec([None, None], L, 'x'), 3.0), 'given': call.get_concrete_function(spec(None, F, 'x'), spec([], F, 'y')),
                  'trained': call.get_concrete_function(spec([None, 2], F, 'x'), training=True), 'number': call.get_concrete_function(spec([], I, 'x'), training=False)}
    export(where, module, serving_default=signatures['float'], **signatures)


def placeholders(where):
    """Inputs with a default, which a request may leave out of what it feeds."""
    with tf.Graph().as_default(), v1.Session() as session:
        x, d, n = v1.placeholder(F, [None, 2], 'x'), v1.placeholder_with_default(tf.constant([1.0, 2.0]), [2], 'd'), v1.placeholder_with_default(3, [], 'n')
        y, z = x * d, tf.tile(x, [n, 1])
        builder = sm.Builder(where)
        builder.add_meta_graph_and_variables(session, ['serve'], {
            'serving_default': signature_v1({'x': x}, {'y': y}), 'all': signature_v1({'x': x, 'd': d, 'n': n}, {'y': y, 'z': z}), 'some': signature_v1({'x': x, 'n': n}, {'z': z, 'd': d})})
        builder.save()


NUM = f(-2.5, -1, -0.5, 0, 1e-3, 0.3, 0.5, 1, 1.5, 3, 7.25, 30, 200)
SP = REQUESTS['edges_special'] = [q(op, x=x) for op in FUNCTIONS for x in (NUM, f(nan, inf, -inf, 1e-30, -0.999, 0.999), f(), F32(0.7), z(0, 2), a([[0.1, 0.9]]))]
for op in ('Igamma', 'Igammac', 'Zeta', 'Polygamma', 'Xlog1py'):
    SP += [q(op, a=x, b=y) for x, y in ((f(1, 2, 3, 0.5), f(0.5, 2, 10, 0.1)), (f(0, -1, 2, 1, 2, nan), f(1, 1, -1, 0, inf, 1)), (f(1, 2), f(1, 2, 3)), (f(2, 3), F32(1.5)), (a([[1], [2]]), f(0.5, 4)), (f(), f()), (f(), f(1)), (z(2, 0), z(2, 0)),
                                        (f(100, 60, 20, 1e-3), f(90, 80, 21, 1e-3)), (f(1.5, 3, 4), f(2, -0.5, -3)))]
SP += [q('Betainc', a=x, b=y, x=t) for x, y, t in ((f(1, 2, 0.5, 5), f(2, 3, 0.5, 1), f(0.1, 0.5, 0.9, 0.3)), (f(0, -1, 1, 1, 1, nan), f(1, 1, 1, 1, 0, 1), f(0.5, 0.5, -0.1, 1.1, 0.5, 0.5)), (f(1, 2), f(1, 2), f(0, 1)), (F32(2), f(1, 2), f(0.5, 0.5)),
                                                 (F32(2), F32(3), f(0.1, 0.2)), (f(1, 2), f(1, 2, 3), f(0.5, 0.5)), (f(1, 2), f(1, 2), f(0.5)), (f(), f(), f()), (a([[1, 2]]), f(1, 2), f(0.5, 0.5)))]
SP += [q('double', x=np.array([0.5, 1.5, 4, -0.5])), q('double', x=np.array([])), q('half', x=np.array([0.5, 2, 9], np.float16)), q('angle', x=np.array([1 + 1j, -1, 0, -2j], np.complex64)), q('angle', x=np.zeros([0], np.complex64))]
SP += [q('cumulative', x=x, axis=np.array(axis, np.int32)) for x, axis in ((f(1, 2, 3), 0), (r23, 1), (r23, -1), (r23, 2), (r23, -3), (F32(1), 0), (z(0, 2), 0), (r23, [0]), (f(-inf, 0, inf), 0))]
SP += [q('histogram', x=x, r=r, n=np.array(n, np.int32)) for x, r, n in ((f(-1, 0, 1.5, 2, 5, 15), f(0, 5), 5), (f(), f(0, 5), 5), (r23, f(0, 1), 2), (f(1), f(5, 5), 3), (f(1), f(5, 0), 3), (f(1), f(0, 5), 0), (f(1), f(0, 5), -1), (f(1), f(0), 3), (f(1), f(0, 1, 2), 3), (f(1), F32(1), 3), (f(1), f(0, 5), [3]), (f(nan), f(0, 5), 3), (f(1), f(nan, 5), 3))]
SP += [q(op, x=x) for op in ('lbeta', 'gelu') for x in (f(1, 2, 3), r23, F32(2), f(), f(-1, 0.5))]
SP += [q('logistic', a=x, b=y) for x, y in ((f(0, 1, 0.5), f(-3, 2, 100)), (f(1, 2), f(1)), (f(), f()), (r23, r23), (f(1), f(1, 2)))]
SP += [q('softmax', a=x, b=y) for x, y in ((r23, r23), (a([[1, 2, 3]]), a([[0, 1, 0]])), (r23, a([[1, 0, 0]])), (f(1, 2), f(1, 2)), (z(0, 3), z(0, 3)), (z(2, 0), z(2, 0)), (r23, z(3, 2)), (r234, r234), (r23, f(1, 0, 0)))]
SP += [q('sparse_softmax', a=x, b=y) for x, y in ((r23, l(0, 2)), (r23, l(1)), (r23, l(0, 3)), (r23, l(-1, 0)), (f(1, 2), l(0)), (r23, al([[0, 1]])), (z(0, 3), l()), (z(2, 0), l(0, 0)), (r234, l(0)))]

A3 = dict(ia=ix([0, 0], [0, 2], [1, 1]), va=f(1, -2, 3), sa=l(2, 3))
B3 = dict(ib=ix([0, 0], [1, 0], [1, 1]), vb=f(-1, 5, 4), sb=l(2, 3))
EMPTY = dict(ia=zl(0, 2), va=f(), sa=l(2, 3))
ODD = [dict(ia=ix([0, 3]), va=f(1)), dict(ia=ix([1, 1], [0, 2], [0, 0])), dict(va=f(1, 2)), dict(sa=l(2, 3, 1)), dict(va=a([[1, 2, 3]])), dict(ia=l(0, 1, 2)), dict(sa=al([[2, 3]])), dict(sa=l(2, -3)), dict(ia=ix([0, 0], [0, 0], [1, 1])), dict(ia=ix([-1, 0], [0, 2], [1, 1])), dict(sa=al(2))]
SM = REQUESTS['edges_sparsemath'] = [q('add', **{**A3, **B3, 't': F32(0), **more}) for more in [{}, {'t': F32(0.5)}, {'t': F32(4.5)}, EMPTY, dict(ib=zl(0, 2), vb=f()), dict(t=f(0)), dict(sb=l(2, 4)), dict(sb=l(3)), dict(vb=f(1)), dict(ib=l(0)), dict(sb=al([[2, 3]])), dict(sb=l(2, 3, 1))] + ODD[2:8] + ODD[10:]]
SM += [q('addi', ia=ix([0, 0]), va=l(5), sa=l(1, 1), ib=ix([0, 0]), vb=l(-5), sb=l(1, 1), t=al(t)) for t in (0, 1)]
DENSE = [a([[1, 2, 3], [4, 5, 0]]), f(1, 0, 2), a([[2], [0]]), F32(3), a([[1, 2]]), r234, f(1, 2, 3, 4), z(2, 0), z(0, 3), r23.reshape(1, 2, 3)]
for key in ('cadd', 'cmul', 'cdiv', 'adddense'):
    SM += [q(key, **A3, d=d) for d in DENSE] + [q(key, **{**A3, **more}, d=DENSE[0]) for more in [EMPTY] + ODD]
for key in ('max', 'maxkeep', 'sum', 'sumsparse', 'maxsparse', 'sumsparsekeep'):
    SM += [q(key, **A3, axis=np.array(axis, np.int32)) for axis in (0, 1, -1, [0, 1], [], 2, -3, [[0]], [1, 1])] + [q(key, **EMPTY, axis=ai(1))]
    SM += [q(key, **{**A3, **more}, axis=i(1)) for more in ODD[1:7] + ODD[8:9]]
for n in ('0', '1', '-1', '2'):
    SM += [q('concat' + n, **{**A3, **B3, **more}) for more in ({}, EMPTY, dict(sb=l(2, 5)), dict(sb=l(4, 3)), dict(sb=l(2, 3, 1)), dict(sb=l(6), ib=al([[0], [1], [2]])), dict(vb=f(1, 2)), dict(ib=ix([1, 1], [0, 0], [1, 0])))]
SM += [q('concat1', **{**A3, **B3, **more}) for more in ODD[2:7]]
SM += [q('slice', **A3, b=np.array(b, np.int64), n=np.array(n, np.int64)) for b, n in (([0, 0], [1, 3]), ([0, 1], [2, 2]), ([1, 0], [5, 5]), ([2, 0], [1, 1]), ([0, 0], [0, 0]), ([0], [1]), ([0, 0], [1]), ([[0, 0]], [1, 1]), ([0, 0, 0], [1, 1, 1]), ([-1, 0], [2, 2]), ([0, 9], [1, 1]))]
SM += [q('slice', **{**A3, **more}, b=l(0, 0), n=l(2, 2)) for more in [EMPTY] + ODD[1:8]]
SM += [q('softmax', **{**A3, **more}) for more in [{}, EMPTY, dict(va=f(inf, 1, 2)), dict(sa=l(3), ia=al([[0], [1], [2]])), dict(ia=al([[0, 0, 0], [0, 0, 1], [1, 1, 0]]), sa=l(2, 2, 2))] + ODD[2:7]]
for key in ('larger', 'smaller'):
    SM += [q(key, **{**A3, **B3, **more}) for more in [{}, EMPTY, dict(ib=zl(0, 2), vb=f()), dict(sb=l(2, 4)), dict(sb=l(3)), dict(vb=f(1)), dict(ib=l(0)), dict(sb=al([[2, 3]]))] + ODD[2:7]]
SM += [q('split', **A3, axis=np.array(axis, np.int64)) for axis in (0, 1, -1, 2, -3, [0], [0, 1])] + [q('split', **{**A3, **more}, axis=al(1)) for more in [EMPTY, dict(sa=l(2, 1), ia=ix([0, 0], [1, 0], [1, 0]))] + ODD[2:7]]
SM += [q('python', **A3, d=d) for d in DENSE[:4]]

def sequence(context, lists):
    feature = lambda v: tf.train.Example.FromString(example(x=v)).features.feature['x'] if v else tf.train.Feature()
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={k: feature(v) for k, v in context.items()}),
        feature_lists=tf.train.FeatureLists(feature_list={k: tf.train.FeatureList(feature=[feature(v) for v in steps]) for k, steps in lists.items()})).SerializeToString(deterministic=True)


FULL = sequence({'id': [1], 'w': [1.0, 2.0], 'tags': [b'p', b'q']}, {'x': [[0.5], [1.5], [2.5]], 'xy': [[1, 2], [3, 4]], 'words': [[b'a'], [b'b', b'c'], []], 'n': [[1, 2], [], [3]]})
SHORT = sequence({'id': [2]}, {'x': [[9.0]], 'words': [], 'xy': []})
ODDS = [sequence({}, {'x': [[1.0]]}), sequence({'id': [1]}, {}), sequence({'id': [1.5]}, {'x': [[1.0]]}), sequence({'id': [1]}, {'x': [[1]]}), sequence({'id': [1]}, {'x': [[1.0, 2.0]]}), sequence({'id': [1]}, {'x': [[]]}), sequence({'id': [1]}, {'x': [], 'xy': [[1]]}),
        sequence({'id': [1]}, {'x': [], 'words': [[3]]}), sequence({'id': [1, 2]}, {'x': []}), sequence({'id': [1], 'w': [1.0]}, {'x': []}), sequence({'id': [1], 'tags': [3]}, {'x': []}), sequence({'id': [1]}, {'x': [], 'n': [[b'a']]}), b'', b'no example', FULL[:-3],
        sequence({'id': []}, {'x': [[1.0]]}), sequence({'id': [1]}, {'x': [[1.0], []], 'words': [[], [b'z']]}), sequence({'id': [1], 'more': [b'?']}, {'x': [[4.0]], 'other': [[1]]})]
SEQ = REQUESTS['edges_sequences'] = [q(key, s=st(rows)) for key in ('many', 'ragged', 'only') for rows in ([FULL], [FULL, SHORT], [SHORT], [], *([o] for o in ODDS), [FULL, ODDS[0]])]
SEQ += [q('many', s=st([[FULL, SHORT]]))]
SEQ += [q('named', s=st(rows), names=names) for rows, names in (([FULL], st(['one'])), ([ODDS[0]], st(['one'])), ([ODDS[3]], st(['one'])), ([ODDS[1]], st(['one'])), ([FULL], st([])), ([FULL], st(['a', 'b'])), ([b'junk'], st(['one'])), ([ODDS[4]], st(['one'])))]
SEQ += [q(key, s=text(row)) for key in ('single',) for row in [FULL, SHORT] + ODDS]

LENGTHS = ((f(1, 2, 3, 4, 5), l(2, 0, 3)), (f(1), l(1)), (f(), l()), (f(), l(0, 0)), (f(1, 2), l(1)), (f(1, 2), l(1, 2)), (f(1, 2, 3), l(4, -1)))
RM = REQUESTS['ragged_maps'] = [q(key, x=x, n=n) for key in ('sums', 'rows', 'loop', 'made') for x, n in LENGTHS[:4 if key != 'sums' else 7]]
RM += [q('ranges', k=i(*k)) for k in ((3, 0, 2), (), (0,), (-1, 2))] + [q('nested', x=i(*x), n=l(*n)) for x, n in (((1, 2, 3), (2, 0, 1)), ((), ()), ((0, 0), (1, 1)))]
RM += [q('texts', x=st(x), n=l(*n)) for x, n in ((['a', 'b', 'c'], (1, 2)), ([], (0,)), (['x'], (1,)))] + [q('matrix', x=x, n=l(*n)) for x, n in ((a([[1, 2], [3, 4], [5, 6]]), (1, 2)), (z(0, 2), (0, 0)), (a([[1, 2, 3]]), (1,)))]
RM += [q('add', x=x, n=n, y=y) for x, n, y in ((f(1, 2, 3), l(1, 2), f(3, 2, 1)), (f(1, 2), l(1, 1), f(1)), (f(), l(), f()))] + [q('rank', x=x, n=l(*n)) for x, n in ((r23, (1, 1)), (f(1, 2), (2,)), (F32(1), (1,)), (r234, (2,)), (f(1, 2), (1,)))]

cube = lambda *shape: (np.arange(int(np.prod(shape)), dtype=F32) % 7 / 3).reshape(shape)
M23, M32 = [[1, 2, 3], [4, 5, 6]], [[1, 0], [2, -1], [3, 1]]

SEQS = (cube(2, 4, 3), cube(1, 1, 3), z(0, 4, 3), z(1, 0, 3), cube(1, 4, 2), cube(4, 3), np.concatenate([cube(1, 4, 3), z(1, 4, 3)]))
REQUESTS['keras_recurrent'] = [q(key, x=x) for key in ('lstm', 'lstmseq', 'gru', 'gruold', 'simple', 'both', 'bothsum', 'masked', 'maskedseq', 'cells', 'unrolled', 'each') for x in (SEQS if key in ('bothsum', 'unrolled', 'each', 'lstm') else SEQS[:3] + SEQS[4:])] + [
    q('words', x=ai(x)) for x in ([[1, 2, 0], [4, 0, 0]], [[0]], np.zeros([0, 2]), [[5]], [1, 2], [[0, 0, 1]])] + [q('images', x=x) for x in (cube(1, 2, 3, 3, 1), cube(1, 1, 3, 3, 1), cube(1, 2, 3, 3, 2))]
WORDS = (st([['a', 'b', 'z']]), st([['c', 'c', ''], ['', 'q', 'a']]), st(np.full([0, 3], b'')), st([['a']]), st(['a', 'b']), l(1))
NUMS = (al([[4, 5, 9]]), al([[6, 6, 0], [-1, 4, 5]]), zl(0, 3), al([[4]]), l(4, 5))
KL = REQUESTS['keras_lookup'] = [q(key, x=x) for key in ('word_int', 'word_multi_hot', 'word_count', 'idf', 'spread', 'strict', 'maskword', 'hash', 'hashsalt', 'hashmask') for x in WORDS]
KL += [q(key, x=x) for key in ('word_one_hot', 'crossed', 'crossedhot') for x in (st([['a']]), st([['z'], ['c']]), st(np.full([0, 1], b'')), st([['a', 'b']]), st(['a']))]
KL += [q(key, x=x) for key in ('number_int', 'number_multi_hot', 'number_count', 'strictnumber', 'back', 'hashnumber', 'hots', 'counted') for x in NUMS] + [q('back', x=al([[0, 1, 3]])), q('hots', x=al([[0, 1, 3]])), q('counted', x=al([[0, 1, 1]])), q('hots', x=al([[-1, 1, 3]]))]
KL += [q(key, x=x) for key in ('number_one_hot', 'hot') for x in (al([[0]]), al([[3], [4]]), al([[-1]]), zl(0, 1), al([[1, 2]]), l(1))]
KL += [q(key, x=x) for key in ('steps', 'stepscount', 'scaled', 'unscaled') for x in (a([[-1, 0, 2.5]]), a([[nan, inf, -inf], [1, 0.999, 3]]), z(0, 3), a([[1]]), f(1, 2, 3))] + [q('stepshot', x=x) for x in (a([[0.5]]), a([[9], [-9]]), z(0, 1))]
KL += [q('text_' + m, x=x) for m in ('int', 'multi_hot', 'count', 'tf_idf') for x in (st(['a b c', 'b']), st(['A, b!']), st(['']), st([]), st([['a'], ['b']]), st(['z z z', 'Gr\u00fc\u00dfe a']))] + [q(key, x=x) for key in ('letters', 'plain') for x in (st([['abz']]), st([['a b, C'], ['']]), st(np.full([0, 1], b'')), st(['abc']))]

REQUESTS['polymorphic'] = [q('serving_default', x=f(1, 2)), q('serving_default', x=f()), q('serving_default', x=r23), q('serving_default', x=i(1)), q('float', x=F32(1)), q('whole', x=al(M23)), q('whole', x=zl(0, 2)), q('whole', x=l(1)), q('given', x=f(1, 2), y=F32(5)), q('given', x=r234, y=F32(-1)),
                           q('given', x=F32(1), y=f(1, 2)), q('given', x=f(1, 2), y=f(1, 2, 3)), q('trained', x=r23[:, :2]), q('trained', x=f(1, 2)), q('trained', x=z(0, 2)), q('trained', x=r23), q('number', x=ai(4)), q('number', x=i(1, 2))]
REQUESTS['placeholders'] = [q('serving_default', x=r23[:, :2]), q('serving_default', x=r23), q('serving_default', x=z(0, 2)), q('all', x=r23[:, :2], d=f(10, 20), n=ai(2)), q('all', x=r23[:, :2], d=f(10, 20, 30), n=ai(2)), q('all', x=r23[:, :2], d=F32(2), n=ai(0)), q('all', x=r23[:, :2], d=f(1, 2), n=ai(-1)),
                            q('all', x=r23[:, :2], d=f(1, 2), n=i(2)), q('some', x=r23[:, :2], n=ai(1)), q('some', x=f(1, 2), n=ai(1)), ({'x': r23[:, :2], 'n': ai(1)}, 'some', ['d'])]
