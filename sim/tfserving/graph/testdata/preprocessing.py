"""Operations that layers of preprocessing and feature columns are made of, models that use them, and what
record.py asks of both."""
from edges import *

layers = tf.keras.layers


def columns(**kinds):
    """The arguments of a cross: names of sparse inputs with the dtypes of their values."""
    specs, indices, values, shapes = [], [], [], []
    for name in kinds:
        specs += [X('i' + name, L), X('v' + name, kinds[name]), X('s' + name, L)]
    return specs


def edges_cross(where):
    def cross(out, internal, buckets=0, key=0xDECAFCAFFE):
        return lambda ia, va, sa, ib, vb, sb, d: dict(zip('ivs', R.SparseCross(
            indices=[ia, ib], values=[va, vb], shapes=[sa, sb], dense_inputs=[d], hashed_output=out == L, num_buckets=buckets,
            hash_key=key, out_type=out, internal_type=internal)))
    two = columns(a=S, b=L) + [X('d', S)]
    texts = columns(a=S, b=S) + [X('d', S)]
    ragged = [X('va', S), X('sa', L), X('vb', L), X('sb', L), X('d', L)]
    def raggedly(out, buckets):
        return lambda va, sa, vb, sb, d: dict(zip('vs', R.RaggedCross(
            ragged_values=[va, vb], ragged_row_splits=[sa, sb], sparse_indices=[], sparse_values=[], sparse_shape=[], dense_inputs=[d],
            input_order='RRD', hashed_output=out == L, num_buckets=buckets, hash_key=956888297470, out_values_type=out, out_row_splits_type=L)))
    build(where, {
        'texts': (texts, cross(S, S)), 'mixed': (two, cross(S, L)), 'hashed': (two, cross(L, L, 1000)), 'whole': (two, cross(L, L, 0, -5)),
        'v2': (two + [X('sep', S)], lambda ia, va, sa, ib, vb, sb, d, sep: dict(zip('ivs', R.SparseCrossV2(
            indices=[ia, ib], values=[va, vb], shapes=[sa, sb], dense_inputs=[d], sep=sep)))),
        'keyed': (two + [X('salt', L)], lambda ia, va, sa, ib, vb, sb, d, salt: dict(zip('ivs', R.SparseCrossHashed(
            indices=[ia, ib], values=[va, vb], shapes=[sa, sb], dense_inputs=[d], num_buckets=100, strong_hash=False, salt=salt)))),
        'strong': (two + [X('salt', L)], lambda ia, va, sa, ib, vb, sb, d, salt: dict(zip('ivs', R.SparseCrossHashed(
            indices=[ia, ib], values=[va, vb], shapes=[sa, sb], dense_inputs=[d], num_buckets=0, strong_hash=True, salt=salt)))),
        'ragged': (ragged, raggedly(S, 0)), 'raggedhash': (ragged, raggedly(L, 50)),
        'loose': ([X('i', L), X('v', L), X('n', L), X('d', S)], lambda i, v, n, d: {'y': tf.sparse.to_dense(tf.sparse.cross_hashed(
            [tf.SparseTensor(i, v, n), d], num_buckets=20))}),
        'bucket': ([X('s', S)], lambda s: R.StringToHashBucket(string_tensor=s, num_buckets=1 << 40)),
        'bucket7': ([X('s', S)], lambda s: R.StringToHashBucket(string_tensor=s, num_buckets=7)),
    })


def edges_counts(where):
    rag = [X('s', L), X('v', I), X('n', I), X('w')]
    sparse = [X('i', L), X('v', L), X('s', L), X('n', L), X('w')]
    build(where, {
        'ragged': (rag, lambda s, v, n, w: R.RaggedBincount(splits=s, values=v, size=n, weights=w)),
        'raggedb': (rag, lambda s, v, n, w: R.RaggedBincount(splits=s, values=v, size=n, weights=w, binary_output=True)),
        'raggedl': ([X('s', L), X('v', L), X('n', L), X('w', L)], lambda s, v, n, w: R.RaggedBincount(splits=s, values=v, size=n, weights=w)),
        'sparse': (sparse, lambda i, v, s, n, w: R.SparseBincount(indices=i, values=v, dense_shape=s, size=n, weights=w)),
        'sparseb': (sparse, lambda i, v, s, n, w: R.SparseBincount(indices=i, values=v, dense_shape=s, size=n, weights=w, binary_output=True)),
        'count': ([X('v', I), X('w')], lambda v, w: dict(zip('ivs', R.DenseCountSparseOutput(values=v, weights=w, binary_output=False)))),
        'countmax': ([X('v', L), X('w')], lambda v, w: dict(zip('ivs', R.DenseCountSparseOutput(values=v, weights=w, binary_output=True, maxlength=4)))),
        'countmin': ([X('v', L), X('w', L)], lambda v, w: dict(zip('ivs', R.DenseCountSparseOutput(values=v, weights=w, binary_output=False, minlength=9)))),
        'scount': ([X('i', L), X('v', L), X('s', L), X('w')], lambda i, v, s, w: dict(zip('ivs', R.SparseCountSparseOutput(
            indices=i, values=v, dense_shape=s, weights=w, binary_output=False)))),
        'rcount': ([X('s', L), X('v', L), X('w')], lambda s, v, w: dict(zip('ivs', R.RaggedCountSparseOutput(
            splits=s, values=v, weights=w, binary_output=False)))),
    })


def edges_unicode(where):
    T = [X('s', S)]
    def decoded(encoding, errors='replace', **more):
        return lambda s: dict(zip('rco', R.UnicodeDecodeWithOffsets(input=s, input_encoding=encoding, errors=errors, **more)))
    def coded(source, to, errors='replace', **more):
        return lambda s: R.UnicodeTranscode(input=s, input_encoding=source, output_encoding=to, errors=errors, **more)
    def encoded(to, errors='replace', **more):
        return ([X('c', I), X('at', L)], lambda c, at: R.UnicodeEncode(input_values=c, input_splits=at, output_encoding=to, errors=errors, **more))
    build(where, {
        'decode': (T, lambda s: dict(zip('rc', R.UnicodeDecode(input=s, input_encoding='UTF-8')))),
        'offsets': (T, decoded('UTF-8')), 'ignore': (T, decoded('UTF-8', 'ignore')), 'strict': (T, decoded('UTF-8', 'strict')),
        'subst': (T, decoded('UTF-8', replacement_char=0x20, replace_control_characters=True)),
        'wide': (T, decoded('UTF-16-BE')), 'widest': (T, decoded('UTF-32-BE')), 'latin': (T, decoded('ISO-8859-1')), 'ascii': (T, decoded('US-ASCII')),
        'to16': (T, coded('UTF-8', 'UTF-16-BE')), 'to32': (T, coded('UTF-8', 'UTF-32-BE', 'ignore')), 'clean': (T, coded('UTF-8', 'UTF-8', replacement_char=65)),
        'only': (T, coded('UTF-8', 'UTF-8', 'strict')), 'controls': (T, coded('UTF-8', 'UTF-8', 'ignore', replace_control_characters=True)),
        'from16': (T, coded('UTF-16-BE', 'UTF-8')), 'fromlatin': (T, coded('latin1', 'UTF-8')),
        'enc8': encoded('UTF-8'), 'enc16': encoded('UTF-16-BE', 'ignore'), 'enc32': encoded('UTF-32-BE', 'strict'), 'encsub': encoded('UTF-8', replacement_char=63),
        'parts': ([spec([None], S, 's')], lambda s: {'y': tf.strings.unicode_split(s, 'UTF-8').to_tensor('-'), 'b': tf.strings.bytes_split(s).to_tensor('-')}),
    })


def edges_format(where):
    build(where, {
        'format': ([X('x'), X('i', I), X('s', S), X('b', B)], lambda x, i, s, b: R.StringFormat(inputs=[x, i, s, b], template='<{}|{}|{}|{}>', placeholder='{}')),
        'all': ([X('x'), X('s', S)], lambda x, s: R.StringFormat(inputs=[x, s], template='%s=%s', placeholder='%s', summarize=-1)),
        'few': ([X('x', tf.float64)], lambda x: R.StringFormat(inputs=[x], template='{}', placeholder='{}', summarize=1)),
        'none': ([X('x')], lambda x: R.StringFormat(inputs=[], template='plain')),
        'wide': ([X('x', L), X('u', tf.uint8)], lambda x, u: R.StringFormat(inputs=[x, u], template='{}{}', placeholder='{}', summarize=2)),
    })


def edges_places(where):
    def scattered(kind, d=F):
        return ([X('x', d), X('at', I), X('u', d)], lambda x, at, u: getattr(R, 'TensorScatter' + kind)(tensor=x, indices=at, updates=u))
    build(where, {
        'sub': scattered('Sub'), 'max': scattered('Max'), 'min': scattered('Min', I),
        'reversed': ([X(), X('n', L)], lambda x, n: R.ReverseSequence(input=x, seq_lengths=n, seq_dim=1)),
        'reversed2': ([X('x', S), X('n', I)], lambda x, n: R.ReverseSequence(input=x, seq_lengths=n, seq_dim=0, batch_dim=1)),
        **{name + str(n): ([X(), spec([n], I, 'b'), spec([n, 2], I, 'p')], call) for n in (1, 2) for name, call in (
            ('tobatch', lambda x, b, p: R.SpaceToBatchND(input=x, block_shape=b, paddings=p)),
            ('tospace', lambda x, b, p: R.BatchToSpaceND(input=x, block_shape=b, crops=p)))},
        'diff': ([X(), X('y')], lambda x, y: dict(zip('oi', R.ListDiff(x=x, y=y)))),
        'diffs': ([X('x', S), X('y', S)], lambda x, y: dict(zip('oi', R.ListDiff(x=x, y=y, out_idx=L)))),
        'intop': ([X(), X('t', I), X('k', I)], lambda x, t, k: R.InTopKV2(predictions=x, targets=t, k=k)),
    })


def edges_arrays(where):
    def concat(x, n):
        parts = tf.TensorArray(F, size=3, element_shape=[None], infer_shape=False)
        parts = parts.write(0, x).write(1, x[:n]).write(2, x * 2)
        return {'y': parts.concat(), 'n': parts.size()}
    def split(x, n):
        parts = tf.TensorArray(F, size=0, dynamic_size=True, infer_shape=False).split(x, n)
        return {'first': parts.read(0), 'all': parts.concat(), 'n': parts.size()}
    def scatter(x, at):
        return {'y': tf.TensorArray(F, size=4, dynamic_size=True, element_shape=[]).scatter(at, x).stack()}
    build(where, {'concat': ([spec([None], F, 'x'), spec([], I, 'n')], concat), 'split': ([spec([None], F, 'x'), spec([None], L, 'n')], split),
                  'scatter': ([spec([None], F, 'x'), spec([None], I, 'at')], scatter)})


def keras_spatial(where):
    """Layers of convolutions that are transposed, dilated, and causal."""
    tf.keras.utils.set_random_seed(9)
    line, picture = layers.Input([None, 3], name='line'), layers.Input([4, 5, 2], name='picture')
    causal = layers.Conv1D(4, 3, padding='causal', dilation_rate=2)(line)
    tf.keras.Model([line, picture], {
        'causal': causal, 'pooled': layers.GlobalMaxPooling1D()(causal), 'twice': layers.UpSampling1D(2)(line), 'parted': layers.SeparableConv1D(3, 2)(line),
        'same': layers.Conv2DTranspose(3, 3, strides=2, padding='same')(picture), 'valid': layers.Conv2DTranspose(2, 3, strides=2)(picture),
        'dilated': layers.Conv2D(2, 2, dilation_rate=2)(picture), 'long': layers.Conv1DTranspose(2, 4, strides=3)(line),
    }).export(where, verbose=False)


def keras_vectors(where):
    """The output modes of words that are counted."""
    text = layers.Input([1], dtype='string', name='text')
    made = {}
    for name, more in (('tf_idf', dict(output_mode='tf_idf')), ('multi', dict(output_mode='multi_hot', ngrams=2)),
                       ('letters', dict(output_mode='count', split='character', standardize='lower')),
                       ('plain', dict(output_mode='int', standardize='strip_punctuation', split=None))):
        layer = layers.TextVectorization(**more)
        layer.adapt(['the cat sat', 'on the mat', 'dog ate cat', 'caf\u00e9'])
        made[name] = layer(text)
    tf.keras.Model(text, made).export(where, verbose=False)


def keras_crossed(where):
    """Features of all kinds in one vector, two of them crossed."""
    tf.keras.utils.set_random_seed(8)
    space = tf.keras.utils.FeatureSpace
    features = space({'age': space.float_normalized(), 'city': space.string_categorical(num_oov_indices=1), 'n': space.integer_categorical(),
                      'bin': space.float_discretized(num_bins=3), 'user': space.string_hashed(num_bins=7)},
                     crosses=[('city', 'n')], crossing_dim=8, output_mode='concat')
    features.adapt(tf.data.Dataset.from_tensor_slices({
        'age': [1., 2., 3., 4.], 'city': ['x', 'y', 'x', 'z'], 'n': [1, 2, 3, 1], 'bin': [.1, .2, .5, .9], 'user': ['a', 'b', 'c', 'd']}))
    encoded = features.get_encoded_features()
    tf.keras.Model(features.get_inputs(), {'encoded': encoded, 'score': layers.Dense(1)(encoded)}).export(where, verbose=False)


def keras_encoded(where):
    """The other layers of preprocessing, with several outputs each."""
    names, numbers, reals = layers.Input([2], dtype='string', name='names'), layers.Input([3], dtype='int32', name='numbers'), layers.Input([3], name='reals')
    bins = layers.Discretization(num_bins=4)
    bins.adapt(np.arange(20.)[:, None])
    known = layers.StringLookup(vocabulary=['a', 'b', 'c'], output_mode='count', num_oov_indices=2)
    back = layers.StringLookup(vocabulary=['a', 'b', 'c'], invert=True)
    whole = layers.IntegerLookup(vocabulary=[1, 5, 9], mask_token=0, num_oov_indices=3)
    tf.keras.Model([names, numbers, reals], {
        'hash': layers.Hashing(10)(names), 'masked': layers.Hashing(8, mask_value='')(names), 'salted': layers.Hashing(10, salt=[5, 9])(names),
        'hot': layers.Hashing(6, output_mode='multi_hot')(names), 'bins': bins(reals), 'edges': layers.Discretization([0., 1.], output_mode='count')(reals),
        'counts': layers.CategoryEncoding(5, 'count')(numbers, count_weights=reals), 'multi': layers.CategoryEncoding(5, 'multi_hot')(numbers),
        'known': known(names), 'back': back(numbers), 'whole': whole(tf.keras.ops.cast(numbers, 'int64')), 'norm': layers.Normalization(mean=1., variance=4., axis=None)(reals),
        'scaled': layers.Rescaling(1 / 255., -1)(reals), 'unit': layers.UnitNormalization()(reals), 'layer': layers.LayerNormalization()(reals),
        'crossed': layers.HashedCrossing(10, output_mode='one_hot')((names[:, :1], names[:, 1:])),
    }).export(where, verbose=False)


def wide_and_deep(where):
    """Feature columns of all kinds, as estimators export them: a linear model beside a dense layer, of examples."""
    fc = tf.feature_column
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(3)
        examples = v1.placeholder(S, [None], 'input_example_tensor')
        price = fc.numeric_column('price', default_value=3.0)
        bucket = fc.bucketized_column(price, [1., 5., 10.])
        city = fc.categorical_column_with_vocabulary_list('city', ['ny', 'la'], num_oov_buckets=2)
        user = fc.categorical_column_with_hash_bucket('user', 10)
        kind = fc.categorical_column_with_identity('kind', 5, default_value=0)
        tags = fc.weighted_categorical_column(fc.categorical_column_with_hash_bucket('tags', 8), 'weights')
        crossed = fc.crossed_column([bucket, 'town'], 16)
        keyed = fc.crossed_column(['town', 'user'], 1000, hash_key=7)
        one = fc.embedding_column(fc.categorical_column_with_identity('a', 4), 2)
        deep = [price, bucket, fc.indicator_column(city), fc.embedding_column(user, 3), fc.indicator_column(kind), fc.embedding_column(tags, 2, combiner='sum'),
                fc.indicator_column(crossed), fc.embedding_column(keyed, 2, combiner='sqrtn')] + [one]
        wide = [bucket, city, user, crossed, tags]
        features = v1.parse_example(examples, fc.make_parse_example_spec(deep + wide))
        net = v1.feature_column.input_layer(features, deep)
        w = v1.get_variable('w', initializer=np.linspace(-1, 1, net.shape[1] * 3).reshape(-1, 3).astype(np.float32))
        logits = tf.matmul(tf.nn.relu(net), w) + v1.feature_column.linear_model(features, wide, units=3)
        scores = tf.nn.softmax(logits)
        classes = tf.tile(tf.expand_dims(tf.as_string(tf.range(3)), 0), [tf.shape(scores)[0], 1])
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        for variable in v1.global_variables():
            if 'linear_model' in variable.name:
                count = int(np.prod(variable.shape))
                session.run(variable.assign(np.linspace(-0.5, 0.5, count).reshape(variable.shape).astype(np.float32)))
        builder = sm.Builder(where)
        builder.add_meta_graph_and_variables(session, ['serve'], {
            'serving_default': signature_v1({'inputs': examples}, {'scores': scores, 'classes': classes}, 'tensorflow/serving/classify'),
            'predict': signature_v1({'examples': examples}, {'logits': logits, 'net': net, 'class': tf.argmax(logits, 1), 'best': tf.as_string(tf.argmax(logits, 1))})},
            main_op=v1.tables_initializer())
        builder.save()


def sparse_column(at, values, shape, name):
    """A sparse input of a cross. at has the rows of indices."""
    return {'i' + name: np.array(at, np.int64).reshape(-1, 2), 'v' + name: values, 's' + name: np.array(shape, np.int64)}


def crossed(key, left, right, dense, **more):
    return ({**left, **right, 'd': dense, **more}, key)


A_TEXT = sparse_column([[0, 0], [0, 1], [1, 0]], st(['x', 'yy', 'z']), [2, 2], 'a')
B_INT = sparse_column([[0, 0], [1, 0], [1, 1]], l(7, -3, 1 << 40), [2, 2], 'b')
B_TEXT = sparse_column([[0, 0], [1, 0], [1, 1]], st(['p', '', 'q' * 30]), [2, 2], 'b')
NONE_INT = sparse_column([], l(), [2, 0], 'b')
ROW_0 = sparse_column([[0, 0]], l(7), [2, 1], 'b')
DENSE = st([['d1', 'd2'], ['e1', 'e2']])
MISFITS = [  # changes of good inputs
    {'ia': l(0, 1)}, {'ia': al([[0], [0], [1]])}, {'va': st([['x', 'y', 'z']])}, {'va': st(['x'])}, {'sa': al(2)}, {'sa': l(2, 2, 2)}, {'sa': l(3, 2)},
    {'d': st(['d'])}, {'d': st([['d'], ['e'], ['f']])}, {'sb': l(5, 2)}]
C_X = REQUESTS['edges_cross'] = [crossed('texts', A_TEXT, B_TEXT, DENSE)]
for key, more in (('mixed', {}), ('hashed', {}), ('whole', {}), ('v2', {'sep': text(b'-')}), ('keyed', {'salt': l(1, 2)}), ('strong', {'salt': l(-1, 5)})):
    C_X += [crossed(key, A_TEXT, right, dense, **more) for right in (B_INT, NONE_INT, ROW_0) for dense in (DENSE, st(np.zeros([2, 0])).reshape(2, 0))]
C_X += [({**crossed(key, A_TEXT, B_INT, DENSE)[0], **more, **misfit}, key) for key, more in (('mixed', {}), ('v2', {'sep': text(b'-')})) for misfit in MISFITS]
C_X += [crossed('v2', A_TEXT, B_INT, DENSE, sep=st(['-'])), crossed('keyed', A_TEXT, B_INT, DENSE, salt=l(1)), crossed('strong', A_TEXT, B_INT, DENSE, salt=l(1, 2, 3))]
for key in ('ragged', 'raggedhash'):
    good = dict(va=st(['x', 'y', 'z']), sa=l(0, 2, 3), vb=l(1, 2, 3), sb=l(0, 1, 3), d=al([[10, 20], [30, 40]]))
    C_X += [(good, key), ({**good, 'sb': l(0, 0, 3)}, key), ({**good, 'sa': l(0, 3)}, key), ({**good, 'd': l(1, 2)}, key), ({**good, 'd': zl(3, 1)}, key), ({**good, 'sa': l(0, 2, 2)}, key),
            ({**good, 'sa': l(1, 2, 3)}, key), ({**good, 'sa': l(0, 4, 3)}, key), ({**good, 'sa': l()}, key), ({**good, 'va': st([['x', 'y', 'z']])}, key), ({**good, 'd': zl(2, 0)}, key)]
C_X += [q('loose', i=al([[0, 0], [1, 0]]), v=l(5, 6), n=l(2, 1), d=st([['a', 'b'], ['c', 'd']])), q('loose', i=al([[0, 0], [1, 0]]), v=l(5, 6), n=l(2, 1), d=st([['a']])),
        q('bucket', s=st(['', 'a', 'seven77', 'eight888', 'nine99999', 'x' * 100, '\u4f60'])), q('bucket7', s=st([['a', 'b'], ['c', 'd']])), q('bucket7', s=text(b'hello world'))]

N = lambda v: np.array(v, np.int32)
C_N = REQUESTS['edges_counts'] = []
for key in ('ragged', 'raggedb', 'raggedl'):
    d = np.int64 if key == 'raggedl' else np.int32
    wd = np.int64 if key == 'raggedl' else F32
    row = lambda s, v, n, w=(): C_N.append(q(key, s=np.array(s, np.int64), v=np.array(v, d), n=np.array(n, d), w=np.array(w, wd)))
    row([0, 2, 2, 5], [1, 1, 0, 3, 9], 4), row([0, 2, 5], [1, 1, 0, 3, 9], 4, [1, 2, 3, 4, 5]), row([0], [], 3), row([0, 0], [], 3), row([0, 2], [1, -1], 3), row([1, 2], [1, 1], 3)
    row([0, 1], [1, 1], 3), row([0, 2], [1, 1], -1), row([0, 2], [1, 1], 0), row([0, 2], [1, 1], [3]), row([0, 2, 1, 2], [1, 1], 2)
for key in ('sparse', 'sparseb'):
    row = lambda i, v, s, n, w=(): C_N.append(q(key, i=np.array(i, np.int64).reshape(-1, len(s)), v=np.array(v, np.int64), s=np.array(s, np.int64), n=np.array(n, np.int64), w=a(w)))
    row([[0, 0], [0, 1], [1, 0]], [1, 1, 2], [2, 2], 3), row([[0, 0], [0, 1], [1, 0]], [1, 1, 2], [2, 2], 3, [.5, 2, 3]), row([[0], [1]], [1, 2], [2], 3), row([[0], [1]], [1, 5], [2], 3)
    row([[0, 0]], [5], [1, 1], 3), row([[2, 0]], [1], [2, 1], 3), row([], [], [2, 2], 3), row([[0], [1]], [1, -2], [2], 3), row([[0, 0]], [1], [1, 1], -3)
C_N += [q('count', v=v, w=w) for v in (N([1, 3, 1, 5]), N([[1, 3], [7, 3]]), N([]), N(2), zi(0, 2), zi(2, 0), N([[[1]]]), N([-1, 2])) for w in (f(), np.ones(np.shape(v), F32) * 2, f(1, 2))]
C_N += [q('countmax', v=v, w=f()) for v in (l(1, 9, 1, 3), al([[1, 1], [4, 0]]))] + [q('countmin', v=v, w=l()) for v in (l(1, 2, 1), al([[1, 1], [14, 0]]))]
C_N += [q('scount', i=i_, v=v, s=s_, w=w) for i_, v, s_, w in (
    (al([[0, 0], [0, 1], [1, 0]]), l(4, 4, 2), l(2, 2), f()), (al([[0, 0], [0, 1], [1, 0]]), l(4, 4, 2), l(2, 2), f(1, 2, 3)), (al([[0], [1]]), l(4, 4), l(2), f()), (al([[0], [2]]), l(4, 4), l(2), f()),
    (l(0, 1), l(4, 4), l(2), f()), (al([[0], [1]]), al([[4, 4]]), l(2), f()), (al([[0], [1]]), l(4, 4), al([[2]]), f()), (al([[0], [1]]), l(4), l(2), f()), (al([[0], [1]]), l(4, 4), l(2, 2), f()),
    (al([[0], [1]]), l(4, 4), l(2), f(1)), (al([[0, 0]]), l(4), l(1, 1), f()), (zl(0, 2), l(), l(0, 2), f()), (zl(0, 2), l(), l(3, 2), f()))]
C_N += [q('rcount', s=s_, v=v, w=w) for s_, v, w in ((l(0, 2, 3), l(1, 1, 5), f()), (l(0, 2, 3), l(1, 1, 5), f(1, 2, 3)), (l(0), l(), f()), (l(0, 0), l(), f()), (l(1, 3), l(1, 1, 5), f()), (l(0, 2), l(1, 1, 5), f()),
                                                      (l(0, 3), l(1, 1, 5), f(1)), (l(), l(), f()), (l(0, 3), l(1, -1, 5), f()))]

TEXTS = [b'', b'abc', 'Gr\u00fc\u00dfe'.encode(), '\u4f60\u597d'.encode(), '\U0001f600!'.encode(), b'a\xffb', b'\xc3', b'\xe2\x82', b'\xe2\x28\xa1', b'\xf0\x9f\x98', b'\xf8\x88\x80\x80\x80', b'\xed\xa0\x80',
         b'\xc0\xaf', b'\xf4\x90\x80\x80', b'\x80\x80', b'a\x00\x1f\x7fz', '\ufffd'.encode(), '\ufeffx'.encode(), b'\xf0\x80\x80\x80', b'\xe0\x9f\x80x']
C_U = REQUESTS['edges_unicode'] = []
for key in ('decode', 'offsets', 'ignore', 'strict', 'subst', 'to16', 'to32', 'clean', 'only', 'controls', 'latin', 'ascii'):
    C_U += [q(key, s=st([t])) for t in TEXTS] if key in ('offsets', 'ignore', 'strict', 'only', 'clean') else []
    C_U += [q(key, s=st(TEXTS)), q(key, s=st([])), q(key, s=text(b'one')), q(key, s=st([['a', 'b'], ['\u00e4', 'd']]))]
WIDE = [b'', b'\0a\0b', b'\0a\0', b'\xd8\x3d\xde\x00', b'\xd8\x3d', b'\xd8\x3d\0a', b'\xde\x00\0a', b'\xfe\xff\0a', b'\xff\xfea\0', b'\0\0\0a', b'\0\x01\xf6\0', b'\0\x11\0\0\0\0\0a', b'\0\0\xd8\0', b'\0\0\0a\0']
C_U += [q(key, s=st([t])) for key in ('wide', 'widest', 'from16') for t in WIDE]
C_U += [q('fromlatin', s=st([b'a\xe9\xff', b'\x80\x9f', b''])), q('parts', s=st(['a\u00e9', '', '\u4f60b'])), q('parts', s=st([]))]
C_U += [q(key, c=N(c), at=np.array(at, np.int64)) for key in ('enc8', 'enc16', 'enc32', 'encsub') for c, at in (
    ([97, 228, 0x4f60, 0x1f600], [0, 1, 1, 4]), ([], [0]), ([], [0, 0]), ([97, 0x110000, 98], [0, 3]), ([-1], [0, 1]), ([0xd800, 97], [0, 2]), ([97, 98], [0, 1]), ([97, 98], [0, 3]), ([97, 98], [1, 2]),
    ([97, 98], [0, 2, 1]), ([97, 98], []), ([[97, 98]], [0, 2]), ([97, 98], [[0, 2]]), ([0xfffe, 0], [0, 2]))]

REQUESTS['edges_format'] = [q('format', x=x, i=i_, s=s_, b=b) for x, i_, s_, b in (
    (F32(1.5), ai(7), text(b'hi'), ab(True)), (f(1, 2.5, 1e10, 1e-7, inf, nan, 8), i(1, 2, 3, 4, 5, 6), st(['a', 'b"c', '\n', 'd', 'e', '\u00e9', "'"]), ab([True, False])), (f(), i(), st([]), ab([])),
    (r23, ai([[1]]), st([['a', 'b'], ['c', 'd']]), ab([[True]])), (r234, zi(2, 0), st(np.full([8, 1], 'k')), ab(np.zeros([9]))), (np.arange(100, dtype=F32).reshape(10, 10) / 3, zi(0, 2), text(b''), ab([[[[True]]]])))]
REQUESTS['edges_format'] += [q('all', x=r234, s=st(list('abcdefgh'))), q('all', x=F32(0.1), s=text(b'\xff\x01')), q('few', x=np.array([0.1, 1 / 3, 1e300, 2])), q('few', x=np.eye(4)), q('none', x=f(1)),
                             q('wide', x=np.arange(7), u=np.array([1, 200, 3, 4, 5], np.uint8)), q('wide', x=np.arange(20).reshape(4, 5), u=np.array(9, np.uint8))]

REQUESTS['keras_vectors'] = [{'text': st([['the cat sat!'], ['a dog on a mat'], ['']])}, {'text': st([['caf\u00e9 Cat, cat']])}, {'text': st([[b'bad \xff utf']])}, {'text': st(['x'])}]
REQUESTS['keras_crossed'] = [
    {'age': matrix([2.5], [9]), 'city': st([['x'], ['nowhere']]), 'n': np.array([[1], [42]]), 'bin': matrix([0.3], [7]), 'user': st([['a'], ['zz']])},
    {'age': matrix([nan]), 'city': st([['']]), 'n': np.array([[0]]), 'bin': matrix([-1]), 'user': st([['']])},
    {'age': matrix([1]), 'city': st([['x'], ['y']]), 'n': np.array([[1]]), 'bin': matrix([0]), 'user': st([['']])}]
REQUESTS['keras_encoded'] = [
    {'names': st([['a', ''], ['zz', 'b']]), 'numbers': N([[0, 1, 4], [2, 2, 3]]), 'reals': matrix([0.5, -3, 9], [1, 2, 100])}, {'names': st([['a', 'b']]), 'numbers': N([[0, 5, 1]]), 'reals': matrix([1, 2, 3])},
    {'names': st([['a', 'b']]), 'numbers': N([[-1, 0, 1]]), 'reals': matrix([nan, inf, 3])}, {'names': st([['a']]), 'numbers': N([[1, 0, 1]]), 'reals': matrix([1, 2, 3])}]
RICH = example(price=[4.0], city=[b'la'], user=[b'u1', b'u2'], kind=[3], tags=[b't1', b't2'], weights=[0.5, 2.0], town=[b'x'], a=[1, 2])
W_D = [s(RICH), s(RICH, example(price=[100.0]), example(city=[b'elsewhere'], town=[b'x', b'y'], user=[b'u1'], kind=[9])), s(), s(example()), s(example(tags=[b't1'], weights=[1.0, 2.0])),
       s(example(price=[b'x'])), s(example(kind=[-1], a=[7])), s(example(tags=[b't'], weights=[-1.0])), s(example(user=[3])), s(b'junk'), s(example(a=[-1]))]
REQUESTS['wide_and_deep'] = [({'inputs': e}, 'serving_default') for e in W_D[:4]] + [({'examples': e}, 'predict') for e in W_D]

C_P = REQUESTS['edges_places'] = []
for key, d in (('sub', F32), ('max', F32), ('min', np.int32)):
    C_P += [q(key, x=np.array(x, d), at=np.array(at, np.int32), u=np.array(u, d)) for x, at, u in (
        ([1, 2, 3], [[0], [2], [0]], [9, -8, 1]), ([[1, 2], [3, 4]], [[1]], [[5, 0]]), ([1, 2], [[2]], [1]), ([], [[0]], [1]), ([1], [[0]], [1, 2]))]
C_P += [q('reversed', x=x, n=n) for x, n in ((r23, l(2, 3)), (r23, l(0, 1)), (r23, l(4, 1)), (r23, l(-1, 1)), (r23, l(1)), (r23, al([[1, 2]])), (f(1, 2), l(1, 2)), (F32(1), l(1)), (r234, l(3, 2)), (z(0, 3), l()),
                                                (z(1, 1, 1, 1, 1, 1), l(1)))]
C_P += [q('reversed2', x=st([['a', 'b'], ['c', 'd'], ['e', 'f']]), n=i(2, 3)), q('reversed2', x=st([['a', 'b']]), n=i(1, 2)), q('reversed2', x=st(['a']), n=i(1))]
C_P += [q('tobatch%d' % len(b), x=x, b=b, p=p) for x, b, p in (
    (r234, i(3), ai([[0, 0]])), (r234, i(2, 2), ai([[1, 0], [0, 2]])), (r234, i(2), ai([[0, 0]])), (r234, i(1, 2), ai([[0, 0], [0, 0]])), (r234, i(3), ai([[-1, 1]])), (r234, i(0), ai([[0, 0]])),
    (r23, i(1, 2), ai([[0, 0], [1, 0]])), (z(0, 4), i(2), ai([[0, 0]])), (r23, i(3), ai([[2, 1]])))]
C_P += [q('tospace%d' % len(b), x=x, b=b, p=p) for x, b, p in (
    (np.arange(24, dtype=F32).reshape(4, 3, 2), i(2), ai([[0, 0]])), (np.arange(24, dtype=F32).reshape(4, 3, 2), i(2), ai([[1, 2]])), (np.arange(24, dtype=F32).reshape(4, 3, 2), i(2, 2), ai([[0, 1], [1, 0]])),
    (r234, i(3), ai([[0, 0]])), (r234, i(2), ai([[4, 3]])), (r234, i(2), ai([[-1, 0]])), (r234, i(0), ai([[0, 0]])), (r234, i(1), ai([[1, 1]])), (F32(1), i(2), ai([[0, 0]])))]
C_P += [q('diff', x=f(1, 2, 3, 2, nan), y=f(2, nan)), q('diff', x=f(), y=f(1)), q('diff', x=r23, y=f(1)), q('diff', x=f(1), y=F32(1)), q('diffs', x=st(['a', 'b', 'a']), y=st(['b'])), q('diffs', x=st([]), y=st([]))]
C_P += [q('intop', x=x, t=t, k=k) for x, t, k in (
    (r23, i(2, 0), ai(1)), (r23, i(1, 1), ai(2)), (r23, i(3, -1), ai(3)), (a([[1, 1, 1], [nan, 1, 0]]), i(0, 1), ai(1)), (a([[1, inf, 1]]), i(1), ai(3)), (r23, i(0), ai(1)), (f(1, 2), i(0), ai(1)), (r23, ai([[0, 1]]), ai(1)),
    (r23, i(0, 1), i(1)), (r23, i(0, 1), ai(0)), (r23, i(0, 1), ai(-1)))]
REQUESTS['keras_spatial'] = [
    {'line': np.sin(np.arange(30, dtype=F32)).reshape(2, 5, 3), 'picture': np.cos(np.arange(80, dtype=F32)).reshape(2, 4, 5, 2)}, {'line': np.ones([1, 2, 3], F32), 'picture': np.ones([1, 4, 5, 2], F32)},
    {'line': np.ones([1, 7, 3], F32), 'picture': np.ones([3, 4, 5, 2], F32)}]
REQUESTS['edges_arrays'] = [q('concat', x=f(1, 2, 3), n=ai(1)), q('concat', x=f(), n=ai(0)), q('concat', x=f(1, 2), n=ai(0))] + [
    q('split', x=f(1, 2, 3), n=n) for n in (l(1, 2), l(3, 0), l(1, 1), l(2, 2), l(-1, 4), l(3))] + [
    q('scatter', x=x, at=at) for x, at in ((f(1, 2), i(0, 3)), (f(1, 2, 3), i(2, 1, 0)), (f(1, 2), i(5, 4)), (f(), i()), (f(1, 2), i(1, 1)))]
