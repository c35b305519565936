package tfserving

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The cases of sources/storage_path/file_system_storage_path_source_test.cc: a
// poll of one base path gives the aspired versions in upstream's order.
func TestAPollAspiresWhatThePolicyChooses(t *testing.T) {
	latest := func(n uint32) VersionPolicy { return VersionPolicy{Kind: Latest, NumVersions: n} }
	specific := func(v ...int64) VersionPolicy { return VersionPolicy{Kind: Specific, Versions: v} }
	tests := []struct {
		name     string
		policy   VersionPolicy
		children []string
		want     []string // version=path under the base path
		head     bool     // tfs-head instead of both
	}{
		{name: "NoVersionsAtStartup:74", children: []string{"non_numerical_child"}},
		{name: "MultipleVersions:158", children: []string{"non_numerical_child", "42", "17"}, want: []string{"42=42"}},
		{name: "MultipleVersionsAtTheSameTime:188", policy: VersionPolicy{Kind: All},
			children: []string{"non_numerical_child", "42", "17"}, want: []string{"17=17", "42=42"}},
		{name: "NLatestVersions:229", policy: latest(3), children: []string{"x", "42", "33", "30", "21", "17"},
			want: []string{"42=42", "33=33", "30=30"}},
		{name: "SpecificVersions:274", policy: specific(17, 30), children: []string{"x", "42", "33", "30", "21", "17"},
			want: []string{"17=17", "30=30"}},
		{name: "SpecificVersionsLeadingZeros:320", policy: specific(17, 30),
			children: []string{"x", "42", "33", "30", "21", "00017"}, want: []string{"17=00017", "30=30"}},
		{name: "SpecificVersionsEmpty:364", policy: specific(), children: []string{"42", "17"}},
		{name: "DefaultVersionPolicy:400", children: []string{"42", "33"}, want: []string{"42=42"}},
		{name: "DefaultNumLatestVersions:434", policy: latest(0), children: []string{"42", "33"}, want: []string{"42=42"}},
		{name: "ParseTimestampedVersion:681", children: []string{"20170111173521", "x"}, want: []string{"20170111173521=20170111173521"}},
		{name: "DuplicateVersions:789", children: []string{"0001", "001", "00001"}, want: []string{"1=001"}},
		{name: "duplicates with all are both aspired", policy: VersionPolicy{Kind: All}, children: []string{"01", "1"},
			want: []string{"1=01", "1=1"}},
		{name: "blanks around a number", children: []string{" 7 "}, want: []string{"7= 7 "}},
		{name: "numbers beyond int64 and others", policy: VersionPolicy{Kind: All},
			children: []string{"9223372036854775808", "-3", "1.5", "1e3", "", "0x10"}, want: []string{"-3=-3"}},
		{name: "a plus sign", children: []string{"+7"}, head: true, want: []string{"7=+7"}},
		{name: "the order of all is that of the names", policy: VersionPolicy{Kind: All}, children: []string{"9", "10"},
			want: []string{"10=10", "9=9"}},
	}
	for _, test := range tests {
		profiles := []Profile{Profile24, ProfileHead}
		if test.head {
			profiles = profiles[1:]
		}
		for _, profile := range profiles {
			t.Run(fmt.Sprint(test.name, " ", profile), func(t *testing.T) {
				host := newTestHost()
				host.disk.mkdir("/base")
				for _, child := range test.children {
					host.disk.mkdir("/base/" + child)
				}
				source := newSource(New(DefaultOptions(profile), host))
				versions, err := source.pollOne(&monitored{name: "m", basePath: "/base", policy: test.policy})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, v := range versions {
					got = append(got, fmt.Sprintf("%d=%s", v.version, v.path[len("/base/"):]))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("aspired versions (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// FilesAppearAfterStartup:123 and the missing half of NoVersionsAtStartup:74.
func TestAPollOfAMissingBasePathFailsUntilItAppears(t *testing.T) {
	host := newTestHost()
	source := newSource(New(DefaultOptions(ProfileHead), host))
	m := monitored{name: "m", basePath: "/base"}
	_, err := source.pollOne(&m)
	want := "INVALID_ARGUMENT: Could not find base path /base for servable m with error NOT_FOUND: /base not found"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	host.disk.mkdir("/base/3")
	versions, err := source.pollOne(&m)
	if err != nil || len(versions) != 1 || versions[0].path != "/base/3" {
		t.Errorf("got %v and %v, want version 3", versions, err)
	}
}

// Object stores list every descendant; only the first part of a name counts.
func TestAListingOfDescendantsIsCutToChildren(t *testing.T) {
	got := directChildren([]string{"2/variables/x", "1/saved_model.pb", "2/saved_model.pb", "note"})
	if diff := cmp.Diff([]string{"1", "2", "note"}, got); diff != "" {
		t.Errorf("children (-want +got):\n%s", diff)
	}
}

// tfs-head's fast path takes specific versions without a listing and in the order
// of the request.
func TestSpecificVersionsThatExistAreNotListedByHead(t *testing.T) {
	for _, test := range []struct {
		profile Profile
		lists   int
		first   int64
	}{{Profile24, 1, 17}, {ProfileHead, 0, 30}} {
		host := newTestHost()
		host.disk.mkdir("/base/17")
		host.disk.mkdir("/base/30")
		source := newSource(New(DefaultOptions(test.profile), host))
		versions, err := source.pollOne(&monitored{name: "m", basePath: "/base",
			policy: VersionPolicy{Kind: Specific, Versions: []int64{30, 17}}})
		if err != nil {
			t.Fatal(err)
		}
		if host.disk.lists != test.lists || versions[0].version != test.first {
			t.Errorf("%s: got %d listings and %d first, want %d and %d",
				test.profile, host.disk.lists, versions[0].version, test.lists, test.first)
		}
	}
}

// MultipleServables:472, ChangeSetOfServables:527, ChangeVersionPolicy:592,
// ServableVersionDirRenamed:717, LastVersionNotRemoved:828.
func TestAReloadChangesWhatIsPolled(t *testing.T) {
	host := newTestHost()
	s := New(DefaultOptions(Profile24), host)
	source := newSource(s)
	source.connect()
	set := func(models ...monitored) {
		s.agenda.request(func() {
			if err := source.updateConfig(models); err != nil {
				t.Fatal(err)
			}
		})
	}
	pending := func() map[string][]string {
		got := map[string][]string{}
		for _, e := range s.manager.models {
			if e.waiting {
				got[e.name] = []string{}
				for _, v := range e.pending {
					got[e.name] = append(got[e.name], v.path)
				}
			}
			e.pending, e.waiting = nil, false
		}
		return got
	}
	check := func(what string, want map[string][]string) {
		t.Helper()
		if diff := cmp.Diff(want, pending()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	s.manager.busy = true // requests pile up
	host.disk.mkdir("/a/1")
	host.disk.mkdir("/a/2")
	host.disk.mkdir("/b/5")
	a, b := monitored{name: "a", basePath: "/a"}, monitored{name: "b", basePath: "/b"}
	set(b, a)
	host.runTo(time.Second)
	check("first poll", map[string][]string{"a": {"/a/2"}, "b": {"/b/5"}})

	set(a)
	check("b is gone at once", map[string][]string{"b": {}})

	a.policy = VersionPolicy{Kind: Latest, NumVersions: 2}
	set(a)
	check("a new policy waits for the poll", map[string][]string{})
	host.runTo(2 * time.Second)
	check("the new policy", map[string][]string{"a": {"/a/2", "/a/1"}})

	host.disk.remove("/a/2")
	host.disk.mkdir("/a/4")
	host.runTo(3*time.Second + time.Millisecond)
	check("a renamed directory", map[string][]string{"a": {"/a/4", "/a/1"}})

	host.disk.remove("/a/4")
	host.disk.remove("/a/1")
	host.runTo(4*time.Second + time.Millisecond)
	check("the last version is removed", map[string][]string{"a": {}})
}

// The watches on the disk follow the config and end with the source.
func TestWatchesFollowTheConfig(t *testing.T) {
	host := newTestHost()
	source := newSource(New(DefaultOptions(Profile24), host))
	paths := func() (got []string) {
		for _, w := range host.disk.watches {
			got = append(got, w.path)
		}
		slices.Sort(got)
		return got
	}
	for _, step := range []struct{ config, want []string }{
		{[]string{"/a", "/b"}, []string{"/a", "/b"}},
		{[]string{"/b", "/c", "/c"}, []string{"/b", "/c"}},
		{nil, nil},
		{[]string{"/d"}, []string{"/d"}},
	} {
		var models []monitored
		for i, path := range step.config {
			models = append(models, monitored{name: fmt.Sprint(i), basePath: path})
		}
		if err := source.updateConfig(models); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, paths()); diff != "" {
			t.Errorf("watches (-want +got):\n%s", diff)
		}
	}
	source.close()
	if got := paths(); got != nil {
		t.Errorf("watches after close: got %q, want none", got)
	}
}
