"""What record.py asks of the models: inputs of serving_default, or (inputs, signature[, outputs])."""
import struct
import zlib

import numpy as np
import tensorflow as tf


def f(*values):
    return np.array(values, np.float32)


def i(*values):
    return np.array(values, np.int32)


def l(*values):
    return np.array(values, np.int64)


def matrix(*rows):
    return np.array(rows, np.float32)


def s(*values):
    return np.array([v if isinstance(v, bytes) else v.encode() for v in values], object)


def number(value, dtype=np.int32):
    return np.array(value, dtype)


def text(value):
    return np.array(value, object)


def example(**features):
    kinds = {int: lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v)),
             float: lambda v: tf.train.Feature(float_list=tf.train.FloatList(value=v)),
             bytes: lambda v: tf.train.Feature(bytes_list=tf.train.BytesList(value=v))}
    made = {k: kinds[type(v[0])](v) if v else tf.train.Feature() for k, v in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString(deterministic=True)


def png(width, height, colour, channels=3):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + bytes((colour + x * 7 + y * 3 + c * 40) % 256 for x in range(width) for c in range(channels)) for y in range(height))
    header = struct.pack('>IIBBBBB', width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


nan, inf = float('nan'), float('inf')

REQUESTS = {
    'half_plus_two': [
        {'x': matrix([1], [2], [5])}, {'x': f(1, 2, 5)}, {'x': np.float32(3)}, {'x': np.zeros([0, 1], np.float32)}, {'x': i(1, 2)},
        ({'inputs': s(example(x=[1.0]), example(x=[5.0]))}, 'regress_x_to_y'), ({'inputs': s(example(x=[2.0]))}, 'classify_x_to_y'),
        ({'inputs': s(example(y=[1.0]))}, 'regress_x_to_y'), ({'inputs': s(example(x=[1.0, 2.0]))}, 'regress_x_to_y'),
        ({'inputs': s(example(x=[1]))}, 'regress_x_to_y'), ({'inputs': s(b'no example')}, 'classify_x_to_y')],
    'two_inputs': [
        {'a': f(1, 2, 3), 'b': f(10, 20, 30)}, {'a': f(1, 2, 3), 'b': f(10)}, {'a': f(1, 2, 3), 'b': f(10, 20)}, {'a': f(), 'b': f()},
        ({'a': f(1, 2), 'b': f(3, 4)}, 'serving_default', ['b_squared']),
        ({'a': matrix([1, 2], [3, 4]), 'b': f(10, 20)}, 'any_rank'), ({'a': np.float32(2), 'b': np.ones([2, 1, 3], np.float32)}, 'any_rank'),
        ({'a': np.ones([2, 3], np.float32), 'b': np.ones([3, 2], np.float32)}, 'any_rank'),
        ({'a': matrix([1, 2], [3, 4]), 'b': matrix([1, 0], [0, 2])}, 'matrices'), ({'a': np.ones([1, 3], np.float32), 'b': np.ones([2, 2], np.float32)}, 'matrices'),
        ({'a': f(1, 2), 'b': np.ones([2, 2], np.float32)}, 'matrices')],
    'embedding': [
        {'ids': l(0, 4, 2)}, {'ids': l()}, {'ids': l(5)}, {'ids': l(1, -1)}, {'ids': i(1)},
        ({'ids': np.array([[0, 1], [3, 3]], np.int32)}, 'matrix'), ({'ids': np.array([[0, 1], [3, 9]], np.int32)}, 'matrix'),
        ({'ids': l(2, 0)}, 'constant'), ({'ids': l(3)}, 'constant')],
    'keras_dense': [
        {'keras_tensor': matrix([1, 2, 3, 4])}, {'keras_tensor': matrix([1, 2, 3, 4], [0, 0, 0, 0], [-1, 5, 0.5, 2])}, {'keras_tensor': np.zeros([0, 4], np.float32)},
        {'keras_tensor': matrix([1, 2, 3])}, {'keras_tensor': f(1, 2, 3, 4)}, {'keras_tensor': np.ones([1, 4], np.float64)}],
    'keras_conv': [
        {'keras_tensor': np.arange(36, dtype=np.float32).reshape(1, 6, 6, 1) / 36}, {'keras_tensor': np.ones([2, 6, 6, 1], np.float32)},
        {'keras_tensor': np.ones([1, 5, 6, 1], np.float32)}, {'keras_tensor': np.ones([1, 6, 6, 2], np.float32)}],
    'keras_lstm': [{'keras_tensor': np.array([[1, 2, 3], [6, 0, 0]], np.int32)}, {'keras_tensor': np.array([[5]], np.int32)}, {'keras_tensor': np.array([[1, 7]], np.int32)}],
    'keras_attention': [{'keras_tensor': np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 10}, {'keras_tensor': np.ones([1, 3, 5], np.float32)}],
    'keras_features': [
        {'colour': np.array([[b'red'], [b'pink']], object), 'age': matrix([25], [50])}, {'colour': np.array([[b'blue']], object), 'age': matrix([10])},
        {'colour': np.array([[b'blue']], object), 'age': matrix([10], [20])}],
    'strings': [
        {'s': s('Hello World', '  two  blanks ', '42', '', 'Grüße 7', 'a1b22')}, {'s': s()},
        ({'s': s('abcdef', 'xyz'), 'at': number(1), 'n': number(2)}, 'part'), ({'s': s('abc'), 'at': number(-2), 'n': number(9)}, 'part'),
        ({'s': s('abc', 'a'), 'at': number(2), 'n': number(1)}, 'part'),
        ({'s': s('1.5', ' -2e3 ', 'inf', '7')}, 'numbers'), ({'s': s('1.5', 'abc')}, 'numbers'), ({'s': s('')}, 'numbers'),
        ({'s': s('12', '-7')}, 'whole'), ({'s': s('1.5')}, 'whole'), ({'s': s('99999999999999999999')}, 'whole'),
        ({'x': f(1.5, -0.1, 1e20, inf, nan), 'i': i(3, -12), 'b': np.array([True, False])}, 'printed'),
        ({'s': s('ab', 'cd')}, 'bytes'), ({'s': s('ab', 'c')}, 'bytes'), ({'s': s('abc')}, 'bytes'),
        ({'s': s('YWJj', 'YQ')}, 'base64'), ({'s': s('!!')}, 'base64')],
    'tables': [
        {'s': s('a', 'c', 'the', 'fox', 'unknown', '')}, {'s': s()}, ({'ids': np.array([[0, 3], [10, 20]], np.int64)}, 'ids'), {'s': i(1)}],
    'tables_mutable': [
        {'ids': l(1, 2, 3)}, ({'ids': l(3, 1), 'values': f(3, 10)}, 'insert'), {'ids': l(1, 2, 3)},
        ({'ids': l(4, 4, 2), 'values': f(4, 40, 20)}, 'insert'), ({'ids': l(), 'values': f()}, 'insert'),
        {'ids': l(4, 2, 1, 5)}, ({'ids': l(1), 'values': f(1, 2)}, 'insert'),
        ({'ids': np.array([[7, 8], [7, 9]], np.int64), 'values': matrix([7, 8], [70, 9])}, 'rows'), {'ids': l(7, 8, 9)},
        ({'ids': np.array([[7, 8]], np.int64), 'values': f(1, 2)}, 'rows')],
    'tables_v1': [{'ids': l(7, 8, 9)}, ({'x': matrix([1, 2], [3, 4])}, 'linear'), ({'x': matrix([1, 2, 3])}, 'linear')],
    'examples': [
        {'examples': s(example(id=[1], name=[b'one'], tags=[b'x', b'y'], scores=[0.5, 0.25], grid=[1, 2, 3, 4]), example(id=[2], tags=[b'z']))},
        {'examples': s(example(id=[1]))}, {'examples': s()}, {'examples': s(example(name=[b'one']))}, {'examples': s(example(id=[1.5]))},
        {'examples': s(example(id=[1, 2]))}, {'examples': s(example(id=[1], grid=[1, 2, 3]))}, {'examples': s(example(id=[1], tags=[3]))},
        {'examples': s(example(id=[1], scores=[b'a']))}, {'examples': s(example(id=[1]), b'no example')},
        ({'inputs': s(example(x=[1.0, 2.0]), example(x=[3.0, 4.0], bias=[0.0]))}, 'regress'), ({'inputs': s(example(bias=[2.0]))}, 'regress'),
        ({'inputs': s(example(x=[1.0, 2.0]), example(x=[0.0, 0.0]))}, 'classify'), ({'inputs': s(example(x=[1.0]))}, 'classify'),
        ({'example': text(example(x=[1.0, 2.0], tags=[b'p', b'q']))}, 'single'), ({'example': text(example(tags=[b'p']))}, 'single')],
    'ragged': [
        {'values': f(1, 2, 3, 4, 5), 'lengths': l(2, 0, 3)}, {'values': f(1), 'lengths': l(1)},
        ({'values': f(1, 2, 3), 'lengths': l(1, 2)}, 'checked'), ({'values': f(1, 2, 3), 'lengths': l(1, 1)}, 'checked'), ({'values': f(1, 2, 3), 'lengths': l(4, -1)}, 'checked'),
        ({'s': s('a,bb,ccc', 'd', '')}, 'text'),
        ({'values': f(1, 2, 3, 4, 5), 'lengths': l(2, 0, 3), 'ids': l(2, 0)}, 'gathered'), ({'values': f(1, 2), 'lengths': l(2), 'ids': l(1)}, 'gathered')],
    'sparse': [
        {'indices': np.array([[0, 1], [1, 2]], np.int64), 'values': f(5, 6), 'shape': l(2, 3)}, {'indices': np.array([[0, 1], [2, 2]], np.int64), 'values': f(5, 6), 'shape': l(2, 3)},
        {'indices': np.array([[1, 1], [0, 2]], np.int64), 'values': f(5, 6), 'shape': l(2, 3)}, {'indices': np.zeros([0, 2], np.int64), 'values': f(), 'shape': l(2, 3)},
        ({'indices': np.array([[1, 1], [0, 2]], np.int64), 'values': f(5, 6), 'shape': l(2, 3), 'dense': np.arange(6, dtype=np.float32).reshape(3, 2)}, 'product'),
        ({'indices': np.array([[1, 1]], np.int64), 'values': f(5), 'shape': l(2, 3), 'dense': np.ones([2, 2], np.float32)}, 'product'),
        ({'indices': np.array([[0, 0], [0, 1], [2, 0]], np.int64), 'ids': l(1, 3, 0), 'shape': l(3, 2)}, 'embedded'),
        ({'indices': np.array([[0, 0], [1, 0]], np.int64), 'ids': l(1, 4), 'shape': l(2, 1)}, 'embedded')],
    'images': [
        {'data': text(png(3, 2, 10))}, {'data': text(png(2, 2, 0, 1))}, {'data': text(b'no picture')}, {'data': text(png(3, 2, 10)[:40])},
        ({'data': text(png(2, 1, 100))}, 'any'), ({'data': text(b'')}, 'any'), ({'data': text(b'GARBAGE')}, 'any'),
        ({'data': s(png(2, 2, 5, 1), png(2, 2, 9, 1))}, 'batch'), ({'data': s(png(2, 2, 5, 1), b'x')}, 'batch')],
    'checks': [
        {'x': f(1, 2)}, {'x': f(1, -2, 0)}, ({'x': i(1, 2), 'limit': number(5)}, 'below'), ({'x': i(1, 9, 2, 3, 4), 'limit': number(5)}, 'below'),
        ({'x': matrix([1, 2])}, 'shaped'), ({'x': f(1, 2, 3)}, 'shaped'), ({'x': matrix([1, 2, 3])}, 'shaped'), ({'x': f(1, 4)}, 'finite'), ({'x': f(1, 0)}, 'finite')],
    'reductions': [
        {'x': matrix([1, 2, 3], [4, 5, 6])}, {'x': matrix([2, 2], [-1, 7.5], [3, 3])}, {'x': matrix([1], [2])}, {'x': np.ones([2, 0], np.float32)},
        ({'x': matrix([1, 2], [3, 4]), 'axis': number(0)}, 'axis'), ({'x': matrix([1, 2], [3, 4]), 'axis': number(-1)}, 'axis'),
        ({'x': matrix([1, 2], [3, 4]), 'axis': number(2)}, 'axis'), ({'x': f(1, 2), 'axis': number(1)}, 'axis'), ({'x': np.float32(3), 'axis': number(0)}, 'axis'),
        ({'x': f(1, 2, 3, 4), 'ids': i(0, 0, 2, 2)}, 'segments'), ({'x': f(1, 2, 3), 'ids': i(1, 0, 2)}, 'segments'), ({'x': f(1, 2), 'ids': i(0, 4)}, 'segments'),
        ({'x': i(3, 1, 3, 0, 1, 3)}, 'counts'), ({'x': i()}, 'counts')],
    'control': [
        {'x': np.float32(0.5)}, {'x': np.float32(-3)}, {'x': np.float32(1)}, {'x': np.float32(7)},
        ({'n': number(10)}, 'loop'), ({'n': number(0)}, 'loop'), ({'n': number(90)}, 'loop'), ({'x': matrix([1, 2], [3, 4], [5, 6])}, 'mapped'),
        ({'x': f(1, 2), 'n': number(3)}, 'failing'), ({'x': f(1, 2, 3), 'n': number(3)}, 'failing'), ({'x': f(1, 2, 3), 'n': number(0)}, 'failing')],
    'shapes': [
        {'x': matrix([1, 2, 3], [4, 5, 6])}, {'x': matrix([1, 2], [3, 0])}, {'x': np.zeros([0, 2], np.float32)}, {'x': f(1, 2)},
        ({'x': f(1, 2, 3, 4, 5, 6), 'shape': i(2, 3)}, 'reshape'), ({'x': f(1, 2, 3, 4, 5, 6), 'shape': i(3, -1)}, 'reshape'),
        ({'x': f(1, 2, 3, 4, 5, 6), 'shape': i(2, 2)}, 'reshape'), ({'x': f(1, 2, 3, 4, 5, 6), 'shape': i(4, -1)}, 'reshape'),
        ({'x': f(1, 2), 'shape': i(-1, -1)}, 'reshape'), ({'x': f(1, 2), 'shape': i(-2, 1)}, 'reshape'), ({'x': f(), 'shape': i(0, -1)}, 'reshape'),
        ({'a': matrix([1, 2]), 'b': matrix([3, 4], [5, 6])}, 'join'), ({'a': matrix([1, 2]), 'b': matrix([3, 4, 5])}, 'join'), ({'a': matrix([1, 2]), 'b': f(3, 4)}, 'join'),
        ({'a': np.float32(1), 'b': np.float32(2)}, 'join'),
        ({'x': f(1, 2, 3), 'at': number(-1)}, 'index'), ({'x': f(1, 2, 3), 'at': number(3)}, 'index'), ({'x': np.float32(1), 'at': number(0)}, 'index'),
        ({'x': matrix([1, 2], [3, 4]), 'at': np.array([[1, 0], [0, 1]], np.int32)}, 'nd'), ({'x': matrix([1, 2], [3, 4]), 'at': np.array([[1]], np.int32)}, 'nd'),
        ({'x': matrix([1, 2], [3, 4]), 'at': np.array([[0, 0], [1, 2]], np.int32)}, 'nd'), ({'x': matrix([1, 2], [3, 4]), 'at': np.array([[1, 2, 3]], np.int32)}, 'nd'),
        ({'start': number(0), 'limit': number(7), 'delta': number(3)}, 'sequence'), ({'start': number(5), 'limit': number(2), 'delta': number(1)}, 'sequence'),
        ({'start': number(0), 'limit': number(3), 'delta': number(0)}, 'sequence'), ({'start': number(0), 'limit': number(-3), 'delta': number(-1)}, 'sequence'),
        ({'x': matrix([1, 2, 3], [4, 5, 6]), 'begin': i(0, 1), 'size': i(2, -1)}, 'cut'), ({'x': matrix([1, 2, 3], [4, 5, 6]), 'begin': i(0, 1), 'size': i(3, 1)}, 'cut'),
        ({'x': matrix([1, 2, 3], [4, 5, 6]), 'begin': i(3, 0), 'size': i(0, 1)}, 'cut'),
        ({'x': matrix([1, 2, 3, 4], [5, 6, 7, 8])}, 'parts'), ({'x': matrix([1, 2, 3])}, 'parts')],
    'arithmetic': [
        {'x': f(-2.5, -0.5, 0, 0.5, 1.5, 2.5, 7)}, {'x': f(inf, -inf, nan)}, {'x': f(80, -80, 1e-30)}, {'x': np.float32(1)},
        ({'a': i(7, -7, 7, -7), 'b': i(2, 2, -2, -2)}, 'ints'), ({'a': i(2147483647, 46341), 'b': i(2, 46341)}, 'ints'), ({'a': i(1, 2), 'b': i(1, 0)}, 'ints'),
        ({'a': i(1, 2, 3), 'b': i(1, 2)}, 'ints'),
        ({'a': f(7.5, -7.5, 0, 1), 'b': f(2, 2, 3, 0)}, 'floats'), ({'a': f(1, 2), 'b': f(1, 2, 3)}, 'floats'),
        ({'u': np.array([200, 100], np.uint8), 'd': np.array([1.0, 2.0]), 'c': np.array([1 + 2j, -1j], np.complex64), 'h': np.array([1.5, 3], np.float16),
          'i': np.array([100, -3], np.int8), 'b': np.array([1.0, 0.3], np.float32).astype(tf.bfloat16.as_numpy_dtype)}, 'kinds')],
    'counter': [({}, 'get'), {'delta': np.float32(2)}, {'delta': np.float32(0.5)}, ({}, 'get'), ({}, 'reset'), ({}, 'get'), {'delta': number(1)}],
    'control_v1': [
        {'x': f(1, 2)}, ({'x': f(1, 2), 'training': np.array(True)}, 'training'), ({'x': f(1, 2), 'training': np.array(False)}, 'training'),
        {'x': f(1, 200)}, {'x': f()}],
    'keras_text': [{'text': np.array([[b'The cat sat!'], [b'on the mat the cat sat']], object)}, {'text': s(b'the')}],
    'pixels': [
        {'x': np.arange(16, dtype=np.float32).reshape(1, 2, 4, 2)}, {'x': np.arange(6, dtype=np.float32).reshape(1, 2, 3, 1)}, {'x': matrix([1, 2])},
        ({'x': f(3, 0.5, 2, 1)}, 'places'), ({'x': f()}, 'places')],
    'decoding': [{'tokens': np.array([[1, 2], [0, 5]], np.int32)}, {'tokens': np.array([[9]], np.int32)}, {'tokens': np.zeros([1, 0], np.int32)}],
}
