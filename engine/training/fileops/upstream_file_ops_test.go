package fileops_test

import (
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/fileops"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: writable files pass the reference's own tests (file_ops_test.py).

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestUpstreamWritableFile_test_basic(t *testing.T) {
	const times = 1000
	files := envtest.New(nil, nil).Files
	f, err := fileops.NewWritableFile(files, "/t/test_basic/test_name")
	must(t, err)
	for range times {
		must(t, f.Append([]byte("1234")))
	}
	must(t, f.Close())
	got, err := files.ReadFile("/t/test_basic/test_name")
	if want := strings.Repeat("1234", times); err != nil || string(got) != want {
		t.Errorf("got %d bytes, error %v, want %d of 1234", len(got), err, len(want))
	}
}

func TestUpstreamWritableFile_test_hook(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		f, err := fileops.NewWritableFile(c.Env.Files, "t/test_hook/test_name")
		c.Must(err)
		m, err := session.NewMonitored(c.Env, session.NewMemory(), []session.Hook{&fileops.FileCloseHook{Files: []*fileops.WritableFile{f}}})
		c.Must(err)
		c.Must(m.Run(func(session.Session) error { return f.Append([]byte("1234")) }))
		c.Must(m.Close())
		got, err := c.Env.Files.ReadFile("t/test_hook/test_name")
		if err != nil || string(got) != "1234" {
			t.Errorf("got %q, error %v, want 1234", got, err)
		}
	})
}
