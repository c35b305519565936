#!/bin/sh
# Guess:     the text format that protobufjs writes of a message can be read back, by protobufjs at least.
# Version:   protobufjs 8.8.1, ext/textformat
# Behaviour: a decoded map with keys of 64 bits is written with the eight bytes of the key as they are, without quotes,
#            which its own reader refuses. The same extension does well with keys of 32 bits, and with a message that
#            was read from text; ext/protojson of the same package does well with all.
# Seen:      int32 key, decoded: key: 7, read back: yes
#            int64 key, from text: key: 7, read back: yes
#            int64 key, decoded: key: \u0007\u0000\u0000\u0000\u0000\u0000\u0000\u0000, read back: integer value expected
#            the same as JSON: {"wide":{"7":"a"}}
# Shaped:    the maps in our text protos have keys of strings or 32 bits (engine/proto).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit protobufjs@8.8.1 >&2
cat > f.js <<'END'
const protobuf = require('protobufjs')
const protojson = require('protobufjs/ext/protojson')
const textformat = require('protobufjs/ext/textformat')

const Shard = protobuf
  .parse('syntax = "proto3"; message Shard { map<int32, string> narrow = 1; map<int64, string> wide = 2; }')
  .root.lookupType('Shard')
const read = (text) => textformat.fromText(Shard, text)
const decoded = (text) => Shard.decode(Shard.encode(read(text)).finish())

function readBack(text) {
  try {
    read(text)
    return 'yes'
  } catch (err) {
    return err.message
  }
}

function tell(what, message) {
  const text = textformat.toText(Shard, message)
  const key = text.split('\n').find((line) => line.includes('key'))
  console.log(`${what}: ${JSON.stringify(key.trim()).slice(1, -1)}, read back: ${readBack(text)}`)
}

tell('int32 key, decoded', decoded('narrow { key: 7 value: "a" }'))
tell('int64 key, from text', read('wide { key: 7 value: "a" }'))
tell('int64 key, decoded', decoded('wide { key: 7 value: "a" }'))
console.log('the same as JSON:', protojson.toJsonString(Shard, decoded('wide { key: 7 value: "a" }')))
END
cat > want <<'END'
int32 key, decoded: key: 7, read back: yes
int64 key, from text: key: 7, read back: yes
int64 key, decoded: key: \u0007\u0000\u0000\u0000\u0000\u0000\u0000\u0000, read back: integer value expected
the same as JSON: {"wide":{"7":"a"}}
END
node f.js > got
cat got
diff want got
