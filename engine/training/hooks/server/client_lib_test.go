package server_test

import (
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/hooks/server"
)

// silentNetwork dials nobody.
type silentNetwork struct{ env.Network }

func (silentNetwork) Dial(string) env.Channel { return nil }

// FuzzAddressFile checks that any address file is used unchanged, or raises a Python exception if
// it is not text.
func FuzzAddressFile(f *testing.F) {
	f.Add("127.0.0.1:1234")
	f.Add("")
	f.Add("h:1\n")
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, content string) {
		e := envtest.New(map[string]string{"/m/" + server.ServerAddrFilename: content}, nil)
		e.Network = silentNetwork{}
		stub, err := server.StubFromModelDir(e, "/m")
		switch {
		case err != nil && pysem.TypeOf(err) != "UnicodeDecodeError":
			t.Errorf("%q: got %v, want an exception of Python", content, err)
		case err == nil && stub.Target() != content:
			t.Errorf("%q: got the target %q", content, stub.Target())
		}
	})
}
