package tfserving

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// Goal: a poll of one base path gives the aspired versions in upstream's order. The cases are those
// that testdata/upstream/file_system_source.txt does not cover.
func TestAPollAspiresWhatThePolicyChooses(t *testing.T) {
	tests := []struct {
		name     string
		policy   modelconfig.VersionPolicy
		children []string
		want     []string // wanted versions, each as version=path below the base path
		only     []Profile
	}{
		{name: "duplicates with all are both aspired", policy: modelconfig.VersionPolicy{Kind: modelconfig.All}, children: []string{"01", "1"},
			want: []string{"1=01", "1=1"}},
		{name: "blanks around a number", children: []string{" 7 "}, want: []string{"7= 7 "}},
		{name: "blanks of every kind", children: []string{"\t\v7\n\f\r"}, want: []string{"7=\t\v7\n\f\r"}},
		{name: "other blanks are none", children: []string{"\u00a07", "7\u2003"}},
		{name: "the limits of int64", policy: modelconfig.VersionPolicy{Kind: modelconfig.All},
			children: []string{"9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809"},
			want:     []string{"-9223372036854775808=-9223372036854775808", "9223372036854775807=9223372036854775807"}},
		{name: "what is no number", policy: modelconfig.VersionPolicy{Kind: modelconfig.All},
			children: []string{"-3", "1.5", "1e3", "", "0x10", "1_000", "--1", "- 1", "+-1", "-", "1 2", "٣"}, want: []string{"-3=-3"}},
		{name: "minus nought", children: []string{"-0"}, want: []string{"0=-0"}},
		{name: "a plus sign in tfs-head", children: []string{"+7"}, only: []Profile{ProfileHead}, want: []string{"7=+7"}},
		{name: "a plus sign in tfs-2.4", children: []string{"+7"}, only: []Profile{Profile24}},
		{name: "a huge number of versions", policy: modelconfig.VersionPolicy{Kind: modelconfig.Latest, NumVersions: 1<<32 - 1}, children: []string{"1", "2"},
			want: []string{"2=2", "1=1"}},
		{name: "the order of all is that of the names", policy: modelconfig.VersionPolicy{Kind: modelconfig.All}, children: []string{"9", "10"},
			want: []string{"10=10", "9=9"}},
	}
	for _, test := range tests {
		profiles := test.only
		if profiles == nil {
			profiles = []Profile{Profile24, ProfileHead}
		}
		for _, profile := range profiles {
			t.Run(fmt.Sprint(test.name, " ", profile), func(t *testing.T) {
				host := newTestHost()
				host.disk.mkdir("/base")
				for _, child := range test.children {
					host.disk.mkdir("/base/" + child)
				}
				source := newSource(New(DefaultOptions(profile), host))
				versions, err := source.pollOne(host.disk, &monitored{name: "m", basePath: "/base", policy: test.policy})
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

// Goal: names in a listing are cut after their first component, because object stores list every
// descendant.
func TestAListingOfDescendantsIsCutToChildren(t *testing.T) {
	got := directChildren([]string{"2/variables/x", "1/saved_model.pb", "2/saved_model.pb", "note"})
	if diff := cmp.Diff([]string{"1", "2", "note"}, got); diff != "" {
		t.Errorf("children (-want +got):\n%s", diff)
	}
}

// Goal: tfs-head returns existing specific versions without listing the directory, in the order of
// the config.
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
		versions, err := source.pollOne(host.disk, &monitored{name: "m", basePath: "/base",
			policy: modelconfig.VersionPolicy{Kind: modelconfig.Specific, Versions: []int64{30, 17}}})
		if err != nil {
			t.Fatal(err)
		}
		if host.disk.lists != test.lists || versions[0].version != test.first {
			t.Errorf("%s: got %d listings and %d first, want %d and %d",
				test.profile, host.disk.lists, versions[0].version, test.lists, test.first)
		}
	}
}

// Goal: the source watches exactly the base paths of the config, and nothing after its end.
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
		source.updateConfig(models, func(err *env.RPCError) {
			if err != nil {
				t.Fatal(err)
			}
		})
		if diff := cmp.Diff(step.want, paths()); diff != "" {
			t.Errorf("watches (-want +got):\n%s", diff)
		}
	}
	source.close()
	if got := paths(); got != nil {
		t.Errorf("watches after close: got %q, want none", got)
	}
}
