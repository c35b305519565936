package training

import (
	"testing"

	"github.com/monosim/monosim/engine/pysem"
)

// Goal: any content of a discovery's nodes, tags and variables yields an address or a Python
// exception, and a damaged entry does not hide a good one. Method: fuzzing.

// isPython fails the test on an error that the reference could not have raised.
func isPython(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil && pysem.TypeOf(err) == "" {
		t.Errorf("%s: got %v, want an exception of Python", what, err)
	}
}

func FuzzZooKeeperNodes(f *testing.F) {
	for _, c := range [][2]string{{"ps.0", "h:1"}, {"ps", "h:1"}, {"ps.x", "h:1"}, {"ps.1.2", "h:1"}, {"ps.1", ""}, {"worker.-1", "\xff"}, {"ps.٣", "h"}, {"..", "x"}} {
		f.Add(c[0], []byte(c[1]))
	}
	f.Fuzz(func(t *testing.T, child string, data []byte) {
		d, _ := newZKDiscovery(t)
		if err := d.dataChanged("ps.7", []byte("good:7")); err != nil {
			t.Fatal(err)
		}
		isPython(t, child, d.dataChanged(child, data))
		addrs, err := d.Query("ps")
		if err != nil {
			t.Fatal(err)
		}
		if addr, ok := addrs.Get(7); addr != "good:7" && child != "ps.7" && ok {
			t.Errorf("node %q: the process that was there is now %q", child, addr)
		}
	})
}

// listedConsul is a fake client that always returns the same list of elements.
type listedConsul struct {
	ConsulClient
	elements []any
}

func (c listedConsul) Lookup(string, int) ([]any, error) { return c.elements, nil }

func FuzzConsulElements(f *testing.F) {
	for _, text := range []string{
		`[{"Port": 1, "Host": "h", "Tags": {"name": "ps", "ip": "1.2.3.4", "index": "0"}}]`, `[{}]`, `[1]`, `[{"Tags": {"name": 1, "ip": null, "index": "x"}, "Port": {}}]`, `[{"Port": 1, "Tags": {"name": "ps", "ip": "a", "index": 1e9}}]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := pysem.ParseJSON(text)
		list, ok := value.([]any)
		if err != nil || !ok {
			return
		}
		_, err = NewConsulServiceDiscovery(nil, listedConsul{elements: list}, "id", 0).QueryAll()
		isPython(t, text, err)
	})
}

func FuzzTFConfig(f *testing.F) {
	for _, text := range []string{`{"cluster": {"ps": ["a:1"], "worker": ["b:2"], "chief": ["c:3"]}, "task": {"type": "worker", "index": 0}}`, `{}`, `[]`, `{"cluster": {"ps": 1}, "task": []}`, `{"cluster": [], "task": {"type": 1, "index": "x"}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		config, err := pysem.ParseJSON(text)
		if err != nil {
			return
		}
		d := NewTFConfigServiceDiscovery(config)
		for _, name := range []string{"ps", "worker", "chief"} {
			_, err := d.Query(name)
			isPython(t, text, err)
		}
		_, err = d.ServerType()
		isPython(t, text, err)
		_, err = d.Addr()
		isPython(t, text, err)
		_, err = d.Index()
		isPython(t, text, err)
	})
}
