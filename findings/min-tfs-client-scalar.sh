#!/bin/sh
# Guess:     a client for TensorFlow Serving reads an answer without dimensions, such as a loss or a count, as it reads
#            one of one dimension.
# Version:   min-tfs-client 1.0.2 of PyPI, with numpy 1.26.4
# Behaviour: tensor_proto_to_ndarray, by which its guide reads answers, raises TypeError for it;
#            ndarray_to_tensor_proto of the same client sends it.
# Seen:      one dimension  [3.0]
#            none           TypeError: reshape() takes exactly 1 argument (0 given)
# Shaped:    the choice of clients that we hold the model server to (runners/tfserving/clients): it is none of them.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check min-tfs-client==1.0.2 protobuf==3.20.3 numpy==1.26.4
cat > f.py <<'END'
import numpy as np
from min_tfs_client.tensors import ndarray_to_tensor_proto, tensor_proto_to_ndarray

for name, tensor in (("one dimension", np.array([3.0])), ("none", np.array(3.0))):
    try:
        print(f"{name:13} ", tensor_proto_to_ndarray(ndarray_to_tensor_proto(tensor)).tolist())
    except TypeError as e:
        print(f"{name:13} ", f"TypeError: {e}")
END
cat > want <<'END'
one dimension  [3.0]
none           TypeError: reshape() takes exactly 1 argument (0 given)
END
venv/bin/python f.py > got
cat got
diff want got
