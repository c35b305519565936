package networktest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Goal: agents may rely on status codes with any grpcio version. Only details differ between
// versions, and the test lists those that do.
func TestVersionsOfGRPCDifferInDetailsOnly(t *testing.T) {
	old, err := Recorded(Version)
	if err != nil {
		t.Fatal(err)
	}
	versions, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	var differ []string
	for _, version := range versions {
		statuses, err := Recorded(version)
		if err != nil {
			t.Fatal(err)
		}
		if len(statuses) != len(old) {
			t.Errorf("grpcio %s: found %d cases, want those %d of %s", version, len(statuses), len(old), Version)
		}
		for _, name := range slices.Sorted(maps.Keys(statuses)) {
			a, b := old[name], statuses[name]
			if a.Code != b.Code || a.Raises != b.Raises || (a.OK == nil) != (b.OK == nil) {
				t.Errorf("%q: grpcio %s gives %+v, %s gives %+v", name, Version, a, version, b)
			}
			if a.Details != b.Details {
				differ = append(differ, fmt.Sprintf("%s: %s", version, name))
			}
		}
	}
	want := []string{
		"1.85.1: answer too large", "1.85.1: connection closes", "1.85.1: connection is reset", "1.85.1: refused",
		"1.85.1: refused, in the back-off", "1.85.1: request too large", "1.85.1: server stops", "1.85.1: silent server",
		"1.85.1: unknown name",
	}
	if diff := cmp.Diff(want, differ); diff != "" {
		t.Errorf("other details (-want +got):\n%s", diff)
	}
}
