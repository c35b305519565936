package replicamanager

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// Goal: a map in bytes is an ordered map, whatever else was made of it, and maps are equal
// when their replicas and orders are, and one has all of another when it has its ids. Method: random changes of two maps of one task, or of
// two numberings, with more values of one child than are kept, and copies that are shared.
func TestReplicasInBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shared := &sharedByAll{names: map[string]*env.Names{}}
		maps := []*replicaMap{newReplicaMap(shared, "/a"), newReplicaMap(shared, "/a"), newReplicaMap(nil, "/a")}
		plain := make([]*pysem.OrderedMap[string, datadef.ReplicaMeta], len(maps))
		for i := range plain {
			plain[i] = pysem.NewOrderedMap[string, datadef.ReplicaMeta]()
		}
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			i := rapid.IntRange(0, len(maps)-1).Draw(t, "map")
			id := fmt.Sprint(rapid.IntRange(0, 200).Draw(t, "id"))
			meta := datadef.DefaultReplicaMeta()
			meta.Task = rapid.IntRange(0, 40).Draw(t, "value")
			switch rapid.IntRange(0, 6).Draw(t, "change") {
			case 0:
				maps[i].delete(id)
				plain[i].Delete(id)
			case 1:
				maps[i].setOwn(id, &meta)
				plain[i].Set(id, meta)
			case 2:
				from := rapid.IntRange(0, len(maps)-1).Draw(t, "from")
				copied := *maps[from]
				copied.shared, maps[from].shared = true, true
				maps[i], plain[i] = &copied, pysem.NewOrderedMap[string, datadef.ReplicaMeta]()
				for id, meta := range maps[from].all {
					plain[i].Set(id, *meta)
				}
			case 3:
				for range 40 {
					meta.Task++
					maps[i].set(id, &datadef.ReplicaMeta{Task: meta.Task})
				}
				plain[i].Set(id, datadef.ReplicaMeta{Task: meta.Task})
			default:
				maps[i].set(id, &meta)
				plain[i].Set(id, meta)
			}
		}
		list := func(all func(func(string, string) bool)) (lines []string) {
			for id, meta := range all {
				lines = append(lines, id+": "+meta)
			}
			return lines
		}
		var lines [][]string
		for i, m := range maps {
			got := list(func(yield func(string, string) bool) {
				for id, meta := range m.all {
					if found, ok := m.get(id); !ok || found != meta {
						t.Fatalf("%s is not found", id)
					}
					yield(id, string(meta.Serialize()))
				}
			})
			want := list(func(yield func(string, string) bool) {
				for id, meta := range plain[i].All {
					yield(id, string(meta.Serialize()))
				}
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("map %d (-want +got):\n%s", i, diff)
			}
			lines = append(lines, got)
		}
		for i, a := range maps {
			for j, b := range maps {
				if want := cmp.Equal(lines[i], lines[j]); a.equal(b) != want {
					t.Fatalf("maps %d and %d: equal is %t, want %t:\n%q\n%q", i, j, !want, want, lines[i], lines[j])
				}
				want := true
				for id := range plain[j].All {
					_, ok := plain[i].Get(id)
					want = want && ok
				}
				if a.hasAllOf(b) != want {
					t.Fatalf("map %d has all of %d: %t, want %t:\n%q\n%q", i, j, !want, want, lines[i], lines[j])
				}
			}
		}
	})
}

// Goal: replicas that others have taken the place of take no memory, though a watched task
// has found them before, and are found no more.
func TestReplacedReplicasAreLetGo(t *testing.T) {
	w := &ReplicaWatcher{replicas: pysem.NewOrderedMap[string, *replicaMap]()}
	task, old := &watchedTask{path: "/a"}, newReplicaMap(nil, "/a")
	meta := datadef.DefaultReplicaMeta()
	old.set("0", &meta)
	old.setOwn("1", &meta)
	w.replicas.Set("/a", old)
	if found, ok := w.replicasOf(task); !ok || found != old {
		t.Fatalf("got %v, want the task's replicas", found)
	}
	fresh := newReplicaMap(nil, "/a")
	fresh.set("2", &meta)
	replicas := pysem.NewOrderedMap[string, *replicaMap]()
	replicas.Set("/a", fresh)
	w.replace(replicas)
	if cap(task.replicas.stamps)+cap(task.replicas.order.bytes)+len(task.replicas.odds) > 0 {
		t.Errorf("the task still has %+v", task.replicas)
	}
	if found, ok := w.replicasOf(task); !ok || found != fresh {
		t.Errorf("got %v, want the fresh replicas", found)
	}
}
