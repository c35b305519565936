"""A bare server on gRPC's C core, with the methods of own.go.

Its argument are channel arguments, as model servers take them: key=value,key=value. It prints its port, and
ends when its input ends.
"""

import concurrent.futures
import re
import sys
import threading

import grpc


def echo(request, context):
    return request


def nothing(request, context):
    return b''


def slow(request, context):
    over = threading.Event()
    context.add_callback(over.set)
    over.wait(20)
    return request


def refuse(request, context):
    context.abort(grpc.StatusCode.FAILED_PRECONDITION, 'no 100 % größe\n')


def refuse_empty(request, context):
    context.abort(grpc.StatusCode.NOT_FOUND, '')


def raises(request, context):
    raise ValueError('boom')


def many(request, context):
    return b'm' * int(request)


def tells(request, context):
    context.send_initial_metadata((('first', 'a'), ('first-bin', b'\x00\xff')))
    context.set_trailing_metadata((('last', 'b'), ('last-bin', b'\x01')))
    return request


def hears(request, context):
    heard = [(k, v) for k, v in context.invocation_metadata() if k.startswith('x-')]
    return ';'.join(sorted('%s=%r' % (k, v) for k, v in heard)).encode()


def chat(requests, context):
    yield from requests


def unhurried(method):
    """Lets a deadline that the core has rounded up to a millisecond pass first, or else it is chance which is faster."""
    def answer(request, context):
        over = threading.Event()
        if context.time_remaining() < 0.005 and context.add_callback(over.set):
            over.wait(20)
        return method(request, context)
    return answer


UNARY = {'Echo': echo, 'Empty': nothing, 'Slow': slow, 'Refuse': refuse, 'RefuseEmpty': refuse_empty, 'Raise': raises,
         'Many': many, 'Tell': tells, 'Hear': hears}


def channel_arguments(text):
    """Reads them as server.cc: what is a number becomes one."""
    arguments = [a.partition('=') for a in text.split(',') if a]
    return [(key, int(value) if re.fullmatch('-?[0-9]+', value) else value) for key, _, value in arguments]


def main():
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(16),
                         options=[('grpc.so_reuseport', 0)] + channel_arguments(sys.argv[1]))

    def drain(request, context):
        server.stop(float(request))
        return b''

    UNARY['Drain'] = drain
    methods = {name: grpc.unary_unary_rpc_method_handler(unhurried(method)) for name, method in UNARY.items()}
    methods['Chat'] = grpc.stream_stream_rpc_method_handler(chat)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler('peers.Probe', methods),))
    port = server.add_insecure_port('127.0.0.1:0')
    server.start()
    print(port, grpc.__version__, flush=True)
    sys.stdin.read()
    server.stop(None)


main()
