"""What served models hold besides: derivatives, lists that change their size, sparse tensors as text, batches within a
graph, small operations on numbers and texts, cells of recurrent layers and Fourier transforms; and what record.py asks of
them."""
import gzip

from matrices import *

DERIVED = {'SigmoidGrad': ('y', 'dy'), 'TanhGrad': ('y', 'dy'), 'SqrtGrad': ('y', 'dy'), 'RsqrtGrad': ('y', 'dy'), 'InvGrad': ('y', 'dy'), 'ReciprocalGrad': ('y', 'dy'),
           'ReluGrad': ('features', 'gradients'), 'Relu6Grad': ('features', 'gradients'), 'LeakyReluGrad': ('features', 'gradients'), 'EluGrad': ('outputs', 'gradients'), 'SeluGrad': ('outputs', 'gradients'),
           'SoftplusGrad': ('features', 'gradients'), 'SoftsignGrad': ('features', 'gradients')}


def edges_derivatives(where):
    def python(x, w):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.nn.sigmoid(tf.matmul(tf.nn.relu(x) + tf.nn.elu(x) * tf.tanh(x), w) + tf.reduce_mean(x)))
        return tape.gradient(y, x)
    build(where, {
        **{op: ([X('a'), X('b')], lambda a, b, op=op, names=names: getattr(R, op)(**dict(zip(names, (a, b))))) for op, names in DERIVED.items()},
        'double': ([X('a', D), X('b', D)], lambda a, b: {op: getattr(R, op)(**dict(zip(names, (a, b)))) for op, names in DERIVED.items()}),
        'args': ([X('a', I), X('b', I)], lambda a, b: named('rs', R.BroadcastGradientArgs(s0=a, s1=b))), 'argslong': ([X('a', L), X('b', L)], lambda a, b: named('rs', R.BroadcastGradientArgs(s0=a, s1=b))),
        'bias': ([X()], lambda x: R.BiasAddGrad(out_backprop=x)), 'biasfirst': ([X()], lambda x: R.BiasAddGrad(out_backprop=x, data_format='NCHW')), 'biasints': ([X('x', I)], lambda x: R.BiasAddGrad(out_backprop=x)),
        'python': ([spec([None, 3], F, 'x'), spec([3, 2], F, 'w')], python),
    })


def edges_small(where):
    build(where, {
        'unravel': ([X('x', I), X('dims', I)], lambda x, dims: R.UnravelIndex(indices=x, dims=dims)), 'unravellong': ([X('x', L), X('dims', L)], lambda x, dims: R.UnravelIndex(indices=x, dims=dims)),
        'counts': ([X(), X('axis', L)], lambda x, axis: named('yic', R.UniqueWithCountsV2(x=x, axis=axis))), 'countstexts': ([X('x', S), X('axis', L)], lambda x, axis: named('yic', R.UniqueWithCountsV2(x=x, axis=axis, out_idx=L))),
        'reverse': ([X(), X('dims', tf.bool)], lambda x, dims: R.Reverse(tensor=x, dims=dims)), 'clip': ([X(), X('lo'), X('hi')], lambda x, lo, hi: R.ClipByValue(t=x, clip_value_min=lo, clip_value_max=hi)),
        'clipints': ([X('x', I), X('lo', I), X('hi', I)], lambda x, lo, hi: R.ClipByValue(t=x, clip_value_min=lo, clip_value_max=hi)), 'bits': ([X('x', I)], lambda x: R.PopulationCount(x=x)), 'bitslong': ([X('x', L)], lambda x: R.PopulationCount(x=x)),
        'print': ([X('x', S)], lambda x: R.Fingerprint(data=x, method=tf.constant('farmhash64'))), 'printfloats': ([X()], lambda x: R.Fingerprint(data=x, method=tf.constant('farmhash64'))), 'printother': ([X(), X('m', S)], lambda x, m: R.Fingerprint(data=x, method=m)),
        'distance': ([X('ia', L), X('va', S), X('sa', L), X('ib', L), X('vb', S), X('sb', L)], lambda ia, va, sa, ib, vb, sb: {'y': R.EditDistance(hypothesis_indices=ia, hypothesis_values=va, hypothesis_shape=sa, truth_indices=ib, truth_values=vb, truth_shape=sb)}),
        'distanceints': ([X('ia', L), X('va', I), X('sa', L), X('ib', L), X('vb', I), X('sb', L)], lambda ia, va, sa, ib, vb, sb: R.EditDistance(hypothesis_indices=ia, hypothesis_values=va, hypothesis_shape=sa, truth_indices=ib, truth_values=vb, truth_shape=sb, normalize=False)),
        'fill': ([X('i', L), X('v'), X('n', L), X('d')], lambda i, v, n, d: named('ivem', R.RaggedFillEmptyRows(value_rowids=i, values=v, nrows=n, default_value=d))), 'filltexts': ([X('i', L), X('v', S), X('n', L), X('d', S)], lambda i, v, n, d: named('ivem', R.RaggedFillEmptyRows(value_rowids=i, values=v, nrows=n, default_value=d))),
        'padded': ([X('x', S), X('n', I)], lambda x, n: R.DecodePaddedRaw(input_bytes=x, fixed_length=n, out_type=tf.int16)), 'paddedbig': ([X('x', S), X('n', I)], lambda x, n: R.DecodePaddedRaw(input_bytes=x, fixed_length=n, out_type=F, little_endian=False)), 'paddedbytes': ([X('x', S), X('n', I)], lambda x, n: R.DecodePaddedRaw(input_bytes=x, fixed_length=n, out_type=tf.uint8)),
        'plain': ([X('x', S)], lambda x: R.DecodeCompressed(bytes=x)), 'zlib': ([X('x', S)], lambda x: R.DecodeCompressed(bytes=x, compression_type='ZLIB')), 'gzip': ([X('x', S)], lambda x: R.DecodeCompressed(bytes=x, compression_type='GZIP')),
        'scatter': ([X(), X('i', I), X('u')], lambda x, i, u: R.ScatterNdNonAliasingAdd(input=x, indices=i, updates=u)), 'check': ([X()], lambda x: R.CheckNumericsV2(tensor=x, message='odd')),
        'dims': ([X('x', I)], lambda x: R.DataFormatDimMap(x=x)), 'dimsback': ([X('x', L)], lambda x: R.DataFormatDimMap(x=x, src_format='NCHW', dst_format='NHWC')), 'vec': ([X('x', I)], lambda x: R.DataFormatVecPermute(x=x)), 'vecback': ([X('x', L)], lambda x: R.DataFormatVecPermute(x=x, src_format='NCHW', dst_format='NHWC')),
        'kept': ([X()], lambda x: {'g': R.GuaranteeConst(input=x), 'd': R.DeepCopy(x=x)}),
    })


def edges_lists(where):
    made = lambda x, shape=-1: R.TensorListFromTensor(tensor=x, element_shape=tf.constant(shape, I))
    stacked = lambda handle, d=F: R.TensorListStack(input_handle=handle, element_shape=tf.constant(-1, I), element_dtype=d)
    concat = lambda x, shape: named('yl', R.TensorListConcat(input_handle=x, element_dtype=F, element_shape=shape))
    build(where, {
        'resize': ([X(), X('n', I)], lambda x, n: (lambda h: {'n': R.TensorListLength(input_handle=h), 'y': stacked(h)})(R.TensorListResize(input_handle=made(x), size=n))), 'resizelength': ([X(), X('n', I)], lambda x, n: R.TensorListLength(input_handle=R.TensorListResize(input_handle=made(x), size=n))),
        'scatter': ([X(), X('i', I)], lambda x, i: stacked(R.TensorListScatter(tensor=x, indices=i, element_shape=tf.constant(-1, I)))),
        'scatter2': ([X(), X('i', I), X('n', I)], lambda x, i, n: stacked(R.TensorListScatterV2(tensor=x, indices=i, element_shape=tf.constant(-1, I), num_elements=n))),
        'scattershape': ([X(), X('i', I), X('s', I)], lambda x, i, s: stacked(R.TensorListScatterV2(tensor=x, indices=i, element_shape=s, num_elements=tf.constant(-1, I)))),
        'concat': ([X()], lambda x: concat(made(x), None)), 'concatshape': ([X()], lambda x: concat(made(x), [None, 2])), 'lists': ([X('a'), X('b')], lambda a, b: stacked(R.TensorListConcatLists(input_a=made(a), input_b=made(b), element_dtype=F))),
        'shape': ([X(), X('s', I)], lambda x, s: R.TensorListElementShape(input_handle=R.TensorListFromTensor(tensor=x, element_shape=s), shape_type=I)), 'shapelong': ([X(), X('s', L)], lambda x, s: R.TensorListElementShape(input_handle=R.TensorListFromTensor(tensor=x, element_shape=s), shape_type=L)),
        'python': ([spec([None, None], F, 'x')], lambda x: tf.TensorArray(F, 0, dynamic_size=True, element_shape=[None]).scatter(tf.range(tf.shape(x)[0]), x).stack()),
    })


def edges_packed(where):
    P = lambda k='', d=F: [X('i' + k, L), X('v' + k, d), X('s' + k, L)]
    many = lambda x, d: named('ivs', R.DeserializeManySparse(serialized_sparse=x, dtype=d))
    any_ = lambda x, d: named('ivs', R.DeserializeSparse(serialized_sparse=x, dtype=d))
    build(where, {
        'pack': (P(), lambda i, v, s: R.SerializeSparse(sparse_indices=i, sparse_values=v, sparse_shape=s)), 'packmany': (P(), lambda i, v, s: R.SerializeManySparse(sparse_indices=i, sparse_values=v, sparse_shape=s)),
        'packtexts': (P('', S), lambda i, v, s: R.SerializeSparse(sparse_indices=i, sparse_values=v, sparse_shape=s)),
        'many': ([X('x', S)], lambda x: many(x, F)), 'any': ([X('x', S)], lambda x: any_(x, F)), 'manytexts': ([X('x', S)], lambda x: many(x, S)), 'theretexts': (P('', S), lambda i, v, s: any_(R.SerializeSparse(sparse_indices=i, sparse_values=v, sparse_shape=s), S)),
        'there': (P(), lambda i, v, s: any_(R.SerializeManySparse(sparse_indices=i, sparse_values=v, sparse_shape=s), F)),
        'variant': (P(), lambda i, v, s: any_(R.SerializeSparse(sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=tf.variant), F)), 'variants': (P(), lambda i, v, s: any_(R.SerializeManySparse(sparse_indices=i, sparse_values=v, sparse_shape=s, out_type=tf.variant), F)),
        'mapped': ([spec([None, None], L, 'i'), spec([None], F, 'v'), spec([None], L, 's')], lambda i, v, s: (lambda r: {'i': r.indices, 'v': r.values, 's': r.dense_shape})(tf.map_fn(lambda row: row.with_values(row.values * 2), tf.SparseTensor(i, v, s)))),
    })


def edges_batches(where):
    batched = lambda f, **more: tf.nondifferentiable_batch_function(1, 4, 1000, **more)(f)
    twice = batched(lambda x: x * 2 + tf.reduce_sum(x, -1, keepdims=True))
    padded = batched(lambda x: x + 1, allowed_batch_sizes=[2, 4])
    two = batched(lambda a, b: (a + b, a))
    total = batched(lambda x: tf.reduce_sum(x, keepdims=True))
    mean = batched(lambda x: x - tf.reduce_mean(x, 0), allowed_batch_sizes=[2, 4])
    scalar = batched(lambda x: tf.reduce_sum(x))
    weights = tf.constant([1., 2., 3.])
    build(where, {
        'twice': ([X()], lambda x: twice(x)), 'padded': ([X()], lambda x: padded(x)), 'two': ([X('a'), X('b')], lambda a, b: named('ab', two(a, b))), 'total': ([X()], lambda x: total(x)), 'mean': ([X()], lambda x: mean(x)), 'scalar': ([X()], lambda x: scalar(x)),
        'captured': ([X(), X('w')], lambda x, w: batched(lambda y: y * w + weights)(x)), 'texts': ([X('x', S)], lambda x: batched(lambda s: tf.strings.join([s, s]))(x)),
    })


DER = REQUESTS['edges_derivatives'] = [q(op, a=x, b=y) for op in DERIVED for x, y in ((f(-2, -0.5, 0, 0.3, 1, 6, 7), f(1, 2, 3, -4, 5, 6, 7)), (r23, r23 + 1), (f(), f()), (F32(0.5), F32(2)), (f(nan, inf, -inf), f(1, 1, 1)), (f(1, 2), f(1, 2, 3)), (r23, f(1, 2, 3)), (f(1, 2), F32(3)), (r23, r23.T))]
DER += [q('double', a=x.astype(np.float64), b=y.astype(np.float64)) for x, y in ((f(0.1, 0.9, 2, -0.4, 0), f(1, -1, 2, 3, 0)), (f(), f()))]
DER += [q(key, a=np.array(x, n), b=np.array(y, n)) for key, n in (('args', np.int32), ('argslong', np.int64)) for x, y in (([2, 3], [3]), ([2, 1], [1, 3]), ([], [2]), ([2], [2]), ([1, 1], [1, 1]), ([2, 3], [2, 3, 1]), ([2], [3]), (2, [2]), ([[2]], [2]), ([0, 1], [1]), ([5, 1, 2], [4, 1]), ([1, 2, 1], [3, 1, 1]))]
DER += [q(key, x=x) for key in ('bias', 'biasfirst') for x in (r23, r234, cube(2, 3, 2, 2), f(1, 2), F32(1), z(0, 3), z(2, 0), cube(1, 2, 2, 2, 3))] + [q('biasints', x=ai(M23))] + [q('python', x=x, w=a(M32)) for x in (r23 - 2, z(0, 3))]

SMA = REQUESTS['edges_small'] = [q(key, x=np.array(x, n), dims=np.array(dims, n)) for key, n in (('unravel', np.int32), ('unravellong', np.int64)) for x, dims in (([5, 0, 22], [4, 6]), (7, [3, 3]), ([], [2]), ([24], [4, 6]), ([-1], [4, 6]), ([1, 30], [4, 6]), ([0], []), (0, []), ([0], [0, 2]), ([], [0]), ([1], [[4]]), ([[1, 2]], [4]), ([1], 4), ([1], [-2, 3]))]
SMA += [q('counts', x=x, axis=l(*axis)) for x, axis in ((f(1, 2, 1, 3, 1), ()), (f(1, 2, 1), (0,)), (a([[1, 2], [1, 2], [3, 4]]), (0,)), (a([[1, 1, 2], [3, 3, 4]]), (1,)), (a([[1, 1], [2, 2]]), (-1,)), (f(), ()), (r23, ()), (F32(1), ()), (f(1, 2), (1,)), (f(1), (0, 0)), (z(0, 2), (0,)), (f(nan, nan), ()))]
SMA += [q('countstexts', x=st(x), axis=l(*axis)) for x, axis in ((['a', 'b', 'a'], ()), ([['a'], ['a'], ['b']], (0,)), ([], ()))]
SMA += [q('reverse', x=x, dims=ab(dims)) for x, dims in ((r23, [True, False]), (r23, [False, True]), (r234, [True, True, True]), (f(1, 2), [True]), (r23, [True]), (F32(1), []), (f(1, 2), True), (r23, [[True, False]]), (z(0, 2), [True, True]), (f(), [True]), (z(0, 2, 3), [True, True, True]), (z(2, 0), [True, True]), (z(0, 2), [False, True]), (z(0, 3), [True, False]), (z(0, 2, 2), [False, False, False]), (np.ones([1] * 9, F32), [False] * 9))]
SMA += [q('clip', x=x, lo=np.array(lo, F32), hi=np.array(hi, F32)) for x, lo, hi in ((r23, 1, 4), (r23, r23 - 1, 3), (r23, 2, r23), (r23, r23, r23 + 1), (r23, [1], 4), (r23, 1, [4]), (r23, [1, 2, 3], 4), (r23, [1, 2], [3, 4]), (f(), 0, 1), (F32(5), 0, 1), (f(nan, inf), 0, 1), (f(1, 2, 3), 5, 2), (f(1), [0, 0], 1), (r23, z(3, 2), 9), (r23, 1, r23.T))]
SMA += [q('clipints', x=ai(M23), lo=ai(2), hi=ai(5)), q('clipints', x=i(), lo=ai(2), hi=ai(5)), q('clipints', x=i(1), lo=i(1, 2), hi=ai(5))]
SMA += [q('bits', x=i(*x)) for x in ((0, 1, 255, -1, 2 ** 31 - 1), ())] + [q('bitslong', x=al(x)) for x in ([[7, -2]], 2 ** 40)]
SMA += [q('print', x=st(x)) for x in (['a', 'bc', ''], [['a', 'bc'], ['de', 'f']], [], [['abc']])] + [q('printfloats', x=x) for x in (f(1, 2), r23, r234, z(0, 2), z(2, 0), F32(1))] + [q('printother', x=f(1), m=m) for m in (text(b'farmhash64'), text(b'md5'), st(['farmhash64']))] + [q('print', x=text(b'a'))]
words = lambda rows: (np.array([[r, k] for r, row in enumerate(rows) for k in range(len(row))], np.int64).reshape(-1, 2), [c for row in rows for c in row], l(len(rows), max(map(len, rows), default=0)))
def edit(key, x, y, kind, **more):
    (ia, va, sa), (ib, vb, sb) = words(x), words(y)
    return q(key, **{**dict(ia=ia, va=kind(va), sa=sa, ib=ib, vb=kind(vb), sb=sb), **more})
EDITS = ((['kitten'], ['sitting']), (['a', 'bc'], ['a', 'cb']), ([''], ['abc']), (['abc'], ['']), ([''], ['']), (['ab', '', 'x'], ['', 'ab', 'xy']))
SMA += [edit('distance', x, y, st) for x, y in EDITS] + [edit('distanceints', x, y, lambda v: i(*map(ord, v))) for x, y in EDITS]
SMA += [edit('distance', ['ab', 'c'], ['ab', 'd'], st, **more) for more in (dict(ia=l(0)), dict(va=st([['a']])), dict(sa=al([[2, 2]])), dict(sa=l(2)), dict(sa=l(3, 2)), dict(va=st(['a'])), dict(ia=ix([5, 0], [0, 1], [1, 0])), dict(ib=l(0)), dict(vb=st(['a'])), dict(sb=l(2)), dict(sa=l(2, 2, 1)), dict(ib=ix([0, 0], [0, 1], [9, 0])), dict(ia=ix([0, 0], [0, 1], [1, 0, ])[:2]))]
SMA += [edit('distance', ['ab', 'c'], ['ab', 'd'], st, sa=l(4, 2)), edit('distance', ['ab', 'c'], ['ab', 'd'], st, sb=l(1, 2)), edit('distance', [], [], st)]
SMA += [q('fill', i=l(*rows), v=v, n=np.array(n, np.int64), d=np.array(d, F32)) for rows, v, n, d in (((0, 0, 2), f(1, 2, 3), 4, 9), ((), f(), 2, 9), ((), f(), 0, 9), ((0, 1), f(1, 2), 2, 9), ((1, 0), f(1, 2), 2, 9), ((0, 5), f(1, 2), 2, 9), ((-1, 0), f(1, 2), 2, 9), ((0,), f(1, 2), 2, 9), ((0, 1), f(1, 2), [2], 9), ((0, 1), f(1, 2), 2, [9]), ((0,), f(1), 0, 9), ((0, 2), r23[:, :1], 3, 9), ((2, 0, 2), f(1, 2, 3), 3, 9))]
SMA += [q('fill', i=al([[0]]), v=f(1), n=al(1), d=F32(0)), q('fill', i=al(0), v=F32(1), n=al(1), d=F32(0))] + [q('filltexts', i=l(1), v=st(['a']), n=al(3), d=text(b'z'))]
SMA += [q(key, x=x, n=np.array(n, np.int32)) for key in ('padded', 'paddedbig', 'paddedbytes') for x, n in ((st(['abcd', 'ab']), 4), (st(['abcdefgh']), 8), (st(['abc', '']), 4), (st(['abcdefgh', 'a']), 4), (st([]), 4), (st(['a']), 3), (st(['a']), 0), (st(['a']), -4), (st(['a']), [4]), (text(b'abcd'), 4), (st([['ab'], ['cd']]), 8), (st(['a']), [4, 4]))]
SQUEEZED = gzip.compress(b'hello hello hello', mtime=0)
SMA += [q(key, x=x) for key in ('plain', 'zlib', 'gzip') for x in (st([zlib.compress(b'hello'), zlib.compress(b'')]), st([SQUEEZED]), st(['junk']), st([]), text(SQUEEZED), text(zlib.compress(b'x' * 1000)), st([b'']), st([SQUEEZED[:-9]]), st([zlib.compress(b'hello')[:-2]]), st([[SQUEEZED], [SQUEEZED]]), st([SQUEEZED + SQUEEZED]))]
SMA += [q('scatter', x=x, i=ai(at), u=u) for x, at, u in ((f(1, 2, 3, 4), [[0], [2], [0]], f(10, 20, 30)), (r23, [[1, 2]], f(9)), (r23, [[1]], a([[7, 8, 9]])), (f(1, 2), [[5]], f(1)), (f(1, 2), [[-1]], f(1)), (f(1, 2), [[0], [1]], f(1)), (f(1, 2), np.zeros([0, 1]), f()), (r23, [[0, 0, 0]], f(1)), (F32(1), [[0]], f(1)), (f(1, 2), [0], f(1)))]
SMA += [q('check', x=x) for x in (f(1, 2), f(), f(nan, 1), f(inf, 1), f(-inf, 2), f(nan, inf), f(inf, -inf), f(nan, inf, -inf), r23)]
SMA += [q('dims', x=ai(x)) for x in ([0, 1, 2, 3], [-1, -4], [4], [-5], 3, [])] + [q('dimsback', x=al(x)) for x in ([0, 1, 2, 3], [[-1, -2]], [9])] + [q('vec', x=ai(x)) for x in ([1, 2, 3, 4], [[1, 2], [3, 4], [5, 6], [7, 8]], [5, 6], [[1, 2], [3, 4]], [1, 2, 3], 1, [[1], [2], [3], [4]], [[[1]]])] + [q('vecback', x=al(x)) for x in ([1, 2, 3, 4], [5, 6])] + [q('kept', x=r23)]

LIS = REQUESTS['edges_lists'] = [q('resize', x=x, n=ai(n)) for x, n in ((r23, 1), (r23, 0), (r23, 2), (r23, 3), (f(1, 2), 4), (f(), 0))] + [q('resizelength', x=x, n=np.array(n, np.int32)) for x, n in ((r23, 1), (r23, 5), (r23, 0), (r23, -1), (f(), 3), (r23, [1]))]
LIS += [q('scatter', x=x, i=i(*at)) for x, at in ((r23, (1, 0)), (f(1, 2), (0, 1)), (f(1, 2, 3), (2, 0, 1)), (f(), ()), (f(1, 2), (0,)), (f(1), (0, 1)), (f(1, 2), (0, 0)), (F32(1), (0,)))]
LIS += [q('scatter2', x=x, i=i(*at), n=np.array(n, np.int32)) for x, at, n in ((r23, (1, 0), -1), (r23, (1, 0), 3), (f(1, 2), (0, 1), 2), (f(1, 2), (0, 1), 1), (f(1, 2), (-1, 0), 2), (f(1, 2), (0, 3), 4), (f(), (), 2), (f(1, 2), (0, 1), -2), (f(1, 2), (0, 1), 0))] + [q('scattershape', x=x, i=i(0, 1), s=np.array(s_, np.int32)) for x, s_ in ((r23, [3]), (r23, [-1]), (r23, [2]), (r23, -1), (f(1, 2), []), (r23, [3, 1]))]
LIS += [q(key, x=x) for key in ('concat', 'concatshape') for x in (r234[:, :, :2], r23, r23[:, :2], f(1, 2), z(0, 2, 2), z(2, 0, 2), F32(1))] + [q('lists', a=x, b=y) for x, y in ((r23, r23 + 1), (f(1), f(2, 3)), (f(), f(1)), (r23, f(1, 2)), (r23, z(0, 3)))]
LIS += [q(key, x=r23, s=np.array(s_, n)) for key, n in (('shape', np.int32), ('shapelong', np.int64)) for s_ in ([3], [-1], -1, [2], [3, 1])] + [q('python', x=x) for x in (r23, z(0, 2))]

SP3 = dict(i=ix([0, 1], [1, 0], [2, 2]), v=f(1, 2, 3), s=l(3, 3))
PAC = REQUESTS['edges_packed'] = [q(key, **{**SP3, **more}) for key in ('pack', 'packmany', 'there', 'variant', 'variants') for more in (dict(), dict(i=zl(0, 2), v=f(), s=l(2, 2)), dict(i=zl(0, 2), v=f(), s=l(0, 2)), dict(v=f(1, 2)), dict(i=l(0)), dict(v=a([[1]])), dict(s=al([[3, 3]])), dict(s=l(3)), dict(s=l(3, 3, 3)), dict(i=ix([0, 1], [5, 0], [2, 2])), dict(i=ix([1, 1], [0, 0], [2, 2])), dict(i=al([[0], [2]]), v=f(1, 2), s=l(3)))]
PAC += [q(key, i=SP3['i'], v=st(['a', '', 'b']), s=SP3['s']) for key in ('packtexts', 'theretexts')]
pack = lambda *rows: st([[proto(x) for x in (ix(*at) if len(at) else zl(0, len(sizes)), np.array(values, kind), l(*sizes))] for at, values, sizes, kind in rows])
P1, P2 = (((1,), (3,)), [5, 6], (4,), F32), (((0,),), [7], (6,), F32)
ROWS = [pack(P1), pack(P1, P2), pack((((0, 1), (1, 0)), [1, 2], (2, 2), F32), (((1, 2),), [3], (3, 3), F32)), pack(((), [], (4,), F32), P1), pack((((1,),), [5], (4,), np.float64)), pack(P1, (((0, 0),), [7], (6, 1), F32)), st(np.full([0, 3], b'')), st([['a', 'b', 'c']]), st([['a', 'b']]), st(['a', 'b', 'c']), st([[proto(l(1)), proto(f(1)), proto(l(2))]]),
        st([[proto(ix([0])), proto(a([[1]])), proto(l(2))]]), st([[proto(ix([0])), proto(f(1)), proto(al([[2]]))]]), st([[proto(ix([0])), proto(f(1, 2)), proto(l(2))]]), st([[proto(ix([0])), proto(f(1)), proto(l(2, 2))]]), text(b'x'), pack(P1)[0], st([pack(P1, P2).tolist()])]
PAC += [q(key, x=x) for key in ('many', 'any') for x in ROWS] + [q('manytexts', x=pack((((1,),), ['q'], (4,), object)))] + [q('mapped', **SP3), q('mapped', i=zl(0, 2), v=f(), s=l(2, 2))]

BAT = REQUESTS['edges_batches'] = [q(key, x=x) for key in ('twice', 'padded', 'total') for x in (f(1, 2, 3), r23, f(1), z(0, 2), f(), F32(1), np.ones([4, 2], F32), np.ones([5, 2], F32))] + [q('two', a=x, b=y) for x, y in ((f(1, 2), f(3, 4)), (r23, r23), (f(1, 2), f(1)), (F32(1), f(1)))]
BAT += [q(key, x=x) for key in ('mean', 'scalar') for x in (f(1, 2, 3), f(1, 2), f(4), r23, f())]
BAT += [q('captured', x=x, w=F32(2)) for x in (r23, a([[1, 2, 3]]))] + [q('texts', x=st(['a', 'b']))]


def edges_cells(where):
    LSTM = [X('x'), X('c'), X('h'), X('w'), X('wi'), X('wf'), X('wo'), X('b')]
    names = ('i', 'cs', 'f', 'o', 'ci', 'co', 'h')
    cell = lambda **more: (LSTM, lambda x, c, h, w, wi, wf, wo, b: dict(zip(names, R.LSTMBlockCell(x=x, cs_prev=c, h_prev=h, w=w, wci=wi, wcf=wf, wco=wo, b=b, **more))))
    block = lambda op, **more: ([X('n', L), *LSTM], lambda n, x, c, h, w, wi, wf, wo, b: dict(zip(names, getattr(R, op)(seq_len_max=n, x=x, cs_prev=c, h_prev=h, w=w, wci=wi, wcf=wf, wco=wo, b=b, **more))))
    build(where, {
        'cell': cell(), 'cellpeep': cell(use_peephole=True, cell_clip=.3, forget_bias=.5), 'cellfree': cell(cell_clip=-1.), 'block': block('BlockLSTM'), 'blockpeep': block('BlockLSTM', use_peephole=True, cell_clip=.2), 'block2': block('BlockLSTMV2'), 'block2peep': block('BlockLSTMV2', use_peephole=True, cell_clip=.2),
        'gru': ([X('x'), X('h'), X('w'), X('wc'), X('b'), X('bc')], lambda x, h, w, wc, b, bc: dict(zip('ruch', R.GRUBlockCell(x=x, h_prev=h, w_ru=w, w_c=wc, b_ru=b, b_c=bc)))),
    })


def edges_waves(where):
    real = lambda op, d=F: ([X('x', d), X('n', I)], lambda x, n: getattr(R, op)(input=x, fft_length=n))
    whole = lambda op: ([X('x', C)], lambda x: getattr(R, op)(input=x))
    build(where, {
        **{op: real(op) for op in ('RFFT', 'RFFT2D', 'RFFT3D')}, **{op: ([X('x', C), X('n', I)], real(op)[1]) for op in ('IRFFT', 'IRFFT2D', 'IRFFT3D')}, **{op: whole(op) for op in ('FFT', 'IFFT', 'FFT2D', 'IFFT2D', 'FFT3D', 'IFFT3D')},
        'double': ([X('x', D), X('n', I)], lambda x, n: R.RFFT(input=x, fft_length=n, Tcomplex=tf.complex128)),
        'python': ([spec([None, None], F, 'x')], lambda x: {'r': tf.signal.rfft(x), 'a': tf.abs(tf.signal.rfft(x, [8])), 'b': tf.signal.irfft(tf.signal.rfft(x), [8]), 'd': tf.signal.fft(tf.cast(x, C))}),
    })


net = lambda *shape: (np.arange(int(np.prod(shape)), dtype=F32) * 7 % 11 / 11 - .4).reshape(shape)
LS = dict(x=net(2, 3), c=net(2, 2), h=net(2, 2) + .1, w=net(5, 8), wi=net(2), wf=net(2) + .2, wo=net(2) - .3, b=net(8))
WRONG = [dict(x=net(1, 3)), dict(x=net(2, 4)), dict(c=net(1, 2)), dict(c=net(2, 3)), dict(h=net(3, 2)), dict(h=net(2, 3)), dict(w=net(4, 8)), dict(w=net(5, 4)), dict(b=net(4))]
CEL = REQUESTS['edges_cells'] = [q(key, **{**LS, **more}) for key in ('cell', 'cellpeep', 'cellfree') for more in ([{}, dict(c=net(2, 2) * 9)] + (WRONG if key == 'cellpeep' else []))]
SEQ3 = {**LS, 'x': net(4, 2, 3)}
CEL += [q(key, n=np.array(n, np.int64), **{**SEQ3, **more}) for key in ('block', 'blockpeep', 'block2', 'block2peep') for n, more in [(4, {}), (1, dict(x=net(1, 2, 3)))] + ([(3, dict(more, x=net(4, *more['x'].shape)) if 'x' in more else more) for more in WRONG] if key != 'block' else [])]
CEL += [(*q(key, n=al(n), **SEQ3), ['cs', 'h']) for key in ('block', 'blockpeep', 'block2', 'block2peep') for n in (2, 0)]  # of the others the runtime leaves what was in memory behind the last step
GR = dict(x=net(2, 3), h=net(2, 2), w=net(5, 4), wc=net(5, 2), b=net(4), bc=net(2))
CEL += [q('gru', **{**GR, **more}) for more in ({}, dict(h=net(2, 2) * 5), dict(x=net(1, 3)), dict(h=net(2, 3)), dict(h=net(1, 2)), dict(w=net(4, 4)), dict(w=net(5, 2)), dict(wc=net(4, 2)), dict(wc=net(5, 3)), dict(b=net(3)), dict(bc=net(3)))]

wave = lambda *shape: cube(*shape) + .5
turn_ = lambda *shape: (wave(*shape) + 1j * net(*shape)).astype(np.complex64)
WAV = REQUESTS['edges_waves'] = [q('RFFT', x=x, n=np.array(n, np.int32)) for x, n in ((wave(4), [4]), (wave(5), [5]), (wave(2, 6), [6]), (wave(2, 6), [4]), (wave(3), [4]), (wave(3), [1]), (wave(3), [-1]), (wave(3), 3), (wave(3), [3, 3]), (F32(1), [1]), (wave(2, 2, 7), [7]), (wave(16), [16]))]
WAV += [q('RFFT2D', x=x, n=i(*n)) for x, n in ((wave(3, 4), (3, 4)), (wave(2, 3, 5), (3, 5)), (wave(4, 4), (2, 3)), (wave(2, 2), (4, 2)), (wave(4), (4, 4)), (wave(3, 4), (4,)))] + [q('RFFT3D', x=wave(2, 3, 4), n=i(2, 3, 4)), q('RFFT3D', x=wave(2, 2), n=i(1, 2, 2))]
WAV += [q('IRFFT', x=x, n=i(*n)) for x, n in ((turn_(3), (4,)), (turn_(3), (5,)), (turn_(2, 4), (6,)), (turn_(5), (4,)), (turn_(2), (6,)), (turn_(3), (1,)), (turn_(3), (2, 2)))] + [q('IRFFT2D', x=turn_(3, 3), n=i(3, 4)), q('IRFFT2D', x=turn_(2, 2, 3), n=i(2, 5)), q('IRFFT3D', x=turn_(2, 2, 3), n=i(2, 2, 4))]
WAV += [q(op, x=x) for op in ('FFT', 'IFFT') for x in (turn_(4), turn_(2, 5), turn_(1), np.complex64(1j))] + [q(op, x=x) for op in ('FFT2D', 'IFFT2D') for x in (turn_(3, 4), turn_(2, 2, 3), turn_(4))] + [q(op, x=x) for op in ('FFT3D', 'IFFT3D') for x in (turn_(2, 3, 2), turn_(2, 2))]
WAV += [q('double', x=wave(2, 6).astype(np.float64), n=i(6))] + [q('python', x=x) for x in (wave(2, 6), wave(1, 8))]
