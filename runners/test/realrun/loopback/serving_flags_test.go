package loopback

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/monosim/monosim/runners"
)

// Goal: the fake model server chooses by the run's seed which model has its next version, so
// that it is not always the first model. Other profiles choose nothing at random.
func TestTheFakeDrawsByTheSeed(t *testing.T) {
	store, err := openDisks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		profile string
		seed    uint64
		flag    string
	}{{fakeProfile, 7, "--monosim_seed=7"}, {fakeProfile, 0, "--monosim_seed=1"}, {"tfs-2.4", 7, ""}} {
		c := &Cluster{o: Options{TimeScale: 1}, disks: store, spec: runners.Spec{ModelServer: test.profile, Seed: test.seed}}
		flags := (&pod{c: c, ip: "127.0.0.2"}).servingFlags()
		got := ""
		for _, f := range flags {
			if strings.HasPrefix(f, "--monosim_seed=") {
				got = f
			}
		}
		if got != test.flag {
			t.Errorf("%s, seed %d: want the flag %q, got %q", test.profile, test.seed, test.flag, got)
		}
	}
}

// Goal: no setting of a spec's model servers is lost on the way to the processes. Method: set the
// fields one by one. Each changes the flags, but for the one that concerns files only.
func TestEachServingSettingIsAFlag(t *testing.T) {
	store, err := openDisks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	flags := func(s runners.ServingSpec) []string {
		c := &Cluster{o: Options{TimeScale: 1}, disks: store, spec: runners.Spec{Serving: s}}
		return (&pod{c: c, ip: "127.0.0.2"}).servingFlags()
	}
	standard := flags(runners.ServingSpec{})
	for _, field := range reflect.VisibleFields(reflect.TypeFor[runners.ServingSpec]()) {
		var s runners.ServingSpec
		switch f := reflect.ValueOf(&s).Elem().FieldByIndex(field.Index); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int64:
			f.SetInt(7)
		case reflect.Float64:
			f.SetFloat(7)
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		default:
			t.Fatalf("%s: a %s, which this test sets no value of", field.Name, f.Kind())
		}
		if same := slices.Equal(flags(s), standard); same != (field.Name == "NoDefaultModel") {
			t.Errorf("%s is set: the flags are the standard ones: %t", field.Name, same)
		}
	}
}
