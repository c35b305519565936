"""Records how grpc-python's client words what goes wrong, over sockets of the loopback.

    python3 runners/diff/python/grpc_statuses.py          prints {"grpcio": version, "statuses": {case: status}}

A status is {"code", "details"}, {"ok": size of the answer}, or {"raises": class,
"text"} where the client raises no RpcError. Ports are written <PORT>. Needs grpcio
and nothing else; it takes about 20 s, which is how long gRPC waits for a server
that accepts and stays silent.

engine/runtimetest/networktest holds env.Network to what was recorded. To add a
case write a function and name it in CASES.
"""
import concurrent.futures
import contextlib
import json
import re
import socket
import struct
import sys
import threading

import grpc

METHOD = "/svc/Do"
LIMIT = 4 * 1024 * 1024
PATIENCE_SECONDS = 60


def outcome(make_call):
    """What a call comes to."""
    try:
        return {"ok": len(make_call())}
    except grpc.RpcError as e:
        return {"code": e.code().name, "details": hide(e.details())}
    except Exception as e:  # pylint: disable=broad-except
        return {"raises": type(e).__name__, "text": str(e)}


def hide(text):
    return re.sub(r"(127\.0\.0\.1|\[::1\]|localhost|invalid):\d+", r"\1:<PORT>", text)


def call(channel, request=b"x", method=METHOD, timeout=PATIENCE_SECONDS, parse=None):
    return outcome(lambda: channel.unary_unary(method, response_deserializer=parse)(request, timeout=timeout))


@contextlib.contextmanager
def serving(handler, parse=None):
    """A server on a free port; gives it and its address."""
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
    methods = {"Do": grpc.unary_unary_rpc_method_handler(handler, parse)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("svc", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield server, f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


@contextlib.contextmanager
def listening():
    """A TCP socket that accepts; gives it and its address."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen(8)
        yield s, f"127.0.0.1:{s.getsockname()[1]}"


def closed_address():
    with listening() as (_, address):
        return address


def ask(handler, parse_request=None, **arguments):
    """One call to a server with that handler."""
    with serving(handler, parse_request) as (_, address), grpc.insecure_channel(address) as channel:
        return call(channel, **arguments)


def raising(error):

    def handler(request, context):
        raise error

    return handler


def echo(request, context):
    del context
    return request


def refused():
    with grpc.insecure_channel(closed_address()) as channel:
        return call(channel)


def refused_again():
    with grpc.insecure_channel(closed_address()) as channel:
        call(channel)
        return call(channel)


def unknown_name():
    with grpc.insecure_channel("no-such-host.invalid:1") as channel:
        return call(channel)


def silent():
    with listening() as (_, address), grpc.insecure_channel(address) as channel:
        return call(channel)


def silent_deadline():
    with listening() as (_, address), grpc.insecure_channel(address) as channel:
        return call(channel, timeout=0.5)


def during(interrupt, timeout=PATIENCE_SECONDS, again=False):
    """A call whose handler waits while interrupt(server, channel, cut) happens; again: the call after it.

    cut(reset) ends the connection, which goes through a relay.
    """
    entered, leave = threading.Event(), threading.Event()

    def handler(request, context):
        del request, context
        entered.set()
        leave.wait(PATIENCE_SECONDS)
        return b"late"

    with serving(handler) as (server, address), relayed(address) as (through, cut):
        channel = grpc.insecure_channel(through)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pending = pool.submit(call, channel, timeout=timeout)
            entered.wait(PATIENCE_SECONDS)
            interrupt(server, channel, cut)
            first = pending.result()
        result = call(channel, timeout=timeout) if again else first
        leave.set()
        channel.close()
        return result


@contextlib.contextmanager
def relayed(address):
    """A relay to the address; gives its own address and a function that cuts its connections."""
    host, port = address.split(":")
    ends, resetting = [], threading.Event()

    def pump(source, target):
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(65536)
                if not data:
                    break
                target.sendall(data)
            if not resetting.is_set():
                target.shutdown(socket.SHUT_WR)

    def accept(listener):
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection((host, int(port)))
                ends.extend((client, server))
                threading.Thread(target=pump, args=(client, server), daemon=True).start()
                threading.Thread(target=pump, args=(server, client), daemon=True).start()

    def cut(reset):
        client = ends[0]
        if reset:
            resetting.set()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.shutdown(socket.SHUT_RD)  # wakes the pump, which holds the socket
            client.close()
        else:
            client.shutdown(socket.SHUT_RDWR)

    with listening() as (listener, through):
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        yield through, cut
        listener.shutdown(socket.SHUT_RDWR)


def abort(request, context):
    context.abort(grpc.StatusCode.NOT_FOUND, "no such model")


def fail_to_parse(data):
    raise ValueError("not a message")


def reach(size):
    return lambda: ask(echo, request=bytes(size))


def answer_of(size):
    return lambda: ask(lambda request, context: bytes(size))


CASES = {
    "answered": lambda: ask(echo),
    "refused": refused,
    "refused, in the back-off": refused_again,
    "unknown name": unknown_name,
    "silent server": silent,
    "silent server, deadline": silent_deadline,
    "deadline": lambda: during(lambda *_: None, timeout=0.5),
    "server stops": lambda: during(lambda server, channel, cut: server.stop(None)),
    "connection closes": lambda: during(lambda server, channel, cut: cut(False)),
    "connection is reset": lambda: during(lambda server, channel, cut: cut(True)),
    "channel closes": lambda: during(lambda server, channel, cut: channel.close()),
    "channel is closed": lambda: during(lambda server, channel, cut: channel.close(), again=True),
    "unknown method": lambda: ask(echo, method="/svc/Other"),
    "unknown service": lambda: ask(echo, method="/other/Do"),
    "handler raises": lambda: ask(raising(ValueError("boom"))),
    "handler raises without a text": lambda: ask(raising(ValueError())),
    "handler raises beyond ASCII": lambda: ask(raising(ValueError("模型 100%\n"))),
    "handler gives a status": lambda: ask(abort),
    "request does not parse": lambda: ask(echo, parse_request=fail_to_parse),
    "answer does not parse": lambda: ask(echo, parse=fail_to_parse),
    "largest request": reach(LIMIT),
    "request too large": reach(LIMIT + 1),
    "largest answer": answer_of(LIMIT),
    "answer too large": answer_of(LIMIT + 1),
}


def main():
    # What the handlers raise is logged with its stack, which is of no interest here.
    import logging  # pylint: disable=import-outside-toplevel
    logging.disable(logging.CRITICAL)
    statuses = {name: case() for name, case in CASES.items()}
    json.dump({"grpcio": grpc.__version__, "statuses": statuses}, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
