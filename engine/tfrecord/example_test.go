package tfrecord_test

import (
	"bytes"
	"fmt"

	"github.com/monosim/monosim/engine/tfrecord"
)

// A truncated file still yields its complete records.
func Example() {
	file := tfrecord.Append(tfrecord.Append(nil, []byte("first")), []byte("second"))
	r := tfrecord.NewReader(bytes.NewReader(file[:len(file)-3]))
	for {
		record, err := r.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", record)
	}
	// Output:
	// first
	// record 1 at byte 21: found 7 bytes behind the header, want 6 of data and 4 of their checksum
}
