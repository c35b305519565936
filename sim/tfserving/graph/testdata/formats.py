"""Operations that read and write formats - CSV, JSON, tensors as text -, sets, and numbers drawn from a seed; models
that use them, and what record.py asks of both."""
from states import *


def edges_csv(where):
    def csv(types, defaults=None, **more):
        specs = [X('s', S)] + [X('d%d' % n, d) for n, d in enumerate(types)]
        names = ', '.join(x.name for x in specs)
        scope = {'call': lambda s, *d: {'f%d' % n: y for n, y in enumerate(R.DecodeCSV(records=s, record_defaults=list(d), **more))}}
        return specs, eval('lambda %s: call(%s)' % (names, names), scope)
    build(where, {
        'plain': csv([F, I, L, tf.float64, S]), 'two': csv([F, S]), 'one': csv([S]), 'tabs': csv([L, S], field_delim='\t'),
        'raw': csv([S, S], use_quote_delim=False), 'missing': csv([F, S], na_value='NA'), 'some': csv([S, F], select_cols=[1, 3]),
        'last': csv([S], select_cols=[2]), 'whole': csv([I, L]), 'quoted': csv([S, S, S], field_delim=';'),
        'fixed': ([X('s', S)], lambda s: dict(zip('ab', tf.io.decode_csv(s, [tf.constant([], F), 'none'])))),
    })


def edges_written(where):
    build(where, {
        **{'read_' + d.name: ([X('s', S)], lambda s, d=d: R.ParseTensor(serialized=s, out_type=d)) for d in (F, L, S, B, tf.uint8, tf.half, tf.complex64)},
        **{'write_' + d.name: ([X('x', d)], lambda x: R.SerializeTensor(tensor=x)) for d in (F, I, L, S, B, tf.uint8, tf.float64, tf.complex64)},
        'both': ([X()], lambda x: R.ParseTensor(serialized=R.SerializeTensor(tensor=x), out_type=F)),
        'json': ([X('s', S)], lambda s: R.DecodeJSONExample(json_examples=s)),
        'jsonparsed': ([X('s', S)], lambda s: tf.io.parse_example(R.DecodeJSONExample(json_examples=s), {
            'a': tf.io.FixedLenFeature([1], F, [7.0]), 'b': tf.io.FixedLenSequenceFeature([], L, allow_missing=True),
            'c': tf.io.FixedLenFeature([], S, b'-')})),
    })


def edges_sets(where):
    def dense(kind, d=L, check=True):
        return ([X('a', d), X('b', d)], lambda a, b: dict(zip('ivs', R.DenseToDenseSetOperation(set1=a, set2=b, set_operation=kind, validate_indices=check))))
    def mixed(kind, d=L, check=True):
        return ([X('a', d), X('i', L), X('v', d), X('n', L)], lambda a, i, v, n: dict(zip('ivs', R.DenseToSparseSetOperation(
            set1=a, set2_indices=i, set2_values=v, set2_shape=n, set_operation=kind, validate_indices=check))))
    def sparse(kind, d=L):
        return ([X('i', L), X('v', d), X('n', L), X('j', L), X('w', d), X('m', L)], lambda i, v, n, j, w, m: dict(zip('ivs', R.SparseToSparseSetOperation(
            set1_indices=i, set1_values=v, set1_shape=n, set2_indices=j, set2_values=w, set2_shape=m, set_operation=kind))))
    size = lambda d, check=True: ([X('i', L), X('v', d), X('n', L)], lambda i, v, n: R.SetSize(set_indices=i, set_values=v, set_shape=n, validate_indices=check))
    build(where, {
        'union': dense('union'), 'both': dense('intersection'), 'minus': dense('a-b'), 'rest': dense('B-A'), 'texts': dense('union', S), 'small': dense('a-b', tf.int8),
        'munion': mixed('union'), 'mboth': mixed('intersection', S), 'mminus': mixed('a-b'), 'mrest': mixed('b-a', I),
        'sunion': sparse('union'), 'sboth': sparse('intersection', S), 'sminus': sparse('a-b'), 'srest': sparse('b-a'),
        'size': size(L), 'sizes': size(S), 'sizeloose': size(I, False),
    })


def edges_stateless(where):
    U = tf.uint64
    def seeded(kind, d=F, seed=L):
        return ([X('n', I), X('s', seed)], lambda n, s: getattr(R, kind)(shape=n, seed=s, dtype=d))
    def keyed(kind, d=F):
        return ([X('n', I), X('k', U), X('c', U), X('a', I)], lambda n, k, c, a: getattr(R, kind)(shape=n, key=k, counter=c, alg=a, dtype=d))
    build(where, {
        'key': ([X('s', L)], lambda s: dict(zip('kc', R.StatelessRandomGetKeyCounter(seed=s)))), 'key32': ([X('s', I)], lambda s: dict(zip('kc', R.StatelessRandomGetKeyCounter(seed=s)))),
        'all': ([X('s', L)], lambda s: dict(zip('kca', R.StatelessRandomGetKeyCounterAlg(seed=s)))), 'alg': ([X()], lambda x: {'y': R.StatelessRandomGetAlg(), 'x': tf.identity(x)}),
        **{'%s_%s' % (name, d.name): seeded(kind, d) for d in (F, tf.float64, tf.half, tf.bfloat16) for name, kind in (
            ('uniform', 'StatelessRandomUniform'), ('normal', 'StatelessRandomNormal'), ('truncated', 'StatelessTruncatedNormal'))},
        'whole_int32': seeded('StatelessRandomUniformFullInt', I, I), 'whole_int64': seeded('StatelessRandomUniformFullInt', L),
        'whole_uint32': seeded('StatelessRandomUniformFullInt', tf.uint32), 'whole_uint64': seeded('StatelessRandomUniformFullInt', U),
        'uniform': keyed('StatelessRandomUniformV2'), 'normal': keyed('StatelessRandomNormalV2'), 'truncated': keyed('StatelessTruncatedNormalV2'), 'whole': keyed('StatelessRandomUniformFullIntV2', I),
        **{'between_' + d.name: ([X('n', I), X('s', L), X('a', d), X('b', d)], lambda n, s, a, b: R.StatelessRandomUniformInt(shape=n, seed=s, minval=a, maxval=b)) for d in (I, L)},
        'between': ([X('n', I), X('k', U), X('c', U), X('a', I), X('lo', I), X('hi', I)], lambda n, k, c, a, lo, hi: R.StatelessRandomUniformIntV2(shape=n, key=k, counter=c, alg=a, minval=lo, maxval=hi)),
        'python': ([X('s', I)], lambda s: {'u': tf.random.stateless_uniform([5], s), 'n': tf.random.stateless_normal([3, 2], s, 5.0, 2.0), 't': tf.random.stateless_truncated_normal([4], s),
                                           'i': tf.random.stateless_uniform([6], s, 1, 7, I)}),
    })


D0 = dict(d0=f(1.5), d1=i(7), d2=l(8), d3=np.array([2.5]), d4=st(['none']))
NO = dict(d0=f(), d1=i(), d2=l(), d3=np.zeros([0]), d4=st([]))
CSV = REQUESTS['edges_csv'] = [q('plain', s=st(rows), **d) for rows, d in (
    (['1,2,3,4,5'], NO), (['1.5,-2,3,1e3,a b', '-1,0,9223372036854775807,0.1,"x,y"'], NO), ([',,,,'], D0), ([',,,,'], NO), (['1,,3,,x'], D0), (['a,1,1,1,a'], D0), (['1,a,1,1,a'], D0),
    (['1,1,a,1,a'], D0), (['1,1,1,a,a'], D0), (['1,2147483648,1,1,a'], D0), (['1,1,9223372036854775808,1,a'], D0), ([' 1 , 2 , 3 , 4 , 5 '], D0), (['+1,+2,+3,+4,+5'], D0),
    (['inf,1,1,nan,-inf'], D0), (['0x10,16,1,0x1p3,q'], D0), (['1e400,1,1,1e400,q'], D0), (['1.,1,1,.5,q'], D0), (['1,1.0,1,1,q'], D0), (['1,1e1,1,1,q'], D0), (['1_0,1,1,1,q'], D0), (['1f,1,1,1,q'], D0),
    (['1,2,3,4'], D0), (['1,2,3,4,5,6'], D0), ([''], D0), ([], D0), (['"1","2","3","4","5"'], D0), (['1,2,3,4,5\n'], D0), (['1,2,3,4,5\r\n'], D0), (['\n1,2,3,4,5'], D0), (['1,2,3,4,\n5'], D0))]
CSV += [q('plain', s=s_, **D0) for s_ in (text(b'1,2,3,4,5'), st([['1,2,3,4,5', '6,7,8,9,0'], ['1,1,1,1,1', '2,2,2,2,2']]), st(np.full([0, 2], b'')), st([b'1,2,3,4,\xff\x00']))]
CSV += [q('two', s=st(['1,a']), d0=d, d1=e) for d, e in ((f(1, 2), st(['x'])), (f(1), st(['x', 'y'])), (F32(1), text(b'x')), (a([[1]]), st([['x']])), (f(), st([])), (a([[1, 2]]), st([])), (z(0, 2), st([])))]
CSV += [q('two', s=st(rows), d0=f(9), d1=st(['x'])) for rows in (
    ['1,""'], ['1,"a""b"'], ['1,"a"b"'], ['1,"a'], ['1,a"b'], ['1,"'], ['1,"a" '], ['"1",a'], ['"",""'], ['1,"a,b"'], ['1,"a\nb"'], ['1,a\nb'], ['1,a\rb'], ['1,"a\r\n"'], ['1,'], [','], ['1'], ['1,a,'],
    ['1,""""'], ['1,"""'], ['1,"a"",b'], ['\n\n1,\n\ra'], ['1,a', '2'], ['1,a', '2,"'], ['1,a', 'x,b'], [' "1",a'], ['1, "a"'], ['1,\t'])]
CSV += [q('one', s=st(rows), d0=d) for rows in (['a'], [''], ['"'], ['""'], [','], ['a,'], ['\n'], ['"a"']) for d in (st(['x']), st([]))]
CSV += [q('tabs', s=st(rows), d0=l(5), d1=st(['x'])) for rows in (['1\ta,b'], ['1\t"a\tb"'], ['1,2'], ['\t'])]
CSV += [q('raw', s=st(rows), d0=st(['x']), d1=st([])) for rows in (['a"b,"c"'], ['"a,b"'], ['"a"",b"'], ['a\nb,c'], ['"",'], [',"'])]
CSV += [q('missing', s=st(rows), d0=d, d1=e) for rows in (['NA,NA'], ['"NA",b'], ['na,b'], ['1,NAN']) for d, e in ((f(9), st(['x'])), (f(), st([])))]
CSV += [q('some', s=st(rows), d0=st(['x']), d1=f(9)) for rows in (['a,b,c,1'], ['a,b,c,1,e,f'], ['a,b,c'], ['a,b,c,'], ['a,b'], ['a,b,"c,1'], ['a,b,c,1,"x'], ['"a",b,"c,d",2'], ['a,b,c,x'], [''], ['a,,,'])]
CSV += [q('last', s=st(rows), d0=st(['x'])) for rows in (['a,b,c'], ['a,b,'], ['a,b'], [',,'], [','])]
CSV += [q('whole', s=st(rows), d0=i(1), d1=l(2)) for rows in (['-2147483648,-9223372036854775808'], ['-2147483649,0'], ['0,-9223372036854775809'], ['- 1,1'], ['1 2,1'], ['0x1,1'], ['007,08'], ['--1,1'], ['\t1\t,\x0b1\x0c'], [' ,1'])]
CSV += [q('quoted', s=st(rows), d0=st(['x']), d1=st(['y']), d2=st(['z'])) for rows in (['"a;b";c;"d"'], ['a;;"";'], ['a,b;c;d'], [';;'], ['"a";"b";"c"x'])]
CSV += [q('fixed', s=st(rows)) for rows in (['1,a', '2,b'], [',a'], ['1,'])]

proto = lambda x, d=None: tf.io.serialize_tensor(tf.constant(x, d)).numpy()
field = lambda x, d=None: tf.make_tensor_proto(x, d).SerializeToString()
WR = REQUESTS['edges_written'] = [q('read_' + key, s=text(s_)) for key, s_ in (
    ('float32', proto([1.0, 2.5])), ('float32', field([1.0, 2.5])), ('float32', field(3.0)), ('float32', field(np.ones([2, 3], F32))), ('float32', proto([], F)), ('float32', proto(1.0)), ('float32', proto([1, 2])),
    ('float32', proto([1.0], tf.float64)), ('float32', b''), ('float32', b'junk'), ('float32', b'\x08\x01'), ('float32', b'\x08\x01\x12\x00'), ('float32', b'\x08\x01\x12\x04\x12\x02\x08\x02\x2a\x04\x00\x00\x80\x3f'),
    ('int64', proto([1, -2], L)), ('int64', field(np.array([[5, 6]]))), ('int64', proto([1])), ('string', proto(['a', 'b\u00e9'])), ('string', proto([['x'], [b'\xff\x00']])), ('string', proto('', S)), ('string', proto([], S)),
    ('bool', proto([True, False])), ('bool', field(True)), ('uint8', proto([1, 255], tf.uint8)), ('uint8', field(np.array([3, 4], np.uint8))), ('float16', proto([1.5, -2], tf.half)), ('float16', field(np.array([0.1, 2], np.float16))),
    ('complex64', proto([1 + 2j], tf.complex64)), ('complex64', field(np.array([1 - 1j], np.complex64))))]
WR += [q('read_float32', s=st([proto(1.0)])), q('read_float32', s=st([])), q('read_string', s=st([['a']]))]
WR += [q('write_' + key, x=x) for key, x in (
    ('float32', f(1, 2.5)), ('float32', F32(1)), ('float32', f()), ('float32', z(2, 0, 3)), ('float32', r234), ('int32', i(1, -2)), ('int64', l(2 ** 62)), ('string', st(['a', '', b'\xff'])), ('string', text(b'x')), ('string', st([])),
    ('string', st([['a' * 200]])), ('bool', ab([True, False])), ('uint8', np.array([1, 200], np.uint8)), ('float64', np.array([0.1])), ('complex64', np.array([1 + 2j], np.complex64)), ('int32', zi(200)))]
WR += [q('both', x=x) for x in (f(1, 2), F32(3), z(0, 2), r234)]
JSON = ['{}', '{"features": {}}', '{"features": {"feature": {}}}', '{"features": {"feature": {"a": {"floatList": {"value": [1.5]}}}}}', '{"features": {"feature": {"a": {"float_list": {"value": [2]}}, "b": {"int64List": {"value": [3, "4"]}}}}}',
        '{"features": {"feature": {"c": {"bytesList": {"value": ["aGk="]}}}}}', '{"features": {"feature": {"b": {"int64List": {"value": []}}}}}', ' {\n} ', '{"features": {"feature": {"c": {"bytesList": {"value": ["_-8"]}}}}}',
        '{"features": {"feature": {"b": {"int64List": {"value": ["-9223372036854775808", 9007199254740993]}}}}}', '{"features": {"feature": {"z": {"floatList": {"value": [1, 2]}}, "a": {"floatList": {"value": ["NaN"]}}}}}',
        '{"features": {"feature": {"a": {"floatList": {"value": ["Infinity"]}}}}}', '{"features": null}', '{"features": {"feature": {"gr\u00f6\u00dfe": {"int64List": {"value": [1]}}}}}']
WR += [q('json', s=st([row])) for row in JSON] + [q('jsonparsed', s=st([row])) for row in JSON] + [q('json', s=st(JSON[:4])), q('json', s=text(JSON[3].encode())), q('json', s=st([])), q('json', s=st([JSON[3:5]]))]

SETS = REQUESTS['edges_sets'] = []
for key in ('union', 'both', 'minus', 'rest'):
    SETS += [q(key, a=np.array(x, np.int64), b=np.array(y, np.int64)) for x, y in (
        ([[1, 2, 2], [3, 1, 0]], [[2, 5], [0, 3]]), ([[1]], [[1]]), ([[[1, 2]], [[3, 3]]], [[[2, 1, 1]], [[4, 5, 6]]]), (np.zeros([2, 0]), [[1], [2]]), (np.zeros([0, 2]), np.zeros([0, 3])), ([[9, -1]], np.zeros([1, 0])))]
SETS += [q('union', a=al(x), b=al(y)) for x, y in (([1, 2], [1]), (1, 2), ([[1]], [1]), ([[1], [2]], [[1]]), ([[[1]]], [[1]]), ([1], [[1]]))]
SETS += [q('texts', a=st([['b', 'a', 'b'], ['', 'x', 'x']]), b=st([['c'], ['y']])), q('small', a=np.array([[1, -1, 5]], np.int8), b=np.array([[5]], np.int8))]
for key, d in (('munion', np.int64), ('mminus', np.int64), ('mrest', np.int32)):
    SETS += [q(key, a=np.array(x, d), i=np.array(at, np.int64).reshape(-1, 2), v=np.array(v, d), n=l(*n)) for x, at, v, n in (
        ([[1, 2], [3, 4]], [[0, 0], [0, 1], [1, 0]], [2, 7, 3], (2, 2)), ([[1, 2], [3, 4]], [[1, 0]], [9], (2, 5)), ([[1, 2], [3, 4]], [], [], (2, 5)), ([[1, 2]], [[0, 0]], [1], (2, 2)),
        ([[1, 1], [2, 2]], [[0, 3]], [1], (2, 3)), ([[1, 1], [2, 2]], [[2, 0]], [1], (2, 3)), ([[1], [2]], [[1, 0], [0, 0]], [1, 2], (2, 2)), ([[1], [2]], [[0, 0], [0, 0]], [1, 2], (2, 2)), ([[1], [2]], [[0, -1]], [1], (2, 2)))]
SETS += [q('munion', a=al(x), i=al(at), v=al(v), n=al(n)) for x, at, v, n in (([1], [[0]], [1], [2]), ([[1]], [[0, 0]], [1], [[1, 1]]), ([[1]], [[0]], [1], [1, 1]), ([[1]], [[0, 0]], [1, 2], [1, 1]), ([[1]], [0, 0], [1], [1, 1]),
                                                                          ([[1]], [[0, 0]], [[1]], [1, 1]), ([[1]], [[0, 0]], [1], [1, -1]), ([[1]], [[0, 0, 0]], [1], [1, 1, 1]))]
SETS += [q('mboth', a=st([['a', 'b'], ['c', 'd']]), i=al([[0, 0], [1, 0], [1, 1]]), v=st(['b', 'd', 'c']), n=l(2, 2))]
for key in ('sunion', 'sminus', 'srest'):
    SETS += [q(key, i=al(at).reshape(-1, 2), v=al(v), n=l(*n), j=al(bt).reshape(-1, 2), w=al(w), m=l(*m)) for at, v, n, bt, w, m in (
        ([[0, 0], [0, 1], [2, 0]], [5, 6, 7], (3, 2), [[0, 0], [1, 0]], [6, 8], (3, 1)), ([], [], (3, 2), [[0, 0]], [1], (3, 1)), ([[0, 0]], [1], (3, 2), [], [], (3, 1)), ([], [], (0, 2), [], [], (0, 1)),
        ([[0, 0]], [1], (1, 2), [[0, 0]], [1], (2, 2)), ([[0, 1], [0, 0]], [1, 2], (1, 2), [[0, 0]], [1], (1, 2)), ([[0, 0]], [1], (1, 1), [[0, 1]], [1], (1, 1)))]
SETS += [q('sboth', i=al([[0, 0], [0, 1]]), v=st(['a', 'b']), n=l(1, 2), j=al([[0, 0]]), w=st(['b']), m=l(1, 4)), q('sunion', i=al([[0]]), v=l(1), n=l(1), j=al([[0]]), w=l(1), m=l(1))]
SETS += [q(key, i=al(at).reshape(-1, len(n)) if np.ndim(n) else al(at), v=np.array(v, d), n=al(n)) for key, d in (('size', np.int64), ('sizeloose', np.int32)) for at, v, n in (
    ([[0, 0], [0, 1], [0, 2], [2, 0]], [1, 1, 2, 3], [3, 3]), ([], [], [2, 3]), ([[0, 0, 0], [1, 1, 0]], [1, 2], [2, 2, 1]), ([[0]], [1], [2]), ([[0, 5]], [1], [1, 2]), ([[4, 0]], [1], [1, 2]), ([[1, 0], [0, 0]], [1, 2], [2, 1]), ([[0, 0]], [1], [0, 0]))]
SETS += [q('sizes', i=al([[0, 0], [0, 1], [1, 0]]), v=st(['a', 'a', 'b']), n=l(2, 2)), q('size', i=al([[0, 0]]), v=l(1), n=al([[2, 2]])), q('size', i=al([[0, 0]]), v=l(1), n=al(2))]

SL = REQUESTS['edges_stateless'] = []
for key in ('key', 'key32', 'all'):
    SL += [q(key, s=np.array(s_, np.int32 if key == 'key32' else np.int64)) for s_ in ([1, 2], [0, 0], [-1, 2 ** 31 - 1], [1], [1, 2, 3], 5, [[1, 2]])]
SL += [q('alg', x=f())] + [q('key', s=l(2 ** 62 + 12345, -2 ** 40))]
for d in ('float32', 'float64', 'float16', 'bfloat16'):
    SL += [q('%s_%s' % (kind, d), n=np.array(n, np.int32), s=l(3, 4)) for kind in ('uniform', 'normal', 'truncated') for n in ([9], [], [2, 3, 5], [0, 4])]
SL += [q('%s_float32' % kind, n=np.array(n, np.int32), s=np.array(s_, np.int64)) for kind in ('uniform', 'truncated') for n, s_ in (
    ([-1], [1, 2]), ([[2]], [1, 2]), (3, [1, 2]), ([2, -3], [1, 2]), ([3], [1]), ([3], [[1, 2]]), ([700], [5, 6]), ([100000, 100000], [1, 2]))]
SL += [q('whole_' + d, n=i(7), s=np.array([8, -9], np.int32 if d == 'int32' else np.int64)) for d in ('int32', 'int64', 'uint32', 'uint64')]
KEY, COUNT = np.array([2 ** 40 + 5], np.uint64), np.array([2 ** 32 - 1, 7], np.uint64)
SL += [q(kind, n=i(10), k=k, c=c, a=np.array(a_, np.int32)) for kind in ('uniform', 'normal', 'truncated', 'whole') for k, c, a_ in (
    (KEY, COUNT, 1), (KEY, COUNT, 3), (KEY, COUNT, 4), (KEY, COUNT, 0), (KEY, COUNT, [1]), (COUNT, COUNT, 1), (KEY, KEY.reshape(1, 1), 1), (KEY[0], COUNT, 1))]
SL += [q('between_' + d.__name__, n=np.array(n, np.int32), s=l(1, 1), a=np.array(lo, d), b=np.array(hi, d)) for d in (np.int32, np.int64) for n, lo, hi in (
    ([11], 0, 10), ([3], -5, -4), ([3], 5, 5), ([3], 6, 5), ([0], 6, 5), ([4], -2 ** 31, 2 ** 31 - 1), ([2], [1], 2), ([2], 1, [2]))]
SL += [q('between', n=i(6), k=KEY, c=COUNT, a=ai(1), lo=np.array(lo, np.int32), hi=np.array(hi, np.int32)) for lo, hi in ((0, 6), (3, 3), ([1], 2))]
SL += [q('python', s=i(*s_)) for s_ in ((1, 2), (0, 0), (-7, 2 ** 31 - 1))]
