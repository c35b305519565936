package datapatterns_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/engine/training/datapatterns"
)

// Goal: templates and pattern files work where no recording of the reference has a case: the other
// pattern language (TRN-4.9, oracle rust), templates without an end (Q270), and reading the files
// that were found.

func tree() env.Files {
	return envtest.New(map[string]string{
		"/d/a.tfrecord": "", "/d/b.tfrecord": "", "/d/.hidden": "", "/d/sub/c.tfrecord": "", "/d/sub/deep/d.tfrecord": "", "/d/x{1}": "",
		"/r/d-e/z.tfrecord": "", "/r/d/z.tfrecord": "", "/list": "# comment\n\n  /d/b.tfrecord  \n/d/a*\n/d/a.tfrecord,/d/b.tfrecord\n@/list\n/gone\n",
		"/none": "\n#\n", "/latin": "\xff",
	}, nil).Files
}

func TestFilesOfAPattern(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"/d/a.tfrecord", "/d/a.tfrecord"},
		{" /d/b.tfrecord , ,/d/a.tfrecord,", "/d/a.tfrecord /d/b.tfrecord"},
		{"/d/b.tfrecord,/d/b.tfrecord,/d/*.tfrecord", "/d/a.tfrecord /d/b.tfrecord"},
		{"/d/gone,/d/a.tfrecord", "/d/a.tfrecord"},
		{"/d/?.tfrecord", "/d/a.tfrecord /d/b.tfrecord"},
		{"/d/[!a].tfrecord", "/d/b.tfrecord"},
		{"/r/d*/*.tfrecord", "/r/d/z.tfrecord /r/d-e/z.tfrecord"},
		{"/d/**/*.tfrecord", "/d/a.tfrecord /d/b.tfrecord /d/sub/c.tfrecord /d/sub/deep/d.tfrecord"},
		{"/d/.h*", "/d/.hidden"},
		{"/d/x{1}", "/d/x{1}"},
		{"/d/{a,b}.tfrecord", "NotFoundError: No files matched pattern: /d/{a,b}.tfrecord"},
		{"@/list", "/d/a.tfrecord /d/b.tfrecord"},
		{"@/none", "NotFoundError: No files matched pattern: @/none"},
		{"@/gone", "NotFoundError: file list /gone: NotFoundError: /gone; No such file or directory"},
		{"@/latin", "UnicodeDecodeError: file list /latin: "},
		{"", "NotFoundError: No files matched pattern: "},
		{"/gone/*", "NotFoundError: No files matched pattern: /gone/*"},
	} {
		found, err := datapatterns.FromPattern(tree(), c.pattern)
		got := strings.Join(found, " ")
		if err != nil {
			got = pysem.TypeOf(err) + ": " + strings.TrimPrefix(err.Error(), pysem.TypeOf(err)+": ")
		}
		if got != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%q: got %s, want %s", c.pattern, got, c.want)
		}
	}
}

// quiet is a log that nobody reads.
type quiet struct{ env.Log }

func (quiet) Logf(env.Level, string, ...any) {}

func TestQ270_TemplatesWithoutAnEndAreRefused(t *testing.T) {
	all := func(pattern string) ([]string, error) { return []string{pattern}, nil }
	for _, flag := range []string{"{INT(0,1000000000000)}", "{INT(-99999999999999999999,99999999999999999999)}", "{INT(1,3000)}{INT(1,3000)}", "{DATE(0001010100,9999010100)}"} {
		if _, err := datapatterns.InputPatterns(quiet{}, flag, all); pysem.TypeOf(err) != "MemoryError" || !strings.Contains(err.Error(), "(Q270)") {
			t.Errorf("%s: got %v, want a MemoryError that names Q270", flag, err)
		}
	}
}

func TestRecordsOfSeveralFiles(t *testing.T) {
	file := func(texts ...string) string {
		var data []byte
		for _, text := range texts {
			data = tfrecord.Append(data, []byte(text))
		}
		return string(data)
	}
	torn := file("three", "four")
	files := envtest.New(map[string]string{"/1": file("one", "two"), "/2": torn[:len(torn)-1], "/3": file("five")}, nil).Files
	var got []string
	for record, err := range datapatterns.Records(files, []string{"/1", "/2", "/gone", "/3"}) {
		if err != nil {
			record = []byte(err.Error())
		}
		got = append(got, string(record))
	}
	want := []string{"one", "two", "three", "/2: record 1 at byte 21: found 7 bytes behind the header, want 4 of data and 4 of their checksum",
		"NotFoundError: /gone; No such file or directory", "five"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	for range datapatterns.Records(files, []string{"/1"}) {
		break // nothing more is read after the caller has stopped
	}
}

func FuzzInputPatterns(f *testing.F) {
	for _, flag := range []string{"x{INT(0,3)}", "{DATE(20201120,20201121)}", "{DATE(2020112022,2020112101)}", "x}}{{", "{a\nb}", "x{INT(1"} {
		f.Add(flag)
	}
	f.Fuzz(func(t *testing.T, flag string) {
		patterns, err := datapatterns.InputPatterns(quiet{}, flag, func(pattern string) ([]string, error) { return []string{pattern}, nil })
		if err == nil && flag != "" && len(patterns) == 0 {
			t.Errorf("%q: got no pattern and no error", flag)
		}
		if err != nil && pysem.TypeOf(err) == "" {
			t.Errorf("%q: got %v, want an exception of Python", flag, err)
		}
	})
}

// This example expands the days and hours of a template and the files of a list.
func Example() {
	found := func(pattern string) ([]string, error) { return []string{pattern}, nil }
	fmt.Println(datapatterns.InputPatterns(quiet{}, "day_{DATE(20201130, 20201201)}/part_{INT(0, 1)}", found))
	fmt.Println(datapatterns.FromPattern(tree(), "/d/b.tfrecord,/d/a*"))
	// Output:
	// [day_20201130/part_0 day_20201130/part_1 day_20201201/part_0 day_20201201/part_1] <nil>
	// [/d/a.tfrecord /d/b.tfrecord] <nil>
}

// The reference would list the hours of nine thousand years. Here that is an error at once (Q270).
func TestTooManyHoursAreRefused(t *testing.T) {
	all := datapatterns.DatedFiles{InputPath: "/d", StartDate: "10000101", EndDate: "99991231", Hourly: pysem.Some(true), Wildcard: pysem.Some("*")}
	if list, err := datapatterns.GenPatterns(all, datapatterns.DatedFiles{}, time.Unix(0, 0)); pysem.TypeOf(err) != "MemoryError" {
		t.Errorf("got %d patterns and %v, want a MemoryError", len(list), err)
	}
}

// Goal: dates are read as strptime of Python 3.8 reads them, and braces as str.format. The expected
// lists are what Python gives for these texts.
func TestDatesAndBracesAsPythonReadsThem(t *testing.T) {
	all := func(pattern string) ([]string, error) { return []string{pattern}, nil }
	for _, c := range []struct {
		flag string
		want []string // nil for a ValueError
	}{
		{"{DATE(20200112,2020011٢)}", []string{"20200112"}},
		{"{DATE(20200112,202001١2)}", nil},
		{"{DATE(20200130,2020013١)}", nil},
		{"{DATE(2020011212,202001121٢)}", []string{"2020011212"}},
		{"{DATE(2020011222,202001122٣)}", nil},
		{"{DATE(٢٠٢٠0112,20200112)}", []string{"20200112"}},
		{"{DATE(20201٢12,20201212)}", nil},
		{"{DATE(20200110,2020011+)}", nil},
	} {
		got, err := datapatterns.InputPatterns(quiet{}, c.flag, all)
		if diff := cmp.Diff(c.want, got); diff != "" || (c.want == nil) != (pysem.TypeOf(err) == "ValueError") {
			t.Errorf("%s: error %v (-want +got):\n%s", c.flag, err, diff)
		}
	}
}
