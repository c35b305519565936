#!/bin/sh
# Guess:     a gRPC server that gets two values of a binary header in one field, with a comma between, has two values,
#            as where they came in two fields: gRPC over HTTP/2 lets fields be joined, and wants binary ones split first.
# Version:   grpclib 0.4.9 of PyPI; @grpc/grpc-js 1.14.7 of npm beside it
# Behaviour: it decodes the field as a whole and passes over the comma, in silence: the method gets one value of bytes
#            that nobody sent, or the first value alone where values are padded.
# Seen:      grpclib  AAE | AgM    0001 0203
#            grpclib  AAE,AgM      00010080
#            grpclib  AAE=,AgM=    0001
#            grpc-js  AAE,AgM      0001 0203
# Shaped:    what is asked of our servers with binary headers (runners/grpcpeers), which refuse such a field, as C-core
#            does.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check grpclib==0.4.9 h2==4.3.0
npm install --silent --no-fund --no-audit @grpc/grpc-js@1.14.7 >&2
cat > server.js <<'END'
const grpc = require('@grpc/grpc-js')

const raw = (bytes) => bytes
const hear = { path: '/a.B/Hear', requestStream: false, responseStream: false, requestSerialize: raw, requestDeserialize: raw, responseSerialize: raw, responseDeserialize: raw }
const server = new grpc.Server()
server.addService({ hear }, { hear: (call, done) => done(null, Buffer.from(call.metadata.get('x-bin').map((v) => v.toString('hex')).join(' '))) })
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => console.log(port))
process.stdin.on('end', () => process.exit()).resume()
END
cat > f.py <<'END'
import asyncio
import subprocess

import grpclib.const
import grpclib.encoding.base
import grpclib.server
import h2.config
import h2.connection
import h2.events


class Plain(grpclib.encoding.base.CodecBase):
    __content_subtype__ = "proto"

    def encode(self, message, message_type):
        return message

    def decode(self, data, message_type):
        return data


class Hears:
    async def hear(self, stream):
        await stream.recv_message()
        await stream.send_message(" ".join(v.hex() for v in stream.metadata.getall("x-bin")).encode())

    def __mapping__(self):
        return {"/a.B/Hear": grpclib.const.Handler(self.hear, grpclib.const.Cardinality.UNARY_UNARY, bytes, bytes)}


async def ask(port, values):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    conn = h2.connection.H2Connection(config=h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
    conn.initiate_connection()
    conn.send_headers(1, [(":method", "POST"), (":scheme", "http"), (":path", "/a.B/Hear"), (":authority", "x"), ("te", "trailers"),
                          ("content-type", "application/grpc")] + [("x-bin", v) for v in values])
    conn.send_data(1, b"\0\0\0\0\0", end_stream=True)
    body, ended = b"", False
    while not ended:
        writer.write(conn.data_to_send())
        for event in conn.receive_data(await reader.read(65536)):
            body += event.data if isinstance(event, h2.events.DataReceived) else b""
            ended = ended or isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset))
    writer.close()
    return body[5:].decode()


async def main():
    server = grpclib.server.Server([Hears()], codec=Plain())
    await server.start("127.0.0.1", 0)
    node = subprocess.Popen(["node", "server.js"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ports = {"grpclib": server._server.sockets[0].getsockname()[1], "grpc-js": int(node.stdout.readline())}
    for name, port in ports.items():
        for values in (["AAE", "AgM"], ["AAE,AgM"], ["AAE=,AgM="]):
            print(f"{name}  {' | '.join(values):11}  {await ask(port, values)}")
    node.stdin.close()
    node.wait()
    server.close()


asyncio.run(main())
END
cat > want <<'END'
grpclib  AAE | AgM    0001 0203
grpclib  AAE,AgM      00010080
grpclib  AAE=,AgM=    0001
grpc-js  AAE | AgM    0001 0203
grpc-js  AAE,AgM      0001 0203
grpc-js  AAE=,AgM=    0001 0203
END
venv/bin/python f.py > got
cat got
diff want got
