package replicamanager

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// memoryTree is as much of a ZooKeeper client as a reader needs: contents by path.
type memoryTree struct {
	env.ZooKeeper
	data map[string][]byte
	kept map[string][]string // lists that were given out, while they are right
	lost string              // the path at which the connection is lost, "" for none
}

func (z *memoryTree) Get(path string) ([]byte, env.Stat, error) {
	data, ok := z.data[path]
	if !ok {
		return nil, env.Stat{}, zkerrors.ErrNoNode
	}
	return data, env.Stat{}, nil
}

func (z *memoryTree) Children(path string) ([]string, error) {
	if path == z.lost {
		return nil, zkerrors.ErrConnectionLoss
	}
	names := map[string]bool{}
	for p := range z.data {
		if rest, ok := strings.CutPrefix(p, path+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			names[name] = true
		}
	}
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	if kept, ok := z.kept[path]; ok && slices.Equal(kept, list) {
		return kept, nil
	}
	z.kept[path] = list
	return list, nil
}

// read is what there is below a prefix as plain has it, read without a memory as
// replica_manager.py:197-228 does.
func (z *memoryTree) read(prefix string, dcAware bool) ([]string, error) {
	above := []string{prefix}
	if dcAware {
		var err error
		if above, err = z.below(above); err != nil {
			return nil, err
		}
	}
	tasks, err := z.below(above)
	var lines []string
	for _, task := range tasks {
		names, err := z.Children(task)
		if err != nil {
			return nil, err
		}
		replicas := pysem.NewOrderedMap[string, string]()
		for _, name := range names {
			data := z.data[task+"/"+name]
			if len(data) == 0 {
				continue
			}
			meta, err := datadef.ParseReplicaMeta(data)
			if err != nil {
				return nil, err
			}
			id, err := pysem.ParseInt(name)
			if err != nil {
				return nil, err
			}
			replicas.Set(id.String(), string(meta.Serialize()))
		}
		lines = append(lines, task)
		for id, text := range replicas.All {
			lines = append(lines, id+": "+text)
		}
	}
	return lines, err
}

// below lists the children of several znodes, by their paths.
func (z *memoryTree) below(paths []string) ([]string, error) {
	var list []string
	for _, path := range paths {
		names, err := z.Children(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			list = append(list, path+"/"+name)
		}
	}
	return list, nil
}

// plain is a mirror as text.
func plain(mirror *pysem.OrderedMap[string, *replicaMap]) []string {
	var lines []string
	for task, replicas := range mirror.All {
		lines = append(lines, task)
		for id, meta := range replicas.all {
			lines = append(lines, fmt.Sprintf("%s: %s", id, meta.Serialize()))
		}
	}
	return lines
}

// sharedByAll is an env.Shared that keeps what Same and Names are for.
type sharedByAll struct {
	names map[string]*env.Names
	last  map[string]any
}

func (s *sharedByAll) Lookup(string, []byte) (any, bool) { return nil, false }
func (s *sharedByAll) Keep(string, []byte, any)          {}

func (s *sharedByAll) Same(place string, value any, equal func(any) bool) any {
	if last, ok := s.last[place]; ok && equal(last) {
		return last
	}
	s.last[place] = value
	return value
}

func (s *sharedByAll) Names(parent string) *env.Names {
	if s.names[parent] == nil {
		s.names[parent] = env.NewNames(parent)
	}
	return s.names[parent]
}

// Goal: a reader that remembers finds what one without a memory does, and says
// that the mirror is unchanged only when it holds just that. Method: random
// changes of the tree and of the mirror between rounds; several names for one id,
// contents without data, contents that cannot be parsed
// and lost connections among them.
func TestReaderWithAMemoryFindsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dcAware := rapid.Bool().Draw(t, "dc aware")
		tree := &memoryTree{data: map[string][]byte{}, kept: map[string][]string{}}
		path := rapid.Custom(func(t *rapid.T) string {
			p := "/b/service/m"
			if dcAware {
				p += "/" + rapid.SampledFrom([]string{"x:1", "y:2"}).Draw(t, "location")
			}
			p += "/" + rapid.SampledFrom([]string{"ps:0", "ps:1", "entry:0"}).Draw(t, "task")
			return p + "/" + rapid.SampledFrom([]string{"0", "1", "01", "00000000001", "7", "12", "seven"}).Draw(t, "name")
		})
		content := rapid.Custom(func(t *rapid.T) []byte {
			switch rapid.IntRange(0, 20).Draw(t, "content") {
			case 0:
				return nil
			case 1:
				return []byte("{")
			}
			m := datadef.DefaultReplicaMeta()
			m.Stat = rapid.SampledFrom([]env.ModelState{env.StateUnknown, env.StateAvailable}).Draw(t, "state")
			return m.Serialize()
		})
		var shared env.Shared
		if rapid.Bool().Draw(t, "shared") {
			shared = &sharedByAll{names: map[string]*env.Names{}, last: map[string]any{}}
		}
		reader := newTreeReader(tree, shared, "/b/service/m", dcAware)
		mirror := pysem.NewOrderedMap[string, *replicaMap]()
		for range rapid.IntRange(1, 8).Draw(t, "rounds") {
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				p := path.Draw(t, "path")
				if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
					delete(tree.data, p)
				} else {
					tree.data[p] = content.Draw(t, "data")
				}
			}
			// What data watches do to the mirror.
			if rapid.Bool().Draw(t, "watch") && mirror.Len() > 0 {
				replicas, _ := mirror.Get(mirror.KeyList()[0])
				for id, meta := range replicas.all {
					switch rapid.IntRange(0, 2).Draw(t, "event") {
					case 0:
						replicas.set(id, unknown(meta))
					case 1:
						own := *unknown(meta)
						replicas.setOwn(id, &own)
					default:
						replicas.delete(id)
					}
					break
				}
			}

			tree.lost = ""
			if rapid.IntRange(0, 4).Draw(t, "connection") == 0 {
				tree.lost = rapid.SampledFrom([]string{"/b/service/m", "/b/service/m/x:1", "/b/service/m/ps:0", "/b/service/m/y:2/ps:1"}).Draw(t, "lost at")
			}
			want, wantErr := tree.read("/b/service/m", dcAware)
			if err := reader.read(); fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("error: got %v, want %v", err, wantErr)
			}
			if wantErr != nil {
				continue
			}
			if reader.unchanged(mirror) {
				if diff := cmp.Diff(want, plain(mirror)); diff != "" {
					t.Fatalf("the mirror is not unchanged (-want +got):\n%s", diff)
				}
				continue
			}
			mirror = reader.mirror()
			if diff := cmp.Diff(want, plain(mirror)); diff != "" {
				t.Fatalf("mirror (-want +got):\n%s", diff)
			}
		}
	})
}

func TestAQuietRoundOfTheReaderParsesNothing(t *testing.T) {
	tree := &memoryTree{data: map[string][]byte{}, kept: map[string][]string{}}
	meta := datadef.DefaultReplicaMeta()
	for i := range 20 {
		tree.data[fmt.Sprintf("/b/service/m/ps:0/%d", i)] = meta.Serialize()
	}
	reader := newTreeReader(tree, nil, "/b/service/m", false)
	if err := reader.read(); err != nil {
		t.Fatal(err)
	}
	mirror := reader.mirror()
	kept := reader.tasks[0].replicas
	if err := reader.read(); err != nil {
		t.Fatal(err)
	}
	if !reader.unchanged(mirror) || kept != reader.tasks[0].replicas {
		t.Error("the second round made replicas anew")
	}
}
