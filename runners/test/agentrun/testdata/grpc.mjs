// Unary calls of gRPC over HTTP/2 without TLS, and as much of protobuf as the messages of an agent need.
import http2 from 'node:http2';

export const UNAVAILABLE = 14, UNKNOWN = 2, UNIMPLEMENTED = 12;

export class RPCError extends Error {
  constructor(code, message) { super(message); this.code = code; }
}

// serve answers calls by methods, from the path to a function of the request's bytes. It resolves once it listens.
export function serve(host, port, methods) {
  const server = http2.createServer();
  server.on('stream', (stream, headers) => {
    const parts = [];
    stream.on('error', () => {});
    stream.on('data', (part) => parts.push(part));
    stream.on('end', () => {
      let code = 0, message = '', answer;
      try {
        const method = methods[headers[':path']];
        if (!method) throw new RPCError(UNIMPLEMENTED, 'Method not found!');
        answer = method(Buffer.concat(parts).subarray(5));
      } catch (e) {
        code = e.code ?? UNKNOWN;
        message = e instanceof RPCError ? e.message : 'Exception calling application: ' + e.message;
      }
      const trailers = { 'grpc-status': code, 'grpc-message': encodeURIComponent(message).replace(/%20/g, ' ') };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      if (answer) stream.end(framed(answer)); else stream.end();
    });
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

const framed = (message) => { const head = Buffer.alloc(5); head.writeUInt32BE(message.length, 1); return Buffer.concat([head, message]); };

// call makes one call over a connection of its own.
export function call(target, path, message) {
  return new Promise((resolve, reject) => {
    const session = http2.connect('http://' + target);
    const fail = (e) => { session.destroy(); reject(e instanceof RPCError ? e : new RPCError(UNAVAILABLE, e.message)); };
    session.on('error', fail);
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' });
    const parts = [];
    let status;
    for (const at of ['response', 'trailers']) stream.on(at, (headers) => { if (headers['grpc-status'] !== undefined) status = headers; });
    stream.on('data', (part) => parts.push(part));
    stream.on('error', fail);
    stream.on('close', () => {
      if (!status) { fail(new RPCError(UNAVAILABLE, 'no answer')); return; }
      if (Number(status['grpc-status']) !== 0) { fail(new RPCError(Number(status['grpc-status']), status['grpc-message'] ?? '')); return; }
      session.close();
      resolve(Buffer.concat(parts).subarray(5));
    });
    stream.end(framed(message));
  });
}

function varint(n) {
  const out = [];
  for (n = BigInt.asUintN(64, BigInt(n)); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128);
  out.push(Number(n));
  return Buffer.from(out);
}

// The writers of one field each; numbers that are 0 and texts that are empty are left out, as proto3 does.
export const number = (field, n) => (BigInt(n) === 0n ? Buffer.alloc(0) : Buffer.concat([varint(field << 3), varint(n)]));
export const float = (field, x) => { const b = Buffer.alloc(4); b.writeFloatLE(x); return Buffer.concat([varint(field << 3 | 5), b]); };
export const part = (field, data) => { const b = Buffer.from(data); return Buffer.concat([varint(field << 3 | 2), varint(b.length), b]); };

// fields reads a message: a list of [field, value], where a value is a BigInt or the bytes of a part.
export function fields(message) {
  const list = [];
  for (let at = 0; at < message.length;) {
    const read = () => {
      let n = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const b = message[at++];
        n |= BigInt(b & 127) << shift;
        if (b < 128) return n;
      }
    };
    const key = Number(read()), kind = key & 7;
    const length = kind === 0 ? 0 : kind === 2 ? Number(read()) : kind === 5 ? 4 : 8;
    list.push([key >> 3, kind === 0 ? read() : message.subarray(at, at + length)]);
    at += length;
  }
  return list;
}
