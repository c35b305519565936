package resources

import (
	"slices"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
)

// filesAt is a file system with a fixed working directory.
type filesAt struct{ env.Files }

func (filesAt) Getwd() string { return envtest.Dir }

// Goal: the right version is measured (resource_utils.py:104-137), the assets are added to it
// (resource_utils.py:151-157), and the returned path is right.
func TestCalModelInfoChoosesAndAdds(t *testing.T) {
	state := func(entries ...string) string {
		text := ""
		for _, entry := range entries {
			text += "entries { " + entry + " }\n"
		}
		return text
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		dir   string
		ckpt  pysem.OptString
		want  []SubModelInfo
	}{
		{
			// resource_utils.py:135: version or sorted(com_versions)[-1]
			"the step's version before a newer one",
			map[string]string{
				"/e/m/entry/ExportSaverListenerState": state(`export_dir: "/x/20" global_step: 1`, `export_dir: "/x/10" global_step: 2`),
				"/e/m/entry/10/f":                     "abc", "/e/m/entry/20/f": "abcde",
			},
			"/e/m", pysem.Some("c-2"),
			[]SubModelInfo{{"entry", 3, "/e/m/entry/10"}},
		},
		{
			// resource_utils.py:112: global_step >= 0
			"step 0 is a step",
			map[string]string{
				"/e/m/entry/ExportSaverListenerState": state(`export_dir: "/x/10" global_step: 0`),
				"/e/m/entry/10/f":                     "abc", "/e/m/entry/20/f": "abcde",
			},
			"/e/m", pysem.Some("c-0"),
			[]SubModelInfo{{"entry", 3, "/e/m/entry/10"}},
		},
		{
			// resource_utils.py:127 takes only names for which num.isnumeric() is true.
			"what is no number is passed over",
			map[string]string{"/e/m/entry/+tmp/f": "a", "/e/m/entry/7/f": "abc"},
			"/e/m", pysem.OptString{},
			[]SubModelInfo{{"entry", 3, "/e/m/entry/7"}},
		},
		{
			// resource_utils.py:157: model_info[key] += stat.length
			"assets of the first sub-model",
			map[string]string{
				"/e/m/ps_0/ExportSaverListenerState": state(`export_dir: "/x/7" global_step: 2`),
				"/e/m/ps_0/7/f":                      "abc", "/e/c-2.assets/table_0-0-of-1": "0123456789",
			},
			"/e/m", pysem.Some("c-2"),
			[]SubModelInfo{{"ps_0", 13, "/e/m/ps_0/7"}},
		},
		{
			// resource_utils.py:82 removes only the trailing slashes of an absolute path.
			"an absolute path is as it was given",
			map[string]string{"/e/m/entry/7/f": "abc"},
			"/e/x/../m/", pysem.OptString{},
			[]SubModelInfo{{"entry", 3, "/e/x/../m/entry/7"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := envtest.New(test.files, nil)
			e.Files = filesAt{e.Files}
			got, err := CalModelInfo(e, test.dir, test.ckpt, pysem.OptString{})
			if !slices.Equal(got, test.want) || err != nil {
				t.Errorf("got %v, error %v, want %v", got, err, test.want)
			}
		})
	}
}
