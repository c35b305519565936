package pysem_test

import (
	"errors"
	"fmt"

	"github.com/monosim/monosim/engine/pysem"
)

// This example parses and formats values as Python does. An exception of Python is an error with
// its name, and a value that can be None is an Opt.
func Example() {
	v, err := pysem.ParseJSON(`{"b": 1.0, "a": [null, "ü", 12345678901234567890]}`)
	fmt.Println(pysem.Repr(v), err)
	fmt.Println(string(pysem.AppendJSON(nil, v)))

	_, err = pysem.ParseInt("0x10")
	var raised *pysem.Error
	fmt.Println(errors.As(err, &raised), raised.Type+":", raised.Message)

	port := pysem.None[int]()
	fmt.Println(port, port.Or(8500), pysem.Some(8501))

	// Output:
	// {'b': 1.0, 'a': [None, 'ü', 12345678901234567890]} <nil>
	// {"b": 1.0, "a": [null, "\u00fc", 12345678901234567890]}
	// true ValueError: invalid literal for int() with base 10: '0x10'
	// None 8500 8501
}
