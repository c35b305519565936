package main

// The test binary also stands in for monosim. If FAKE_MONOSIM is set, it prints the text of that
// variable, with environment variables expanded, and exits.

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	text, fake := os.LookupEnv("FAKE_MONOSIM")
	if !fake {
		os.Exit(m.Run())
	}
	if why := os.Getenv("FAKE_FAILURE"); why != "" {
		fmt.Fprintln(os.Stderr, why)
		os.Exit(3)
	}
	fmt.Println("some scenario passed")
	fmt.Println(os.ExpandEnv(text))
}

const closing = "2 scenarios (2 passed, 0 failed, 0 skipped), 9 steps, 3h2m0s virtual in 41ms wall, trace 9f2c"

func TestParseResult(t *testing.T) {
	for _, c := range []struct {
		name   string
		output string
		want   result
		err    string
	}{
		{
			name:   "closing line",
			output: "Feature: x\n" + closing + "\n",
			want:   result{scenarios: "2 scenarios (2 passed, 0 failed, 0 skipped)", steps: "9 steps", virtual: "3h2m0s virtual", trace: "9f2c"},
		},
		{
			name:   "scenarios of the binary",
			output: "406 scenarios of this binary (406 passed, 0 failed, 0 skipped), 9 steps, 3h2m0s virtual in 41ms wall, trace 9f2c\n",
			want:   result{scenarios: "406 scenarios of this binary (406 passed, 0 failed, 0 skipped)", steps: "9 steps", virtual: "3h2m0s virtual", trace: "9f2c"},
		},
		{
			name:   "one of each",
			output: "1 scenario (0 passed, 1 failed, 0 skipped), 1 step, 0s virtual in 1 ms wall, trace 0",
			want:   result{scenarios: "1 scenario (0 passed, 1 failed, 0 skipped)", steps: "1 step", virtual: "0s virtual", trace: "0"},
		},
		{
			name:   "closing line that is not the last",
			output: closing + "\nand more\n",
			err:    "last line is \"and more\", want `N scenarios",
		},
		{
			name:   "no trace",
			output: strings.TrimSuffix(closing, "9f2c"),
			err:    "want `N scenarios",
		},
		{name: "no output", err: `last line is ""`},
		{
			name:   "no scenarios",
			output: "0 scenarios (0 passed, 0 failed, 0 skipped), 0 steps, 0s virtual in 1ms wall, trace cbf2",
			err:    "no scenario ran: 0 scenarios",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseResult(c.output)
			if text := fmt.Sprint(err); c.err != "" && !strings.Contains(text, c.err) || c.err == "" && err != nil {
				t.Errorf("error %q, want %q", text, c.err)
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestDifferencesAreTold(t *testing.T) {
	base := result{scenarios: "2 scenarios", steps: "9 steps", virtual: "3h virtual", trace: "a"}
	for _, c := range []struct {
		name   string
		change func(*result)
		want   string
	}{
		{"none", func(*result) {}, ""},
		{"trace", func(r *result) { r.trace = "b" }, "trace b, want a"},
		{"steps", func(r *result) { r.steps = "8 steps" }, "steps 8 steps, want 9 steps"},
		{"all", func(r *result) { *r = result{"1 scenario", "1 step", "0s virtual", "c"} },
			"trace c, want a; scenarios 1 scenario, want 2 scenarios; steps 1 step, want 9 steps; virtual time 0s virtual, want 3h virtual"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := base
			c.change(&got)
			if diff := cmp.Diff(c.want, got.differs(base)); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariantsAreCompared(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	v := func(name string, env ...string) variant {
		return variant{name: name, command: []string{self}, env: env}
	}
	t.Setenv("FAKE_MONOSIM", strings.Replace(strings.Replace(closing, "9f2c", "9f${HASH}", 1), "41ms", "${WALL}ms", 1))
	t.Setenv("HASH", "2c")
	t.Setenv("WALL", "41")
	for _, c := range []struct {
		name   string
		groups []group
		code   int
		want   []string
	}{
		{
			name:   "the wall time may differ",
			groups: []group{{v("one"), v("two", "WALL=99")}},
			code:   exitSame,
			want:   []string{"one 9f2c ok", "two 9f2c ok"},
		},
		{
			name:   "the hash may not, and the rest still runs",
			groups: []group{{v("one"), v("two", "HASH=ff"), v("three")}},
			code:   exitDiffer,
			want:   []string{"one 9f2c ok", "two 9fff differs: trace 9fff, want 9f2c", "three 9f2c ok"},
		},
		{
			name:   "groups differ freely",
			groups: []group{{v("one")}, {v("two", "HASH=ff"), v("three", "HASH=ff")}},
			code:   exitSame,
			want:   []string{"one 9f2c ok", "two 9fff ok", "three 9fff ok"},
		},
		{
			name:   "a failed variant is a difference",
			groups: []group{{v("one"), v("two", "FAKE_FAILURE=no such flag"), v("three")}},
			code:   exitDiffer,
			want:   []string{"one 9f2c ok", "two - failed: exit status 3: no such flag", "three 9f2c ok"},
		},
		{
			name:   "nothing is compared with a failed first variant",
			groups: []group{{v("one", "FAKE_FAILURE=no such flag"), v("two")}, {v("three")}},
			code:   exitDiffer,
			want:   []string{"one - failed: exit status 3: no such flag", "three 9f2c ok"},
		},
		{
			name:   "output that tells nothing is a failure",
			groups: []group{{v("one", "FAKE_MONOSIM=done")}},
			code:   exitDiffer,
			want:   []string{"one - failed: last line is \"done\", want `N scenarios (… passed, … failed, … skipped), M steps, V virtual in W wall, trace HASH`"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := compare(context.Background(), c.groups, runCommand, &out); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if diff := cmp.Diff(c.want, squeezed(out.String())); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// squeezed returns the lines of a table with single spaces between the columns.
func squeezed(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.Fields(line), " ")
	}
	return lines
}

func TestEachDialIsTurned(t *testing.T) {
	var got []string
	for _, g := range groups(binaries{plain: "monosim", race: "monosim-race"}) {
		for _, v := range g {
			got = append(got, strings.Join(append(append([]string{}, v.env...), v.command...), " "))
		}
	}
	want := []string{
		"monosim test builtin: --check-determinism",
		"monosim test builtin: --seeds 3 --check-determinism --no-leaps",
		"monosim test builtin: --seed 1",
		"GOMAXPROCS=1 GOGC=10 monosim test builtin: --seed 1",
		"GOMAXPROCS=2 GOGC=off monosim test builtin: --seed 1 --no-leaps",
		"monosim-race test builtin: --seed 1",
		"GOMAXPROCS=1 monosim test builtin: --seeds 1000 --tags @cluster1000",
		"GOMAXPROCS=2 monosim test builtin: --seeds 1000 --tags @cluster1000",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
}
