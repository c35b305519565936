package explore

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/features/steps/drawn"
	"github.com/monosim/monosim/runners"
)

// World is a kind of cluster in which random stories are run.
type World struct {
	Name string
	// Shapes holds the sentences that describe the cluster.
	Shapes []string
	// Setups holds alternative lists of steps before the start. A story draws one of them; the
	// first is the usual one. The part of a step after [later] is done some time after the start.
	Setups [][]string
	// Start is the sentence that starts the cluster.
	Start string
	// Acts holds templates for actions of operators. The part of a template after [later] is done
	// some time after the part before it, and the part after [within] soon after it. A template
	// that ends with [lasting] is for an action that lasts for some time.
	Acts []string
	// Told holds the lines after the start in the scenario from which the world was made. Every
	// story contains them.
	Told []steps.Line
	// Calm holds what a story without acts expects in addition.
	Calm []string
	// Fatal says that stories of the world expect only what must hold at any time, because the job
	// ends, or an operator stops it.
	Fatal bool

	book   *steps.Book
	shapes []steps.Line
	cast   *drawn.Cast
	kinds  []runners.FaultKind
	// failsLoads holds the sentences, without placeholders' words, of what can make a load fail.
	failsLoads map[string]bool
}

// later separates the two parts of an act in a template. They are drawn together, because two
// separate acts would hardly ever fit together.
const later = "; later "

// within separates the two parts of an act in a template, as later does. The second part comes
// within a minute of the first, while the cluster still reacts to the first.
const within = "; within 1m "

// lasting ends the template of an act that lasts for a drawn time, and then ends by itself.
const lasting = " for {duration}"

// slowed is an act by which a connection is lost while an agent reads what has just changed.
const slowed = "the network between {pod} and ZooKeeper becomes slower by 2s for 2m"

const (
	startCluster  = "the cluster starts"
	startTraining = "the training starts"
)

// serving makes a world of serving agents of version 3.
func serving(name, cluster, graphs string, shapes ...string) *World {
	publish := "model ctr is declared and published to layout main"
	all := lists.Map(strings.Split(graphs, ", "), func(g string) string { return "ctr:" + g })
	models := strings.Join(all, ", ")
	w := &World{
		Name: name, Start: startCluster,
		Shapes: slices.Concat([]string{cluster, "pods that end start again after 15s"}, shapes, []string{
			"model ctr with sub-graphs " + graphs + " of 30 MB in version 1",
		}),
		Setups: [][]string{
			{publish},
			{models + " is published to layout main", models + " is declared"},
			{models + ` is declared with policy "latest_once"`, models + " is published to layout main"},
			{publish, `znode /gip/layouts/main/nonsense is written with ""`},
			{publish, `znode /gip/saved_models/ctr/entry is written with "nonsense"` + later + models + " is/are declared"},
		},
		Acts: []string{
			"version {n} of {model} is exported", "version {n} of {model} is exported", "version {n} of {model} is deleted",
			"{models} is/are published to layout {layout}", "{models} is/are unpublished from layout {layout}", "{models} is/are declared",
			`{models} is/are declared with policy "all"`,
			"{models} is/are unpublished from layout {layout}" + later + "{models} is/are published to layout {layout}",
			"the network between {pod} and ZooKeeper becomes slower by 3s" + lasting,
			slowed + later + "{models} is/are unpublished from layout {layout}", "the agent of shard0-replica1 is killed" + within + slowed,
			"znode /gip/layouts/main is deleted" + later + "{models} is/are published to layout {layout}",
			"znode /gip/container_service/monolith.serving;lf;default:shard0-replica1 is deleted",
		},
	}
	for _, m := range all {
		w.Calm = append(w.Calm, "within 45s every pod has service info", "within 45s "+m+" is bound to every pod")
	}
	return w
}

// registering makes a world of serving agents of version 1, which register their servers.
func registering(name, cluster string, ps int, shapes ...string) *World {
	graphs := []string{"entry"}
	for i := range ps {
		graphs = append(graphs, fmt.Sprintf("ps_%d", i))
	}
	return &World{
		Name: name, Start: startCluster,
		Shapes: slices.Concat([]string{cluster, "pods that end start again after 15s", fmt.Sprintf(`the agent setting "num_ps" is "%d"`, ps)}, shapes, []string{
			"model predict_ctr with sub-graphs " + strings.Join(graphs, ", ") + " of 30 MB in version 1",
		}),
		Setups: [][]string{nil},
		Acts: []string{
			"version {n} of {model} is exported", "version {n} of {model} is exported", "version {n} of {model} is deleted",
			"version 1 of predict_ctr:ps_0 is deleted" + later + "the export of version 2 of predict_ctr:ps_0 begins without its graph, with variables of 30 MB",
		},
	}
}

// training makes a world of a training job.
func training(name string, shapes ...string) *World {
	return &World{
		Name: name, Start: startTraining,
		Shapes: slices.Concat([]string{
			"a training job with 2 workers and 2 PS", `the job setting save_steps is "50"`, restartJob,
		}, shapes),
		Setups: [][]string{nil},
		Acts: []string{"the operator begins to call {method}", "the operator begins to call StopTraining" + later + "the operator begins to call ResumeTraining",
			"the stored file /train/model/monolith_checkpoint is garbled"},
	}
}

// exempted is an act that replaces the list of checkpoints that are never deleted.
func exempted(checkpoints ...string) string {
	list := lists.Map(checkpoints, func(c string) string { return "exempt_model_checkpoint_paths: '" + c + "'" })
	return `the stored file /train/model/monolith_checkpoint is written with "` + strings.Join(list, " ") + `"`
}

// Worlds lists the worlds that are explored if the user asks for none.
func Worlds() []*World {
	filters := []string{
		`the agent setting "layout_filters" is "ps_{i};i % ${shard_num} == ${shard_id}"`,
		`the agent setting "layout_filters" is also "entry;${shard_id} == 0"`,
	}
	sharded := serving("v3 2x2 with filters", "a v3 cluster of 2 shards with 2 replicas each", "entry, ps_0, ps_1", filters...)
	sharded.Calm = []string{"within 45s every pod has service info"}
	dense := &World{
		Name: "dense", Start: startCluster, Setups: [][]string{nil},
		Shapes: []string{
			"a v1 cluster of 1 shard with 2 replicas each", "pods that end start again after 15s", `the agents have no setting "stand_alone_serving"`,
			`the agent setting "deploy_type" is "dense"`, `the agent setting "dense_alone" is "true"`, `the agent setting "dense_service_num" is "3"`,
			"model predict_ctr with sub-graphs dense_0 of 30 MB in version 1",
		},
		Acts: []string{"version {n} of {model} is exported", "version {n} of {model} is deleted"},
	}
	rough := registering("v1 with a rough sort model", "a v1 cluster of 1 shard with 2 replicas each", 1,
		`the agent setting "rough_sort_model_name" is "rough"`, `the agent setting "rough_sort_model_p2p_path" is "/p2p"`, `the agent setting "rough_sort_model_local_path" is "/rough"`,
		"model rough with sub-graphs entry_item_embedding_0 of 30 MB in version 9", "model rough_b with sub-graphs entry_item_embedding_0 of 30 MB in version 1")
	slow := "the agent of shard0-replica0 takes 10s to write a file"
	received := "version 9 of rough:entry_item_embedding_0 is received"
	rough.Setups = [][]string{{received}, {received, slow}, {slow}, {"version 1 of rough_b:entry_item_embedding_0 is received"}}
	rough.Acts = append(rough.Acts, "version {n} of {model} is received", "version {n} of {model} is received in part", "version 10 of rough:entry_item_embedding_0 is received")
	restoring := training("training that restores", `the job setting restore_dir is "/train/old"`)
	restoring.Setups = [][]string{{
		`the stored file /train/old/model.ckpt-61.index is written with "61"`,
		`the stored file /train/old/checkpoint is written with "model_checkpoint_path: 'model.ckpt-61' all_model_checkpoint_paths: 'model.ckpt-61'"`,
	}, nil}
	unhurried := &World{
		Name: "training in long steps", Start: startTraining, Setups: [][]string{nil},
		Shapes: []string{
			"a training job with 2 workers and 2 PS", `the job setting step_time is "20s"`, `the job setting save_every is "1m"`, `the job setting max_to_keep is "2"`, restartJob,
		},
		Acts: []string{
			"the operator begins to call SaveCheckpoint" + within + "the operator begins to call SaveCheckpoint",
			exempted("model.ckpt-2", "model.ckpt-4", "model.ckpt-6") + later + exempted(),
		},
	}
	partial := training("training with partial recovery", `the job setting partial_recovery is "true"`)
	watched := training("training with a memory limit", `the job setting ps_memory_limit is "2000000"`)
	watched.Acts, watched.Fatal = append(watched.Acts, "the memory of ps0 comes to 3 MB"), true
	ending := &World{
		Name: "training that ends", Start: startTraining, Setups: [][]string{nil}, Fatal: true,
		Shapes: []string{"a training job with 2 workers and 2 PS", `the job setting save_steps is "50"`, `the job setting max_steps is "410"`},
		Acts:   []string{"worker1 is killed", "worker2 is killed", `the stored file /train/model/monolith_action is written with "action: STOP"`},
	}
	return []*World{
		serving("v3 1x3", "a v3 cluster of 1 shard with 3 replicas each", "entry, ps_0"),
		sharded,
		registering("v1 1x3", "a v1 cluster of 1 shard with 3 replicas each", 1),
		registering("v1 2x2", "a v1 cluster of 2 shards with 2 replicas each", 2),
		dense,
		registering("v1 in two data centres", "a v1 cluster of 1 shard with 2 replicas each", 1, `replicas in "lf:default, hl:default"`, `the agent setting "dc_aware" is "true"`),
		rough,
		training("training by ZooKeeper"),
		training("training by Consul", `the job setting discovery is "consul"`),
		training("training with a redundant PS", `the job setting redundant_ps is "1"`),
		restoring,
		unhurried,
		partial,
		watched,
		ending,
	}
}

// WorldOf makes a world from a scenario. It takes over the shape of the cluster, and the steps
// before and after its start, but no assertions. If the scenario does not say when ended processes
// start again, WorldOf adds that they do so after a while, because otherwise the cluster could not
// be whole again after a kill.
func WorldOf(name string, lines []steps.Line) (*World, error) {
	w := &World{Name: name, Setups: [][]string{nil}}
	for _, l := range lines {
		switch {
		case l.Keyword() == "Given":
			w.Shapes = append(w.Shapes, l.Text)
		case l.Text == startCluster || l.Text == startTraining:
			w.Start = l.Text
		case l.Keyword() == "Then":
		case w.Start == "":
			w.Setups[0] = append(w.Setups[0], l.Text)
		default:
			w.Told = append(w.Told, l)
		}
	}
	if w.Start == "" {
		return nil, fmt.Errorf("scenario %q: found no %q or %q, want a cluster that starts", name, startCluster, startTraining)
	}
	w.comesBack(size.MatchString, after.MatchString, "pods that end start again after 15s")
	w.comesBack(isJob, comesBack, restartJob)
	return w, nil
}

// comesBack inserts the sentence text after the first shape for which of returns true, unless said
// returns true for some shape.
func (w *World) comesBack(of, said func(text string) bool, text string) {
	if i := slices.IndexFunc(w.Shapes, of); i >= 0 && !slices.ContainsFunc(w.Shapes, said) {
		w.Shapes = slices.Insert(w.Shapes, i+1, text)
	}
}

// restartJob says when a process of a training job that has failed starts again.
const restartJob = `the job setting restart_after is "20s"`

func isJob(text string) bool     { return strings.HasPrefix(text, "a training job with ") }
func comesBack(text string) bool { return strings.HasPrefix(text, "the job setting restart_after") }

// open parses the sentences of a world for a runner, and selects the kinds of faults that fit it.
func (w *World) open(book *steps.Book, kinds []runners.FaultKind) (err error) {
	w.book = book
	for _, text := range w.Shapes {
		l, err := book.Line(text)
		if err != nil {
			return fmt.Errorf("world %s: %w", w.Name, err)
		}
		w.shapes = append(w.shapes, l)
	}
	if w.cast, err = book.Cast(w.shapes); err != nil {
		return fmt.Errorf("world %s: %w", w.Name, err)
	}
	if kinds, err = book.Used(w.shapes, kinds); err != nil {
		return fmt.Errorf("world %s: %w", w.Name, err)
	}
	w.kinds, w.failsLoads = lists.Filter(kinds, w.has), map[string]bool{"version {n} of {model} is deleted": true}
	for _, k := range lists.Filter(kinds, canFailLoads) {
		w.failsLoads[k.Lasts], w.failsLoads[k.Begins], w.failsLoads[k.Onset] = true, true, true
	}
	return nil
}

// has reports whether the world contains the processes that a kind of fault hits, such as a
// training job. The caller has already checked that the world uses the servers of the fault.
func (w *World) has(k runners.FaultKind) bool {
	switch k.Topic() {
	case "consul", "zookeeper":
		return true
	case "trainer":
		return len(w.cast.Trainers) > 0
	}
	return len(w.cast.Pods) > 0
}

// size matches the sentence that gives a cluster's shards and replicas.
var size = regexp.MustCompile(`^a v(\d) cluster of (\d+) shards? with (\d+) replicas?(?: each)?$`)

// after matches the sentence that says when an ended pod starts again. A story draws that time.
var after = regexp.MustCompile(`^pods that end start again after (.*)$`)

// restarts holds times after which an orchestrator starts a pod again, some before and some after
// its old session has expired.
var restarts = []time.Duration{15 * time.Second, 2 * time.Second, 5 * time.Second, 30 * time.Second}
