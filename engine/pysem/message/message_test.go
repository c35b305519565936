package message_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
)

// Goal: each kind of field accepts and refuses the same values as in protobuf's Python classes.
// Method: a table with one example of each. The recorded cases of utils.gen_* have what Python
// does.

func TestAFieldTakesWhatPythonsDoes(t *testing.T) {
	for _, c := range []struct {
		field string
		given any
		want  string
	}{
		{"version", 7, "7 UNKNOWN"},
		{"version", true, "1 UNKNOWN"},
		{"version", nil, "0 UNKNOWN"},
		{"version", 1.0, "TypeError"},
		{"version", "1", "TypeError"},
		{"version", []any{1}, "TypeError"},
		{"version", new(big.Int).Lsh(big.NewInt(1), 63), "ValueError"},
		{"state", 30, "0 AVAILABLE"},
		{"state", "AVAILABLE", "0 AVAILABLE"},
		{"state", "available", "ValueError"},
		{"state", 1 << 31, "ValueError"},
		{"nothing", 1, "ValueError"},
	} {
		t.Run(fmt.Sprint(c.field, " ", c.given), func(t *testing.T) {
			m := &apis.ModelVersionStatus{}
			got := pysem.TypeOf(message.Set(m, c.field, c.given))
			if got == "" {
				got = fmt.Sprint(m.GetVersion(), " ", m.GetState())
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestAFieldOfTextTakesWhatUTF8Holds(t *testing.T) {
	for _, c := range []struct {
		given any
		want  string
	}{
		{"é", "é"}, {[]byte("a"), "a"}, {"a\xed\xa0\xbd", "UnicodeEncodeError"}, {[]byte{0xff}, "UnicodeDecodeError"}, {1, "TypeError"},
	} {
		got, err := message.Text(c.given)
		if err != nil {
			got = pysem.TypeOf(err)
		}
		if got != c.want {
			t.Errorf("%v: got %s, want %s", c.given, got, c.want)
		}
	}
}
