package estimator_test

import (
	"testing"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/estimator"
)

// TRN-2.15 (estimator.py:571): a directory whose name is a number is itself the model. Otherwise
// the model is the highest number in the directory, compared by value and not as text.
func TestTheDirectoryOfASavedModel(t *testing.T) {
	f := envtest.New(map[string]string{"/models/9/x": "", "/models/12/x": "", "/models/v1/x": "", "/none/a/x": ""}, nil).Files
	for path, want := range map[string]string{"/models": "/models/12", "/models/9": "/models/9", "/gone/7": "/gone/7"} { //lint:ordered each by itself
		if got, err := estimator.SavedModelDir(f, path); got != want || err != nil {
			t.Errorf("%s: got %s %v, want %s", path, got, err, want)
		}
	}
	if _, err := estimator.SavedModelDir(f, "/none"); err == nil || err.Error() != "RuntimeError: no models in dir /none" {
		t.Errorf("got %v, want a RuntimeError", err)
	}
	if _, err := estimator.SavedModelDir(f, "/gone"); pysem.TypeOf(err) != "NotFoundError" {
		t.Errorf("got %v, want a NotFoundError", err)
	}
}
