#!/bin/sh
# Guess:     tfrecord-dataset reads all records of a compressed file, as its compression_type="gzip" says.
# Version:   tfrecord-dataset 0.2.0 (PyPI)
# Behaviour: it stops where its place in what it has unpacked is beyond the size of the packed file: of records that
#            compress well most are left out, without an error. The longer and the more alike the records, the fewer.
# Seen:      as it was written: 1000 of 1000 records
#            compressed:        less than half of 1000 records
# Shaped:    engine/tfrecord ends a file where its records end, and a file that ends inside of a record is an error.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check tfrecord-dataset==0.2.0 crc32c==2.7.1 numpy==1.26.4
cat > f.py <<'END'
import gzip

from tfrecord_dataset.reader import tfrecord_iterator
from tfrecord_dataset.writer import TFRecordWriter

writer = TFRecordWriter("a.tfrecord")
for i in range(1000):
    writer.write(b"record %04d of the same words, again and again" % i)
writer.close()
with open("a.tfrecord", "rb") as plain, open("a.tfrecord.gz", "wb") as packed:
    packed.write(gzip.compress(plain.read(), mtime=0))

print("as it was written:", sum(1 for _ in tfrecord_iterator("a.tfrecord")), "of 1000 records")
read = sum(1 for _ in tfrecord_iterator("a.tfrecord.gz", compression_type="gzip"))
print("compressed:       ", "less than half" if read < 500 else read, "of 1000 records")  # how many depends on zlib
END
cat > want <<'END'
as it was written: 1000 of 1000 records
compressed:        less than half of 1000 records
END
venv/bin/python f.py > got
cat got
diff want got
