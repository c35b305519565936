"""Models whose signatures are single operations, and what record.py asks of them: empty tensors, negative
axes, numbers out of range, unequal shapes, scalars where lists are due. Inputs have any rank, so that
the kernels look at shapes themselves, and not the functions that build graphs."""
from asked import *
from exported import *

R = tf.raw_ops

def build(where, table):
    """Exports a model with a signature for each entry: the inputs, and a function of them."""
    module, signatures = tf.Module(), {}
    for name, (specs, call) in table.items():
        arguments = ', '.join(s.name for s in specs)
        scope = {'call': call}
        exec('def named(%s):\n    out = call(%s)\n    return out if isinstance(out, dict) else {"y": out}' % (arguments, arguments), scope)
        signatures[name] = tf.function(scope['named'], input_signature=specs)
        setattr(module, name, signatures[name])
    export(where, module, serving_default=next(iter(signatures.values())), **signatures)


X = lambda n='x', d=F: spec(None, d, n)


def edges_gather(where):
    build(where, {
        'axis': ([X(), X('at', I), spec([], I, 'axis')], lambda x, at, axis: tf.gather(x, at, axis=axis)),
        'batch': ([X(), X('at', I)], lambda x, at: R.GatherV2(params=x, indices=at, axis=1, batch_dims=1)),
        'batchneg': ([X(), X('at', I)], lambda x, at: R.GatherV2(params=x, indices=at, axis=2, batch_dims=-1)),
        'strs': ([X('x', S), X('at', L)], lambda x, at: R.GatherV2(params=x, indices=at, axis=-1)),
        'nd': ([X(), X('at', L)], lambda x, at: R.GatherNd(params=x, indices=at)),
        'ndstr': ([X('x', S), X('at', I)], lambda x, at: R.GatherNd(params=x, indices=at)),
        'scatter': ([X('at', I), X('u'), X('shape', I)], lambda at, u, shape: R.ScatterNd(indices=at, updates=u, shape=shape)),
        'update': ([X(), X('at', I), X('u')], lambda x, at, u: R.TensorScatterUpdate(tensor=x, indices=at, updates=u)),
        'add': ([X(), X('at', I), X('u')], lambda x, at, u: R.TensorScatterAdd(tensor=x, indices=at, updates=u)),
        'updatestr': ([X('x', S), X('at', I), X('u', S)], lambda x, at, u: R.TensorScatterUpdate(tensor=x, indices=at, updates=u)),
        'part': ([X(), X('p', I)], lambda x, p: dict(zip('abc', R.DynamicPartition(data=x, partitions=p, num_partitions=3)))),
        'stitch': ([X('i', I), X('j', I), X('a'), X('b')], lambda i, j, a, b: R.DynamicStitch(indices=[i, j], data=[a, b])),
        'pstitch': ([X('i', I), X('j', I), X('a'), X('b')], lambda i, j, a, b: R.ParallelDynamicStitch(indices=[i, j], data=[a, b])),
    })


def edges_shape(where):
    build(where, {
        'expand': ([X(), spec([], I, 'axis')], lambda x, axis: tf.expand_dims(x, axis)),
        'expandv': ([X(), X('axis', L)], lambda x, axis: R.ExpandDims(input=x, axis=axis)),
        'squeeze': ([X()], lambda x: tf.squeeze(x)),
        'squeeze1': ([X()], lambda x: R.Squeeze(input=x, axis=[1])),
        'squeezem': ([X()], lambda x: R.Squeeze(input=x, axis=[-1, 0])),
        'transpose': ([X(), X('perm', I)], lambda x, perm: R.Transpose(x=x, perm=perm)),
        'invert': ([X('x', I)], lambda x: R.InvertPermutation(x=x)),
        'to': ([X(), X('shape', I)], lambda x, shape: R.BroadcastTo(input=x, shape=shape)),
        'args': ([X('a', I), X('b', I)], lambda a, b: R.BroadcastArgs(s0=a, s1=b)),
        'slice': ([X(), X('begin', L), X('size', L)], lambda x, begin, size: R.Slice(input=x, begin=begin, size=size)),
        'strided': ([X(), X('b', I), X('e', I), X('s', I)], lambda x, b, e, s: R.StridedSlice(input=x, begin=b, end=e, strides=s)),
        'shrink': ([X(), X('b', I), X('e', I), X('s', I)], lambda x, b, e, s: R.StridedSlice(input=x, begin=b, end=e, strides=s, shrink_axis_mask=1)),
        'ell': ([X()], lambda x: {'a': x[..., 0], 'b': x[..., ::-1], 'c': x[tf.newaxis, ..., tf.newaxis]}),
        'ell2': ([X()], lambda x: {'a': x[1, ..., -2:], 'b': x[:, 1:, tf.newaxis]}),
        'split': ([X(), spec([], I, 'axis')], lambda x, axis: dict(zip('ab', R.Split(axis=axis, value=x, num_split=2)))),
        'splitv': ([X(), X('sizes', I), spec([], I, 'axis')], lambda x, sizes, axis: dict(zip('ab', R.SplitV(value=x, size_splits=sizes, axis=axis, num_split=2)))),
        'unstack': ([X()], lambda x: dict(zip('ab', R.Unpack(value=x, num=2, axis=-1)))),
        'reverse': ([X(), X('axis', I)], lambda x, axis: R.ReverseV2(tensor=x, axis=axis)),
        'pad': ([X(), X('p', I)], lambda x, p: R.Pad(input=x, paddings=p)),
        'padv2': ([X(), X('p', I), X('v')], lambda x, p, v: R.PadV2(input=x, paddings=p, constant_values=v)),
        'mirror': ([X(), X('p', I)], lambda x, p: R.MirrorPad(input=x, paddings=p, mode='REFLECT')),
        'sym': ([X(), X('p', I)], lambda x, p: R.MirrorPad(input=x, paddings=p, mode='SYMMETRIC')),
        'tile': ([X(), X('m', I)], lambda x, m: R.Tile(input=x, multiples=m)),
        'roll': ([X(), X('s', I), X('a', I)], lambda x, s, a: R.Roll(input=x, shift=s, axis=a)),
        'concat': ([X('a'), X('b'), spec([], I, 'axis')], lambda a, b, axis: R.ConcatV2(values=[a, b], axis=axis)),
        'concatv': ([X('a'), X('b'), X('axis', I)], lambda a, b, axis: R.ConcatV2(values=[a, b], axis=axis)),
        'pack': ([X('a'), X('b')], lambda a, b: R.Pack(values=[a, b], axis=-1)),
        'fill': ([X('d', I), X('v')], lambda d, v: R.Fill(dims=d, value=v)),
        'fillstr': ([X('d', L), X('v', S)], lambda d, v: R.Fill(dims=d, value=v)),
        'range': ([X('a'), X('b'), X('c')], lambda a, b, c: R.Range(start=a, limit=b, delta=c)),
        'rangel': ([X('a', L), X('b', L), X('c', L)], lambda a, b, c: R.Range(start=a, limit=b, delta=c)),
        'lin': ([X('a'), X('b'), X('n', I)], lambda a, b, n: R.LinSpace(start=a, stop=b, num=n)),
        'onehot': ([X('i', L), X('d', I), X('on'), X('off')], lambda i, d, on, off: R.OneHot(indices=i, depth=d, on_value=on, off_value=off)),
        'onehot0': ([X('i', I), X('d', I), X('on'), X('off')], lambda i, d, on, off: R.OneHot(indices=i, depth=d, on_value=on, off_value=off, axis=0)),
        'onehot2': ([X('i', I), X('d', I), X('on'), X('off')], lambda i, d, on, off: R.OneHot(indices=i, depth=d, on_value=on, off_value=off, axis=2)),
        'band': ([X(), X('l', L), X('u', L)], lambda x, l, u: R.MatrixBandPart(input=x, num_lower=l, num_upper=u)),
        'diag': ([X()], lambda x: tf.linalg.diag(x)),
        'ensure': ([X()], lambda x: tf.ensure_shape(x, [None, 2])),
        'reshape': ([X(), X('s', L)], lambda x, s: R.Reshape(tensor=x, shape=s)),
        'like': ([X('x', S)], lambda x: {'z': tf.zeros_like(x), 'n': tf.size(x, L), 's': tf.shape(x, L), 'r': tf.rank(x)}),
        'bucket': ([X()], lambda x: R.Bucketize(input=x, boundaries=[0., 1., 10.])),
        'bucketi': ([X('x', I)], lambda x: R.Bucketize(input=x, boundaries=[0.5, 1., 10.])),
        'lower': ([X('a'), X('b')], lambda a, b: R.LowerBound(sorted_inputs=a, values=b)),
        'upper': ([X('a', I), X('b', I)], lambda a, b: R.UpperBound(sorted_inputs=a, values=b, out_type=L)),
        'where_': ([X('x', B)], lambda x: tf.where(x)),
        'wheref': ([X()], lambda x: R.Where(condition=x)),
        'select': ([X('c', B), X('a'), X('b')], lambda c, a, b: R.Select(condition=c, x=a, y=b)),
        'select2': ([X('c', B), X('a', S), X('b', S)], lambda c, a, b: R.SelectV2(condition=c, t=a, e=b)),
    })


def edges_reduce(where):
    red = {}
    for n in ['Sum', 'Mean', 'Max', 'Min', 'Prod']:
        red['f' + n.lower()] = ([X(), X('axis', I)], lambda x, axis, n=n: getattr(R, n)(input=x, axis=axis))
        red['i' + n.lower()] = ([X('x', I), X('axis', I)], lambda x, axis, n=n: getattr(R, n)(input=x, axis=axis, keep_dims=True))
    for n in ['All', 'Any']:
        red['b' + n.lower()] = ([X('x', B), X('axis', L)], lambda x, axis, n=n: getattr(R, n)(input=x, axis=axis))
    red.update({
        'norm': ([X(), X('axis', I)], lambda x, axis: R.EuclideanNorm(input=x, axis=axis)),
        'rjoin': ([X('x', S), X('axis', I)], lambda x, axis: R.ReduceJoin(inputs=x, reduction_indices=axis, separator=',')),
        'rjoink': ([X('x', S), X('axis', I)], lambda x, axis: R.ReduceJoin(inputs=x, reduction_indices=axis, separator='-', keep_dims=True)),
        'cumsum': ([X(), X('axis', I)], lambda x, axis: R.Cumsum(x=x, axis=axis)),
        'cumsumx': ([X('x', I), X('axis', I)], lambda x, axis: R.Cumsum(x=x, axis=axis, exclusive=True, reverse=True)),
        'cumprod': ([X(), X('axis', I)], lambda x, axis: R.Cumprod(x=x, axis=axis, exclusive=True)),
        'l2': ([X()], lambda x: R.L2Loss(t=x)),
        'argmax': ([X(), X('axis', I)], lambda x, axis: R.ArgMax(input=x, dimension=axis)),
        'argmin': ([X('x', I), X('axis', I)], lambda x, axis: R.ArgMin(input=x, dimension=axis, output_type=I)),
        'topk': ([X(), X('k', I)], lambda x, k: dict(zip('ab', R.TopKV2(input=x, k=k)))),
        'unique': ([X()], lambda x: dict(zip('ab', R.Unique(x=x)))),
        'uniques': ([X('x', S)], lambda x: dict(zip('abc', R.UniqueWithCounts(x=x, out_idx=L)))),
        'unique2': ([X('x', I), X('axis', I)], lambda x, axis: dict(zip('ab', R.UniqueV2(x=x, axis=axis)))),
        'seg': ([X(), X('ids', I)], lambda x, ids: {'sum': R.SegmentSum(data=x, segment_ids=ids)}),
        'segmean': ([X(), X('ids', I)], lambda x, ids: {'m': R.SegmentMean(data=x, segment_ids=ids)}),
        'segmax': ([X('x', I), X('ids', L)], lambda x, ids: {'m': R.SegmentMax(data=x, segment_ids=ids)}),
        'segmin': ([X(), X('ids', L)], lambda x, ids: {'m': R.SegmentMin(data=x, segment_ids=ids)}),
        'segprod': ([X(), X('ids', L)], lambda x, ids: {'m': R.SegmentProd(data=x, segment_ids=ids)}),
        'usum': ([X(), X('ids', I), X('n', I)], lambda x, ids, n: R.UnsortedSegmentSum(data=x, segment_ids=ids, num_segments=n)),
        'umax': ([X(), X('ids', I), X('n', I)], lambda x, ids, n: R.UnsortedSegmentMax(data=x, segment_ids=ids, num_segments=n)),
        'umin': ([X('x', I), X('ids', I), X('n', I)], lambda x, ids, n: R.UnsortedSegmentMin(data=x, segment_ids=ids, num_segments=n)),
        'uprod': ([X('x', I), X('ids', I), X('n', I)], lambda x, ids, n: R.UnsortedSegmentProd(data=x, segment_ids=ids, num_segments=n)),
        'ujoin': ([X('x', S), X('ids', I), X('n', I)], lambda x, ids, n: R.UnsortedSegmentJoin(inputs=x, segment_ids=ids, num_segments=n, separator=';')),
        'spsum': ([X(), X('at', I), X('ids', I)], lambda x, at, ids: R.SparseSegmentSum(data=x, indices=at, segment_ids=ids)),
        'spmean': ([X(), X('at', I), X('ids', I)], lambda x, at, ids: R.SparseSegmentMean(data=x, indices=at, segment_ids=ids)),
        'spsqrt': ([X(), X('at', I), X('ids', I), X('n', I)], lambda x, at, ids, n: R.SparseSegmentSqrtNWithNumSegments(data=x, indices=at, segment_ids=ids, num_segments=n)),
        'lse': ([X()], lambda x: {'a': tf.reduce_logsumexp(x), 'b': tf.math.reduce_std(x), 'c': tf.reduce_any(x > 0)}),
        'bin': ([X('x', I), X('n', I), X('w')], lambda x, n, w: R.Bincount(arr=x, size=n, weights=w)),
        'dbin': ([X('x', L), X('n', L), X('w')], lambda x, n, w: R.DenseBincount(input=x, size=n, weights=w)),
        'dbinb': ([X('x', I), X('n', I), X('w')], lambda x, n, w: R.DenseBincount(input=x, size=n, weights=w, binary_output=True)),
    })
    build(where, red)


def edges_math(where):
    t = {}
    for n in ['AddV2', 'Sub', 'Mul', 'RealDiv', 'FloorDiv', 'FloorMod', 'Pow', 'Maximum', 'Minimum', 'SquaredDifference', 'Atan2', 'Xlogy', 'Xdivy', 'DivNoNan', 'MulNoNan', 'Div', 'TruncateDiv', 'TruncateMod', 'Mod', 'Less', 'GreaterEqual', 'NotEqual']:
        if n in ('TruncateDiv', 'TruncateMod'): continue
        t['f' + n.lower()] = ([X('a'), X('b')], lambda a, b, n=n: getattr(R, n)(x=a, y=b))
    for n in ['AddV2', 'Sub', 'Mul', 'FloorDiv', 'FloorMod', 'Pow', 'Maximum', 'TruncateDiv', 'TruncateMod', 'Div', 'BitwiseAnd', 'LeftShift', 'RightShift', 'Less', 'Equal']:
        t['i' + n.lower()] = ([X('a', I), X('b', I)], lambda a, b, n=n: getattr(R, n)(x=a, y=b))
    for n in ['FloorDiv', 'FloorMod', 'AddV2', 'RightShift', 'Maximum']:
        t['u' + n.lower()] = ([X('a', tf.uint8), X('b', tf.uint8)], lambda a, b, n=n: getattr(R, n)(x=a, y=b)) if not (n == 'FloorMod') else ([X('a', tf.uint32), X('b', tf.uint32)], lambda a, b, n=n: getattr(R, n)(x=a, y=b))
    for n in ['Equal', 'NotEqual', 'AddV2']:
        t['s' + n.lower()] = ([X('a', S), X('b', S)], lambda a, b, n=n: getattr(R, n)(x=a, y=b) if n != 'AddV2' else R.Add(x=a, y=b))
    t['loose'] = ([X('a'), X('b')], lambda a, b: {'e': R.Equal(x=a, y=b, incompatible_shape_error=False), 'n': R.NotEqual(x=a, y=b, incompatible_shape_error=False)})
    for d, n in [(tf.int8, 'i8'), (tf.uint8, 'u8'), (tf.int16, 'i16'), (I, 'i32'), (L, 'i64'), (tf.uint32, 'u32'), (B, 'bool'), (tf.half, 'half'), (tf.bfloat16, 'bf16'), (tf.float64, 'f64')]:
        t['cast' + n] = ([X()], lambda x, d=d: tf.cast(x, d))
        t['icast' + n] = ([X('x', L)], lambda x, d=d: tf.cast(x, d))
    t['bcast'] = ([X('x', B)], lambda x: {'f': tf.cast(x, F), 'i': tf.cast(x, I)})
    t['bit'] = ([X()], lambda x: R.Bitcast(input=x, type=I))
    t['bit8'] = ([X()], lambda x: R.Bitcast(input=x, type=tf.uint8))
    t['bit64'] = ([X('x', I)], lambda x: R.Bitcast(input=x, type=L))
    t['addn'] = ([X('a'), X('b')], lambda a, b: R.AddN(inputs=[a, b, a]))
    t['and'] = ([X('a', B), X('b', B)], lambda a, b: {'a': a & b, 'o': a | b, 'n': ~a})
    t['approx'] = ([X('a'), X('b')], lambda a, b: R.ApproximateEqual(x=a, y=b, tolerance=0.1))
    t['complex'] = ([X('a'), X('b')], lambda a, b: tf.complex(a, b))
    t['check'] = ([X()], lambda x: tf.debugging.check_numerics(x, 'bad x'))
    for n in ['Abs', 'Neg', 'Sign', 'Square', 'Relu', 'Relu6']:
        t['iu' + n.lower()] = ([X('x', I)], lambda x, n=n: getattr(R, n)(**{('features' if 'Relu' in n else 'x'): x}))
    for n in ['Acos', 'Acosh', 'Asin', 'Asinh', 'Atan', 'Atanh', 'Cosh', 'Sinh', 'Tan', 'Erfc', 'Expm1', 'Lgamma', 'Inv', 'Reciprocal', 'Rint', 'Round', 'Sigmoid', 'Sign', 'Softplus', 'Softsign', 'Elu', 'Selu', 'Relu6', 'IsInf', 'IsFinite', 'IsNan', 'Rsqrt', 'Log1p', 'Tanh', 'Floor', 'Ceil']:
        t['v' + n.lower()] = ([X()], lambda x, n=n: getattr(R, n)(**{('features' if n in ('Softplus', 'Softsign', 'Elu', 'Selu', 'Relu6') else 'x'): x}))
    build(where, t)


def edges_layers(where):
    build(where, {
        'mm': ([X('a'), X('b')], lambda a, b: R.MatMul(a=a, b=b)),
        'mmt': ([X('a'), X('b')], lambda a, b: R.MatMul(a=a, b=b, transpose_a=True)),
        'mmi': ([X('a', I), X('b', I)], lambda a, b: R.MatMul(a=a, b=b, transpose_b=True)),
        'bmm': ([X('a'), X('b')], lambda a, b: R.BatchMatMulV2(x=a, y=b)),
        'bmm1': ([X('a'), X('b')], lambda a, b: R.BatchMatMul(x=a, y=b)),
        'bmmt': ([X('a'), X('b')], lambda a, b: R.BatchMatMulV2(x=a, y=b, adj_x=True, adj_y=True)),
        'ein': ([X('a'), X('b')], lambda a, b: R.Einsum(inputs=[a, b], equation='ab,bc->ac')),
        'eind': ([X('a')], lambda a: R.Einsum(inputs=[a], equation='aa->a')),
        'einell': ([X('a'), X('b')], lambda a, b: R.Einsum(inputs=[a, b], equation='...ab,bc->...ac')),
        'bias': ([X(), X('b')], lambda x, b: R.BiasAdd(value=x, bias=b)),
        'softmax': ([X()], lambda x: R.Softmax(logits=x)),
        'logsoftmax': ([X()], lambda x: R.LogSoftmax(logits=x)),
        'conv': ([X(), X('w')], lambda x, w: R.Conv2D(input=x, filter=w, strides=[1, 2, 2, 1], padding='SAME')),
        'convv': ([X(), X('w')], lambda x, w: R.Conv2D(input=x, filter=w, strides=[1, 1, 1, 1], padding='VALID', dilations=[1, 2, 2, 1])),
        'dw': ([X(), X('w')], lambda x, w: R.DepthwiseConv2dNative(input=x, filter=w, strides=[1, 1, 1, 1], padding='VALID')),
        'max': ([X()], lambda x: R.MaxPool(input=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID')),
        'avg': ([X()], lambda x: R.AvgPool(value=x, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding='SAME')),
        'bn': ([X(), X('s'), X('o'), X('m'), X('v')], lambda x, s, o, m, v: R.FusedBatchNormV3(x=x, scale=s, offset=o, mean=m, variance=v, is_training=False)[0]),
        'bil': ([X(), X('n', I)], lambda x, n: R.ResizeBilinear(images=x, size=n, half_pixel_centers=True)),
        'near': ([X('x', tf.uint8), X('n', I)], lambda x, n: R.ResizeNearestNeighbor(images=x, size=n)),
        'leaky': ([X()], lambda x: tf.nn.leaky_relu(x, 0.3)),
        's2d': ([X()], lambda x: R.SpaceToDepth(input=x, block_size=2)),
        'd2s': ([X()], lambda x: R.DepthToSpace(input=x, block_size=2)),
    })


def edges_ngrams(where):
    def grams(widths, pad, short, left='<', right='>', separator=' ', splits=L):
        return ([X('s', S), X('at', splits)], lambda s, at: dict(zip('ab', R.StringNGrams(
            data=s, data_splits=at, separator=separator, ngram_widths=widths, left_pad=left, right_pad=right, pad_width=pad,
            preserve_short_sequences=short))))
    build(where, {
        'two': grams([2], 0, False), 'twoshort': grams([2], 0, True), 'both': grams([1, 2, 3], 0, False), 'bothshort': grams([3, 2], 0, True, splits=I),
        'pad': grams([2], -1, False), 'pad3': grams([3], -1, False, separator='_'), 'pad1': grams([3], 1, False), 'pad9': grams([3, 5], 9, True),
        'padshort': grams([4], 1, True), 'empty': grams([2], 1, False, left='', right='', separator=''),
        'layer': ([spec([None], S, 's')], lambda s: tf.strings.ngrams(tf.strings.split(tf.strings.lower(s)), (1, 2)).to_tensor('-')),
        'strong': ([X('s', S)], lambda s: R.StringToHashBucketStrong(input=s, num_buckets=1 << 40, key=[137, -9])),
        'few': ([X('s', S)], lambda s: R.StringToHashBucketStrong(input=s, num_buckets=7, key=[0, 0])),
        'salted': ([spec([None], S, 's')], lambda s: tf.keras.layers.Hashing(num_bins=100, salt=[1, 2])(s)),
    })


def edges_strings(where):
    T = lambda n='s': X(n, S)
    build(where, {
        'join': ([T('a'), T('b')], lambda a, b: R.StringJoin(inputs=[a, b, 'z'], separator='+')),
        'substr': ([T(), X('p', I), X('n', I)], lambda s, p, n: R.Substr(input=s, pos=p, len=n)),
        'substru': ([T(), X('p', I), X('n', I)], lambda s, p, n: R.Substr(input=s, pos=p, len=n, unit='UTF8_CHAR')),
        'split': ([T(), T('d')], lambda s, d: dict(zip('abc', R.StringSplitV2(input=s, sep=d)))),
        'split1': ([T(), T('d')], lambda s, d: dict(zip('abc', R.StringSplitV2(input=s, sep=d, maxsplit=1)))),
        'split0': ([T(), T('d')], lambda s, d: dict(zip('abc', R.StringSplitV2(input=s, sep=d, maxsplit=0)))),
        'splitv1': ([T(), T('d')], lambda s, d: dict(zip('abc', R.StringSplit(input=s, delimiter=d, skip_empty=False)))),
        'splitv1s': ([T(), T('d')], lambda s, d: dict(zip('abc', R.StringSplit(input=s, delimiter=d, skip_empty=True)))),
        'rx': ([T(), T('p'), T('w')], lambda s, p, w: R.RegexReplace(input=s, pattern=p, rewrite=w)),
        'rx1': ([T(), T('p'), T('w')], lambda s, p, w: R.RegexReplace(input=s, pattern=p, rewrite=w, replace_global=False)),
        'rxm': ([T(), T('p')], lambda s, p: R.RegexFullMatch(input=s, pattern=p)),
        'f32': ([T()], lambda s: R.StringToNumber(string_tensor=s, out_type=F)),
        'f64': ([T()], lambda s: R.StringToNumber(string_tensor=s, out_type=tf.float64)),
        'i32': ([T()], lambda s: R.StringToNumber(string_tensor=s, out_type=I)),
        'i64': ([T()], lambda s: R.StringToNumber(string_tensor=s, out_type=L)),
        'as': ([X()], lambda x: {'a': R.AsString(input=x, precision=3), 'b': R.AsString(input=x, shortest=True, precision=4), 'c': R.AsString(input=x, scientific=True, precision=0)}),
        'aswide': ([X()], lambda x: {'a': R.AsString(input=x, width=12), 'b': R.AsString(input=x, width=12, fill='0', precision=2), 'c': R.AsString(input=x, width=12, fill='-', precision=1), 'd': R.AsString(input=x, fill='+', width=3), 'e': R.AsString(input=x, fill=' ', width=3)}),
        'asd': ([X('x', tf.float64)], lambda x: {'a': R.AsString(input=x), 'b': R.AsString(input=x, shortest=True), 'c': R.AsString(input=x, scientific=True)}),
        'asi': ([X('x', L)], lambda x: {'a': R.AsString(input=x), 'b': R.AsString(input=x, width=6, fill='0'), 'c': R.AsString(input=x, width=6, fill='-'), 'd': R.AsString(input=x, width=6, fill='+'), 'e': R.AsString(input=x, fill=' ')}),
        'asb': ([X('x', B)], lambda x: {'a': R.AsString(input=x), 'b': R.AsString(input=x, width=7)}),
        'asc': ([X('x', tf.complex64)], lambda x: {'a': R.AsString(input=x), 'b': R.AsString(input=x, precision=2)}),
        'ass': ([T()], lambda s: {'a': R.AsString(input=s), 'b': R.AsString(input=s, width=7), 'c': R.AsString(input=s, width=7, fill='-')}),
        'ash': ([X('x', tf.half)], lambda x: R.AsString(input=x)),
        'low': ([T()], lambda s: {'a': R.StringLower(input=s), 'b': R.StringUpper(input=s)}),
        'lowu': ([T()], lambda s: {'a': R.StringLower(input=s, encoding='utf-8'), 'b': R.StringUpper(input=s, encoding='utf-8')}),
        'strip': ([T()], lambda s: R.StringStrip(input=s)),
        'len': ([T()], lambda s: {'a': R.StringLength(input=s), 'b': R.StringLength(input=s, unit='UTF8_CHAR')}),
        'hash': ([T()], lambda s: R.StringToHashBucketFast(input=s, num_buckets=1 << 40)),
        'b64': ([T()], lambda s: R.DecodeBase64(input=s)),
        'eb64': ([T()], lambda s: {'a': R.EncodeBase64(input=s), 'b': R.EncodeBase64(input=s, pad=True)}),
        'raw': ([T()], lambda s: R.DecodeRaw(bytes=s, out_type=I)),
        'rawb': ([T()], lambda s: R.DecodeRaw(bytes=s, out_type=tf.int16, little_endian=False)),
        'bytes': ([spec([None], S, 's')], lambda s: tf.strings.bytes_split(s).to_tensor('~')),
    })


def edges_examples(where):
    io = tf.io
    def parse(feats):
        def f(s):
            out = {}
            for k, v in io.parse_example(s, feats).items():
                if isinstance(v, tf.SparseTensor):
                    out[k + '_i'], out[k + '_v'], out[k + '_s'] = v.indices, v.values, v.dense_shape
                elif isinstance(v, tf.RaggedTensor):
                    out[k + '_v'], out[k + '_r'] = v.flat_values, v.row_splits
                else: out[k] = v
            return out
        return f
    FX, VL, RF = io.FixedLenFeature, io.VarLenFeature, io.RaggedFeature
    sv = lambda: spec([None], S, 's')
    build(where, {
        'fixed': ([sv()], parse({'a': FX([2], F), 'b': FX([], L, 7), 'c': FX([1], S, ['dflt'])})),
        'deflt': ([sv()], parse({'a': FX([2, 2], F, [[1., 2.], [3., 4.]])})),
        'zero': ([sv()], parse({'a': FX([0], F)})),
        'seqf': ([sv()], parse({'a': io.FixedLenSequenceFeature([], F, allow_missing=True, default_value=-1.), 'b': io.FixedLenSequenceFeature([2], L, allow_missing=True)})),
        'var': ([sv()], parse({'a': VL(F), 'b': VL(S), 'c': VL(L)})),
        'ragged': ([sv()], parse({'a': RF(F), 'b': RF(S, row_splits_dtype=L)})),
        'sparse': ([sv()], parse({'v': io.SparseFeature('ix', 'val', F, 10)})),
        'any': ([spec(None, S, 's')], lambda s: {'y': tf.raw_ops.ParseExampleV2(serialized=s, names=[], sparse_keys=[], dense_keys=['a'], ragged_keys=[], dense_defaults=[tf.constant([], F)], num_sparse=0, sparse_types=[], ragged_value_types=[], ragged_split_types=[], dense_shapes=[[1]]).dense_values[0]}),
        'named': ([sv(), spec(None, S, 'names')], lambda s, names: {'y': tf.raw_ops.ParseExampleV2(serialized=s, names=names, sparse_keys=['sp'], dense_keys=['a'], ragged_keys=[], dense_defaults=[tf.constant([], F)], num_sparse=1, sparse_types=[F], ragged_value_types=[], ragged_split_types=[], dense_shapes=[[1]]).dense_values[0]}),
        'one': ([spec([], S, 's')], lambda s: (lambda r: {'a': r['a'], 'v': r['v'].values, 'vs': r['v'].dense_shape})(io.parse_single_example(s, {'a': FX([2], F, [5., 6.]), 'v': VL(L)}))),
        'oner': ([spec([], S, 's')], lambda s: {'a': io.parse_single_example(s, {'a': io.FixedLenSequenceFeature([2], F, allow_missing=True)})['a']}),
        'raw': ([sv()], lambda s: {'y': io.decode_raw(s, F)}),
        'dupl': ([sv()], parse({'a': VL(F), 'b': FX([1], F, 0.)})),
    })


def edges_tables(where):
    lookup = tf.lookup
    class T(tf.Module): pass
    t = T()
    t.a = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(['a', 'b', ''], tf.constant([1, 2, 3], L)), -1)
    t.b = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(tf.constant([1, -5, 0], I), tf.constant(['x', 'y', 'z'])), 'none')
    t.c = lookup.StaticVocabularyTable(lookup.KeyValueTensorInitializer(['p', 'q'], tf.constant([0, 1], L)), 3)

    t.m = lookup.experimental.MutableHashTable(S, L, -7)
    t.c2 = lookup.StaticVocabularyTable(lookup.KeyValueTensorInitializer(tf.constant([10, 20], L), tf.constant([0, 1], L)), 2)
    def fn(specs, g):
        return tf.function(g, input_signature=specs)
    t.f1 = fn([spec(None, S, 's')], lambda s: {'y': t.a.lookup(s), 'n': t.a.size()})
    t.f2 = fn([spec(None, I, 's')], lambda s: {'y': t.b.lookup(s)})
    t.f3 = fn([spec(None, S, 's')], lambda s: {'y': t.c.lookup(s), 'n': t.c.size()})

    t.f5 = fn([spec(None, S, 'k'), spec(None, L, 'v')], lambda k, v: {'n': (t.m.insert(k, v), t.m.size())[1]})
    t.f6 = fn([spec(None, S, 'k')], lambda k: {'y': t.m.lookup(k)})
    t.f7 = fn([spec(None, S, 'k')], lambda k: {'n': (t.m.remove(k), t.m.size())[1]})
    t.f10 = fn([spec(None, L, 's')], lambda s: {'y': t.c2.lookup(s)})
    t.f11 = fn([spec([None], S, 'k'), spec([None], L, 'd')], lambda k, d: {'y': t.a.lookup(tf.RaggedTensor.from_row_splits(k, d)).to_tensor()})
    export(where, t, serving_default=t.f1, static=t.f1, ints=t.f2, vocab=t.f3, put=t.f5, get=t.f6, drop=t.f7, vint=t.f10, rag=t.f11)


def edges_branches(where):
    build(where, {
        'cond': ([X('p', B), X()], lambda p, x: R.StatelessIf(cond=p, input=[x], Tout=[F], then_branch=tf.function(lambda x: x + 1.).get_concrete_function(X()), else_branch=tf.function(lambda x: x * 2.).get_concrete_function(X()))[0]),
        'condf': ([X('p'), X()], lambda p, x: R.StatelessIf(cond=p, input=[x], Tout=[F], then_branch=tf.function(lambda x: x + 1.).get_concrete_function(X()), else_branch=tf.function(lambda x: x * 2.).get_concrete_function(X()))[0]),
        'switch': ([spec([], I, 'i'), X()], lambda i, x: tf.switch_case(i, [lambda: x, lambda: x * 10., lambda: x - 1.])),
    })


def edges_control(where):
    build(where, {
        'while': ([spec([], I, 'n'), X()], lambda n, x: tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y + y), [tf.constant(0), x], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])[1]),
        'map': ([spec([None, None], F, 'x')], lambda x: tf.map_fn(lambda r: tf.reduce_sum(r), x)),
        'mapm': ([spec([None, None], F, 'x')], lambda x: tf.map_fn(lambda r: r * 2., x)),
        'scan': ([spec([None], F, 'x')], lambda x: tf.scan(lambda a, b: a + b, x)),
        'fold': ([spec([None], F, 'x')], lambda x: tf.foldl(lambda a, b: a * b, x)),
        'ta': ([spec([None], F, 'x'), spec([], I, 'i')], lambda x, i: tf.TensorArray(F, size=3).unstack(x).read(i)),
        'taw': ([spec([], I, 'i'), spec([], F, 'x')], lambda i, x: tf.TensorArray(F, size=3, element_shape=[]).write(i, x).stack()),
        'tag': ([spec([None], F, 'x'), spec([None], I, 'i')], lambda x, i: tf.TensorArray(F, size=2).unstack(x).gather(i)),
        'tas': ([spec([], I, 'n'), spec([None], F, 'x')], lambda n, x: tf.TensorArray(F, size=n, element_shape=[None]).write(0, x).stack()),
        'assert': ([X(), X('s', S), X('i', L), X('b', B)], lambda x, s, i, b: (tf.debugging.Assert(tf.reduce_all(x > 0), ['bad', x, s, i, b], summarize=2), tf.identity(x))[1]),
        'asserteq': ([X('a', I), X('b', I)], lambda a, b: (tf.debugging.assert_equal(a, b, message='not equal'), a)[1]),
        'rank': ([X()], lambda x: (tf.debugging.assert_rank(x, 2), x)[1]),
        'shapes': ([X('a'), X('b')], lambda a, b: (tf.debugging.assert_shapes([(a, ('N', 2)), (b, ('N',))]), a)[1]),
        'cond2': ([spec([], F, 'x')], lambda x: tf.cond(x > 0, lambda: tf.debugging.check_numerics(1. / (x - 1.), 'pos'), lambda: x)),
        'nest': ([spec([], I, 'n')], lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j), [tf.constant(0), s])[1]), [tf.constant(0), tf.constant(0)])[1]),
    })


def edges_ragged(where):
    RT = tf.RaggedTensor
    rt = lambda v, l: RT.from_row_lengths(v, l, validate=False)
    build(where, {
        'tot': ([spec([None], F, 'v'), spec([None], L, 'l')], lambda v, l: rt(v, l).to_tensor(-1.)),
        'tots': ([spec([None], F, 'v'), spec([None], L, 'l')], lambda v, l: rt(v, l).to_tensor(0., shape=[None, 2])),
        'tots3': ([spec([None], F, 'v'), spec([None], L, 'l')], lambda v, l: rt(v, l).to_tensor(0., shape=[2, 3])),
        'splits': ([spec([None], F, 'v'), spec([None], L, 's')], lambda v, s: RT.from_row_splits(v, s, validate=False).to_tensor(-1.)),
        'splitsv': ([spec([None], F, 'v'), spec([None], L, 's')], lambda v, s: RT.from_row_splits(v, s).to_tensor(-1.)),
        'rowids': ([spec([None], F, 'v'), spec([None], L, 's')], lambda v, s: RT.from_value_rowids(v, s, nrows=3, validate=False).to_tensor(-1.)),
        'sum': ([spec([None], F, 'v'), spec([None], L, 'l')], lambda v, l: {'s': tf.reduce_sum(rt(v, l), 1), 'm': tf.reduce_mean(rt(v, l), 1), 'x': tf.reduce_max(rt(v, l), 1)}),
        'tosp': ([spec([None], F, 'v'), spec([None], L, 's')], lambda v, s: (lambda q: {'i': q.indices, 'v': q.values, 's': q.dense_shape})(RT.from_row_splits(v, s, validate=False).to_sparse())),
        'gather': ([spec([None], F, 'v'), spec([None], L, 's'), spec([None], I, 'i')], lambda v, s, i: (lambda q: {'v': q.values, 's': q.row_splits})(tf.gather(RT.from_row_splits(v, s, validate=False), i))),
        'index': ([spec([None], F, 'v'), spec([None], L, 's'), spec([], I, 'i')], lambda v, s, i: RT.from_row_splits(v, s, validate=False)[i]),
        'range': ([X('a', I), X('b', I), X('c', I)], lambda a, b, c: dict(zip('sv', R.RaggedRange(starts=a, limits=b, deltas=c)))),
        'rangef': ([X('a'), X('b'), X('c')], lambda a, b, c: dict(zip('sv', R.RaggedRange(starts=a, limits=b, deltas=c)))),
        'concat': ([spec([None], F, 'v'), spec([None], L, 'l')], lambda v, l: tf.concat([rt(v, l), rt(v, l)], 1).to_tensor()),
        'mask': ([spec([None, None], F, 'x'), spec([None, None], B, 'm')], lambda x, m: tf.ragged.boolean_mask(x, m).to_tensor()),
        'from': ([spec([None, None], F, 'x')], lambda x: (lambda q: {'v': q.values, 's': q.row_splits})(RT.from_tensor(x, padding=0.))),
        'bmask': ([X(), X('m', B)], lambda x, m: tf.boolean_mask(tf.ensure_shape(x, [None, None]), tf.ensure_shape(m, [None]))),
        'split': ([spec([None], S, 's')], lambda s: tf.strings.split(s, ',').to_tensor('')),
        'nested': ([spec([None], F, 'v'), spec([None], L, 'i'), spec([None], L, 'o')], lambda v, i, o: RT.from_nested_row_splits(v, [o, i], validate=False).to_tensor(-1.)),
        'add': ([spec([None], F, 'v'), spec([None], L, 'l'), spec([], F, 'k')], lambda v, l, k: (rt(v, l) + k).to_tensor()),
    })


def edges_sparse(where):
    sp = lambda i, v, s: tf.SparseTensor(i, v, s)
    base = lambda: [spec([None, None], L, 'i'), spec([None], F, 'v'), spec([None], L, 's')]
    build(where, {
        'dense': (base(), lambda i, v, s: tf.sparse.to_dense(sp(i, v, s), -1.)),
        'rawdense': ([X('i', L), X('s', L), X('v'), X('d')], lambda i, s, v, d: R.SparseToDense(sparse_indices=i, output_shape=s, sparse_values=v, default_value=d)),
        'rawnov': ([X('i', I), X('s', I), X('v', S), X('d', S)], lambda i, s, v, d: R.SparseToDense(sparse_indices=i, output_shape=s, sparse_values=v, default_value=d, validate_indices=False)),
        'reorder': (base(), lambda i, v, s: (lambda q: {'i': q.indices, 'v': q.values})(tf.sparse.reorder(sp(i, v, s)))),
        'rawreorder': ([X('i', L), X('v'), X('s', L)], lambda i, v, s: dict(zip('iv', R.SparseReorder(input_indices=i, input_values=v, input_shape=s)))),
        'reshape': ([X('i', L), X('s', L), X('n', L)], lambda i, s, n: dict(zip('is', R.SparseReshape(input_indices=i, input_shape=s, new_shape=n)))),
        'matmul': ([X('i', L), X('v'), X('s', L), X('b')], lambda i, v, s, b: R.SparseTensorDenseMatMul(a_indices=i, a_values=v, a_shape=s, b=b)),
        'matmula': ([X('i', L), X('v'), X('s', L), X('b')], lambda i, v, s, b: R.SparseTensorDenseMatMul(a_indices=i, a_values=v, a_shape=s, b=b, adjoint_a=True)),
        'fill': ([X('i', L), X('v'), X('s', L), X('d')], lambda i, v, s, d: dict(zip('ivem', R.SparseFillEmptyRows(indices=i, values=v, dense_shape=s, default_value=d)))),
        'sum': ([X('i', L), X('v'), X('s', L), X('a', I)], lambda i, v, s, a: R.SparseReduceSum(input_indices=i, input_values=v, input_shape=s, reduction_axes=a)),
        'sumk': ([X('i', L), X('v'), X('s', L), X('a', I)], lambda i, v, s, a: R.SparseReduceSum(input_indices=i, input_values=v, input_shape=s, reduction_axes=a, keep_dims=True)),
        'lookup': ([spec([None, 2], L, 'i'), spec([None], L, 'v'), spec([2], L, 's')], lambda i, v, s: tf.nn.safe_embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.], [5., 6.]]), sp(i, v, s), combiner='mean')),
        'lookups': ([spec([None, 2], L, 'i'), spec([None], L, 'v'), spec([2], L, 's')], lambda i, v, s: tf.nn.embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.], [5., 6.]]), sp(i, v, s), None, combiner='sqrtn')),
        'from': ([spec([None, None], F, 'x')], lambda x: (lambda q: {'i': q.indices, 'v': q.values, 's': q.dense_shape})(tf.sparse.from_dense(x))),
    })


F32 = np.float32
def a(v, d=F32): return np.array(v, d)
def ai(v): return np.array(v, np.int32)
def al(v): return np.array(v, np.int64)
def ab(v): return np.array(v, bool)
def z(*shape): return np.zeros(shape, F32)
def zi(*shape): return np.zeros(shape, np.int32)
def zl(*shape): return np.zeros(shape, np.int64)
def st(v):
    r = np.array(v, object)
    return np.vectorize(lambda x: x.encode() if isinstance(x, str) else x, otypes=[object])(r) if r.size else r
def q(sig, **kw): return (kw, sig)
r23 = np.arange(6, dtype=F32).reshape(2, 3)
r234 = np.arange(24, dtype=F32).reshape(2, 3, 4)
REQUESTS = {}
G = REQUESTS['edges_gather'] = []
for axis in (0, 1, -1, 2, -3, 5): G.append(q('axis', x=r23, at=ai([1, 0]), axis=ai(axis)))
G += [q('axis', x=F32(3), at=ai([0]), axis=ai(0)), q('axis', x=r23, at=ai([]), axis=ai(1)), q('axis', x=z(0, 3), at=ai([0]), axis=ai(0)), q('axis', x=z(0, 3), at=ai([]), axis=ai(0)),
  q('axis', x=r23, at=ai(1), axis=ai(0)), q('axis', x=r23, at=ai([[0, 1], [1, 2]]), axis=ai(0)), q('axis', x=r23, at=ai(-1), axis=ai(0)), q('axis', x=r23, at=ai([[[7]]]), axis=ai(-1)),
  q('axis', x=z(2, 0), at=ai([1, 1]), axis=ai(0)), q('axis', x=z(2, 0), at=ai([2]), axis=ai(0)),
  q('batch', x=r23, at=ai([[0, 2], [1, 1]])), q('batch', x=r23, at=ai([[0, 2]])), q('batch', x=r23, at=ai([0, 2])), q('batch', x=f(1, 2), at=ai([0, 1])), q('batch', x=r23, at=ai([[0, 3], [1, 1]])), q('batch', x=r234, at=ai([[0], [2]])), q('batch', x=r23, at=ai(1)), q('batch', x=r23, at=zi(2, 0)), q('batch', x=z(0, 3), at=zi(0, 2)),
  q('batchneg', x=r234, at=ai([[[0], [1], [2]], [[3], [0], [1]]])), q('batchneg', x=r234, at=ai([[0, 1]])), q('batchneg', x=r234, at=ai([0])), q('batchneg', x=r234, at=ai(0)),
  q('strs', x=st([['a', 'b'], ['c', 'd']]), at=l(1)), q('strs', x=st(['a']), at=l(0, 0)), q('strs', x=st(['a']), at=l(1)), q('strs', x=st([]), at=l(0)), q('strs', x=text(b'x'), at=l(0)),
  q('nd', x=r23, at=l(1, 2)), q('nd', x=r23, at=al([[1], [0]])), q('nd', x=r23, at=al(1)), q('nd', x=r23, at=zl(0, 2)), q('nd', x=r23, at=zl(2, 0)), q('nd', x=z(0, 3), at=al([[0, 0]])), q('nd', x=z(0, 3), at=zl(0, 1)), q('nd', x=z(0, 3), at=zl(2, 0)), q('nd', x=r23, at=al([[[0, 0]], [[1, 3]]])), q('nd', x=F32(1), at=zl(2, 0)), q('nd', x=F32(1), at=al([[0]])), q('nd', x=r23, at=l(-1, 0)), q('nd', x=z(2, 0), at=al([[1]])), q('nd', x=z(2, 0), at=al([[5]])),
  q('ndstr', x=st(['a', 'b']), at=ai([[1], [1]])), q('ndstr', x=st([['a', 'b']]), at=ai([[0, 2]])),
  q('scatter', at=ai([[1], [3]]), u=f(1, 2), shape=i(4)), q('scatter', at=ai([[1], [1]]), u=f(1, 2), shape=i(4)), q('scatter', at=ai([[4]]), u=f(1), shape=i(4)), q('scatter', at=ai([[-1]]), u=f(1), shape=i(4)), q('scatter', at=ai([[0, 1]]), u=f(1), shape=i(2, 2)), q('scatter', at=ai([[0]]), u=a([[1, 2]]), shape=i(2, 2)), q('scatter', at=ai([[0]]), u=f(1, 2), shape=i(2, 2)), q('scatter', at=ai([0]), u=F32(5), shape=i(3)), q('scatter', at=ai(0), u=F32(5), shape=i(3)), q('scatter', at=zi(0, 1), u=f(), shape=i(3)), q('scatter', at=zi(0, 1), u=f(), shape=i(0)), q('scatter', at=ai([[0]]), u=f(1), shape=i(0)), q('scatter', at=ai([[0]]), u=f(1), shape=i(-1)), q('scatter', at=ai([[0]]), u=f(1), shape=ai(3)), q('scatter', at=ai([[0, 0, 0]]), u=f(1), shape=i(2, 2)), q('scatter', at=zi(2, 0), u=np.ones([2, 3], F32), shape=i(3)), q('scatter', at=ai([[0]]), u=f(1), shape=ai([[2]])), q('scatter', at=ai([[0]]), u=f(1), shape=i()),
  q('update', x=f(1, 2, 3), at=ai([[0], [2]]), u=f(9, 8)), q('update', x=f(1, 2, 3), at=ai([[3]]), u=f(9)), q('update', x=f(1, 2, 3), at=ai([[0], [0]]), u=f(9, 8)), q('update', x=f(1, 2, 3), at=ai([0]), u=F32(9)), q('update', x=f(1, 2, 3), at=ai(0), u=F32(9)), q('update', x=r23, at=ai([[0]]), u=f(9, 8, 7)), q('update', x=r23, at=ai([[0]]), u=a([[9, 8, 7]])), q('update', x=F32(1), at=ai([[0]]), u=f(1)), q('update', x=f(), at=ai([[0]]), u=f(1)), q('update', x=f(1, 2), at=zi(0, 1), u=f()), q('update', x=f(1, 2), at=ai([[0, 0]]), u=f(1)),
  q('add', x=f(1, 2, 3), at=ai([[0], [0]]), u=f(9, 8)), q('add', x=r23, at=ai([[1]]), u=a([[1, 1, 1]])), q('add', x=f(1), at=ai([[-1]]), u=f(1)), q('add', x=r23, at=ai([[1]]), u=a([[1, 1]])),
  q('updatestr', x=st(['a', 'b']), at=ai([[1]]), u=st(['z'])), q('updatestr', x=st(['a', 'b']), at=ai([[2]]), u=st(['z'])),
  q('part', x=f(1, 2, 3), p=i(0, 2, 0)), q('part', x=f(1, 2, 3), p=i(0, 3, 0)), q('part', x=f(1, 2, 3), p=i(0, -1, 0)), q('part', x=f(1, 2, 3), p=i(0, 1)), q('part', x=r23, p=i(0, 1)), q('part', x=r23, p=ai([[0, 1, 2], [2, 1, 0]])), q('part', x=f(), p=i()), q('part', x=F32(5), p=ai(1)), q('part', x=z(2, 0), p=i(0, 1)), q('part', x=f(1, 2), p=ai(1)), q('part', x=F32(5), p=i(1)),
  q('stitch', i=i(0, 2), j=i(1), a=f(1, 2), b=f(3)), q('stitch', i=i(0, 2), j=i(2), a=f(1, 2), b=f(3)), q('stitch', i=i(0, 5), j=i(1), a=f(1, 2), b=f(3)), q('stitch', i=i(0, -1), j=i(1), a=f(1, 2), b=f(3)), q('stitch', i=i(), j=i(), a=f(), b=f()), q('stitch', i=ai(0), j=i(1), a=F32(3), b=f(4)), q('stitch', i=i(0), j=i(1), a=a([[1, 2]]), b=a([[3, 4]])), q('stitch', i=i(0), j=i(1), a=a([[1, 2]]), b=a([[3, 4, 5]])), q('stitch', i=i(0), j=i(1), a=a([[1, 2]]), b=f(3)), q('stitch', i=i(0, 1), j=i(1), a=f(1), b=f(3)), q('stitch', i=ai([[0, 1]]), j=i(2), a=a([[1, 2]]), b=f(3)), q('stitch', i=ai([[0]]), j=i(2), a=f(1), b=f(3)), q('stitch', i=i(0), j=ai([[1]]), a=f(1), b=f(3)),
  q('pstitch', i=i(0, 2), j=i(1), a=f(1, 2), b=f(3)), q('pstitch', i=i(0, 9), j=i(1), a=f(1, 2), b=f(3)), q('pstitch', i=i(0, -1), j=i(1), a=f(1, 2), b=f(3)),
]
H = REQUESTS['edges_shape'] = []
for ax in (0, 2, -1, -3, 3, -4): H.append(q('expand', x=r23, axis=ai(ax)))
H += [q('expand', x=F32(1), axis=ai(0)), q('expand', x=F32(1), axis=ai(-2)), q('expandv', x=r23, axis=l(1)), q('expandv', x=r23, axis=l(1, 0)), q('expandv', x=r23, axis=l()), q('expandv', x=r23, axis=al([[1]])),
  q('squeeze', x=z(1, 2, 1)), q('squeeze', x=F32(1)), q('squeeze', x=z(0, 1)), q('squeeze1', x=z(2, 1)), q('squeeze1', x=z(2, 2)), q('squeeze1', x=f(1)), q('squeezem', x=z(1, 3, 1)), q('squeezem', x=z(1)), q('squeezem', x=z(2, 1)), q('squeezem', x=F32(1)), q('squeeze1', x=z(1, 0)),
  q('transpose', x=r23, perm=i(1, 0)), q('transpose', x=r23, perm=i(0, 0)), q('transpose', x=r23, perm=i(0)), q('transpose', x=r23, perm=i(0, 2)), q('transpose', x=F32(1), perm=i()), q('transpose', x=z(0, 2), perm=i(1, 0)), q('transpose', x=r23, perm=ai([[0, 1]])), q('transpose', x=r23, perm=i(0, -3)), q('transpose', x=r234, perm=i(2, 0, 1)), q('transpose', x=f(1, 2), perm=ai(0)),
  q('invert', x=i(2, 0, 1)), q('invert', x=i(0, 0)), q('invert', x=i(0, 2)), q('invert', x=i()), q('invert', x=ai([[0]])), q('invert', x=ai(0)), q('invert', x=i(-1, 0)),
  q('to', x=f(1, 2, 3), shape=i(2, 3)), q('to', x=f(1, 2, 3), shape=i(3, 2)), q('to', x=F32(1), shape=i(0)), q('to', x=F32(1), shape=i()), q('to', x=r23, shape=i(3)), q('to', x=f(1), shape=i(2, 0)), q('to', x=f(1), shape=i(-1)), q('to', x=f(1, 2), shape=ai(2)), q('to', x=f(), shape=i(2, 0)), q('to', x=f(), shape=i(2)), q('to', x=r23, shape=i(2, 3, 1)), q('to', x=f(1), shape=i(100000, 100000)), q('to', x=z(2, 1), shape=i(2, 2)), q('to', x=f(1,2,3), shape=ai([[2, 3]])),
  q('args', a=i(2, 1), b=i(3)), q('args', a=i(2), b=i(3)), q('args', a=i(), b=i(3)), q('args', a=ai(2), b=i(3)), q('args', a=i(0), b=i(1)), q('args', a=i(0), b=i(2)), q('args', a=i(-1), b=i(2)),
  q('slice', x=r23, begin=l(1, 1), size=l(1, 2)), q('slice', x=r23, begin=l(2, 0), size=l(0, 3)), q('slice', x=r23, begin=l(0, 0), size=l(-1, -1)), q('slice', x=r23, begin=l(-1, 0), size=l(1, 1)), q('slice', x=r23, begin=l(0), size=l(1)), q('slice', x=r23, begin=l(0, 0), size=l(1)), q('slice', x=r23, begin=l(0, 3), size=l(1, 1)), q('slice', x=r23, begin=l(0, 4), size=l(1, -1)), q('slice', x=r23, begin=l(0, 0), size=l(1, -2)), q('slice', x=F32(1), begin=l(), size=l()), q('slice', x=r23, begin=al([[0, 0]]), size=l(1, 1)), q('slice', x=r23, begin=al(0), size=al(1)), q('slice', x=z(0, 2), begin=l(0, 0), size=l(0, 1)), q('slice', x=r23, begin=l(0, 0), size=l(2, 3)),
  q('strided', x=r23, b=i(0), e=i(2), s=i(1)), q('strided', x=r23, b=i(0, 0), e=i(2, 3), s=i(1, 2)), q('strided', x=r23, b=i(-1), e=i(-3), s=i(-1)), q('strided', x=r23, b=i(0, 5), e=i(9, 1), s=i(1, -2)), q('strided', x=r23, b=i(0), e=i(2), s=i(0)), q('strided', x=r23, b=i(0, 0, 0), e=i(1, 1, 1), s=i(1, 1, 1)), q('strided', x=r23, b=i(0, 0), e=i(1), s=i(1)), q('strided', x=r23, b=i(), e=i(), s=i()), q('strided', x=F32(1), b=i(0), e=i(1), s=i(1)), q('strided', x=F32(1), b=i(), e=i(), s=i()), q('strided', x=r23, b=ai(0), e=ai(1), s=ai(1)), q('strided', x=f(), b=i(0), e=i(3), s=i(1)), q('strided', x=f(1, 2, 3), b=i(2), e=i(0), s=i(1)), q('strided', x=f(1, 2, 3), b=i(-9), e=i(9), s=i(2)), q('strided', x=f(1, 2, 3, 4, 5), b=i(4), e=i(-6), s=i(-2)), q('strided', x=f(1, 2, 3), b=i(2147483647), e=i(-2147483648), s=i(-2147483648)), q('strided', x=r23, b=ai([[0]]), e=ai([[1]]), s=ai([[1]])),
  q('shrink', x=r23, b=i(1), e=i(2), s=i(1)), q('shrink', x=r23, b=i(2), e=i(3), s=i(1)), q('shrink', x=r23, b=i(-2), e=i(-1), s=i(1)), q('shrink', x=r23, b=i(-3), e=i(-2), s=i(1)), q('shrink', x=r23, b=i(0), e=i(1), s=i(-1)), q('shrink', x=r23, b=i(1), e=i(0), s=i(1)), q('shrink', x=f(), b=i(0), e=i(1), s=i(1)), q('shrink', x=r23, b=i(1), e=i(2), s=i(2)), q('shrink', x=F32(1), b=i(0), e=i(1), s=i(1)), q('shrink', x=r23, b=i(0, 1), e=i(1, 3), s=i(1, 1)),
  q('ell', x=r23), q('ell', x=f(1, 2)), q('ell', x=F32(1)), q('ell', x=z(2, 0)), q('ell', x=r234), q('ell2', x=r23), q('ell2', x=r234), q('ell2', x=f(1, 2)), q('ell2', x=z(1, 3)), q('ell2', x=z(3, 1)),
  q('split', x=r23, axis=ai(0)), q('split', x=r23, axis=ai(1)), q('split', x=r23, axis=ai(-2)), q('split', x=r23, axis=ai(2)), q('split', x=r23, axis=ai(-3)), q('split', x=F32(1), axis=ai(0)), q('split', x=f(), axis=ai(0)), q('split', x=z(2, 0), axis=ai(0)),
  q('splitv', x=r23, sizes=i(1, 2), axis=ai(1)), q('splitv', x=r23, sizes=i(1, -1), axis=ai(1)), q('splitv', x=r23, sizes=i(-1, -1), axis=ai(1)), q('splitv', x=r23, sizes=i(1, 1), axis=ai(1)), q('splitv', x=r23, sizes=i(4, -1), axis=ai(1)), q('splitv', x=r23, sizes=i(3, -1), axis=ai(1)), q('splitv', x=r23, sizes=i(-2, 5), axis=ai(1)), q('splitv', x=r23, sizes=i(3), axis=ai(1)), q('splitv', x=r23, sizes=i(1, 1, 1), axis=ai(1)), q('splitv', x=r23, sizes=i(1, 1), axis=ai(-2)), q('splitv', x=r23, sizes=i(1, 1), axis=ai(2)), q('splitv', x=r23, sizes=i(0, 3), axis=ai(1)), q('splitv', x=F32(1), sizes=i(0, 1), axis=ai(0)), q('splitv', x=r23, sizes=ai([[1, 2]]), axis=ai(1)), q('splitv', x=f(), sizes=i(0, 0), axis=ai(0)),
  q('unstack', x=z(3, 2)), q('unstack', x=r23), q('unstack', x=F32(1)), q('unstack', x=f(1, 2)), q('unstack', x=z(0, 2)), q('unstack', x=f()),
  q('reverse', x=r23, axis=i(1)), q('reverse', x=r23, axis=i(-1, 0)), q('reverse', x=r23, axis=i()), q('reverse', x=r23, axis=i(2)), q('reverse', x=r23, axis=i(0, 0)), q('reverse', x=r23, axis=i(0, -2)), q('reverse', x=F32(1), axis=i()), q('reverse', x=F32(1), axis=i(0)), q('reverse', x=r23, axis=ai(1)), q('reverse', x=z(0, 2), axis=i(0)), q('reverse', x=r23, axis=i(0, 1, 2)), q('reverse', x=np.zeros([1]*9, F32), axis=i(0)), q('reverse', x=r23, axis=i(-5)),
  q('pad', x=r23, p=ai([[1, 0], [0, 2]])), q('pad', x=r23, p=ai([[1, 0]])), q('pad', x=r23, p=ai([[-1, 0], [0, 0]])), q('pad', x=F32(1), p=zi(0, 2)), q('pad', x=F32(1), p=ai([[1, 1]])), q('pad', x=z(0, 2), p=ai([[1, 1], [0, 0]])), q('pad', x=r23, p=i(1, 1)), q('pad', x=r23, p=ai([[1], [1]])), q('pad', x=r23, p=zi(2, 2)), q('pad', x=z(0), p=zi(1, 2)),
  q('padv2', x=f(1, 2), p=ai([[1, 1]]), v=F32(9)), q('padv2', x=f(1, 2), p=ai([[1, 1]]), v=f(9)), q('padv2', x=f(1, 2), p=ai([[1, 1]]), v=f(9, 8)), q('padv2', x=f(), p=ai([[2, 1]]), v=F32(9)),
  q('mirror', x=f(1, 2, 3), p=ai([[2, 2]])), q('mirror', x=f(1, 2, 3), p=ai([[3, 0]])), q('mirror', x=f(1, 2, 3), p=ai([[-1, 0]])), q('mirror', x=f(), p=ai([[0, 0]])), q('mirror', x=f(1), p=ai([[1, 0]])), q('mirror', x=r23, p=ai([[1, 1], [2, 2]])), q('mirror', x=r23, p=ai([[1, 1]])), q('mirror', x=F32(1), p=zi(0, 2)),
  q('sym', x=f(1, 2, 3), p=ai([[3, 3]])), q('sym', x=f(1, 2, 3), p=ai([[4, 0]])), q('sym', x=f(), p=ai([[0, 0]])), q('sym', x=f(), p=ai([[1, 0]])), q('sym', x=f(1), p=ai([[1, 1]])),
  q('tile', x=r23, m=i(2, 1)), q('tile', x=r23, m=i(0, 1)), q('tile', x=r23, m=i(2)), q('tile', x=r23, m=i(-1, 1)), q('tile', x=F32(3), m=i()), q('tile', x=F32(3), m=i(2)), q('tile', x=z(0, 2), m=i(3, 3)), q('tile', x=f(1), m=ai(2)), q('tile', x=f(1, 2), m=ai([[2]])),
  q('roll', x=f(1, 2, 3), s=ai(1), a=ai(0)), q('roll', x=f(1, 2, 3), s=ai(-4), a=ai(0)), q('roll', x=r23, s=i(1, 1), a=i(0, 1)), q('roll', x=r23, s=i(1, 1), a=i(1, 1)), q('roll', x=r23, s=i(1), a=i(0, 1)), q('roll', x=r23, s=ai(1), a=ai(2)), q('roll', x=r23, s=ai(1), a=ai(-1)), q('roll', x=r23, s=ai(1), a=ai(-3)), q('roll', x=F32(1), s=ai(1), a=ai(0)), q('roll', x=f(), s=ai(1), a=ai(0)), q('roll', x=z(2, 0), s=ai(1), a=ai(1)), q('roll', x=r23, s=ai([[1]]), a=ai(0)), q('roll', x=r23, s=i(), a=i()), q('roll', x=r23, s=i(1), a=ai([[0]])), q('roll', x=r23, s=i(1), a=ai(0)),
]
for ax in (0, 1, -1, 2, -3): H.append(q('concat', a=r23, b=r23, axis=ai(ax)))
H += [q('concat', a=z(0, 3), b=r23, axis=ai(0)), q('concat', a=z(0), b=r23, axis=ai(0)), q('concat', a=z(2, 0), b=r23, axis=ai(1)), q('concat', a=F32(1), b=F32(2), axis=ai(0)), q('concat', a=f(1), b=F32(2), axis=ai(0)), q('concat', a=f(1), b=r23, axis=ai(0)), q('concat', a=r23, b=z(3, 3), axis=ai(1)), q('concat', a=z(0, 3), b=z(0, 3), axis=ai(1)), q('concat', a=F32(1), b=f(1), axis=ai(0)), q('concatv', a=f(1), b=f(2), axis=i(0)), q('concatv', a=f(1), b=f(2), axis=i(0, 0)), q('concatv', a=f(1), b=f(2), axis=i()),
  q('pack', a=f(1, 2), b=f(3, 4)), q('pack', a=F32(1), b=F32(2)), q('pack', a=f(), b=f()), q('pack', a=f(1), b=f(1, 2)), q('pack', a=f(1), b=a([[1]])), q('pack', a=z(0, 2), b=z(0, 2)),
  q('fill', d=i(2, 2), v=F32(7)), q('fill', d=i(), v=F32(7)), q('fill', d=i(0, 2), v=F32(7)), q('fill', d=i(-1), v=F32(7)), q('fill', d=ai(2), v=F32(7)), q('fill', d=i(2), v=f(7)), q('fill', d=i(2), v=f(7, 8)), q('fill', d=ai([[2]]), v=F32(7)), q('fill', d=i(2, -3), v=F32(7)), q('fillstr', d=l(2), v=text(b'ab')), q('fillstr', d=l(0), v=text(b'ab')), q('fillstr', d=l(-5), v=text(b'ab')), q('fillstr', d=l(3000000000, 3000000000, 3000000000), v=text(b'a')),
  q('range', a=F32(0), b=F32(1), c=F32(0.3)), q('range', a=F32(0), b=F32(-1), c=F32(-0.25)), q('range', a=F32(0), b=F32(0), c=F32(1)), q('range', a=F32(5), b=F32(1), c=F32(1)), q('range', a=F32(0), b=F32(1), c=F32(0)), q('range', a=F32(0), b=F32(nan), c=F32(1)), q('range', a=F32(0), b=F32(inf), c=F32(1)), q('range', a=f(0), b=F32(1), c=F32(1)), q('range', a=f(0, 1), b=F32(1), c=F32(1)), q('range', a=F32(0), b=f(1, 2), c=F32(1)), q('range', a=F32(1.5), b=F32(-2.5), c=F32(0.5)), q('range', a=F32(0), b=F32(0.7), c=F32(0.1)), q('range', a=F32(0), b=F32(-1), c=F32(nan)),
  q('rangel', a=al(0), b=al(5), c=al(2)), q('rangel', a=al(5), b=al(0), c=al(-2)), q('rangel', a=al(5), b=al(0), c=al(2)), q('rangel', a=al(0), b=al(5), c=al(-1)), q('rangel', a=al(9007199254740993), b=al(9007199254740996), c=al(1)), q('rangel', a=al(0), b=al(1 << 62), c=al(1)), q('rangel', a=al(-(1 << 63)), b=al((1 << 63) - 1), c=al(1 << 62)), q('rangel', a=l(0, 1), b=al(5), c=al(1)),
  q('lin', a=F32(0), b=F32(1), n=ai(5)), q('lin', a=F32(0), b=F32(1), n=ai(1)), q('lin', a=F32(0), b=F32(1), n=ai(0)), q('lin', a=f(0), b=F32(1), n=ai(2)), q('lin', a=F32(0), b=f(1, 2), n=ai(2)), q('lin', a=F32(1), b=F32(-1), n=ai(2)), q('lin', a=F32(0), b=F32(1), n=i(2)), q('lin', a=F32(0), b=F32(1), n=i(2, 3)), q('lin', a=F32(0), b=F32(1), n=ai(-3)),
  q('onehot', i=l(0, 2, -1, 5), d=ai(3), on=F32(1), off=F32(0)), q('onehot', i=al(1), d=ai(3), on=F32(5), off=F32(-1)), q('onehot', i=l(), d=ai(3), on=F32(1), off=F32(0)), q('onehot', i=l(0), d=ai(0), on=F32(1), off=F32(0)), q('onehot', i=l(0), d=ai(-1), on=F32(1), off=F32(0)), q('onehot', i=l(0), d=i(2), on=F32(1), off=F32(0)), q('onehot', i=l(0), d=i(2, 2), on=F32(1), off=F32(0)), q('onehot', i=l(0), d=ai(2), on=f(1), off=F32(0)), q('onehot', i=l(0), d=ai(2), on=f(1, 2), off=F32(0)), q('onehot', i=l(0), d=ai(2), on=F32(1), off=f(0, 0)), q('onehot', i=al([[0, 1], [1, 0]]), d=ai(2), on=F32(1), off=F32(0)),
  q('onehot0', i=i(0, 1), d=ai(3), on=F32(1), off=F32(0)), q('onehot0', i=ai([[0, 1], [2, 0]]), d=ai(3), on=F32(1), off=F32(0)), q('onehot0', i=ai(1), d=ai(3), on=F32(1), off=F32(0)), q('onehot2', i=i(0), d=ai(2), on=F32(1), off=F32(0)), q('onehot2', i=ai([[0]]), d=ai(2), on=F32(1), off=F32(0)), q('onehot0', i=zi(0, 2), d=ai(3), on=F32(1), off=F32(0)), q('onehot0', i=zi(2, 0), d=ai(3), on=F32(1), off=F32(0)),
  q('band', x=np.ones([3, 4], F32), l=al(1), u=al(0)), q('band', x=np.ones([3, 3], F32), l=al(-1), u=al(1)), q('band', x=np.ones([3], F32), l=al(0), u=al(0)), q('band', x=np.ones([2, 2], F32), l=al(3), u=al(0)), q('band', x=np.ones([2, 2], F32), l=al(0), u=al(2)), q('band', x=np.ones([2, 2], F32), l=al(0), u=al(3)), q('band', x=z(0, 2), l=al(0), u=al(0)), q('band', x=z(2, 0), l=al(0), u=al(0)), q('band', x=np.ones([2, 2, 2], F32), l=al(0), u=al(0)), q('band', x=np.ones([2, 2], F32), l=l(0), u=al(0)), q('band', x=np.ones([2, 2], F32), l=l(0, 1), u=al(0)), q('band', x=np.ones([2, 2], F32), l=al(-5), u=al(0)),
  q('diag', x=f(1, 2)), q('diag', x=F32(1)), q('diag', x=z(2, 0)), q('diag', x=f()), q('diag', x=r23),
  q('ensure', x=z(1, 2)), q('ensure', x=z(0, 2)),
  q('reshape', x=r23, s=l(3, 2)), q('reshape', x=r23, s=l(-1)), q('reshape', x=r23, s=al(6)), q('reshape', x=r23, s=al([[6]])), q('reshape', x=z(0, 3), s=l(-1, 3)), q('reshape', x=z(0, 3), s=l(3, -1)), q('reshape', x=z(2, 0), s=l(0, -1)), q('reshape', x=z(2, 0), s=l(-1, 0)), q('reshape', x=z(0), s=l(0, 5)), q('reshape', x=F32(1), s=l()), q('reshape', x=r23, s=l()), q('reshape', x=r23, s=l(1 << 40, 1 << 40)), q('reshape', x=z(0), s=l(1 << 40, 1 << 40, 0)), q('reshape', x=r23, s=l(0, -1)), q('reshape', x=r23, s=l(-1, 4)), q('reshape', x=r23, s=l(-1, 1 << 40)), q('reshape', x=z(0), s=l(2)), q('reshape', x=z(0, 3), s=l(-1, 0)),
  q('like', x=st(['a', 'b'])), q('like', x=st([])), q('like', x=text(b'q')),
  q('bucket', x=f(-1, 0, 0.5, 1, 10, 11, nan, inf)), q('bucket', x=F32(1)), q('bucket', x=z(0, 2)), q('bucketi', x=i(0, 1, 10, 11)),
  q('lower', a=a([[1, 2, 2, 3]]), b=a([[0, 2, 3, 4]])), q('lower', a=f(1, 2), b=f(1)), q('lower', a=a([[1, 2]]), b=a([[1], [2]])), q('lower', a=z(1, 0), b=a([[1]])), q('lower', a=a([[1, 2]]), b=z(1, 0)), q('lower', a=z(0, 2), b=z(0, 2)), q('upper', a=ai([[1, 2, 2, 3]]), b=ai([[0, 2, 3, 4]])), q('upper', a=ai([1]), b=ai([[1]])), q('upper', a=ai([[1]]), b=ai([1])), q('lower', a=a([[1, nan]]), b=a([[nan, 1]])),
  q('where_', x=ab([[True, False], [True, True]])), q('where_', x=ab([])), q('where_', x=ab(True)), q('where_', x=ab(False)), q('where_', x=ab([False])), q('wheref', x=f(0, 1, -0.0, nan)), q('wheref', x=F32(2)), q('where_', x=np.zeros([0, 2], bool)),
  q('select', c=ab([True, False]), a=f(1, 2), b=f(3, 4)), q('select', c=ab(True), a=f(1, 2), b=f(3, 4)), q('select', c=ab([True, False]), a=r23, b=-r23), q('select', c=ab([True]), a=f(1, 2), b=f(3, 4)), q('select', c=ab([True, False]), a=f(1, 2), b=f(3)), q('select', c=ab([[True, False]]), a=f(1, 2), b=f(3, 4)), q('select', c=ab([True, False, True]), a=r23, b=r23), q('select', c=ab([True]), a=F32(1), b=F32(2)), q('select', c=ab([]), a=f(), b=f()), q('select', c=ab(True), a=f(1, 2), b=f(3)), q('select', c=ab([]), a=z(0, 3), b=z(0, 3)),
  q('select2', c=ab([True, False]), a=st(['a', 'b']), b=text(b'z')), q('select2', c=ab([[True], [False]]), a=st(['a', 'b']), b=st(['c', 'd'])), q('select2', c=ab([True, False]), a=st(['a', 'b', 'c']), b=text(b'z')), q('select2', c=ab([]), a=text(b'a'), b=text(b'b')), q('select2', c=ab([True]), a=st([]), b=st(['x'])), q('select2', c=ab([True, False]), a=st(['a', 'b']), b=st(['a', 'b', 'c'])),
]
V = REQUESTS['edges_reduce'] = []
for sg, mk, arr in [('f', F32, r23), ('i', np.int32, r23.astype(np.int32))]:
    for n in ['sum', 'mean', 'max', 'min', 'prod']:
        for ax in ([], [0], [-1], [0, 1], [1, 1], [-1, 1], [2], [-3], 0, [[1]]):
            if n in ('max', 'prod') and ax not in ([], [-1], [2], [-1, 1]): continue
            V.append(q(sg + n, x=arr, axis=ai(ax)))
        V.append(q(sg + n, x=arr[:0], axis=ai([0])))
        V.append(q(sg + n, x=arr[:, :0], axis=ai([0])))
        V.append(q(sg + n, x=arr[:0], axis=ai([1])))
        V.append(q(sg + n, x=arr[0][0], axis=ai([])))
        V.append(q(sg + n, x=arr[0][0], axis=ai([0])))
V += [q('fmax', x=f(1, nan, 3), axis=i(0)), q('fmin', x=f(nan, 1), axis=i(0)), q('fmax', x=f(-inf, -inf), axis=i(0)), q('imean', x=i(-3, -4), axis=i(0)), q('isum', x=i(2147483647, 1), axis=i(0)), q('imean', x=i(1, 2, 4), axis=i(0)), q('imean', x=i(2147483647, 2147483647), axis=i(0)),
  q('ball', x=ab([[True, False]]), axis=l(0)), q('ball', x=ab([]), axis=l(0)), q('bany', x=ab([]), axis=l(0)), q('bany', x=ab([[True, False]]), axis=l(1)), q('bany', x=ab(True), axis=l()), q('ball', x=ab([True]), axis=l(1)), q('bany', x=ab([[True]]), axis=l(0, 0)),
  q('norm', x=r23, axis=i(1)), q('norm', x=f(), axis=i(0)), q('norm', x=r23, axis=i(3)),
  q('rjoin', x=st([['a', 'b'], ['c', 'd']]), axis=i(0)), q('rjoin', x=st([['a', 'b'], ['c', 'd']]), axis=i(1)), q('rjoin', x=st([['a', 'b'], ['c', 'd']]), axis=i(1, 0)), q('rjoin', x=st([['a', 'b'], ['c', 'd']]), axis=i(0, 1)), q('rjoin', x=st([['a', 'b'], ['c', 'd']]), axis=i(-1)), q('rjoin', x=st([['a', 'b'], ['c', 'd']]), axis=i()), q('rjoin', x=st([]), axis=i(0)), q('rjoin', x=st([]), axis=i()), q('rjoin', x=text(b'a'), axis=i()), q('rjoin', x=text(b'a'), axis=i(0)), q('rjoin', x=st(['a', 'b']), axis=i(1)), q('rjoin', x=st(['a', 'b']), axis=i(0, 0)), q('rjoin', x=st(['a', 'b']), axis=i(0, -1)), q('rjoin', x=st(['a', 'b']), axis=ai(0)), q('rjoink', x=st([['a', 'b'], ['c', 'd']]), axis=i(0)), q('rjoink', x=st([['a', 'b'], ['c', 'd']]), axis=i(-1, 0)), q('rjoink', x=st(['a']), axis=i(-2)), q('rjoin', x=np.zeros([2, 0], object), axis=i(1)), q('rjoin', x=np.zeros([0, 2], object), axis=i(1)),
  q('cumsum', x=f(1, 2, 3), axis=ai(0)), q('cumsum', x=r23, axis=ai(-1)), q('cumsum', x=r23, axis=ai(2)), q('cumsum', x=f(), axis=ai(0)), q('cumsum', x=F32(1), axis=ai(0)), q('cumsum', x=z(2, 0), axis=ai(0)), q('cumsum', x=r23, axis=i(0)), q('cumsum', x=r23, axis=i(0, 1)), q('cumsumx', x=i(1, 2, 3), axis=ai(0)), q('cumsumx', x=ai([[1, 2], [3, 4]]), axis=ai(1)), q('cumprod', x=f(1, 2, 3), axis=ai(0)), q('cumprod', x=f(2, 3), axis=ai(-1)), q('cumprod', x=f(2, 3), axis=ai(-2)), q('cumsum', x=r23, axis=i()),
  q('l2', x=r23), q('l2', x=f()), q('l2', x=F32(3)),
  q('argmax', x=f(1, 3, 3), axis=ai(0)), q('argmax', x=r23, axis=ai(1)), q('argmax', x=r23, axis=ai(-2)), q('argmax', x=r23, axis=ai(2)), q('argmax', x=f(), axis=ai(0)), q('argmax', x=z(0, 3), axis=ai(0)), q('argmax', x=z(0, 3), axis=ai(1)), q('argmax', x=z(2, 0), axis=ai(0)), q('argmax', x=F32(1), axis=ai(0)), q('argmax', x=f(nan, 1, 2), axis=ai(0)), q('argmax', x=f(1, nan, 2), axis=ai(0)), q('argmax', x=r23, axis=i(0)), q('argmax', x=r23, axis=i(0, 1)), q('argmin', x=i(3, 1, 1), axis=ai(0)), q('argmin', x=ai(1), axis=ai(-1)),
  q('topk', x=f(1, 5, 3), k=ai(2)), q('topk', x=f(1, 5, 5), k=ai(3)), q('topk', x=f(1, 5), k=ai(3)), q('topk', x=f(1, 5), k=ai(0)), q('topk', x=f(1), k=ai(-1)), q('topk', x=F32(1), k=ai(1)), q('topk', x=f(), k=ai(0)), q('topk', x=f(), k=ai(1)), q('topk', x=r23, k=ai(2)), q('topk', x=r23, k=i(1)), q('topk', x=r23, k=i(1, 1)), q('topk', x=f(nan, 1, 2), k=ai(2)), q('topk', x=z(0, 3), k=ai(2)),
  q('unique', x=f(1, 2, 1)), q('unique', x=f()), q('unique', x=F32(1)), q('unique', x=r23), q('unique', x=f(0.0, -0.0, nan, nan)), q('uniques', x=st(['a', 'b', 'a'])), q('uniques', x=st([])), q('uniques', x=text(b'a')), q('unique2', x=ai([[1, 2], [1, 2], [3, 4]]), axis=i(0)), q('unique2', x=i(1, 2, 1), axis=i()), q('unique2', x=ai([[1, 1], [2, 2]]), axis=i(1)), q('unique2', x=ai([[1, 1], [2, 2]]), axis=i(-1)), q('unique2', x=ai([[1, 1], [2, 2]]), axis=i(2)), q('unique2', x=ai([[1, 1], [2, 2]]), axis=i()), q('unique2', x=i(1, 1), axis=i(0)), q('unique2', x=i(1, 1), axis=i(0, 0)), q('unique2', x=i(1, 1), axis=ai(0)),
]
for sg in ['seg', 'segmean', 'segmin', 'segprod']:
    k = i if sg in ('seg', 'segmean') else l
    V += [q(sg, x=f(1, 2, 3), ids=k(0, 0, 2)), q(sg, x=r23, ids=k(0, 1)), q(sg, x=f(1, 2), ids=k(1, 0)), q(sg, x=f(1, 2), ids=k(0)), q(sg, x=f(), ids=k()), q(sg, x=f(1, 2), ids=k(-1, 0))]
V += [q('segmax', x=i(1, 2, 3), ids=l(0, 2, 2)), q('segmax', x=ai(1), ids=l(0)), q('segmax', x=i(1), ids=al(0)), q('seg', x=F32(1), ids=i(0)), q('seg', x=f(1), ids=ai([[0]])), q('seg', x=f(1, 2), ids=i(2, 4)), q('seg', x=z(0, 2), ids=i()), q('seg', x=z(2, 0), ids=i(0, 1)),
  q('usum', x=f(1, 2, 3), ids=i(0, 2, 0), n=ai(4)), q('usum', x=f(1, 2), ids=i(0, 4), n=ai(4)), q('usum', x=f(1, 2), ids=i(0, -1), n=ai(2)), q('usum', x=f(1, 2), ids=i(0, 0), n=ai(0)), q('usum', x=f(), ids=i(), n=ai(0)), q('usum', x=f(), ids=i(), n=ai(2)), q('usum', x=f(1, 2), ids=i(0), n=ai(1)), q('usum', x=F32(1), ids=ai(1), n=ai(2)), q('usum', x=f(1, 2), ids=i(0, 0), n=ai(-1)), q('usum', x=f(1, 2), ids=i(0, 0), n=i(1)), q('usum', x=r23, ids=ai([[0, 1, 0], [1, 0, 0]]), n=ai(2)), q('usum', x=r23, ids=ai(1), n=ai(2)), q('usum', x=f(1, 2), ids=i(0, 0), n=i(1, 2)),
  q('umax', x=f(1, 2), ids=i(0, 0), n=ai(2)), q('umax', x=r23, ids=i(1, -1), n=ai(2)), q('umin', x=i(1, 2), ids=i(0, 0), n=ai(2)), q('uprod', x=i(3, 2), ids=i(1, 1), n=ai(2)), q('ujoin', x=st(['a', 'b', 'c']), ids=i(0, 1, 0), n=ai(3)), q('ujoin', x=st(['a', 'b']), ids=i(0, -1), n=ai(1)), q('ujoin', x=st(['a', 'b']), ids=i(0, 3), n=ai(1)), q('ujoin', x=st(['a']), ids=i(0, 0), n=ai(1)), q('ujoin', x=st([['a', 'b'], ['c', 'd']]), ids=i(1, 1), n=ai(2)), q('ujoin', x=st([]), ids=i(), n=ai(2)), q('ujoin', x=st(['a']), ids=i(0), n=ai(-1)),
  q('spsum', x=r23, at=i(0, 1, 0), ids=i(0, 0, 1)), q('spsum', x=r23, at=i(0, 2), ids=i(0, 0)), q('spsum', x=r23, at=i(0, -1), ids=i(0, 0)), q('spsum', x=r23, at=i(0), ids=i(0, 0)), q('spsum', x=r23, at=i(0, 1), ids=i(1, 0)), q('spsum', x=r23, at=i(0, 1), ids=i(1, 3)), q('spsum', x=r23, at=i(), ids=i()), q('spsum', x=F32(1), at=i(0), ids=i(0)), q('spsum', x=r23, at=i(0), ids=i(-1)), q('spmean', x=r23, at=i(0, 1), ids=i(0, 0)), q('spmean', x=f(1, 2, 3), at=i(0, 2), ids=i(0, 2)), q('spsqrt', x=r23, at=i(0, 1), ids=i(0, 0), n=ai(3)), q('spsqrt', x=r23, at=i(0, 1), ids=i(0, 4), n=ai(3)), q('spsqrt', x=r23, at=i(0, 1), ids=i(0, 0), n=ai(-1)), q('spsqrt', x=r23, at=i(), ids=i(), n=ai(2)), q('spsqrt', x=r23, at=i(0), ids=i(0), n=i(2, 3)), q('spsum', x=r23, at=ai([[0]]), ids=i(0)), q('spsum', x=r23, at=i(0), ids=ai([[0]])),
  q('lse', x=r23), q('lse', x=f(-inf, -inf)), q('lse', x=f()), q('lse', x=F32(2)), q('lse', x=f(1000, 1000)), q('lse', x=f(inf, 1)),
  q('bin', x=i(0, 1, 1, 9), n=ai(3), w=f()), q('bin', x=i(0, 1, 1), n=ai(3), w=f(1, 2, 3)), q('bin', x=i(0, 1), n=ai(3), w=f(1)), q('bin', x=i(-1), n=ai(3), w=f()), q('bin', x=i(0), n=ai(-1), w=f()), q('bin', x=i(), n=ai(2), w=f()), q('bin', x=i(0), n=i(2), w=f()), q('bin', x=ai([[0, 1], [1, 1]]), n=ai(2), w=f()), q('bin', x=ai(1), n=ai(2), w=f()), q('bin', x=i(0), n=i(2, 2), w=f()),
  q('dbin', x=l(0, 1, 1, 9), n=al(3), w=f()), q('dbin', x=al([[0, 1], [1, 1]]), n=al(2), w=f()), q('dbin', x=al([[0, 1], [1, 1]]), n=al(2), w=a([[1, 2], [3, 4]])), q('dbin', x=l(0, -1), n=al(2), w=f()), q('dbin', x=l(0), n=al(-1), w=f()), q('dbin', x=al(1), n=al(2), w=f()), q('dbin', x=zl(1, 1, 1), n=al(2), w=f()), q('dbin', x=l(0, 1), n=al(2), w=f(1)), q('dbin', x=zl(0, 2), n=al(2), w=f()), q('dbin', x=zl(2, 0), n=al(2), w=f()), q('dbin', x=l(0), n=l(2), w=f()), q('dbinb', x=i(0, 0, 1), n=ai(3), w=f()), q('dbinb', x=ai([[0, 0], [1, 2]]), n=ai(3), w=f()),
]
M = REQUESTS['edges_math'] = []
fa, fb = f(7.5, -7.5, 0, -0.0, nan, inf, -inf, 1, 5, -5), f(2, 2, 0, 1, 1, 2, 3, 0, inf, inf)
for n in ['AddV2', 'Sub', 'Mul', 'RealDiv', 'FloorDiv', 'FloorMod', 'Pow', 'Maximum', 'Minimum', 'SquaredDifference', 'Atan2', 'Xlogy', 'Xdivy', 'DivNoNan', 'MulNoNan', 'Div', 'Mod', 'Less', 'GreaterEqual', 'NotEqual']:
    M.append(q('f' + n.lower(), a=fa, b=fb)); M.append(q('f' + n.lower(), a=fb, b=fa))
M += [q('faddv2', a=z(2, 0), b=f(1)), q('faddv2', a=z(2, 0), b=f(1, 2)), q('faddv2', a=z(0), b=F32(1)), q('faddv2', a=z(2, 1), b=z(3)), q('fmul', a=z(2, 3), b=z(2)), q('fpow', a=f(), b=f()), q('fless', a=z(2), b=z(3)), q('fnotequal', a=z(2), b=z(3)), q('faddv2', a=z(1, 1, 1, 1, 1, 1, 1, 1, 1), b=f(1)), q('faddv2', a=np.ones([2, 1, 2, 1, 2, 1, 2, 1, 2, 1], F32), b=np.ones([1, 2, 1, 2, 1, 2, 1, 2, 1, 2], F32)), q('fmaximum', a=z(1, 0), b=z(2, 1)), q('fminimum', a=z(0, 2), b=z(3, 2)),
  q('loose', a=z(2), b=z(3)), q('loose', a=z(2), b=z(2)), q('loose', a=z(2), b=z(1))]
ia, ib = i(7, -7, 7, -7, 0, -2147483648, 5), i(2, 2, -2, -2, 3, 1, 5)
for n in ['AddV2', 'Sub', 'Mul', 'FloorDiv', 'FloorMod', 'Maximum', 'TruncateDiv', 'TruncateMod', 'Div', 'BitwiseAnd', 'Less', 'Equal']:
    M.append(q('i' + n.lower(), a=ia, b=ib))
    if n in ('FloorDiv', 'FloorMod', 'TruncateDiv', 'TruncateMod', 'Div', 'RealDiv'):
        M += [q('i' + n.lower(), a=i(1), b=i(0)), q('i' + n.lower(), a=i(), b=i(0)), q('i' + n.lower(), a=i(), b=ai(0)), q('i' + n.lower(), a=i(1, 2), b=ai(0)), q('i' + n.lower(), a=ai(1), b=i(1, 0))]
M += [q('iequal', a=i(1, 2), b=i(1, 2, 3)), q('ifloordiv', a=i(1, 2), b=i(1, 2, 3)), q('ipow', a=i(2, -3, 0, 0, 1), b=i(3, 3, 0, 5, 100)), q('ipow', a=i(2), b=i(-1)), q('ipow', a=i(2), b=i(40)), q('ipow', a=i(1, -1), b=i(-1, -1)), q('ipow', a=i(), b=i(-1)), q('ipow', a=i(2, 2), b=ai(-1)), q('ileftshift', a=i(1, 1, -1, 1), b=i(3, 31, 2, 0)), q('ileftshift', a=i(1, 1), b=i(32, -1)), q('irightshift', a=i(8, -8, 1, -1), b=i(2, 2, 40, 33)), q('irightshift', a=i(8), b=i(-1)),
  q('ufloordiv', a=np.array([200, 3], np.uint8), b=np.array([3, 2], np.uint8)), q('ufloordiv', a=np.array([200], np.uint8), b=np.array([0], np.uint8)), q('ufloormod', a=np.array([4294967295, 7], np.uint32), b=np.array([7, 3], np.uint32)), q('uaddv2', a=np.array([200], np.uint8), b=np.array([100], np.uint8)), q('urightshift', a=np.array([200, 255], np.uint8), b=np.array([3, 9], np.uint8)), q('umaximum', a=np.array([200], np.uint8), b=np.array([100], np.uint8)),
  q('sequal', a=st(['a', 'b']), b=st(['a', 'c'])), q('sequal', a=st(['a']), b=st([])), q('snotequal', a=st(['a', 'b']), b=text(b'a')), q('sequal', a=st(['a', 'b']), b=st(['a', 'b', 'c'])), q('saddv2', a=st(['a', 'b']), b=text(b'!')), q('saddv2', a=st([]), b=st(['a']))]
wild = f(-1.5, 1.5, 2.5, -2.5, 127.9, 128, 255.5, 256, -129, 32768, 70000, 1e-8, 0)
wilder = f(nan, inf, -inf, 3e9, -3e9, 1e19, -1e19, 1e30)
for n in ['i8', 'u8', 'i16', 'i32', 'i64', 'u32', 'bool', 'half', 'bf16', 'f64']:
    M.append(q('cast' + n, x=wild)); 
    M.append(q('cast' + n, x=wilder)); M.append(q('cast' + n, x=f()))
    M.append(q('icast' + n, x=l(0, 1, -1, 255, 256, 65536, 2147483648, 9223372036854775807, -9223372036854775808, 16777217)))
M += [q('bcast', x=ab([True, False])), q('bcast', x=ab(True)), q('bit', x=f(1, -0.0, nan)), q('bit', x=F32(2)), q('bit', x=f()), q('bit8', x=f(1, 2)), q('bit8', x=F32(1)), q('bit64', x=ai([[1, 2], [3, 4]])), q('bit64', x=ai([1, 2, 3])), q('bit64', x=ai(1)), q('bit64', x=i()),
  q('addn', a=f(1, 2), b=f(3, 4)), q('addn', a=f(), b=f()), q('and', a=ab([True, False]), b=ab([True])), q('and', a=ab([True, False]), b=ab([True] * 3)), q('and', a=ab([]), b=ab(True)), q('approx', a=f(1, 1), b=f(1.05, 1.2)), q('approx', a=f(1, nan), b=f(1, nan)), q('approx', a=f(1, 2), b=f(1)), q('approx', a=f(1, 2), b=f(1, 2, 3)), q('complex', a=f(1, 2), b=F32(1)), q('complex', a=f(1, 2), b=f(1, 2, 3)),
  q('check', x=f(1, 2)), q('check', x=f(inf)), q('check', x=f(-inf, 1)), q('check', x=f(nan)), q('check', x=f(nan, inf)), q('check', x=f()), q('check', x=f(inf, -inf)), q('check', x=f(nan, -inf))]
for n in ['Abs', 'Neg', 'Sign', 'Square', 'Relu', 'Relu6']:
    M.append(q('iu' + n.lower(), x=i(5, -5, 0, -2147483648, 65536)))
for n in ['Acos', 'Acosh', 'Asin', 'Asinh', 'Atan', 'Atanh', 'Cosh', 'Sinh', 'Tan', 'Erfc', 'Expm1', 'Lgamma', 'Inv', 'Reciprocal', 'Rint', 'Round', 'Sigmoid', 'Sign', 'Softplus', 'Softsign', 'Elu', 'Selu', 'Relu6', 'IsInf', 'IsFinite', 'IsNan', 'Rsqrt', 'Log1p', 'Tanh', 'Floor', 'Ceil']:
    M.append(q('v' + n.lower(), x=f(-2.5, -1, -0.5, -0.0, 0, 0.5, 1, 1.5, 2.5, 30, -30, nan, inf, -inf))); M.append(q('v' + n.lower(), x=z(0, 1)))
Y = REQUESTS['edges_layers'] = [
  q('mm', a=r23, b=z(3, 1)), q('mm', a=r23, b=z(2, 3)), q('mm', a=f(1), b=z(1, 1)), q('mm', a=z(0, 3), b=z(3, 2)), q('mm', a=z(2, 0), b=z(0, 3)), q('mm', a=r234, b=z(4, 2)), q('mm', a=r234, b=r234), q('mm', a=F32(1), b=F32(2)), q('mm', a=z(2, 3), b=z(3)), q('mmt', a=r23, b=r23), q('mmt', a=r23, b=z(3, 3)), q('mmi', a=ai([[1, 2]]), b=ai([[3, 4]])), q('mmi', a=ai([[1, 2]]), b=ai([[3], [4]])),
  q('bmm', a=r234, b=np.ones([2, 4, 1], F32)), q('bmm', a=r234, b=np.ones([4, 1], F32)), q('bmm', a=r234, b=np.ones([3, 4, 1], F32)), q('bmm', a=f(1), b=f(1)), q('bmm', a=r234, b=z(2, 3, 4)), q('bmm', a=z(0, 2, 3), b=z(3, 1)), q('bmm', a=z(2, 0, 3), b=z(2, 3, 1)), q('bmm', a=z(2, 2, 0), b=z(0, 2)), q('bmm1', a=r234, b=np.ones([4, 1], F32)), q('bmm1', a=r234, b=np.ones([2, 4, 1], F32)), q('bmm1', a=r234, b=np.ones([3, 4, 1], F32)), q('bmm1', a=f(1), b=f(1)), q('bmmt', a=r234, b=np.ones([2, 5, 3], F32)), q('bmmt', a=r234, b=np.ones([2, 3, 5], F32)), q('bmm1', a=r23, b=r23),
  q('ein', a=r23, b=np.ones([3, 2], F32)), q('ein', a=r23, b=r23), q('ein', a=f(1), b=r23), q('ein', a=z(0, 3), b=z(3, 2)), q('ein', a=z(2, 0), b=z(0, 2)), q('eind', a=a([[1, 2], [3, 4]])), q('eind', a=r23), q('einell', a=r234, b=np.ones([4, 2], F32)), q('einell', a=r23, b=np.ones([3, 2], F32)), q('einell', a=f(1), b=z(1, 1)),
  q('bias', x=r23, b=f(1, 2, 3)), q('bias', x=r23, b=f(1, 2)), q('bias', x=f(1, 2, 3), b=f(1, 2, 3)), q('bias', x=r23, b=F32(1)), q('bias', x=z(0, 3), b=f(1, 2, 3)), q('bias', x=z(2, 0), b=f()), q('bias', x=r23, b=z(1, 3)), q('bias', x=r23, b=f()), q('bias', x=F32(1), b=f(1)), q('bias', x=r234, b=f(1, 2, 3, 4)),
  q('softmax', x=r23), q('softmax', x=f(1, 2)), q('softmax', x=F32(1)), q('softmax', x=z(0, 3)), q('softmax', x=z(2, 0)), q('softmax', x=f(inf, 1)), q('softmax', x=f(-inf, -inf)), q('softmax', x=f(nan, 1)), q('softmax', x=f(1000, 0)), q('softmax', x=r234), q('logsoftmax', x=F32(1)), q('logsoftmax', x=f(1000, 0)), q('logsoftmax', x=f(-inf, 0)), q('logsoftmax', x=z(2, 0)), q('softmax', x=f()),
  q('conv', x=np.ones([1, 3, 3, 2], F32), w=np.ones([2, 2, 2, 1], F32)), q('conv', x=np.ones([1, 3, 3, 2], F32), w=np.ones([2, 2, 3, 1], F32)), q('conv', x=z(0, 3, 3, 2), w=np.ones([2, 2, 2, 1], F32)), q('conv', x=z(1, 0, 3, 2), w=np.ones([2, 2, 2, 1], F32)), q('conv', x=np.ones([1, 3, 3, 2], F32), w=z(2, 2, 2, 0)), q('convv', x=np.ones([1, 3, 3, 1], F32), w=np.ones([2, 2, 1, 1], F32)), q('convv', x=np.ones([1, 2, 2, 1], F32), w=np.ones([2, 2, 1, 1], F32)), q('conv', x=z(1, 3, 3, 0), w=z(2, 2, 0, 1)),
  q('dw', x=np.ones([1, 3, 3, 2], F32), w=np.ones([2, 2, 2, 2], F32)), q('dw', x=np.ones([1, 3, 3, 2], F32), w=np.ones([2, 2, 1, 2], F32)), q('dw', x=np.ones([1, 1, 1, 2], F32), w=np.ones([2, 2, 2, 2], F32)), q('dw', x=z(0, 3, 3, 2), w=np.ones([2, 2, 2, 2], F32)),
  q('max', x=np.arange(16, dtype=F32).reshape(1, 4, 4, 1)), q('max', x=np.ones([1, 1, 1, 1], F32)), q('max', x=np.ones([4, 4, 1], F32)), q('max', x=z(0, 4, 4, 1)), q('max', x=np.ones([1, 3, 3, 1], F32)), q('max', x=z(1, 4, 4, 0)), q('avg', x=np.arange(9, dtype=F32).reshape(1, 3, 3, 1)), q('avg', x=np.ones([1], F32)), q('avg', x=z(0, 2, 2, 1)),
  q('bn', x=np.ones([1, 2, 2, 2], F32), s=f(1, 2), o=f(0, 1), m=f(0, 0), v=f(1, 1)), q('bn', x=np.ones([1, 2, 2, 2], F32), s=f(1), o=f(0, 1), m=f(0, 0), v=f(1, 1)), q('bn', x=np.ones([2, 2], F32), s=f(1, 2), o=f(0, 1), m=f(0, 0), v=f(1, 1)), q('bn', x=np.ones([1, 2, 2, 2], F32), s=f(1, 2), o=f(0, 1), m=f(0), v=f(1, 1)), q('bn', x=z(0, 2, 2, 2), s=f(1, 2), o=f(0, 1), m=f(0, 0), v=f(1, 1)), q('bn', x=np.ones([1, 2, 2, 2], F32), s=z(1, 2), o=f(0, 1), m=f(0, 0), v=f(1, 1)), q('bn', x=np.ones([1, 2, 2, 2], F32), s=f(1, 2), o=f(0, 1), m=f(), v=f()),
  q('bil', x=np.ones([1, 2, 2, 1], F32), n=i(3, 3)), q('bil', x=np.ones([1, 2, 2, 1], F32), n=i(0, 3)), q('bil', x=np.ones([2, 2, 1], F32), n=i(3, 3)), q('bil', x=np.ones([1, 2, 2, 1], F32), n=i(3)), q('bil', x=np.ones([1, 2, 2, 1], F32), n=ai(3)), q('bil', x=z(0, 2, 2, 1), n=i(3, 3)), q('bil', x=z(1, 0, 2, 1), n=i(3, 3)), q('bil', x=np.arange(4, dtype=F32).reshape(1, 2, 2, 1), n=i(1, 1)), q('bil', x=np.arange(4, dtype=F32).reshape(1, 2, 2, 1), n=i(5, 1)), q('bil', x=np.ones([1, 2, 2, 1], F32), n=i(-1, 3)), q('near', x=np.arange(4, dtype=np.uint8).reshape(1, 2, 2, 1), n=i(3, 1)), q('near', x=np.zeros([1, 2, 2], np.uint8), n=i(3, 1)), q('near', x=np.zeros([1, 0, 2, 1], np.uint8), n=i(3, 1)), q('near', x=np.zeros([1, 2, 2, 1], np.uint8), n=i(0, 1)), q('bil', x=z(1, 2, 2, 0), n=i(3, 3)),
  q('leaky', x=f(-1, 0, 1, nan, -inf)), q('leaky', x=f()), q('s2d', x=np.arange(8, dtype=F32).reshape(1, 2, 4, 1)), q('s2d', x=z(1, 3, 2, 1)), q('s2d', x=z(2, 2, 1)), q('s2d', x=z(0, 2, 2, 1)), q('d2s', x=np.arange(8, dtype=F32).reshape(1, 1, 2, 4)), q('d2s', x=z(1, 1, 1, 3)), q('d2s', x=z(1, 1, 4)), q('d2s', x=z(0, 1, 1, 4)),
]
T = REQUESTS['edges_strings'] = [
  q('join', a=st(['x', 'y']), b=text(b'q')), q('join', a=st(['x', 'y']), b=st(['q'])), q('join', a=st([]), b=text(b'q')), q('join', a=text(b''), b=text(b'')), q('join', a=st([['a'], ['b']]), b=st(['c', 'd'])),
]
for p, n in [(0, 2), (1, -1), (-2, 2), (5, 1), (6, 1), (-5, 9), (-6, 1), (0, 0), (4, 100), (2, -3)]:
    T.append(q('substr', s=st(['hello']), p=ai(p), n=ai(n))); T.append(q('substru', s=st(['h\u00e9llo']), p=ai(p), n=ai(n)))
T += [q('substr', s=st(['abc', 'defg']), p=i(1, 2), n=i(1, 2)), q('substr', s=st(['abc', 'defg']), p=i(1, 2, 3), n=i(1, 2, 3)), q('substr', s=st(['abc', 'defg']), p=i(1, 2), n=i(1)), q('substr', s=st(['abc', 'defg']), p=i(1, 2), n=ai(1)), q('substr', s=text(b'abcdef'), p=i(1, 2), n=i(1, 2)), q('substr', s=st([['abc', 'defg']]), p=i(1, 2), n=i(1, 2)), q('substr', s=st([]), p=ai(9), n=ai(9)), q('substr', s=st(['', 'a']), p=ai(0), n=ai(1)), q('substr', s=st(['a', 'bcd']), p=ai(2), n=ai(1)), q('substr', s=st([['abc'], ['defg']]), p=i(1, 2), n=i(1, 2)), q('substr', s=st(['\n', 'a']), p=ai(3), n=ai(1)), q('substru', s=st(['\u4f60\u597d', 'ab']), p=ai(1), n=ai(1)), q('substru', s=st([b'\xff\xfe\xfda']), p=ai(1), n=ai(2)), q('substru', s=st(['ab', 'c']), p=ai(2), n=ai(1)), q('substr', s=st([[['abc']]]), p=zi(1, 1, 1), n=zi(1, 1, 1)), q('substru', s=st(['']), p=ai(0), n=ai(1)), q('substru', s=st(['a\u00e9']), p=ai(2), n=ai(1)), q('substru', s=st(['a\u00e9']), p=ai(-2), n=ai(1))]
for sg in ('split', 'split1', 'split0'):
    for d in ['', ',', ', ', 'ab']:
        T.append(q(sg, s=st(['a,b', '', ' a  b ', ',', 'a, b, c', 'ababab', 'x', 'a,,b,']), d=text(d.encode())))
T += [q('split', s=st([]), d=text(b',')), q('split', s=text(b'a'), d=text(b',')), q('split', s=st(['a']), d=st([','])), q('split', s=st(['a']), d=st([',', ';'])), q('split', s=st(['\xa0a\u3000b \x0b c']), d=text(b'')),
  q('splitv1', s=st(['a,b;c', '', ',,', ' a']), d=text(b',;')), q('splitv1', s=st(['ab']), d=text(b'')), q('splitv1s', s=st(['a,b;c', '', ',,', ' a']), d=text(b',;')), q('splitv1s', s=st(['ab', '']), d=text(b'')), q('splitv1', s=st(['ab']), d=st([','])), q('splitv1', s=text(b'ab'), d=text(b'')), q('splitv1s', s=st(['a']), d=st([',', ';'])), q('splitv1', s=st([]), d=text(b','))]
for p, w in [('a', 'b'), ('(', 'b'), ('a(b)?', r'[\1]'), ('', '-'), ('[a-', 'x'), (r'\d+', r'<\0>'), ('a', r'\2'), ('(?i)A', '$1'), ('a*', 'x'), (r'(a)(b)', r'\2\1\\'), ('a', '\\'), ('x{1001}', 'b'), ('(?P<n>a)', r'\1'), (r'\pL', 'L'), ('(?<n>a)', 'q'), ('*', 'b'), ('a**', 'z'), ('.', '.'), (r'\z', '!'), (r'a\b', '|'), ('$', 'E')]:
    T.append(q('rx', s=st(['abab', '', '12a3', 'A$b', 'caf\u00e9 \u4f60']), p=text(p.encode()), w=text(w.encode())))
    T.append(q('rx1', s=st(['abab', '', '12a3']), p=text(p.encode()), w=text(w.encode())))
    T.append(q('rxm', s=st(['abab', '', 'a', 'A', 'ab\n']), p=text(p.encode())))
T += [q('rx', s=st(['a']), p=st(['a']), w=text(b'b')), q('rx', s=st(['a']), p=st(['a', 'b']), w=text(b'b')), q('rx', s=st(['a']), p=text(b'a'), w=st(['b'])), q('rxm', s=st(['a']), p=st(['a'])), q('rx', s=st([b'\xff\x00a']), p=text(b'a'), w=text(b'b')), q('rxm', s=text(b'abc'), p=text(b'ab|abc')), q('rxm', s=st([]), p=text(b'(')), q('rx', s=st([]), p=text(b'('), w=text(b''))]
words = ['1', ' 1', '1 ', '+1', '-1', '1.5', '1e3', '.5', '5.', '', ' ', '0x10', '0X1p3', 'inf', 'INF', '-Infinity', 'nan', 'NaN', '-nan', 'nan(1)', 'infin', '1_0', '1e400', '1e-400', '-1e400', '00012', '1,5', '--1', '+-1', '1e', 'e1', '1.5.5', '2147483648', '-2147483649', '9223372036854775808', '\t1\n', 'abc', '1f', '1d', '3.4028236e38', '16777217', '\xa01', '1 2', '1e+', 'Inf', '+inf', '+', '-', '.', '1e5000000000', '0x', '0x1.8', '1E2', '٣']
for w in words:
    for sg in ('f32', 'f64', 'i32', 'i64'):
        T.append(q(sg, s=st([w])))
nums = f(0, -0.0, 1, 0.1, 123456.789, 1e7, 1e-7, 3.14159274, 1e20, -1e-20, nan, inf, -inf, 3.4028235e38, 0.5)
T += [q('as', x=nums), q('aswide', x=nums), q('asd', x=np.array([0, 0.1, 1e16, 123456789.123, 1e-10, nan, 1e300, -2.5])), q('asi', x=l(0, -1, 123, -123456789, 9223372036854775807)), q('asb', x=ab([True, False])), q('asc', x=np.array([1 + 2j, -0.5 - 1j], np.complex64)), q('ass', s=st(['a', '', 'abcdefghij'])), q('ash', x=np.array([1.5, 0.1], np.float16)), q('as', x=f()), q('as', x=F32(2)),
  q('low', s=st(['AbC', '\u00c9', b'\xff\xc3', ''])), q('lowu', s=st(['AbC', '\u00c9\u00e9\u00df\u0130\u01c5', ''])), q('lowu', s=st(['\u03a3\u03b1\u03c2'])), q('lowu', s=st([b'\xffA'])), q('lowu', s=st(['\ufb01'])), q('strip', s=st([' a ', '\t\n', '', 'a\x00 ', '\xa0a', '\x0b\x0ca'])), q('len', s=st(['', 'a', '\u00e9', '\u4f60', '\U0001f600', b'\xff\x80\x80', b'a\x00b'])), q('hash', s=st(['', 'a', 'abcdefghijklmnopq', 'x' * 40, 'y' * 70, 'z' * 200]))]
for w in ['', 'YQ', 'YQ=', 'YQ==', 'YQ===', 'Y', 'YWI', 'YWI=', 'YWJj', 'YW Jj', 'YWJj\n', '-_', '+/', 'YR', 'YWK', 'YWJjY', '=', '====', 'Y=Q=']:
    T.append(q('b64', s=st([w])))
T += [q('eb64', s=st(['', 'a', 'ab', 'abc', b'\xfb\xff'])), q('raw', s=st([b'\x01\x00\x00\x00\xff\xff\xff\xff'])), q('raw', s=st([])), q('raw', s=st([''])), q('raw', s=st(['', 'abcd'])), q('raw', s=text(b'abcd')), q('raw', s=text(b'abc')), q('raw', s=st(['abcd', 'ab'])), q('rawb', s=st([b'\x01\x02\x00\xff'])), q('raw', s=st([['abcd'], ['efgh']])), q('bytes', s=st(['abc', '', 'z'])), q('bytes', s=st([]))]
def ex(**k): return example(**k)
def raw_feature(name, kind):  # a feature of a kind without values
    f = {'f': tf.train.Feature(float_list=tf.train.FloatList(value=[])), 'i': tf.train.Feature(int64_list=tf.train.Int64List(value=[])), 'b': tf.train.Feature(bytes_list=tf.train.BytesList(value=[])), 'n': tf.train.Feature()}[kind]
    return tf.train.Example(features=tf.train.Features(feature={name: f})).SerializeToString()
twice = ex(a=[1.0], b=[2.0]) + ex(a=[3.0])
X_ = REQUESTS['edges_examples'] = [
  q('fixed', s=s(ex(a=[1., 2.]))), q('fixed', s=s(ex(a=[1., 2.], b=[3], c=[b'q']), ex(a=[3., 4.]))), q('fixed', s=s()), q('fixed', s=s(b'')), q('fixed', s=s(ex(a=[1.]))), q('fixed', s=s(ex(a=[1., 2., 3.]))), q('fixed', s=s(ex(b=[1]))), q('fixed', s=s(ex(a=[1., 2.], b=[1, 2]))), q('fixed', s=s(ex(a=[1., 2.], b=[1.5]))), q('fixed', s=s(ex(a=[1., 2.], c=[1]))), q('fixed', s=s(ex(a=[b'x', b'y']))), q('fixed', s=s(raw_feature('a', 'f'))), q('fixed', s=s(raw_feature('a', 'n'))), q('fixed', s=s(raw_feature('a', 'i'))), q('fixed', s=s(ex(a=[1., 2.]), ex(), ex(a=[1.]))), q('fixed', s=s(ex(a=[1., 2.])[:-1])), q('fixed', s=s(b'abc')), q('fixed', s=s(ex(a=[1., 2.]), ex(c=[1]))), q('fixed', s=s(ex(a=[1., 2.]) + b'\x12\x01x')), q('fixed', s=s(ex(a=[1., 2.]) + ex(a=[5., 6.]))), q('fixed', s=s(ex(a=[1., 2.]) + ex(b=[5]))),
  q('deflt', s=s(ex())), q('deflt', s=s(ex(a=[1., 2., 3., 4.]), ex())), q('deflt', s=s(ex(a=[1.]))), q('deflt', s=s(ex(a=[1, 2, 3, 4]))), q('deflt', s=s(raw_feature('a', 'f'))), q('deflt', s=s(raw_feature('a', 'b'))),
  q('zero', s=s(ex())), q('zero', s=s(ex(a=[1.]))), q('zero', s=s(raw_feature('a', 'f'))), q('zero', s=s()),
  q('seqf', s=s(ex(a=[1., 2.], b=[1, 2, 3, 4]), ex(a=[3.]))), q('seqf', s=s(ex())), q('seqf', s=s()), q('seqf', s=s(ex(b=[1, 2, 3]))), q('seqf', s=s(ex(a=[1]))), q('seqf', s=s(ex(b=[]))), q('seqf', s=s(ex(b=[1, 2]), ex(b=[1, 2, 3, 4, 5, 6]))), q('seqf', s=s(raw_feature('b', 'i'))), q('seqf', s=s(raw_feature('b', 'f'))),
  q('var', s=s(ex(a=[1., 2.], b=[b'x'], c=[5]), ex(), ex(a=[3.]))), q('var', s=s()), q('var', s=s(ex())), q('var', s=s(ex(a=[1]))), q('var', s=s(ex(b=[1.5]))), q('var', s=s(ex(c=[b'x']))), q('var', s=s(raw_feature('a', 'i'))), q('var', s=s(ex(a=[1., 2.]) + ex(a=[3.]))), q('var', s=s(twice)), q('var', s=s(ex(a=[1.]), b'zz')), q('var', s=s(raw_feature('a', 'f'), ex(a=[1.]))),
  q('ragged', s=s(ex(a=[1., 2.], b=[b'x']), ex(), ex(a=[3.]))), q('ragged', s=s()), q('ragged', s=s(ex(a=[1]))), q('ragged', s=s(ex(b=[1.5]))), q('ragged', s=s(ex())),
  q('sparse', s=s(ex(ix=[1, 3], val=[.5, .25]), ex(ix=[0], val=[1.]))), q('sparse', s=s(ex(ix=[1], val=[.5, .25]))), q('sparse', s=s(ex())), q('sparse', s=s(ex(ix=[10], val=[.5]))), q('sparse', s=s(ex(ix=[3, 1], val=[.5, .25]))),
  q('any', s=s(ex(a=[1.]))), q('any', s=text(ex(a=[1.]))), q('any', s=np.array([[ex(a=[1.])]], object)), q('any', s=text(ex())), q('any', s=text(ex(a=[1., 2.]))), q('any', s=text(b'no')), q('any', s=text(ex(a=[1]))),
  q('named', s=s(ex(a=[1.])), names=s('first')), q('named', s=s(ex()), names=s('first')), q('named', s=s(ex(a=[1.]), ex(a=[1, 2])), names=s('first', 'second')), q('named', s=s(ex(a=[1.])), names=s('first', 'second')), q('named', s=s(ex(a=[1.])), names=s()), q('named', s=s(ex(a=[1.]), ex(a=[1., 2.])), names=s('first', 'second')), q('named', s=s(ex(a=[1.]), ex(a=[1.], sp=[b'x'])), names=s('first', 'second')), q('named', s=s(ex(a=[1.]), b'kaputt'), names=s('first', 'second')), q('named', s=s(ex(a=[1.])), names=text(b'n')),
  q('one', s=text(ex())), q('one', s=text(ex(a=[1., 2.], v=[3]))), q('one', s=text(ex(a=[1.]))), q('one', s=text(ex(a=[1, 2]))), q('one', s=text(ex(v=[1.5]))), q('one', s=text(b'')), q('one', s=text(b'kaputt')), q('oner', s=text(ex(a=[1., 2., 3., 4.]))), q('oner', s=text(ex(a=[1., 2., 3.]))), q('oner', s=text(ex())), q('oner', s=text(ex(a=[1]))), q('oner', s=text(raw_feature('a', 'f'))),
  q('raw', s=s(b'\0\0\x80?\0\0\0@')), q('dupl', s=s(twice)), q('dupl', s=s(ex(b=[1., 2.]))), q('dupl', s=s(ex(a=[1.]), ex(b=[5.]))),
]
REQUESTS['edges_tables'] = [
  q('static', s=st(['a', '', 'zz'])), q('static', s=text(b'b')), q('static', s=st([])), q('static', s=st([['a'], ['c']])), q('ints', s=i(1, -5, 0, 7)), q('ints', s=ai(-5)), q('ints', s=zi(0, 3)), q('vocab', s=st(['p', 'q', 'r', 's', 't', 'u', ''])), q('vocab', s=st([])), q('vint', s=l(10, 20, 30, 31, 0, -1)), q('vint', s=al([[10]])),
  q('get', k=st(['x'])), q('put', k=st(['x', 'y']), v=l(1, 2)), q('get', k=st(['x', 'y', 'z'])), q('put', k=st(['x']), v=l(1, 2)), q('put', k=text(b'x'), v=al(9)), q('get', k=st([['x', 'y']])), q('put', k=st([['x'], ['w']]), v=al([[1], [2]])), q('put', k=st(['q']), v=al([[3]])), q('drop', k=st(['x', 'nope'])), q('get', k=st(['x'])), q('put', k=st([]), v=l()), q('drop', k=st([])), q('drop', k=st([['w']])), q('get', k=text(b'w')),
  q('rag', k=st(['a', 'b', 'q']), d=l(0, 2, 3)), q('rag', k=st([]), d=l(0)), q('rag', k=st(['a']), d=l(0, 5)),
]
C_ = REQUESTS['edges_branches'] = []
for v in (True, False, [True], [], [False, True], [[True]]): C_.append(q('cond', p=ab(v), x=f(1, 2)))
for v in (0., 1., nan, [1.], [], [0.], -0.0): C_.append(q('condf', p=a(v), x=f(1, 2)))
for v in (0, 1, 2, 3, -1, 100): C_.append(q('switch', i=ai(v), x=f(1, 2)))
REQUESTS['edges_control'] = [q('while', n=ai(3), x=f(1)), q('while', n=ai(0), x=f(1)), q('while', n=ai(-1), x=F32(1)), q('map', x=r23), q('map', x=z(0, 3)), q('map', x=z(2, 0)), q('mapm', x=r23), q('mapm', x=z(0, 3)), q('mapm', x=z(2, 0)), q('scan', x=f(1, 2, 3)), q('scan', x=f()), q('scan', x=f(1)), q('fold', x=f(2, 3)), q('fold', x=f()), q('fold', x=f(5)),
  q('ta', x=f(1, 2, 3), i=ai(1)), q('ta', x=f(1, 2, 3), i=ai(3)), q('ta', x=f(1, 2, 3), i=ai(-1)), q('ta', x=f(1, 2), i=ai(2)), q('ta', x=f(), i=ai(0)), q('ta', x=f(1, 2, 3, 4), i=ai(3)), q('taw', i=ai(1), x=F32(5)), q('taw', i=ai(3), x=F32(5)), q('taw', i=ai(-1), x=F32(5)), q('tag', x=f(1, 2), i=i(1, 0, 1)), q('tag', x=f(1, 2), i=i(2)), q('tag', x=f(1, 2), i=i(-1)), q('tag', x=f(1, 2), i=i()), q('tas', n=ai(1), x=f(1, 2)), q('tas', n=ai(2), x=f(1, 2)), q('tas', n=ai(0), x=f(1)), q('tas', n=ai(-1), x=f(1)),
  q('assert', x=f(1), s=st(['q']), i=l(1), b=ab([True])), q('assert', x=f(-1, 2, 3), s=st(['q', 'r', 's']), i=l(1, 2, 3), b=ab([True, False, True])), q('assert', x=a([[-1, 2], [3, 4]]), s=st([['a', 'b'], ['c', 'd']]), i=al(5), b=ab(False)), q('assert', x=F32(-1.5), s=text(b'a\n'), i=l(), b=ab([])), q('assert', x=f(nan, 1e-10, 1e10, inf), s=st([]), i=zl(0, 2), b=ab([[True]])), q('assert', x=f(0.1), s=st(['']), i=l(9223372036854775807), b=ab([True])),
  q('asserteq', a=i(1, 2), b=i(1, 2)), q('asserteq', a=i(1, 2), b=i(1, 3)), q('asserteq', a=i(1, 2), b=i(1, 2, 3)), q('asserteq', a=i(), b=i(1)), q('asserteq', a=ai([[1]]), b=i(2)), q('rank', x=r23), q('rank', x=f(1)), q('rank', x=F32(1)), q('shapes', a=z(3, 2), b=z(3)), q('shapes', a=z(3, 2), b=z(2)), q('shapes', a=z(3), b=z(3)), q('cond2', x=F32(2)), q('cond2', x=F32(1)), q('cond2', x=F32(-1)), q('cond2', x=F32(nan)), q('nest', n=ai(4)), q('nest', n=ai(0))]
RG = REQUESTS['edges_ragged'] = []
for sg in ('tot', 'tots', 'tots3', 'sum', 'concat'):
    RG += [q(sg, v=f(1, 2, 3), l=l(2, 1)), q(sg, v=f(), l=l()), q(sg, v=f(), l=l(0, 0)), q(sg, v=f(1, 2, 3), l=l(3)), q(sg, v=f(1, 2, 3), l=l(0, 3, 0)), q(sg, v=f(1, 2, 3), l=l(1, 1)), q(sg, v=f(1, 2, 3, 4), l=l(4, -1)), q(sg, v=f(1, 2, 3, 4), l=l(1, 1, 1, 1))]
for sg in ('splits', 'splitsv', 'tosp'):
    RG += [q(sg, v=f(1, 2, 3), s=l(0, 2, 3)), q(sg, v=f(), s=l(0)), q(sg, v=f(1, 2, 3), s=l(0, 2)), q(sg, v=f(1, 2, 3), s=l(1, 3)), q(sg, v=f(1, 2, 3), s=l(0, 3, 2)), q(sg, v=f(1, 2, 3), s=l()), q(sg, v=f(1, 2, 3), s=l(0, -1, 3)), q(sg, v=f(), s=l(0, 0, 0))]
RG += [q('rowids', v=f(1, 2, 3), s=l(0, 0, 2)), q('rowids', v=f(), s=l()), q('rowids', v=f(1, 2, 3), s=l(0, 3, 3)), q('rowids', v=f(1, 2, 3), s=l(0, 1)), q('rowids', v=f(1), s=l(-1)),
  q('gather', v=f(1, 2, 3), s=l(0, 2, 3), i=i(1, 0)), q('gather', v=f(1, 2, 3), s=l(0, 2, 3), i=i(2)), q('gather', v=f(1, 2, 3), s=l(0, 2, 3), i=i(-1)), q('gather', v=f(1, 2, 3), s=l(0, 2, 3), i=i()), q('gather', v=f(1, 2, 3), s=l(), i=i(0)), q('gather', v=f(1, 2, 3), s=l(0, 5), i=i(0)), q('gather', v=f(1, 2, 3), s=l(0, 3, 1), i=i(1)), q('gather', v=f(1, 2, 3), s=l(-1, 3), i=i(0)), q('gather', v=f(1, 2, 3), s=l(1, 3), i=i(0)),
  q('index', v=f(1, 2, 3), s=l(0, 2, 3), i=ai(1)), q('index', v=f(1, 2, 3), s=l(0, 2, 3), i=ai(2)), q('index', v=f(1, 2, 3), s=l(0, 2, 3), i=ai(-1)), q('index', v=f(1, 2, 3), s=l(0, 2, 3), i=ai(-3)),
  q('range', a=i(0, 5), b=i(3, 2), c=i(1, -1)), q('range', a=ai(0), b=i(1, 2), c=ai(1)), q('range', a=i(0), b=i(1, 2), c=ai(1)), q('range', a=i(0), b=i(1), c=i(0)), q('range', a=i(), b=i(), c=i()), q('range', a=ai([[0]]), b=i(1), c=i(1)), q('range', a=ai(0), b=ai(3), c=ai(2)), q('range', a=ai(5), b=ai(3), c=ai(2)), q('range', a=i(0, 1), b=i(3), c=i(1, 1)), q('rangef', a=f(0, 1), b=f(1, 0), c=f(0.25, 0.5)), q('rangef', a=f(0), b=f(1), c=f(0)), q('rangef', a=F32(1), b=f(0, -1), c=F32(-0.5)), q('rangef', a=f(0), b=f(inf), c=f(1)), q('rangef', a=f(0), b=f(nan), c=f(1)),
  q('mask', x=r23, m=ab([[True, False, True], [False, False, False]])), q('mask', x=r23, m=ab([[True, False]])), q('mask', x=z(0, 3), m=np.zeros([0, 3], bool)), q('from', x=a([[1, 0, 2, 0], [0, 0, 0, 0]])), q('from', x=z(0, 2)), q('from', x=z(2, 0)), q('bmask', x=r23, m=ab([True, False])), q('bmask', x=r23, m=ab([True])), q('bmask', x=r23, m=ab([True, False, True])), q('bmask', x=z(0, 3), m=ab([])),
  q('split', s=st(['a,b', '', ',', 'c'])), q('split', s=st([])), q('split', s=st([''])), q('nested', v=f(1, 2, 3), i=l(0, 1, 3), o=l(0, 1, 2)), q('nested', v=f(1, 2, 3), i=l(0, 1, 3), o=l(0, 0, 2)), q('nested', v=f(), i=l(0), o=l(0)), q('nested', v=f(1), i=l(0, 1), o=l(0, 2)), q('nested', v=f(1), i=l(0, 1), o=l(0, 1, 1)), q('add', v=f(1, 2, 3), l=l(1, 2), k=F32(10)), q('add', v=f(), l=l(0), k=F32(10))]
SPQ = REQUESTS['edges_sparse'] = []
def ix(*r): return np.array(r, np.int64).reshape(len(r), -1) if r else zl(0, 2)
cases = [dict(i=ix([0, 1], [1, 0]), v=f(5, 6), s=l(2, 3)), dict(i=ix(), v=f(), s=l(2, 3)), dict(i=ix(), v=f(), s=l(0, 3)), dict(i=ix([0, 1], [0, 1]), v=f(5, 6), s=l(2, 3)), dict(i=ix([1, 0], [0, 1]), v=f(5, 6), s=l(2, 3)), dict(i=ix([0, 3]), v=f(5), s=l(2, 3)), dict(i=ix([-1, 0]), v=f(5), s=l(2, 3)), dict(i=ix([0, 1]), v=f(5, 6), s=l(2, 3)), dict(i=ix([0, 1, 0]), v=f(5), s=l(2, 3)), dict(i=ix([0, 1]), v=f(5), s=l(2)), dict(i=ix([0, 0]), v=f(5), s=l(-1, 3)), dict(i=zl(0, 1), v=f(), s=l(4)), dict(i=ix([2]), v=f(7), s=l(4))]
for c_ in cases:
    SPQ += [q('dense', **c_), q('reorder', **c_), q('rawreorder', **c_), q('fill', d=F32(-9), **c_), q('sum', a=i(0), **c_), q('sum', a=i(), **c_)]
    if c_['s'][0] >= 0:  # TensorFlow ends by a CHECK
        SPQ.append(q('matmul', b=np.ones([3, 2], F32), **c_))
b0 = cases[0]
SPQ += [q('sum', a=i(1), **b0), q('sum', a=i(-1), **b0), q('sum', a=i(2), **b0), q('sum', a=i(0, 1), **b0), q('sum', a=i(0, 0), **b0), q('sumk', a=i(1), **b0), q('sumk', a=i(), **b0), q('sumk', a=i(0, 1), **b0), q('sum', a=ai(0), **b0), q('matmula', b=np.ones([2, 2], F32), **b0), q('matmula', b=np.ones([3, 2], F32), **b0), q('matmul', b=np.ones([2, 2], F32), **b0), q('matmul', b=f(1, 2, 3), **b0), q('matmul', b=z(3, 0), **b0), q('fill', d=f(1), **b0), q('fill', d=F32(0), i=ai(0).astype(np.int64), v=f(1), s=l(2, 2)), q('rawreorder', i=l(0, 1), v=f(1), s=l(2, 2)), q('rawreorder', i=ix([0, 1]), v=a([[1]]), s=l(2, 2)), q('rawreorder', i=ix([0, 1]), v=f(1), s=al([[2, 2]])),
  q('rawdense', i=al(1), s=l(3), v=F32(5), d=F32(0)), q('rawdense', i=l(1, 2), s=l(3), v=f(5, 6), d=F32(0)), q('rawdense', i=l(1, 2), s=l(3), v=F32(5), d=F32(0)), q('rawdense', i=ix([0, 1]), s=l(2, 2), v=f(5), d=F32(0)), q('rawdense', i=l(1, 2), s=l(3, 3), v=f(5, 6), d=F32(0)), q('rawdense', i=l(1), s=l(3), v=f(5, 6), d=F32(0)), q('rawdense', i=l(1), s=l(3), v=f(5), d=f(0)), q('rawdense', i=l(1), s=al(3), v=f(5), d=F32(0)), q('rawdense', i=al([[[1]]]), s=l(3), v=f(5), d=F32(0)), q('rawdense', i=l(3), s=l(3), v=f(5), d=F32(0)), q('rawdense', i=l(1, 1), s=l(3), v=f(5, 6), d=F32(0)), q('rawdense', i=l(2, 1), s=l(3), v=f(5, 6), d=F32(0)), q('rawdense', i=l(), s=l(3), v=f(), d=F32(7)), q('rawdense', i=l(0), s=l(), v=f(1), d=F32(7)), q('rawdense', i=l(0), s=l(-1), v=f(1), d=F32(7)), q('rawnov', i=i(2, 1), s=i(3), v=st(['a', 'b']), d=text(b'')), q('rawnov', i=i(1, 1), s=i(3), v=st(['a', 'b']), d=text(b'')), q('rawnov', i=i(3), s=i(3), v=st(['a']), d=text(b'')), q('rawdense', i=l(0), s=l(2), v=a([[1]]), d=F32(0)),
  q('reshape', i=ix([0, 1], [1, 2]), s=l(2, 3), n=l(3, 2)), q('reshape', i=ix([0, 1], [1, 2]), s=l(2, 3), n=l(-1)), q('reshape', i=ix([0, 1], [1, 2]), s=l(2, 3), n=l(4, -1)), q('reshape', i=ix([0, 1], [1, 2]), s=l(2, 3), n=l(5)), q('reshape', i=ix([0, 1], [1, 2]), s=l(2, 3), n=l(-1, -1)), q('reshape', i=ix(), s=l(0, 3), n=l(3, 0)), q('reshape', i=ix(), s=l(0, 3), n=l(-1, 3)), q('reshape', i=ix(), s=l(0, 3), n=l(0, -1)), q('reshape', i=ix([0, 1]), s=l(6), n=l(6)), q('reshape', i=l(0, 1), s=l(2, 3), n=l(6)), q('reshape', i=ix([0, 1]), s=al([[2, 3]]), n=l(6)), q('reshape', i=ix([0, 1]), s=l(2, 3), n=al(6)), q('reshape', i=ix([0, 1]), s=l(2, 3), n=l(-2, 3)), q('reshape', i=ix([0, 1]), s=l(2, 3), n=l()), q('reshape', i=ix([5, 5]), s=l(2, 3), n=l(6)), q('reshape', i=ix([0, 1]), s=l(2, -3), n=l(6)),
  q('lookup', i=ix([0, 0], [0, 1], [2, 0]), v=l(0, 2, 1), s=l(3, 2)), q('lookup', i=ix([0, 0]), v=l(3), s=l(1, 1)), q('lookup', i=ix([0, 0]), v=l(-1), s=l(1, 1)), q('lookup', i=ix(), v=l(), s=l(2, 1)), q('lookup', i=ix(), v=l(), s=l(0, 1)), q('lookup', i=ix([0, 0], [2, 0]), v=l(0, -5), s=l(4, 1)), q('lookups', i=ix([0, 0], [0, 1], [1, 0]), v=l(0, 2, 1), s=l(2, 2)), q('lookups', i=ix([0, 0], [2, 1]), v=l(0, 2), s=l(3, 2)), q('lookups', i=ix(), v=l(), s=l(2, 1)), q('lookups', i=ix([1, 0], [0, 0]), v=l(0, 2), s=l(2, 1)), q('lookups', i=ix([0, 0]), v=l(-1), s=l(2, 1)),
  q('from', x=a([[0, 1], [2, 0]])), q('from', x=z(0, 2)), q('from', x=z(2, 2)), q('from', x=a([[nan, 0]]))]

ROWS = [(['a', 'b', 'c', 'd', 'e', 'f'], [0, 1, 1, 4, 6]), (['a', 'b'], [0, 2]), (['a'], [0, 1]), ([], [0, 0, 0]), ([], []), (['a', 'b'], []), (['a', 'b'], [1, 2]),
        (['a', 'b'], [0, 1]), (['a', 'b'], [0, 3]), (['a', 'b', 'c'], [0, 2, 1, 3]), (['a', '', 'b \u00e9'], [0, 3, 3]), (['a'], [0]), (['w'] * 7, [0, 2, 7])]
REQUESTS['edges_ngrams'] = [q(sg, s=st(words), at=np.array(at, np.int32 if sg == 'bothshort' else np.int64))
                            for sg in ('two', 'twoshort', 'both', 'bothshort', 'pad', 'pad3', 'pad1', 'pad9', 'padshort', 'empty') for words, at in ROWS] + [
  q('two', s=st([['a', 'b'], ['c', 'd']]), at=np.array([0, 4], np.int64)), q('two', s=text(b'a'), at=np.array([0, 1], np.int64)), q('two', s=st(['a', 'b']), at=np.array([[0], [2]], np.int64)),
] + [q(sg, s=st([t])) for sg in ('strong', 'few') for t in ('', 'a', 'seven77', 'eight888', 'nine99999', 'x' * 100, '\u4f60')] + [
  q('strong', s=text(b'scalar')), q('few', s=st([['a', 'b'], ['c', 'd']])), q('salted', s=st(['a', 'b', '', 'a b'])),
  q('layer', s=st(['a b c', 'b c', 'A, B', ''])), q('layer', s=st(['zz'])),
]
