"""Linear algebra: what is solved, decomposed, and put on diagonals; sequence examples that are parsed one by one; and what
record.py asks of them."""
from patches import *

named = lambda letters, y: dict(zip(letters, y if isinstance(y, (tuple, list)) else [y]))
DECOMPOSED = {
    'inverse': ('y', 'MatrixInverse', {}), 'inverseadj': ('y', 'MatrixInverse', {'adjoint': True}), 'det': ('y', 'MatrixDeterminant', {}), 'logdet': ('sl', 'LogMatrixDeterminant', {}),
    'chol': ('y', 'Cholesky', {}), 'lu': ('lp', 'Lu', {}), 'lulong': ('lp', 'Lu', {'output_idx_type': L}), 'qr': ('qr', 'Qr', {}), 'qrfull': ('qr', 'Qr', {'full_matrices': True}),
    'eig': ('ev', 'SelfAdjointEigV2', {}), 'eigvals': ('e', 'SelfAdjointEigV2', {'compute_v': False}), 'svdvals': ('s', 'Svd', {'compute_uv': False})}


def edges_matrices(where):
    def decomposed(key):
        letters, op, more = DECOMPOSED[key]
        below = lambda y: R.MatrixBandPart(input=y, num_lower=tf.constant(-1, L), num_upper=tf.constant(0, L)) if op == 'Cholesky' else y  # above is what was in memory, where the matrix has no such factor
        return lambda x: named(letters, below(getattr(R, op)(input=x, **more)))
    def all_of(x):
        return {key + letter: y for key in DECOMPOSED if key not in ('lulong', 'eigvals') for letter, y in decomposed(key)(x).items()}
    two = lambda op, **more: ([X('a'), X('b')], lambda a, b: getattr(R, op)(matrix=a, rhs=b, **more))
    build(where, {
        **{key: ([X()], decomposed(key)) for key in DECOMPOSED}, 'double': ([X('x', D)], all_of), 'complex': ([X('x', C)], all_of), 'complexes': ([X('x', tf.complex128)], all_of),
        'solve': two('MatrixSolve'), 'solveadj': two('MatrixSolve', adjoint=True),
        'tri': two('MatrixTriangularSolve'), 'triup': two('MatrixTriangularSolve', lower=False), 'triadj': two('MatrixTriangularSolve', adjoint=True), 'triupadj': two('MatrixTriangularSolve', lower=False, adjoint=True),
        'ls': ([X('a'), X('b'), X('l', D)], lambda a, b, l: R.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=l)),
        'lsslow': ([X('a'), X('b'), X('l', D)], lambda a, b, l: R.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=l, fast=False)), 'lsslowc': ([X('a', C), X('b', C)], lambda a, b: R.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=tf.constant(0., D), fast=False)),
        'solvec': ([X('a', C), X('b', C)], lambda a, b: {'s': R.MatrixSolve(matrix=a, rhs=b), 'a': R.MatrixSolve(matrix=a, rhs=b, adjoint=True), 't': R.MatrixTriangularSolve(matrix=a, rhs=b, adjoint=True), 'l': R.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=tf.constant(.5, D))}),
        'cross': ([X('a'), X('b')], lambda a, b: R.Cross(a=a, b=b)), 'crossint': ([X('a', I), X('b', I)], lambda a, b: R.Cross(a=a, b=b)),
        'python': ([spec([None, None, None], F, 'x')], lambda x: (lambda p: {'e': tf.linalg.eigvalsh(p), 'c': tf.linalg.cholesky_solve(tf.linalg.cholesky(p), x), 'd': tf.linalg.logdet(p), 't': tf.linalg.trace(p), 'i': tf.linalg.inv(p),
                                                                         'o': tf.linalg.diag_part(p), 's': tf.linalg.set_diag(p, tf.zeros(tf.shape(p)[:2])), 'n': tf.linalg.norm(p, axis=[-2, -1]), 'b': tf.linalg.band_part(p, 1, 0)})(tf.matmul(x, x, transpose_b=True) + tf.eye(tf.shape(x)[1]))),
    })


def edges_diagonals(where):
    ALIGNS = ('LEFT_LEFT', 'LEFT_RIGHT', 'RIGHT_LEFT', 'RIGHT_RIGHT')
    D5 = [X(), X('k', I), spec([], I, 'rows'), spec([], I, 'cols'), spec([], F, 'pad')]
    build(where, {
        'diag': ([X()], lambda x: R.MatrixDiag(diagonal=x)), 'part': ([X()], lambda x: R.MatrixDiagPart(input=x)), 'set': ([X(), X('d')], lambda x, d: R.MatrixSetDiag(input=x, diagonal=d)),
        'diag2': (D5, lambda x, k, rows, cols, pad: R.MatrixDiagV2(diagonal=x, k=k, num_rows=rows, num_cols=cols, padding_value=pad)),
        'part2': ([X(), X('k', I), spec([], F, 'pad')], lambda x, k, pad: R.MatrixDiagPartV2(input=x, k=k, padding_value=pad)),
        'set2': ([X(), X('d'), X('k', I)], lambda x, d, k: R.MatrixSetDiagV2(input=x, diagonal=d, k=k)),
        **{'diag3' + n: (D5, lambda x, k, rows, cols, pad, n=n: R.MatrixDiagV3(diagonal=x, k=k, num_rows=rows, num_cols=cols, padding_value=pad, align=n)) for n in ALIGNS},
        **{'part3' + n: ([X(), X('k', I), spec([], F, 'pad')], lambda x, k, pad, n=n: R.MatrixDiagPartV3(input=x, k=k, padding_value=pad, align=n)) for n in ALIGNS},
        **{'set3' + n: ([X(), X('d'), X('k', I)], lambda x, d, k, n=n: R.MatrixSetDiagV3(input=x, diagonal=d, k=k, align=n)) for n in ALIGNS},
        'tensor': ([X()], lambda x: R.Diag(diagonal=x)), 'tensorpart': ([X()], lambda x: R.DiagPart(input=x)), 'ints': ([X('x', I)], lambda x: {'d': R.MatrixDiagPart(input=x), 's': R.MatrixSetDiag(input=x, diagonal=R.MatrixDiagPart(input=x) * 2), 't': R.Diag(diagonal=x)}),
        'flags': ([X('x', tf.bool)], lambda x: R.MatrixDiag(diagonal=x)),
    })


def edges_single_sequences(where):
    keys = lambda *k: [tf.constant(x) for x in k]
    def parse(s, name, missing=(), sparse=True, splits=True):
        more = dict(context_sparse_keys=keys('tags'), context_sparse_types=[S], feature_list_sparse_keys=keys('words'), feature_list_sparse_types=[S]) if sparse else dict(context_sparse_keys=[], context_sparse_types=[], feature_list_sparse_keys=[], feature_list_sparse_types=[])
        out = R.ParseSingleSequenceExample(
            serialized=s, feature_list_dense_missing_assumed_empty=tf.constant(list(missing), S), context_dense_keys=keys('id', 'w'), feature_list_dense_keys=keys('x', 'xy'),
            context_dense_defaults=[tf.constant([], L), tf.constant([.5, .25])], debug_name=name, context_dense_shapes=[[], [2]], feature_list_dense_types=[F, L], feature_list_dense_shapes=[[], [2]], **more)
        return {'%s%d' % (key, n): v for key, values in out._asdict().items() for n, v in enumerate(values)}
    build(where, {
        'all': ([X('s', S), X('n', S)], lambda s, n: parse(s, n)), 'lax': ([X('s', S), X('n', S)], lambda s, n: parse(s, n, ['xy', 'x'])), 'dense': ([X('s', S), X('n', S)], lambda s, n: parse(s, n, ['xy'], False)),
        'odd': ([X('s', S), X('n', S)], lambda s, n: parse(s, n, ['none'])),
        'python': ([spec([], S, 's')], lambda s: (lambda c, f: {'id': c['id'], 'tags': c['tags'].values, 'words': f['words'].values, 'x': f['x']})(*tf.io.parse_single_sequence_example(s, {'id': tf.io.FixedLenFeature([], L), 'tags': tf.io.VarLenFeature(S)}, {'x': tf.io.FixedLenSequenceFeature([], F), 'words': tf.io.VarLenFeature(S)}))),
    })


SPD = a([[4, 1, 2], [1, 3, 0], [2, 0, 5]])
BIG = (np.arange(400, dtype=F32) * 37 % 101 / 101).reshape(20, 20) + 3 * np.eye(20, dtype=F32)
SQUARES = (a([[4, 7], [2, 6]]), SPD, a([[1, 2, 3], [0, 1, 4], [5, 6, 0]]), np.stack([SPD, SPD.T * 2 + np.eye(3, dtype=F32)]), a([[5]]), a([[-3]]), np.eye(4, dtype=F32), BIG, BIG @ BIG.T, a([[0, 1], [1, 0]]), a([[2, 1, 0, 0], [1, 2, 1, 0], [0, 1, 2, 1], [0, 0, 1, 2]]),
           a([[1, 2], [2, 4]]), z(2, 2), np.stack([np.eye(2, dtype=F32), z(2, 2)]), a([[nan, 1], [1, 2]]), a([[1, inf], [inf, 2]]), a([[1e-30, 0], [0, 1e-30]]), a([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), a([[3, -1, 0, 0, 1], [-1, 3, -1, 0, 0], [0, -1, 3, -1, 0], [0, 0, -1, 3, -1], [1, 0, 0, -1, 3]]), z(0, 0), z(2, 0, 0), z(0, 2, 2),
           r23, r23.T, r234, f(1, 2), F32(3), z(0, 3), z(3, 0), z(2, 3, 0))
HERMITIAN = (SPD + np.array([[0, 1j, -.5j], [-1j, 0, .25j], [.5j, -.25j, 0]])).astype(np.complex64)
MAT = REQUESTS['edges_matrices'] = [q(key, x=x) for key in DECOMPOSED for n, x in enumerate(SQUARES) if key != 'eig' or n not in (7, 8, 18)]  # whose eigenvalues are too close for their vectors to be anything
MAT += [q('eig', x=np.diag(np.arange(1, 21, dtype=F32)) + (BIG + BIG.T - 6 * np.eye(20, dtype=F32)) / 9), q('eig', x=-SPD), q('eig', x=np.diag(f(3, 1, 2)))]
MAT += [q('double', x=x.astype(np.float64)) for x in (SPD, BIG @ BIG.T, SQUARES[10], SQUARES[18], a([[2, 1], [1, 2]]), z(0, 0), np.stack([SPD, SPD]))]
MAT += [q('complex', x=x.astype(np.complex64)) for x in (SPD, HERMITIAN, np.stack([HERMITIAN, SPD]), a([[2]]), z(0, 0))] + [q('complexes', x=x.astype(np.complex128)) for x in (HERMITIAN, SQUARES[18])]
PAIRS = ((SPD, a([[1], [2], [3]])), (SPD, r23.T), (np.stack([SPD, SPD * 2]), np.stack([r23.T, r23.T + 1])), (a([[0, 2], [3, 0]]), a([[1, 2, 3], [4, 5, 6]])), (a([[1, 2], [2, 4]]), a([[1], [2]])), (z(0, 0), z(0, 2)), (SPD, z(3, 0)), (z(0, 2, 2), z(0, 2, 1)), (BIG, BIG[:, :2]), (r23, a([[1], [2]])), (SPD, a([[1], [2]])),
         (SPD, f(1, 2, 3)), (f(1, 2), a([[1], [2]])), (F32(1), F32(1)), (np.stack([SPD, SPD]), r23.T), (np.stack([SPD, SPD]), np.stack([r23.T] * 3)), (np.stack([SPD, SPD]), np.stack([r23.T])), (np.stack([SPD, z(3, 3)]), np.stack([r23.T, r23.T])), (SPD, np.stack([r23.T, r23.T])), (r23.T, r23.T), (z(2, 2), a([[1], [0]])), (a([[nan, 0], [1, 2]]), a([[1], [2]])))
MAT += [q(key, a=m, b=b) for key in ('solve', 'solveadj', 'tri', 'triup', 'triadj', 'triupadj') for m, b in PAIRS]
MAT += [q('ls', a=m, b=b, l=np.array(reg, np.float64)) for m, b in PAIRS for reg in (0, .5)] + [q('ls', a=m, b=b, l=np.array(reg, np.float64)) for m, b in PAIRS[:1] for reg in (-1, [0], [])] + [q('ls', a=r23, b=a([[1, 2], [3, 4]]), l=np.array(0.)), q('ls', a=a([[1, 2], [2, 4], [3, 6]]), b=a([[1], [2], [3]]), l=np.array(0.)), q('ls', a=a([[1, 2, 3], [2, 4, 6]]), b=a([[1], [2]]), l=np.array(0.))]
MAT += [q('lsslow', a=m, b=b, l=np.array(reg, np.float64)) for n, (m, b) in enumerate(PAIRS) for reg in ((0, .5) if n < 2 else (0,)) if n != len(PAIRS) - 1] + [q('lsslow', a=m, b=b, l=np.array(0.)) for m, b in ((r23, a([[1, 2], [3, 4]])), (a([[1, 2], [2, 4], [3, 6]]), a([[1], [2], [3]])), (a([[1, 2], [2, 4], [3, 6]]), a([[1], [0], [3]])), (a([[1, 2, 3], [2, 4, 6]]), a([[1], [2]])), (r23.T, a([[1], [2], [4]])), (z(3, 2), a([[1], [2], [3]])), (a([[5]]), a([[1, 2]])))]
MAT += [q('lsslow', a=SPD, b=a([[1], [2], [3]]), l=np.array(-1.)), q('lsslowc', a=HERMITIAN[:, :2], b=r23.T.astype(np.complex64) + 1j), q('lsslowc', a=HERMITIAN[:2], b=r23[:, :2].astype(np.complex64) + 1j)]
MAT += [q('solvec', a=HERMITIAN, b=r23.T.astype(np.complex64) + 1j), q('solvec', a=HERMITIAN * (1 + 2j), b=r23.T.astype(np.complex64))]
MAT += [q(key, a=np.array(x, n), b=np.array(y, n)) for key, n in (('cross', F32), ('crossint', np.int32)) for x, y in (([1, 2, 3], [4, 5, 6]), ([[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]]), ([1, 2], [3, 4]), ([1, 2, 3], [[1, 2, 3]]), (1, 1), ([], []), (np.zeros([0, 3]), np.zeros([0, 3])))]
MAT += [q('python', x=x) for x in (r234[:, :, :3], cube(1, 2, 5), z(0, 2, 2), z(2, 2, 0))]

DIA = REQUESTS['edges_diagonals'] = [q('diag', x=x) for x in (f(1, 2, 3), r23, f(), z(2, 0), F32(1))] + [q('part', x=x) for x in (r23, r23.T, r234, z(0, 0), z(2, 0), z(0, 3, 3), f(1), F32(1))]
DIA += [q('set', x=x, d=d) for x, d in ((r23, f(7, 8)), (r23.T, f(7, 8)), (r234, r23[:, :2] * 9), (r234, a([[1, 2, 3], [4, 5, 6]]) * 9), (r23, f(1, 2, 3)), (r23, f(1)), (f(1), f(1)), (r23, F32(1)), (z(0, 0), f()), (z(2, 0), f()), (r23, r23))]
KS = (0, 1, -1, 2, -2, [0], [1], [-1, 1], [0, 1], [-1, 0], [-1, -1], [1, 0], [], [0, 1, 2], [[0]], [-2, 2], 9, -9, [-9, 0], [0, 9])
for key in ('diag2', *('diag3' + n for n in ('LEFT_LEFT', 'LEFT_RIGHT', 'RIGHT_LEFT', 'RIGHT_RIGHT'))):
    DIA += [q(key, x=x, k=ai(k), rows=ai(-1), cols=ai(-1), pad=F32(9)) for x, ks in ((f(1, 2, 3), (*KS[:7], [-1, -1], [[0]], [0, 1, 2], 9, -9) if key == 'diag2' else KS[:5]), (r23, KS if key == 'diag2' else (0, [0, 1], [-1, 0])), (r234, ([-1, 1], [0, 2], [-2, 0], 1)), (F32(1), (0,)), (f(), (0, 1)), (z(2, 0), (0, [0, 1]))) for k in ks if np.size(k)]
    DIA += [q(key, x=f(1, 2), k=ai(k), rows=ai(rows), cols=ai(cols), pad=F32(0)) for k, rows, cols in ((0, 2, 3), (0, 3, -1), (0, -1, 4), (1, 2, 3), (-1, 3, 2), (0, 1, 2), (0, 2, 1), (0, 3, 3), (1, 3, 4), (1, 2, -1), (-1, -1, 2))]
for key in ('part2', *('part3' + n for n in ('LEFT_LEFT', 'LEFT_RIGHT', 'RIGHT_LEFT', 'RIGHT_RIGHT'))):
    DIA += [q(key, x=x, k=ai(k), pad=F32(9)) for x, ks in ((a(np.arange(12).reshape(3, 4)), KS if key == 'part2' else KS[:12]), (r234, ([-1, 2], [-2, 3], 1)), (r23.T, ([-2, 1], 0)), (z(0, 0), (0, 1)), (z(2, 0), (0,)), (f(1), (0,))) for k in ks if np.size(k)]
for key in ('set2', *('set3' + n for n in ('LEFT_LEFT', 'LEFT_RIGHT', 'RIGHT_LEFT', 'RIGHT_RIGHT'))):
    DIA += [q(key, x=a(np.arange(12).reshape(3, 4)), d=d, k=ai(k)) for d, k in ((f(91, 92, 93), 0), (f(91, 92, 93), 1), (f(91, 92), -1), (f(91, 92), 2), (a([[91, 92, 93], [94, 95, 96]]), [0, 1]), (a([[91, 92, 93], [94, 95, 96]]), [-1, 0]), (a([[91, 92, 93], [94, 95, 96], [97, 98, 99]]), [-1, 1]), (a([[91, 92], [94, 95]]), [-2, -1]), (a([[91, 92], [94, 95]]), [2, 3]))]
    DIA += [q(key, x=r234, d=cube(2, 2, 3) + 50, k=ai([0, 1])), q(key, x=r234, d=cube(2, 3, 3) + 50, k=ai([-1, 1]))]
DIA += [q('set2', x=r23, d=d, k=ai(k)) for d, k in ((f(1, 2), []), (f(1, 2), [0, 1, 2]), (f(1, 2), [[0]]), (f(1, 2), 9), (f(1, 2), -9), (f(1, 2), [0, 9]), (f(1, 2), [1, 0]), (f(1, 2), [-9, 0]), (r23, [0, 1]), (f(1, 2, 3), 0), (F32(1), 0), (a([[1, 2], [3, 4]]), [0, 1]), (a([[1], [2]]), [0, 1]))] + [q('set2', x=f(1), d=f(1), k=ai(0)), q('set2', x=z(0, 0), d=f(), k=ai(0))]
DIA += [q('tensor', x=x) for x in (f(1, 2), r23, F32(2), f(), r234, z(0, 2))] + [q('tensorpart', x=x) for x in (a([[1, 2], [3, 4]]), r23, F32(1), f(1), cube(2, 3, 2, 3), z(0, 0), cube(2, 2, 2), cube(2, 3, 3, 2))] + [q('ints', x=ai([[1, 2], [3, 4]])), q('flags', x=ab([True, False])), q('flags', x=ab([[True, True]]))]

ONES = REQUESTS['edges_single_sequences'] = [q(key, s=text(row), n=text(b'')) for key in ('all', 'lax', 'dense') for row in [FULL, SHORT] + ODDS] + [q(key, s=text(row), n=text(b'one')) for key in ('all', 'lax') for row in [FULL, SHORT] + ODDS[:8] + ODDS[10:14]]
ONES += [q('all', s=s, n=n) for s, n in ((st([FULL]), text(b'')), (st([]), text(b'')), (text(FULL), st(['a'])), (text(FULL), st(['a', 'b'])), (st([FULL, FULL]), text(b'a')))] + [q('odd', s=text(FULL), n=text(b''))] + [q('python', s=text(row)) for row in (FULL, SHORT, ODDS[1], b'')]
ONES += [q(key, s=text(row), n=text(b'')) for key in ('all', 'lax') for row in (FULL + b'\x12\x07\n\x05\n\x01\xff\x12\x00', FULL + b'\x1a\x05ab', FULL + b'\x1a\x02ab', FULL + SHORT)]
