"""Numbers that are put on a grid as quantized layers have them, colours that are turned, patches of pictures, and areas
that become one pixel; and what record.py asks of them."""
from pictures import *


def edges_grids(where):
    fake = lambda **more: ([X()], lambda x: R.FakeQuantWithMinMaxArgs(inputs=x, **more))
    given = lambda op, **more: ([X(), X('lo'), X('hi')], lambda x, lo, hi: getattr(R, op)(inputs=x, min=lo, max=hi, **more))
    build(where, {
        'args': fake(), 'args4': fake(min=-1., max=2., num_bits=4), 'argsnarrow': fake(min=-0.3, max=0.9, num_bits=8, narrow_range=True), 'argsup': fake(min=0.5, max=3.), 'argsdown': fake(min=-3., max=-0.5),
        'vars': given('FakeQuantWithMinMaxVars'), 'vars3': given('FakeQuantWithMinMaxVars', num_bits=3), 'varsnarrow': given('FakeQuantWithMinMaxVars', num_bits=5, narrow_range=True),
        'channels': given('FakeQuantWithMinMaxVarsPerChannel'), 'channels2': given('FakeQuantWithMinMaxVarsPerChannel', num_bits=2),
        'next': ([X('a'), X('b')], lambda a, b: R.NextAfter(x1=a, x2=b)), 'nextd': ([X('a', D), X('b', D)], lambda a, b: R.NextAfter(x1=a, x2=b)),
    })


def edges_patches(where):
    pool = lambda size, stride, padding, **more: ([X()], lambda x: dict(zip('ya', R.MaxPoolWithArgmax(input=x, ksize=[1, *size, 1], strides=[1, *stride, 1], padding=padding, **more))))
    cut = lambda size, stride, rate, padding, d=F: ([X('x', d)], lambda x: R.ExtractImagePatches(images=x, ksizes=[1, *size, 1], strides=[1, *stride, 1], rates=[1, *rate, 1], padding=padding))
    build(where, {
        'hue': ([X(), X('d')], lambda x, d: R.AdjustHue(images=x, delta=d)), 'saturation': ([X(), X('s')], lambda x, s: R.AdjustSaturation(images=x, scale=s)),
        'area': ([X(), X('n', I)], lambda x, n: R.ResizeArea(images=x, size=n)), 'areacorners': ([X(), X('n', I)], lambda x, n: R.ResizeArea(images=x, size=n, align_corners=True)),
        'areabytes': ([X('x', tf.uint8), X('n', I)], lambda x, n: R.ResizeArea(images=x, size=n)),
        'max': pool((2, 2), (2, 2), 'VALID'), 'maxsame': pool((3, 2), (2, 1), 'SAME'), 'maxbatch': pool((2, 2), (1, 1), 'VALID', include_batch_in_index=True), 'maxint': pool((2, 2), (2, 2), 'SAME', Targmax=I),
        'cut': cut((2, 2), (1, 1), (1, 1), 'VALID'), 'cutsame': cut((3, 2), (2, 1), (1, 1), 'SAME'), 'cutwide': cut((2, 2), (1, 2), (2, 1), 'VALID'), 'cutwidesame': cut((2, 3), (1, 1), (2, 2), 'SAME'), 'cutints': cut((2, 2), (2, 2), (1, 1), 'VALID', I),
        'python': ([spec([None, None, None, 3], F, 'x')], lambda x: {'h': tf.image.adjust_hue(x, .2), 's': tf.image.adjust_saturation(x, 1.5), 'r': tf.image.resize(x, [2, 3], method='area'), 'p': tf.image.extract_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')}),
    })


GRID = REQUESTS['edges_grids'] = [q(key, x=x) for key in ('args', 'args4', 'argsnarrow', 'argsup', 'argsdown') for x in (f(-10, -6, -1, -0.3, -0.01, 0, 0.004, 0.05, 0.1, 0.4999, 1, 2.5, 6, 7), f(), r23 / 3, F32(0.7), f(np.inf, -np.inf))]
for key in ('vars', 'vars3', 'varsnarrow'):
    GRID += [q(key, x=x, lo=np.array(lo, F32), hi=np.array(hi, F32)) for x, lo, hi in (
        (r23 / 3, 0, 1), (r23 - 2, -1.3, 2.1), (r23, 0.2, 4), (r23, -4, -0.2), (r23, 0, 0), (f(), 0, 1), (r23, [0], 1), (r23, 0, [1]), (r23, [0], [1]), (r23, 1, 0), (r23, 1, 1), (F32(3), -1, 1))]
for key in ('channels', 'channels2'):
    GRID += [q(key, x=x, lo=np.array(lo, F32), hi=np.array(hi, F32)) for x, lo, hi in (
        (r23 / 3, [0, -1, -2], [1, 1, 1]), (r234 / 9, [0, -1, -2, 0.5], [1, 1, 1, 2]), (f(0.1, 0.7), [0, 0], [1, 0]), (f(), [], []), (z(0, 2), [0, 0], [1, 1]), (r23, [0, 0], [1, 1]), (r23, [0, 0, 0], [1, 1]), (r23, 0, [1, 1, 1]), (r23, [0, 0, 0], [[1, 1, 1]]), (r23, [0, 0, 0], [0, 0, 0]))]
GRID += [q(key, a=np.array(x, n), b=np.array(y, n)) for key, n in (('next', F32), ('nextd', np.float64)) for x, y in (([0, 1, -1, 1e30], [1, 0, -2, 1e30]), ([[1], [2]], [3, 0]), (1, [0, 2]), ([], [1]), ([1, 2], [1, 2, 3]), ([np.inf, -np.inf], [0, 0]))]

PAT = REQUESTS['edges_patches'] = []
for key, by in (('hue', 'd'), ('saturation', 's')):
    PAT += [q(key, x=x, **{by: np.array(v, F32)}) for x, v in ((IMG / 36, 0.2), (IMG / 36, -0.7), (IMG / 36, 0), (IMG / 36, 1), (IMG[0] / 36, 0.5), (a([[[[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.5, 0.3], [0.5, 0.5, 0.5], [0, 0, 0], [3, -1, 2]]]]), 0.3), (a([[[[1, 0, 0], [0.9, 0.1, 0.4]]]]), 4),
                                                                (z(0, 2, 2, 3), 0.1), (f(1, 2, 3), 0.1), (z(2, 2, 2), 0.1), (IMG, [0.1]), (np.ones([2, 2, 2, 2, 3], F32), 0.5), (F32(1), 1))]
for key in ('area', 'areacorners'):
    PAT += [q(key, x=x, n=np.array(n, np.int32)) for x, n in SIZES]
PAT += [q('areabytes', x=(np.arange(36) * 7 % 256).astype(np.uint8).reshape(1, 3, 4, 3), n=i(*n)) for n in ((2, 2), (5, 5), (0, 1))]
TIES = a([[1, 1, 2], [2, 2, 1], [0, 2, 2]]).reshape(1, 3, 3, 1)
PAT += [q(key, x=x) for key in ('max', 'maxsame', 'maxbatch', 'maxint') for x in (PIX, TIES, cube(2, 3, 4, 2), z(2, 2, 2, 1), cube(1, 1, 1, 1), z(0, 2, 2, 1), f(1, 2), z(1, 2, 2, 0), -PIX)]
PAT += [q(key, x=x) for key in ('cut', 'cutsame', 'cutwide', 'cutwidesame') for x in (PIX, cube(2, 3, 4, 1), cube(1, 1, 1, 1), z(0, 3, 3, 1), f(1, 2), cube(1, 5, 5, 1))]
PAT += [q('cutints', x=np.arange(18, dtype=np.int32).reshape(1, 3, 3, 2))]
PAT += [q('python', x=x) for x in (IMG / 36, cube(2, 4, 5, 3) / 120, z(0, 3, 3, 3))]
