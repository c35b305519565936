"""Volumes, pictures that are scaled, products of every dtype, the layers of Keras that are made of them; and what
record.py asks of them."""
from numerics import *


def edges_volumes(where):
    conv = lambda stride=1, padding='VALID', dilation=1: ([X(), X('w')], lambda x, w: R.Conv3D(input=x, filter=w, strides=[1, stride, stride, stride, 1], padding=padding, dilations=[1, dilation, dilation, dilation, 1]))
    pool = lambda op, size=2, stride=2, padding='VALID': ([X()], lambda x: getattr(R, op)(input=x, ksize=[1, size, size, size, 1], strides=[1, stride, stride, stride, 1], padding=padding))
    flat = lambda strides=(1, 1), padding='VALID', dilations=(1, 1), explicit=(): ([X(), X('w')], lambda x, w: R.Conv2D(input=x, filter=w, strides=[1, *strides, 1], padding=padding, dilations=[1, *dilations, 1], explicit_paddings=list(explicit)))
    build(where, {
        'conv': conv(), 'same': conv(1, 'SAME'), 'strided': conv(2, 'SAME'), 'dilated': conv(1, 'VALID', 2),
        'max': pool('MaxPool3D'), 'maxsame': pool('MaxPool3D', 3, 2, 'SAME'), 'avg': pool('AvgPool3D'), 'avgsame': pool('AvgPool3D', 3, 2, 'SAME'),
        'back': ([X('n', I), X('w'), X()], lambda n, w, x: R.Conv3DBackpropInputV2(input_sizes=n, filter=w, out_backprop=x, strides=[1, 2, 2, 2, 1], padding='VALID')),
        'backsame': ([X('n', I), X('w'), X()], lambda n, w, x: R.Conv3DBackpropInputV2(input_sizes=n, filter=w, out_backprop=x, strides=[1, 1, 1, 1, 1], padding='SAME')),
        'norm': ([X(), X('s')], lambda x, s: R.FusedBatchNormV3(x=x, scale=s, offset=s, mean=s, variance=tf.abs(s), is_training=False, data_format='NDHWC')[0]),
        'flat': flat(), 'flatdilated': flat(dilations=(2, 1)), 'flatsame': flat((2, 1), 'SAME'), 'explicit': flat(padding='EXPLICIT', explicit=(0, 0, 1, 0, 2, 1, 0, 0)),
        'flatpool': ([X()], lambda x: R.MaxPool(input=x, ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding='SAME')),
        'lrn': ([X()], lambda x: R.LRN(input=x, depth_radius=1, bias=2., alpha=0.5, beta=0.75)),
    })


def edges_pictures(where):
    build(where, {
        **{'%s%s%s' % (op, 'a' * c, 'h' * h): ([X(), X('n', I)], lambda x, n, op=op, c=c, h=h: getattr(R, op)(images=x, size=n, align_corners=bool(c), half_pixel_centers=bool(h)))
           for op in ('ResizeBicubic', 'ResizeBilinear', 'ResizeNearestNeighbor') for c, h in ((0, 0), (1, 0), (0, 1))},
        'bytes': ([X('x', tf.uint8), X('n', I)], lambda x, n: {'c': R.ResizeBicubic(images=x, size=n, half_pixel_centers=True), 'n': R.ResizeNearestNeighbor(images=x, size=n)}),
        'crop': ([X(), X('b'), X('i', I), X('n', I)], lambda x, b, i, n: R.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=n, extrapolation_value=-1.)),
        'cropnear': ([X(), X('b'), X('i', I), X('n', I)], lambda x, b, i, n: R.CropAndResize(image=x, boxes=b, box_ind=i, crop_size=n, method='nearest')),
        'hsv': ([X()], lambda x: R.RGBToHSV(images=x)), 'rgb': ([X()], lambda x: R.HSVToRGB(images=x)),
        'contrast': ([X(), X('f')], lambda x, f: R.AdjustContrastv2(images=x, contrast_factor=f)),
        'suppress': ([X('b'), X('s'), X('n', I), X('o'), X('t')], lambda b, s, n, o, t: R.NonMaxSuppressionV3(boxes=b, scores=s, max_output_size=n, iou_threshold=o, score_threshold=t)),
        'python': ([spec([None, None, None, 3], F, 'x')], lambda x: {'g': tf.image.rgb_to_grayscale(x), 's': tf.image.per_image_standardization(x), 'p': tf.image.resize_with_pad(x, 4, 5), 'u': tf.image.convert_image_dtype(x, tf.uint8),
                                                                     'f': tf.image.flip_left_right(x), 'r': tf.image.rot90(x), 'b': tf.image.adjust_brightness(x, .1), 'm': tf.image.adjust_gamma(x, 2.), 'e': tf.image.sobel_edges(x)}),
    })


def edges_products(where):
    mat = lambda d, **more: ([X('a', d), X('b', d)], lambda a, b: R.MatMul(a=a, b=b, **more))
    batch = lambda d, **more: ([X('a', d), X('b', d)], lambda a, b: R.BatchMatMulV2(x=a, y=b, **more))
    ein = lambda text, d=F: ([X('a', d), X('b', d)], lambda a, b: R.Einsum(inputs=[a, b], equation=text))
    seg = lambda op: ([X(), X('i', L), X('n', I)], lambda x, i, n: getattr(tf.math, op)(x, i, n))
    build(where, {
        **{'mat_' + d.name: mat(d) for d in (B16, H, D, I, L, C)}, 'turned': mat(B16, transpose_a=True), 'both': mat(F, transpose_a=True, transpose_b=True),
        **{'batch_' + d.name: batch(d) for d in (B16, H, F, I, C)}, 'adjoint': batch(C, adj_x=True), 'adjointy': batch(F, adj_y=True),
        **{'ein%d' % n: ein(text) for n, text in enumerate(('ij,jk->ik', '...ij,...jk->...ik', 'bij,bkj->bik', 'ij,ij->', 'i,j->ij', 'iij,j->i', 'abc,cd->bad'))},
        'einb': ein('ij,jk->ik', B16), 'eini': ein('ij,jk->ik', I), 'trace': ([X()], lambda x: R.Einsum(inputs=[x], equation='ii->')), 'turn': ([X()], lambda x: R.Einsum(inputs=[x], equation='...ij->...ji')),
        'umean': seg('unsorted_segment_mean'), 'usqrt': seg('unsorted_segment_sqrt_n'), 'umax': seg('unsorted_segment_max'),
        'low': ([X('a', B16), X('b', B16)], lambda a, b: {'sum': a + b, 'mul': a * b, 'soft': tf.nn.softmax(a), 'mean': tf.reduce_mean(a), 'total': tf.reduce_sum(b, 0), 'less': a < b, 'cast': tf.cast(a, I), 'tanh': tf.tanh(a), 'exp': tf.exp(b)}),
        'dense': ([X('v', L), X('n', L), X('w')], lambda v, n, w: R.DenseBincount(input=v, size=n, weights=w)), 'denseb': ([X('v', I), X('n', I), X('w', I)], lambda v, n, w: R.DenseBincount(input=v, size=n, weights=w, binary_output=True)),
        'bins': ([X('v', I), X('n', I), X('w')], lambda v, n, w: R.Bincount(arr=v, size=n, weights=w)),
        'nth': ([X(), X('n', I)], lambda x, n: R.NthElement(input=x, n=n)),
    })


def edges_blocks(where):
    k = layers
    seq, img = [4, 4], [6, 6, 3]
    stack_of(where, {
        'norm': (seq, F, chain(k.LayerNormalization())), 'normall': (img, F, chain(k.LayerNormalization(axis=[1, 2, 3]))), 'batch': (seq, F, chain(k.BatchNormalization())), 'batch2': (img, F, chain(k.BatchNormalization())),
        'group': (img, F, chain(k.GroupNormalization(3))), 'unit': (seq, F, chain(k.UnitNormalization())), 'spectral': (img, F, chain(k.Conv2D(3, 2))),
        'attention': (seq, F, lambda x: k.Attention()([x, x])), 'scaled': (seq, F, lambda x: k.Attention(use_scale=True, score_mode='concat')([x, x])), 'additive': (seq, F, lambda x: k.AdditiveAttention()([x, x])),
        'heads': (seq, F, lambda x: k.MultiHeadAttention(2, 2)(x, x)), 'causal': (seq, F, lambda x: k.MultiHeadAttention(2, 2)(x, x, use_causal_mask=True)), 'grouped': (seq, F, lambda x: k.GroupQueryAttention(2, 2, 1)(x, x)),
        'conv1': (seq, F, chain(k.Conv1D(2, 2, padding='causal', dilation_rate=2, activation='elu'))), 'conv1up': (seq, F, chain(k.Conv1DTranspose(2, 2, strides=2))), 'sep1': (seq, F, chain(k.SeparableConv1D(2, 2))),
        'pool1': (seq, F, chain(k.MaxPool1D(2), k.AveragePooling1D(2))), 'global1': (seq, F, chain(k.GlobalMaxPooling1D())), 'pad1': (seq, F, chain(k.ZeroPadding1D(1), k.Cropping1D((1, 2)), k.UpSampling1D(2))),
        'conv': (img, F, chain(k.Conv2D(4, 3, strides=2, padding='same', activation='gelu'))), 'groups': (img, F, chain(k.Conv2D(6, 3, groups=3))), 'depth': (img, F, chain(k.DepthwiseConv2D(3, depth_multiplier=2))), 'depthd': (img, F, chain(k.DepthwiseConv2D(2, dilation_rate=2))),
        'separable': (img, F, chain(k.SeparableConv2D(4, 3, activation='silu'))), 'up': (img, F, chain(k.Conv2DTranspose(2, 3, strides=2, padding='same'))), 'upsampled': (img, F, chain(k.UpSampling2D(2, interpolation='bilinear'))), 'bicubic': (img, F, chain(k.UpSampling2D(2, interpolation='bicubic'))),
        'pool': (img, F, chain(k.AveragePooling2D(3, 2, 'same'))), 'global': (img, F, chain(k.GlobalAveragePooling2D(keepdims=True))), 'resize': (img, F, chain(k.Resizing(4, 5), k.Rescaling(0.5, 1.))), 'crop': (img, F, chain(k.CenterCrop(4, 4))), 'cropup': (img, F, chain(k.CenterCrop(8, 8))),
        'prelu': (seq, F, chain(k.PReLU())), 'acts': (seq, F, chain(k.Activation('mish'), k.Activation('hard_silu'), k.LeakyReLU(negative_slope=0.1), k.ELU(0.5), k.Activation('softsign'), k.ReLU(max_value=2., threshold=0.1))), 'log': (seq, F, chain(k.Activation('log_softmax'))),
        'einsum': (seq, F, chain(k.EinsumDense('abc,cd->abd', output_shape=(None, 3), bias_axes='d'))), 'turned': (seq, F, chain(k.Permute((2, 1)), k.Reshape((-1, 2)), k.Flatten())), 'repeat': ([3], F, chain(k.RepeatVector(3))),
        'dot': (seq, F, lambda x: k.Dot(2, normalize=True)([x, x])), 'merged': (seq, F, lambda x: k.Concatenate()([k.Maximum()([x, x]), k.Average()([x, x]), k.Multiply()([x, x]), k.Subtract()([x, x])])), 'drop': (seq, F, chain(k.Dropout(.5), k.GaussianNoise(1.), k.ActivityRegularization(.1))),
        'volume': ([3, 3, 3, 2], F, chain(k.Conv3D(3, 2, padding='same', activation='relu'), k.MaxPool3D(2))), 'volumeup': ([2, 2, 2, 2], F, chain(k.Conv3DTranspose(2, 2, strides=2), k.BatchNormalization(), k.AveragePooling3D(2))), 'volumes': ([2, 2, 2, 2], F, chain(k.UpSampling3D(2), k.ZeroPadding3D(1), k.Cropping3D(1), k.GlobalMaxPooling3D())),
    })


CUBE = np.arange(54, dtype=F32).reshape(1, 3, 3, 3, 2) / 10
VOL = REQUESTS['edges_volumes'] = [q(key, x=x, w=w) for key in ('conv', 'same', 'strided', 'dilated') for x, w in (
    (CUBE, cube(2, 2, 2, 2, 3)), (CUBE, cube(1, 2, 3, 2, 1)), (cube(2, 4, 4, 5, 2), cube(2, 2, 2, 2, 2)), (CUBE, cube(2, 2, 2, 3, 1)), (CUBE, cube(4, 1, 1, 2, 1)), (CUBE[0], cube(2, 2, 2, 2, 1)), (CUBE, cube(2, 2, 2, 2)), (z(0, 3, 3, 3, 2), cube(2, 2, 2, 2, 1)))]
VOL += [q(key, x=x) for key in ('max', 'maxsame', 'avg', 'avgsame') for x in (CUBE, cube(2, 4, 5, 4, 1), CUBE[0], z(0, 2, 2, 2, 1), cube(1, 2, 2, 1, 1), cube(1, 2, 2, 2, 2))]
VOL += [q(key, n=i(*n), w=w, x=x) for key in ('back', 'backsame') for n, w, x in (((1, 4, 4, 4, 2), cube(2, 2, 2, 2, 3), cube(1, 2, 2, 2, 3)), ((1, 2, 2, 2, 2), cube(2, 2, 2, 2, 3), cube(1, 2, 2, 2, 3)), ((2, 4, 4, 4, 2), cube(2, 2, 2, 2, 3), cube(1, 2, 2, 2, 3)),
    ((1, 4, 4, 4, 2), cube(2, 2, 2, 2, 3), cube(1, 2, 2, 2, 1)), ((1, 4, 4, 4), cube(2, 2, 2, 2, 3), cube(1, 2, 2, 2, 3)), ((1, 5, 5, 5, 2), cube(2, 2, 2, 2, 3), cube(1, 2, 2, 2, 3)))]
VOL += [q('norm', x=CUBE, s=f(1, 2)), q('norm', x=CUBE, s=f(1)), q('norm', x=z(0, 1, 1, 1, 2), s=f(1, 2)), q('norm', x=f(1), s=f(1))]
PIX = cube(1, 4, 4, 2)
VOL += [q(key, x=x, w=w) for key in ('flat', 'flatdilated', 'flatsame', 'explicit') for x, w in ((PIX, cube(2, 2, 2, 3)), (cube(2, 5, 3, 2), cube(3, 1, 2, 1)), (PIX, cube(2, 2, 3, 1)), (PIX, cube(5, 5, 2, 1)), (z(0, 4, 4, 2), cube(2, 2, 2, 1)))]
VOL += [q(key, x=x) for key in ('flatpool', 'lrn') for x in (PIX, cube(2, 3, 5, 4), z(0, 2, 2, 1), cube(1, 1, 1, 1), f(1, 2))]


PIC = REQUESTS['edges_pictures'] = []
IMG = cube(1, 3, 4, 3)
SIZES = ((IMG, [2, 2]), (IMG, [5, 7]), (IMG, [3, 4]), (IMG, [1, 1]), (cube(2, 2, 2, 1), [4, 3]), (z(0, 2, 2, 1), [3, 3]), (IMG, [0, 2]), (IMG, [2]), (IMG, [2, -1]), (IMG[0], [2, 2]), (z(1, 0, 2, 1), [2, 2]), (z(1, 2, 2, 0), [2, 2]), (IMG, [[2, 2]]), (cube(1, 1, 1, 2), [3, 2]))
for key in ('ResizeBicubic', 'ResizeBicubica', 'ResizeBicubich', 'ResizeBilinear', 'ResizeBilineara', 'ResizeBilinearh', 'ResizeNearestNeighbor', 'ResizeNearestNeighbora', 'ResizeNearestNeighborh'):
    PIC += [q(key, x=x, n=np.array(n, np.int32)) for x, n in SIZES[:14 if key[-1] in 'rca' else 6]]
PIC += [q('bytes', x=(np.arange(36) * 7 % 256).astype(np.uint8).reshape(1, 3, 4, 3), n=i(*n)) for n in ((2, 2), (5, 5), (0, 1))]
BOXES = a([[0, 0, 1, 1], [0.25, 0.5, 0.75, 1.0]])
for key in ('crop', 'cropnear'):
    PIC += [q(key, x=x, b=b, i=np.array(at, np.int32), n=np.array(n, np.int32)) for x, b, at, n in (
        (IMG, BOXES, [0, 0], [2, 3]), (IMG, BOXES, [0, 0], [1, 1]), (IMG, a([[-0.5, -0.5, 1.5, 1.5]]), [0], [4, 4]), (IMG, a([[1, 1, 0, 0]]), [0], [3, 3]), (IMG, BOXES, [0, 1], [2, 2]), (IMG, BOXES, [0], [2, 2]), (IMG, BOXES, [0, 0], [0, 2]), (IMG, BOXES, [0, 0], [2]),
        (IMG[0], BOXES, [0, 0], [2, 2]), (IMG, f(0, 0, 1, 1), [0], [2, 2]), (IMG, z(0, 4), [], [2, 2]), (IMG, a([[0, 0, 1]]), [0], [2, 2]), (IMG, BOXES, [0, -1], [2, 2]), (z(1, 0, 2, 3), BOXES, [0, 0], [2, 2]))]
PIC += [q(key, x=x) for key in ('hsv', 'rgb') for x in (a([[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.2, 0.5, 0.3], [0.9, 0.1, 0.4]]), IMG / 3, z(0, 3), f(0.1, 0.2, 0.3), f(1, 2), F32(1), z(2, 0))]
PIC += [q(key, x=x, f=np.array(by, F32)) for key in ('contrast',) for x, by in ((IMG / 3, 0.5), (IMG / 3, 2), (IMG / 3, 0), (z(0, 2, 2, 3), 0.5), (IMG / 3, -0.2), (f(1, 2), 1), (PIX, 1), (IMG / 3, [1]), (IMG[0] / 3, 0.3), (np.ones([2, 2, 2, 2, 3], F32), 0.5), (F32(1), 1))]
CORNERS = a([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]])
PIC += [q('suppress', b=b, s=s_, n=np.array(n, np.int32), o=np.array(o, F32), t=np.array(t, F32)) for b, s_, n, o, t in (
    (CORNERS, f(.9, .75, .6, .95, .5, .3), 3, .5, 0), (CORNERS, f(.9, .75, .6, .95, .5, .3), 30, .5, .4), (CORNERS, f(.9, .75, .6, .95, .5, .3), 0, .5, 0), (CORNERS, f(.5, .5, .5, .5, .5, .5), 6, .9, 0), (z(0, 4), f(), 3, .5, 0), (CORNERS, f(1), 3, .5, 0), (CORNERS, f(.9, .75, .6, .95, .5, .3), 3, 1.5, 0),
    (CORNERS, f(.9, .75, .6, .95, .5, .3), 3, -.1, 0), (f(1, 2, 3, 4), f(1), 3, .5, 0), (z(2, 3), f(1, 1), 3, .5, 0), (CORNERS, f(.9, .75, .6, .95, .5, .3), [3], .5, 0), (CORNERS, f(.9, .75, .6, .95, .5, .3), 3, [.5], 0), (CORNERS, f(.9, .75, .6, .95, .5, .3), -1, .5, 0), (CORNERS, a([[1], [2], [3], [4], [5], [6]]), 2, .5, 0))]
PIC += [q('python', x=x) for x in (IMG / 3, cube(2, 2, 5, 3) / 3, z(0, 3, 3, 3))]

PR = REQUESTS['edges_products'] = []
for d in (B16, H, D, I, L, C):
    n = d.as_numpy_dtype
    PR += [q('mat_' + d.name, a=np.array(x, n), b=np.array(y, n)) for x, y in ((M23, M32), (M32, M23), (M23, M23), (np.zeros([0, 3]), M32), (np.zeros([2, 0]), np.zeros([0, 2])), ([1, 2], [[1]]), ([[[1]]], [[1]]))]
for d in (B16, H, F, I, C):
    n = d.as_numpy_dtype
    PR += [q('batch_' + d.name, a=np.array(x, n), b=np.array(y, n)) for x, y in (([M23, M23], [M32]), ([M23], M32), (M23, [[M32, M32]]), ([M23, M23], [M32] * 3), (M23, M23), (np.zeros([2, 0, 3]), M32), (np.zeros([0, 2, 3]), M32), ([1, 2], M23))]
PR += [q(key, a=np.array(x, n), b=np.array(y, n)) for key, n in (('turned', B16.as_numpy_dtype), ('both', F32), ('adjoint', np.complex64), ('adjointy', F32)) for x, y in ((M32, M32), (M23, M23), (M23, M32), (M32, M23))]
OPERANDS = [(a(M23), a(M32)), (r234, r234), (r234, cube(4, 2)), (f(1, 2), f(3, 4)), (cube(2, 2, 3), f(1, 2)), (z(0, 3), a(M32)), (a(M23), a(M23)), (F32(1), f(1)), (a([[1]]), a([[5]]))]
PR += [q('ein%d' % n, a=x, b=y) for n in range(7) for x, y in OPERANDS]
PR += [q('einb', a=np.array(M23, B16.as_numpy_dtype), b=np.array(M32, B16.as_numpy_dtype)), q('eini', a=ai(M23), b=ai(M32)), *[q('trace', x=x) for x in (a([[1, 2], [3, 4]]), a(M23), f(1), z(0, 0))], *[q('turn', x=x) for x in (r23, r234, f(1), z(0, 3))]]
PR += [q(key, x=x, i=np.array(at, np.int64), n=np.array(n, np.int32)) for key in ('umean', 'usqrt', 'umax') for x, at, n in ((f(1, 2, 3, 4), [0, 1, 0, 3], 5), (r23, [1, 1], 2), (r23, [[0, 1, 2], [2, 1, 0]], 3), (f(1, 2), [0, 5], 2), (f(1, 2), [-1, 0], 2), (f(1, 2), [0], 2), (f(), [], 2), (f(1, 2), [0, 1], 0),
                                                                                                                                     (f(1, 2), [0, 1], -1), (f(1), [0], [1]), (F32(1), 0, 1))]
PR += [q('low', a=np.array(x, B16.as_numpy_dtype), b=np.array(y, B16.as_numpy_dtype)) for x, y in (([0.1, 1.5, -2.7], [3, 0.3, 2]), ([], []), ([1], [1, 2, 300]), ([[0.7, 100]], [[1.1], [2.2]]), ([1, 2], [1, 2, 3]))]
for key, d, w in (('dense', np.int64, F32), ('denseb', np.int32, np.int32), ('bins', np.int32, F32)):
    PR += [q(key, v=np.array(v, d), n=np.array(n, np.int32 if key == 'bins' else d), w=np.array(wt, w)) for v, n, wt in (
        ([0, 2, 2, 5], 4, []), ([0, 2, 2, 5], 6, [1, 2, 3, 4]), ([], 3, []), ([1, -1], 3, []), ([1], -1, []), ([1], 0, []), ([1], [3], []), ([1, 2], 3, [1]), ([[0, 1], [1, 1]], 3, []), ([[0, 1], [1, 1]], 2, [[1, 2], [3, 4]]), ([[0, 1], [1, 1]], 2, [1, 2, 3, 4]), ([[0, -1]], 2, []), (1, 3, []), ([[[1]]], 3, []), (np.zeros([2, 0]), 2, []))]
PR += [q('nth', x=x, n=np.array(n, np.int32)) for x, n in ((f(3, 1, 2), 0), (f(3, 1, 2), 2), (f(3, 1, 2), 3), (f(3, 1, 2), -1), (r23, 1), (F32(1), 0), (f(), 0), (z(0, 3), 1), (f(1), [0]))]

BLOCKS = {'seq': (cube(2, 4, 4), cube(1, 4, 4) - 1, z(0, 4, 4), cube(2, 3, 4), cube(2, 4, 3), cube(4, 4)), 'img': (cube(1, 6, 6, 3), cube(2, 6, 6, 3) - 1, z(0, 6, 6, 3), cube(1, 5, 6, 3), cube(1, 6, 6, 2))}
KB = REQUESTS['edges_blocks'] = [q(key, x=x) for key in (
    'norm', 'batch', 'unit', 'attention', 'scaled', 'additive', 'heads', 'causal', 'grouped', 'conv1', 'conv1up', 'sep1', 'pool1', 'global1', 'pad1', 'prelu', 'acts', 'log', 'einsum', 'turned', 'dot', 'merged', 'drop') for x in BLOCKS['seq'][:5 if 'conv' in key or key in ('sep1', 'pool1', 'attention') else 6]]
KB += [q(key, x=x) for key in ('normall', 'batch2', 'group', 'spectral', 'conv', 'groups', 'depth', 'depthd', 'separable', 'up', 'upsampled', 'bicubic', 'pool', 'global', 'resize', 'crop', 'cropup') for x in BLOCKS['img']]
KB += [q('repeat', x=x) for x in (a(M23), z(0, 3), f(1, 2, 3), a([[1, 2]]))] + [q(key, x=x) for key, size in (('volume', 3), ('volumeup', 2), ('volumes', 2)) for x in (cube(1, size, size, size, 2), z(0, size, size, size, 2), cube(2, size, size, size, 1))]
