"""Models that change while they serve: scattered updates of variables, tables whose keys come and go, loops and arrays
as TensorFlow 1 writes them; and what record.py asks of them, in order."""
from preprocessing import *


def edges_scatter(where):
    """Every kind of update, of a variable of any rank and of a reference of TensorFlow 1."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default(), v1.Session() as session:
        signatures = {}
        start = np.arange(6, dtype=np.float32).reshape(3, 2)

        def sign(key, inputs, y):
            signatures[key] = signature_v1(inputs, {'y': y})
        for op in ('Update', 'Add', 'Sub', 'Mul', 'Div', 'Min', 'Max'):
            at, u = v1.placeholder(I, None, 'at_' + op), v1.placeholder(F, None, 'u_' + op)
            v = v1.get_variable('v_' + op, initializer=start, use_resource=True)
            with tf.control_dependencies([getattr(R, 'ResourceScatter' + op)(resource=v.handle, indices=at, updates=u)]):
                sign(op.lower(), {'at': at, 'u': u}, v.read_value())
            w = v1.get_variable('w_' + op, initializer=start, use_resource=False)
            sign('ref' + op.lower(), {'at': at, 'u': u}, getattr(v1, 'scatter_' + op.lower())(w, at, u))
            if op in ('Update', 'Add', 'Sub', 'Min', 'Max'):
                with tf.control_dependencies([getattr(R, 'ResourceScatterNd' + op)(ref=v.handle, indices=at, updates=u)]):
                    sign('nd' + op.lower(), {'at': at, 'u': u}, v.read_value())
            if op in ('Update', 'Add', 'Sub'):
                sign('refnd' + op.lower(), {'at': at, 'u': u}, getattr(v1, 'scatter_nd_' + op.lower())(w, at, u))
        b, e, s, u = v1.placeholder(I, None, 'b'), v1.placeholder(I, None, 'e'), v1.placeholder(I, None, 's'), v1.placeholder(F, None, 'u')
        v = v1.get_variable('sliced', initializer=start, use_resource=True)
        for key, masks in {'slice': {}, 'row': {'shrink_axis_mask': 1}, 'column': {'begin_mask': 1, 'end_mask': 1}}.items():
            with tf.control_dependencies([R.ResourceStridedSliceAssign(ref=v.handle, begin=b, end=e, strides=s, value=u, **masks)]):
                sign(key, {'b': b, 'e': e, 's': s, 'u': u}, v.read_value())
        whole = v1.get_variable('whole', initializer=np.arange(3), use_resource=True)
        at, n = v1.placeholder(L, None, 'at'), v1.placeholder(L, None, 'n')
        for op in ('Add', 'Div', 'Max'):
            with tf.control_dependencies([getattr(R, 'ResourceScatter' + op)(resource=whole.handle, indices=at, updates=n)]):
                sign('whole' + op.lower(), {'at': at, 'n': n}, whole.read_value())
        texts, t = v1.get_variable('texts', initializer=np.array(['a', 'b'], object), dtype=S, use_resource=True), v1.placeholder(S, None, 't')
        with tf.control_dependencies([R.ResourceScatterUpdate(resource=texts.handle, indices=at, updates=t)]):
            sign('texts', {'at': at, 't': t}, texts.read_value())
        session.run(v1.global_variables_initializer())
        builder = sm.Builder(where)
        builder.add_meta_graph_and_variables(session, ['serve'], signatures)
        builder.save()
    v1.enable_control_flow_v2()


SCATTERED = [(i(1), matrix([10, 20])), (i(0, 2), matrix([2, 4], [0.5, -1])), (ai(1), f(3, 4)), (i(0, 0), matrix([1, 2], [3, 4])), (i(2), F32(2)), (i(), z(0, 2)), (ai([[0, 1]]), a([[[1, 2], [3, 4]]])),
             (i(3), matrix([1, 1])), (i(0, -1), matrix([9, 9], [9, 9])), (i(0), matrix([1, 2, 3])), (i(0, 1), matrix([1, 2])), (i(0), f(1, 2)), (i(), F32(1)), (i(0), matrix([nan, inf]))]
WIDE_ROW = 9  # the row of SCATTERED that only references refuse
SCATTERED_ND = [(ai([[1]]), matrix([10, 20])), (ai([[0, 1], [2, 0]]), f(7, -8)), (i(1), f(3, 4)), (ai([[0], [0]]), matrix([1, 2], [3, 4])), (zi(0, 1), z(0, 2)), (zi(1, 0), a([[[1, 1], [2, 2], [3, 3]]])[0:1]),
                (ai([[3]]), matrix([1, 1])), (ai([[0, 2]]), f(1)), (ai([[0, 0, 0]]), f(1)), (ai([[0]]), matrix([1, 2, 3])), (ai([[0], [1]]), matrix([1, 2])), (ai([[0], [3], [5], [1]]), matrix([1, 2], [3, 4], [3, 4], [5, 6])), (i(2, 1), matrix([5, 6], [7, 8])), (ai([[-1]]), matrix([1, 1]))]
SC = REQUESTS['edges_scatter'] = []
for op in ('update', 'add', 'sub', 'mul', 'div', 'min', 'max'):
    SC += [q(way + op, at=at, u=u) for way in ('', 'ref') for n, (at, u) in enumerate(SCATTERED) if way or n != WIDE_ROW]
    if op in ('update', 'add', 'sub', 'min', 'max'):
        SC += [q(way + op, at=at, u=u) for way in (('nd', 'refnd') if op in ('update', 'add', 'sub') else ('nd',)) for at, u in SCATTERED_ND]
SC += [q('slice', b=i(*b), e=i(*e), s=i(*s_), u=u) for b, e, s_, u in (
    ([0, 0], [2, 2], [1, 1], matrix([1, 2], [3, 4])), ([0, 0], [3, 1], [2, 1], matrix([5], [6])), ([2, 1], [0, 0], [-1, -1], matrix([7], [8])), ([0], [1], [1], matrix([1, 1])), ([0, 0], [2, 2], [1, 1], f(1, 2)), ([0, 0], [2, 2], [1, 1], F32(4)),
    ([0, 0], [0, 2], [1, 1], z(0, 2)), ([0, 0], [2, 2], [1, 1], matrix([1, 2])), ([0, 0], [2, 2], [0, 1], matrix([1, 2])), ([0], [2, 2], [1, 1], F32(1)), ([0, 0, 0], [1, 1, 1], [1, 1, 1], F32(1)))]
SC += [q('row', b=i(1), e=i(2), s=i(1), u=f(8, 9)), q('row', b=i(-1), e=i(0), s=i(1), u=f(8, 9)), q('row', b=i(3), e=i(4), s=i(1), u=f(8, 9)), q('row', b=i(0), e=i(1), s=i(1), u=matrix([1, 2])),
       q('row', b=i(0), e=i(1), s=i(1), u=f(1, 2, 3)), q('column', b=i(9, 1), e=i(9, 2), s=i(1, 1), u=matrix([1], [2], [3]))]
SC += [q(key, at=at, n=n) for key in ('wholeadd', 'wholemax', 'wholediv') for at, n in ((l(0, 1), l(5, -1)), (l(2), al(3)), (l(0), l(0)), (l(1, 5), l(1, 1)), (l(), l()))]
SC += [q('texts', at=l(1), t=st(['new'])), q('texts', at=l(0, 1), t=text(b'both')), q('texts', at=l(2), t=st(['x']))]


def edges_stores(where):
    """Tables of other kinds: with open addresses, with vectors as values."""
    lookup = tf.lookup.experimental
    class Stores(tf.Module):
        def __init__(self):
            self.dense = lookup.DenseHashTable(L, F, -1., empty_key=-1, deleted_key=-2, initial_num_buckets=8)
            self.words = lookup.DenseHashTable(S, L, [0, 0], empty_key='', deleted_key='-', initial_num_buckets=4)
            self.rows = lookup.MutableHashTable(L, F, [7., 8.])
            self.names = lookup.MutableHashTable(L, S, 'none')
            self.fixed = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2], L), [1., 2.]), -1.)
    t = Stores()
    signatures = {}

    def sign(name, table, key, value):
        handle = table.resource_handle

        def change(op, k, v):
            op(table_handle=handle, keys=k, values=v)
            return {'n': table.size()}

        def drop(k):
            table.remove(k)
            return {'n': table.size()}
        k, v = X('k', key), X('v', value)
        for suffix, specs, call in (
                ('', [k], lambda k: {'y': table.lookup(k), 'n': table.size()}), ('own', [k, X('d', value)], lambda k, d: {'y': R.LookupTableFindV2(table_handle=handle, keys=k, default_value=d)}),
                ('put', [k, v], lambda k, v: change(R.LookupTableInsertV2, k, v)), ('new', [k, v], lambda k, v: change(R.LookupTableImportV2, k, v)),
                ('drop', [k], drop), ('all', [], lambda: dict(zip('kv', table.export())))):
            if name == 'fixed' and suffix not in ('', 'own'):
                continue
            signatures[name + suffix] = tf.function(call, input_signature=specs)
            setattr(t, 'of_' + name + suffix, signatures[name + suffix])
    sign('dense', t.dense, L, F), sign('words', t.words, S, L), sign('rows', t.rows, L, F), sign('names', t.names, L, S), sign('fixed', t.fixed, L, F)
    export(where, t, **signatures)


STO = REQUESTS['edges_stores'] = []
for name, keys, vals, more in (('dense', lambda *k: l(*k), lambda *v: f(*v), F32(5)), ('rows', lambda *k: l(*k), lambda *v: a([[x, -x] for x in v]).reshape(-1, 2), f(1, 2)),
                               ('words', lambda *k: st([str(x) for x in k]), lambda *v: al([[x, -x] for x in v]).reshape(-1, 2), l(3, 4)), ('names', lambda *k: l(*k), lambda *v: st(['v%d' % x for x in v]), text(b'd'))):
    one_, k1 = vals(9), keys(1)
    STO += [q(name, k=keys(1, 2)), q(name + 'all'), q(name + 'put', k=keys(1, 2, 3), v=vals(10, 20, 30)), q(name, k=keys(3, 1, 4)), q(name, k=keys()), q(name, k=keys(1)[0]), q(name, k=keys(1, 2, 3, 4).reshape(2, 2)),
            q(name + 'own', k=keys(1, 9), d=more), q(name + 'own', k=keys(1, 9), d=vals(5, 6)), q(name + 'own', k=keys(1, 9), d=vals(1, 2, 3)), q(name + 'own', k=keys(9), d=vals()), q(name + 'put', k=k1, v=vals(1, 2)), q(name + 'put', k=k1[0], v=one_[0]),
            q(name, k=k1), q(name + 'put', k=keys(5, 5), v=vals(1, 2)), q(name, k=keys(5)), q(name + 'put', k=k1[0], v=one_), q(name + 'put', k=keys(6, 7).reshape(2, 1), v=vals(6, 7).reshape((2, 1) + vals(1).shape[1:])), q(name, k=keys(6, 7)),
            q(name + 'drop', k=keys(1, 77)), q(name, k=keys(1, 2)), *([] if name in ('dense', 'words') else [q(name + 'drop', k=keys(2)[0])]), q(name + 'drop', k=keys(3, 5, 6, 7)), q(name + 'all'), q(name + 'put', k=keys(8), v=vals(8)), q(name + 'all'),
            q(name + 'all')]
    if name != 'dense':
        STO += [q(name + 'new', k=keys(4), v=vals(40)), q(name + 'all'), q(name + 'new', k=keys(4, 5), v=vals(40)), q(name + 'new', k=keys(), v=vals()), q(name, k=keys(4))]
STO += [q('fixedown', k=l(1, 9, 8), d=d) for d in (F32(5), f(5), f(5, 6, 7), f(5, 6), matrix([1, 2, 3]))]
STO += [q(name + key, **{'k': bad, **{x: v for x in extra}}) for name, v in (('dense', f(1)), ('words', al([[1, 1]]))) for bad in ((l(-1), l(-2)) if name == 'dense' else (st(['']), st(['-']))) for key, extra in (('', ''), ('put', 'v'), ('drop', ''))]
STO += [q('dense', k=l(4, -1)), q('denseput', k=l(1, -1, 2), v=f(1, 2, 3)), q('dense', k=l(1, 2)), q('densedrop', k=l(1, -1, 2)), q('dense', k=l(1, 2)), q('denseput', k=np.arange(100), v=np.arange(100, dtype=F32)), q('dense', k=l(0, 50, 99, 100))]


def loops_v1(where):
    """Loops as TensorFlow 1 writes them: frames of Enter, Merge, Switch, NextIteration and Exit, and arrays of tensors."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default(), v1.Session() as session:
        n, x, ids, at = v1.placeholder(I, [], 'n'), v1.placeholder(F, [None, 3], 'x'), v1.placeholder(I, [None], 'ids'), v1.placeholder(I, [], 'at')
        any_ = v1.placeholder(F, None, 'any')
        w = v1.get_variable('w', initializer=np.eye(3, dtype=np.float32) * 2, use_resource=False)
        r = v1.get_variable('r', initializer=np.ones(3, np.float32), use_resource=True)
        signatures = {}

        def sign(key, inputs, **outputs):
            signatures[key] = signature_v1(inputs, outputs)
        count, power = v1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2.0), [0, 1.0])
        sign('serving_default', {'n': n}, count=count, power=power)
        state = v1.while_loop(lambda i, h: i < n, lambda i, h: (i + 1, tf.matmul(h, w) + r), [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])])
        sign('variables', {'n': n, 'x': x}, h=state[1])
        nested = v1.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, v1.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j * i), [0, s])[1]), [0, 0])
        sign('nested', {'n': n}, sum=nested[1])
        branch = v1.while_loop(lambda i, s: tf.logical_and(i < n, s < 100.), lambda i, s: (i + 1, v1.cond(tf.equal(i % 2, 0), lambda: s + 1., lambda: s * 3.)), [0, 1.0])
        sign('branches', {'n': n}, steps=branch[0], s=branch[1])
        inside = v1.cond(n > 3, lambda: v1.while_loop(lambda i: i < n, lambda i: i + 2, [0]), lambda: tf.constant(-1))
        sign('inside', {'n': n}, y=inside)
        sign('mapped', {'x': x}, rows=v1.map_fn(lambda row: tf.reduce_sum(row) * row, x), scan=v1.scan(lambda a, row: a + row, x), fold=v1.foldl(lambda a, row: a * row, x), two=v1.map_fn(lambda t: t[0] - t[1], (x, x * 2.), dtype=F))
        sign('decoded', {'ids': ids}, y=v1.map_fn(lambda i: tf.strings.join(['<', tf.as_string(i), '>']), ids, dtype=S))
        shrinks = v1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y[1:]), [0, ids], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
        with tf.control_dependencies([v1.assert_greater(n, -1, message='n below 0')]):
            sign('shrinks', {'n': n, 'ids': ids}, y=tf.identity(shrinks[1]))
        fails = v1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.gather(y, i) + y), [0, any_], shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)])
        sign('fails', {'n': n, 'any': any_}, y=fails[1])
        sign('odd', {'any': any_}, y=v1.while_loop(lambda y: y < 5., lambda y: y + 1., [any_], shape_invariants=[tf.TensorShape(None)]))
        TA = v1.TensorArray
        steps = TA(F, size=v1.shape(x)[0], element_shape=None, infer_shape=False)
        _, out, last = v1.while_loop(lambda i, ta, h: i < v1.shape(x)[0], lambda i, ta, h: (i + 1, ta.write(i, tf.tanh(x[i] + h)), tf.tanh(x[i] + h)), [0, steps, tf.zeros([3])])
        sign('rnn', {'x': x}, out=out.stack(), last=last)
        grown = v1.while_loop(lambda i, ta: i < n, lambda i, ta: (i + 1, ta.write(i, tf.fill([i], i))), [0, TA(I, size=0, dynamic_size=True, infer_shape=False)])[1]
        sign('grown', {'n': n}, all=grown.concat(), size=grown.size())
        sign('stacked', {'n': n}, all=grown.stack())
        array = lambda **more: TA(F, size=3, infer_shape=False, **more)
        sign('read', {'x': x, 'at': at}, y=array().unstack(x).read(at))
        sign('twice', {'x': x, 'at': at}, y=array(clear_after_read=True).unstack(x).read(at) + 0. * array().unstack(x).read(0))
        sign('write', {'x': x, 'at': at}, y=array().write(at, x).read(at), n=array().write(at, x).size())
        sign('rewrite', {'x': x, 'at': at}, y=array().write(0, x).write(at, x).read(0))
        sign('gather', {'x': x, 'ids': ids}, y=array().unstack(x).gather(ids))
        sign('scatter', {'x': x, 'ids': ids}, y=array(dynamic_size=True).scatter(ids, x).stack())
        sign('split', {'x': x, 'ids': ids}, y=array().split(x, ids).concat(), one=array().split(x, ids).read(1))
        sign('shaped', {'x': x}, y=TA(F, size=1, element_shape=[2, 3]).write(0, x).stack())
        sign('zeros', {'at': at}, y=TA(F, size=2, element_shape=[3]).read(at))
        session.run(v1.global_variables_initializer())
        builder = sm.Builder(where)
        builder.add_meta_graph_and_variables(session, ['serve'], signatures)
        builder.save()
    v1.enable_control_flow_v2()


XS = [matrix([1, 2, 3], [4, 5, 6], [-1, 0, 0.5]), matrix([1, 2, 3]), z(0, 3)]
LO = REQUESTS['loops_v1'] = [q('serving_default', n=ai(n)) for n in (0, 1, 5, -3, 40)] + [q('variables', n=ai(n), x=x) for n in (0, 3) for x in XS] + [q('variables', n=ai(1), x=z(2, 2))]
LO += [q(key, n=ai(n)) for key in ('nested', 'branches', 'inside', 'grown') for n in (0, 1, 3, 4, 7)] + [q('stacked', n=ai(n)) for n in (0, 1, 2)]
LO += [q('mapped', x=x) for x in XS] + [q('decoded', ids=i_) for i_ in (i(1, 22), i())] + [q('shrinks', n=ai(n), ids=i(1, 2, 3)) for n in (0, 2, 5, -1)]
LO += [q('fails', n=ai(n), any=y) for n, y in ((2, f(1, 2, 3)), (4, f(1, 2, 3)), (1, F32(1)), (0, F32(1)), (1, z(0)))] + [q('odd', any=y) for y in (F32(0), F32(9), f(1), f(1, 2), z(0), F32(nan))]
LO += [q('rnn', x=x) for x in XS] + [q(key, x=XS[0], at=ai(at)) for key in ('read', 'twice', 'write', 'rewrite') for at in (0, 2, 3, -1)] + [q('read', x=x, at=ai(0)) for x in XS[1:]]
LO += [q('gather', x=XS[0], ids=i_) for i_ in (i(0, 2, 2), i(), i(3), ai([[0, 1]]))] + [q('scatter', x=XS[0], ids=i_) for i_ in (i(0, 2, 1), i(0, 1, 5), i(0, 0, 1), i(0, 1), i(-1, 0, 1))]
LO += [q('split', x=XS[0], ids=i_) for i_ in (i(1, 1, 1), i(0, 3, 0), i(1, 1), i(2, 2, 2), i(1, 1, 0))] + [q('shaped', x=x) for x in (z(2, 3), z(3, 3))] + [q('zeros', at=ai(at)) for at in (0, 2)]


def edges_conditions(where):
    """Branches and loops whose conditions are no scalars, as functions that the runtime takes apart and as it calls them."""
    P = tf.TensorShape(None)
    build(where, {
        'if': ([X('p', B), X()], lambda p, x: tf.cond(p, lambda: x + 1., lambda: x * 2.)),
        'while': ([X()], lambda x: tf.while_loop(lambda x: x < 5., lambda x: (x + 1.,), [x], shape_invariants=[P])[0]),
        'case': ([X('i', I), X()], lambda i, x: tf.switch_case(i, [lambda: x, lambda: x * 10., lambda: x - 1.])),
        'called': ([X()], lambda x: R.StatelessWhile(input=[x], cond=tf.function(lambda x: x < 5.).get_concrete_function(X()), body=tf.function(lambda x: x + 1.).get_concrete_function(X()))[0]),
        'steps': ([spec([], I, 'n'), X()], lambda n, x: tf.while_loop(
            lambda i, t: i < n, lambda i, t: (i + 1, t.write(i, x)), [tf.constant(0), tf.TensorArray(F, 0, dynamic_size=True, infer_shape=False)])[1].stack()),
    })


REQUESTS['edges_conditions'] = [q('if', p=ab(p), x=x) for p in (True, False, [True], [], [[False, True]]) for x in (f(1, 2),)] + [
    q('while', x=x) for x in (F32(1), F32(7), f(1), f(), f(7), f(7, 8))] + [q('called', x=x) for x in (F32(1), F32(7), f())] + [q('case', i=i_, x=f(1)) for i_ in (ai(1), ai(-1), ai(7), i(1), i(), i(0, 1))] + [
    q('steps', n=ai(n), x=x) for n in (0, 1, 3) for x in (f(1, 2), F32(1), f())]
