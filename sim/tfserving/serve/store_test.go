package serve

import (
	"path/filepath"
	"strings"
	"testing"
)

// Goal: no URI leads to a file outside the directory of --monosim_store. Method: random URIs.
func FuzzURIsStayInTheStore(f *testing.F) {
	for _, uri := range []string{"hdfs://a/b", "hdfs://..", "hdfs://../../a", "..://a", "../..://a", "://", "s3://a/../..//b", "hdfs://a://b"} {
		f.Add(uri)
	}
	store := filepath.FromSlash("/store/of/it")
	f.Fuzz(func(t *testing.T, uri string) {
		scheme, _, ok := strings.Cut(uri, "://")
		if !ok || scheme == "file" {
			t.Skip("a path of this machine, as upstream reads it")
		}
		name, ok := (&disk{store: store}).local(uri)
		if !ok || !strings.HasPrefix(name+string(filepath.Separator), store+string(filepath.Separator)) {
			t.Errorf("%q: got %q, want a name in the store", uri, name)
		}
	})
}
