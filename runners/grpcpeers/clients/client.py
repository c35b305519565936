"""Calls of a client on grpc-python. Prints what came of each, a line a call."""

import sys

import grpc

channels = {name: grpc.insecure_channel(sys.argv[1], compression=compression, options=[('grpc.max_receive_message_length', -1)])
            for name, compression in (('', None), ('gzip', grpc.Compression.Gzip), ('deflate', grpc.Compression.Deflate))}


def call(name, method, body, by='', metadata=0, timeout=None, code_only=False):
    try:
        answer, ended = channels[by].unary_unary('/peers.Probe/' + method).with_call(
            body, timeout=timeout, metadata=(('x-large', 'v' * metadata),) if metadata else ())
        told = ' %s %s' % (sorted(ended.initial_metadata()), sorted(ended.trailing_metadata()))
        print('%s: OK %d bytes%s' % (name, len(answer), told))
    except grpc.RpcError as e:
        print('%s: %s %r' % (name, e.code(), '' if code_only else e.details()))


call('plain', 'Echo', b'hello')
call('empty', 'Empty', b'hello')
call('gzip', 'Echo', b'hello ' * 1000, by='gzip')
call('deflate', 'Echo', b'hello ' * 1000, by='deflate')
call('gzip, refused', 'Refuse', b'hello', by='gzip')
call('refused', 'Refuse', b'hello')
call('refused without words', 'RefuseEmpty', b'hello')
call('raised', 'Raise', b'hello')
call('unknown', 'Nope', b'hello')
call('own metadata', 'Tell', b'hello')
call('slow', 'Slow', b'hello', timeout=0.2, code_only=True)
call('metadata of 4000 bytes', 'Echo', b'hello', metadata=4000)
call('metadata of 20000 bytes', 'Echo', b'hello', metadata=20000)
call('too large', 'Echo', b'a' * 4194305)
call('too large, compressed', 'Echo', b'a' * 4194305, by='gzip')
call('as large as may be', 'Empty', b'a' * 4194304)
call('after all', 'Echo', b'hello')
