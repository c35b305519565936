package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// stringBytes is how many bytes each string of a tensor counts, whatever its length, when the size
// of the tensor is compared with MaxBytes.
const stringBytes = 24

// encodeStrings writes all lengths as varints and then all strings, as tensorflow's
// port::EncodeStringList does.
func encodeStrings(values [][]byte) []byte {
	var out []byte
	for _, value := range values {
		out = binary.AppendUvarint(out, uint64(len(value)))
	}
	for _, value := range values {
		out = append(out, value...)
	}
	return out
}

// decodeStrings decodes count strings that encodeStrings has written. It fails if bytes remain.
func decodeStrings(content []byte, count int) ([][]byte, error) {
	sizes := make([]int, count)
	for i := range sizes {
		size, n := binary.Uvarint(content)
		if n <= 0 || n > binary.MaxVarintLen32 || size > math.MaxUint32 {
			return nil, fmt.Errorf("tensor_content has no length for string %d of %d", i, count)
		}
		sizes[i], content = int(size), content[n:]
	}
	values := make([][]byte, count)
	for i, size := range sizes {
		if size > len(content) {
			return nil, fmt.Errorf("tensor_content ends in string %d of %d", i, count)
		}
		values[i], content = content[:size:size], content[size:]
	}
	if len(content) > 0 {
		return nil, errors.New("tensor_content goes on after the last string")
	}
	return values, nil
}
