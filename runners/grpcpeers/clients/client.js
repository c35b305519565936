'use strict';
// Calls of a client on @grpc/grpc-js. Prints what came of each, a line a call.
const grpc = require('@grpc/grpc-js');

const client = new grpc.Client(process.argv[2], grpc.credentials.createInsecure(), {'grpc.max_send_message_length': -1});
const gzip = new grpc.Client(process.argv[2], grpc.credentials.createInsecure(), {'grpc.default_compression_algorithm': 2});
const deflate = new grpc.Client(process.argv[2], grpc.credentials.createInsecure(), {'grpc.default_compression_algorithm': 1});
const raw = (bytes) => bytes;

function call(name, by, method, body, options) {
  return new Promise((done) => {
    const metadata = new grpc.Metadata();
    if (options.metadata) {
      metadata.set('x-large', 'v'.repeat(options.metadata));
    }
    const deadline = options.timeout ? {deadline: Date.now() + options.timeout} : {};
    by.makeUnaryRequest('/peers.Probe/' + method, raw, raw, Buffer.from(body), metadata, deadline, (err, answer) => {
      let said = err ? `${grpc.status[err.code]} ${options.codeOnly ? '' : err.details}` : `OK ${answer.length} bytes`;
      if (options.hears && !err) {
        said += ' ' + answer.toString();
      }
      console.log(`${name}: ${said}`);
      done();
    });
  });
}

(async () => {
  await call('plain', client, 'Echo', 'hello', {hears: true});
  await call('empty', client, 'Empty', 'hello', {});
  await call('gzip', gzip, 'Echo', 'hello '.repeat(1000), {});
  await call('deflate', deflate, 'Echo', 'hello '.repeat(1000), {});
  await call('gzip, refused', gzip, 'Refuse', 'hello', {});
  await call('refused', client, 'Refuse', 'hello', {});
  await call('refused without words', client, 'RefuseEmpty', 'hello', {});
  await call('raised', client, 'Raise', 'hello', {});
  await call('unknown', client, 'Nope', 'hello', {});
  await call('slow', client, 'Slow', 'hello', {timeout: 200, codeOnly: true});
  await call('metadata of 4000 bytes', client, 'Echo', 'hello', {metadata: 4000});
  await call('metadata of 20000 bytes', client, 'Echo', 'hello', {metadata: 20000});
  await call('too large', client, 'Echo', 'a'.repeat(4194305), {codeOnly: true});
  await call('as large as may be', client, 'Empty', 'a'.repeat(4194304), {});
  await call('after all', client, 'Echo', 'hello', {hears: true});
  client.close();
  gzip.close();
  deflate.close();
})();
