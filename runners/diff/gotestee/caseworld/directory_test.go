package caseworld

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

// Goal: each kind of file in a case is created as the case says, and shown as it is. How files
// behave is tested in sim/files.
func TestTheTreeShowsEveryKind(t *testing.T) {
	w := vtime.New(vtime.Config{})
	defer w.Close()
	d := newDirectory(files.NewView(w.Node("n").NewProcess("p"), files.NewFS(w), CaseDir))
	d.WriteFiles(Object(
		"a/f", "text", "a.b", "", "empty/", nil, "bytes", Object("$hex", "ff00"), "link", Object("$link", "a/f"),
		"toDir", Object("$link", "<TMP>/a"), "dangling", Object("$link", "nowhere"), "loop", Object("$link", "loop"),
		"/elsewhere", "not shown"), "files")
	if err := errors.Join(d.Remove("link"), d.Rename("a", "b"), d.WriteFile(d.TempFile(), []byte("t"))); err != nil {
		t.Fatal(err)
	}
	want := `{"a.b": "", "b/": null, "b/f": "text", "bytes": {"$hex": "ff00"}, "dangling": {"$link": "nowhere"}, "empty/": null, ` +
		`"loop": {"$link": "loop"}, "tmp00000001": "t", "toDir": {"$link": "<TMP>/a"}}`
	if diff := cmp.Diff(want, string(pysem.AppendJSON(nil, Encode(d.Tree())))); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}
