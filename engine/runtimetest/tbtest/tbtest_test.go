package tbtest_test

import (
	"os"
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/runtimetest/tbtest"
)

// Goal: Fatal and Skip end an attempt, cleanups run in reverse order, and the attempt does not
// affect the test that makes it.
func TestAttempt(t *testing.T) {
	var dir string
	tb := tbtest.Attempt("TestMine", func(tb testing.TB) {
		tb.Helper()
		dir = tb.TempDir()
		tb.Cleanup(func() { tb.Logf("first %s", tb.Name()) })
		tb.Cleanup(func() { tb.Errorf("last, failed %v", tb.Failed()) })
		if tb.Context().Err() != nil {
			tb.Error("no time left")
		}
		tb.Fatalf("the %s", "end")
		tb.Log("it went on")
	})
	if want := []string{"the end", "last, failed true", "first TestMine"}; !slices.Equal(tb.Said, want) || !tb.IsFailed || tb.IsSkipped {
		t.Errorf("got %q, failed %v, skipped %v, want %q, failed", tb.Said, tb.IsFailed, tb.IsSkipped, want)
	}
	if _, err := os.Stat(dir); dir == "" || !os.IsNotExist(err) {
		t.Errorf("the folder %q: got %v, want that it is gone", dir, err)
	}
	tb = tbtest.Attempt("TestMine", func(tb testing.TB) {
		tb.Skip("not", "today")
		tb.Fatal("it went on")
	})
	if want := []string{"not today"}; !slices.Equal(tb.Said, want) || tb.IsFailed || !tb.IsSkipped {
		t.Errorf("got %q, failed %v, skipped %v, want %q, skipped", tb.Said, tb.IsFailed, tb.IsSkipped, want)
	}
}
