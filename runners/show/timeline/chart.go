package timeline

import (
	"cmp"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/runners"
)

// Drawing is the script and the style with which a web page draws a Chart. The script defines
// drawChart(element, chart) and loads nothing.
var (
	//go:embed chart.js
	DrawingScript string
	//go:embed chart.css
	DrawingStyle string
)

// Chart shows a run as lanes over virtual time. It also has every write to ZooKeeper, from which
// the page derives the znodes and the registered services at any time. Chart is encoded as JSON.
// Times are nanoseconds since the start of the run, and n numbers the observations from 1.
type Chart struct {
	EndNs int64       `json:"end_ns"`
	Lanes []ChartLane `json:"lanes"`
	// Marks holds the observations that have no duration, in order.
	Marks  []Mark       `json:"marks"`
	Writes []ZnodeWrite `json:"writes"`
	// LeftOut counts the earliest marks, which were dropped so that at most MostMarks are left.
	LeftOut int `json:"left_out,omitempty"`
	// Calls counts the successful calls. They have no marks.
	Calls int `json:"calls"`
}

// MostMarks is the largest number of marks in a chart.
const MostMarks = 5000

// ChartLane shows what one pod did. ZooKeeper, the operator and the scenario have lanes too.
type ChartLane struct {
	Name string     `json:"name"`
	Rows []ChartRow `json:"rows"`
}

// ChartRow is a row of bars in order of time. The bars of a row do not overlap.
type ChartRow struct {
	// Group is "steps", "faults", "processes", "sessions", "models" or "registrations".
	Group string `json:"group"`
	// Name is the subject of the bars: a model, a program, or a key of a registration.
	Name string `json:"name"`
	Bars []Bar  `json:"bars"`
}

// Bar is a period of time in one state. Open means that the run ended before the state did.
type Bar struct {
	FromNs  int64 `json:"from"`
	UntilNs int64 `json:"until"`
	Open    bool  `json:"open,omitempty"`
	// State is the state of a model version, or else "open", "running", "fault" or "step".
	State string `json:"state,omitempty"`
	Label string `json:"label"`
	// End says how the bar ended, for example an exit code.
	End string `json:"end,omitempty"`
}

// Mark shows an observation that has no duration, or a failed call.
type Mark struct {
	N     int    `json:"n"`
	AtNs  int64  `json:"at"`
	Lane  int    `json:"lane"`
	Op    string `json:"op"`
	Text  string `json:"text"`
	Cause int    `json:"cause,omitempty"`
}

// Instant is a time at which the failure of a run was decided, for example because an invariant
// broke. It is drawn as a mark over all lanes.
type Instant struct {
	At time.Duration
	// Who names the lane of the mark; "" means the scenario's lane.
	Who, Text string
}

// instantOp is the Op of an Instant's mark.
const instantOp = "instant"

// ZnodeWrite is a successful write to ZooKeeper. If the znode registers a service, Who is the
// service that serves Key in State at Addr.
type ZnodeWrite struct {
	AtNs int64  `json:"at"`
	Lane int    `json:"lane"`
	Op   string `json:"op"` // "create", "setData" or "delete"
	Path string `json:"path"`
	Data string `json:"data,omitempty"`
	// Ephemeral means that the znode is ephemeral.
	Ephemeral bool   `json:"ephemeral,omitempty"`
	Key       string `json:"key,omitempty"`
	Who       string `json:"who,omitempty"`
	State     string `json:"state,omitempty"`
	Addr      string `json:"addr,omitempty"`
}

// longestData and longestMark are the largest lengths of the texts of a write and of a mark, in
// characters.
const (
	longestData = 4000
	longestMark = 400
)

// NewChart makes the chart of a run with Spec.Detail. log holds all observations of the run, in
// order, and end is the time at which the run ended.
func NewChart(log []runners.Observation, end time.Duration, instants ...Instant) *Chart {
	b := &chartBuilder{chart: &Chart{EndNs: int64(end), Marks: []Mark{}, Writes: []ZnodeWrite{}}, lanes: map[string]int{}}
	b.lives.began, b.lives.ended = func(*life) {}, b.lived
	for _, name := range laneNames(log) {
		b.lanes[name] = len(b.chart.Lanes)
		b.chart.Lanes = append(b.chart.Lanes, ChartLane{Name: name, Rows: []ChartRow{}})
	}
	for i := range log {
		b.observe(i+1, &log[i])
	}
	b.step(end, "")
	b.last = true
	b.lives.finish(end)
	b.order()
	if more := len(b.chart.Marks) - MostMarks; more > 0 {
		b.chart.LeftOut, b.chart.Marks = more, b.chart.Marks[more:]
	}
	for i, at := range instants {
		lane, ok := b.lanes[at.Who]
		if !ok {
			lane = b.lanes[scenarioLane]
		}
		b.chart.Marks = append(b.chart.Marks, Mark{N: len(log) + 1 + i, AtNs: int64(at.At), Lane: lane, Op: instantOp, Text: Shorten(at.Text, longestMark)})
	}
	slices.SortStableFunc(b.chart.Marks, func(x, y Mark) int { return cmp.Compare(x.AtNs, y.AtNs) })
	return b.chart
}

// The first three lanes come before those of the pods. The operator's lane is the last.
const (
	scenarioLane  = "scenario"
	clusterLane   = "cluster"
	zookeeperLane = "zookeeper"
	operatorLane  = "operator"
)

// laneNames lists the lanes of a log in order: the scenario, observations without a pod, ZooKeeper,
// the pods by number, and all others.
func laneNames(log []runners.Observation) []string {
	seen := map[string]bool{scenarioLane: true, clusterLane: true, zookeeperLane: true}
	var pods, others []string
	for i := range log {
		name := log[i].Pod
		switch {
		case seen[name]:
			continue
		case strings.HasPrefix(name, "shard"):
			pods = append(pods, name)
		default:
			others = append(others, name)
		}
		seen[name] = true
	}
	slices.SortFunc(pods, byNumbers)
	slices.Sort(others)
	return slices.Concat([]string{scenarioLane, clusterLane, zookeeperLane}, pods, others)
}

var number = regexp.MustCompile(`\d+`)

// byNumbers compares names by the numbers in them, so that shard2 comes before shard10.
func byNumbers(a, b string) int {
	as, bs := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if x != y {
			return cmp.Compare(x, y)
		}
	}
	return strings.Compare(a, b)
}

// chartBuilder makes a chart from a log.
type chartBuilder struct {
	chart *Chart
	lanes map[string]int
	lives lives
	bars  []placed
	// said is the current step of the scenario, and saidAt is when it began.
	said   string
	saidAt time.Duration
	last   bool // whether the run is over, so that lives which have not ended are shown as open
}

// placed is a bar with the lane, the group and the name of its row.
type placed struct {
	lane        int
	group, name string
	bar         Bar
}

func (b *chartBuilder) observe(n int, o *runners.Observation) {
	b.lives.observe(o)
	topic, what, _ := strings.Cut(o.Op, ".")
	switch {
	case topic == "remark":
		b.step(o.At, o.Note)
		return
	case topic == "rpc" && strings.HasSuffix(o.Note, "OK"):
		b.chart.Calls++
		return
	case topic == "zookeeper" && (what == "create" || what == "setData" || what == "delete") && done(o):
		b.write(o, what)
	}
	b.chart.Marks = append(b.chart.Marks, Mark{
		N: n, AtNs: int64(o.At), Lane: b.lanes[o.Pod], Op: o.Op, Text: Shorten(Phrase(o), longestMark), Cause: o.Cause,
	})
}

// step ends the current step of the scenario and begins the next one.
func (b *chartBuilder) step(at time.Duration, text string) {
	if b.said != "" {
		b.bars = append(b.bars, placed{b.lanes[scenarioLane], "steps", "steps", Bar{FromNs: int64(b.saidAt), UntilNs: int64(at), State: "step", Label: b.said}})
	}
	b.said, b.saidAt = text, at
}

func (b *chartBuilder) write(o *runners.Observation, what string) {
	w := ZnodeWrite{
		AtNs: int64(o.At), Lane: b.lanes[o.Pod], Op: what, Path: o.Path, Data: Shorten(o.Data, longestData),
		Ephemeral: o.Note != "",
	}
	if r := registered(o.Path, o.Data); what != "delete" && r.Key != o.Path {
		w.Key, w.Who, w.State, w.Addr = r.Key, r.Who, r.State, r.Addr
	}
	b.chart.Writes = append(b.chart.Writes, w)
}

// lived adds the bar of an ended life to each lane that the life concerns.
func (b *chartBuilder) lived(l *life) {
	bar := Bar{FromNs: int64(l.from), UntilNs: int64(l.until), Open: b.last, State: l.state, Label: l.name, End: l.end}
	for _, lane := range b.lanesOf(l) {
		b.bars = append(b.bars, placed{lane, l.group, l.subject, bar})
	}
}

// lanesOf returns the lanes of a life. A fault appears on the lanes of the pods that it hits, or
// else on the lane of its topic. Any other life appears on the lane of its pod.
func (b *chartBuilder) lanesOf(l *life) []int {
	if l.group != "faults" {
		return []int{b.lanes[l.who]}
	}
	var hit []int
	for _, word := range strings.FieldsFunc(l.name, func(r rune) bool { return r == ' ' || r == ',' }) {
		if lane, ok := b.lanes[word]; ok {
			hit = append(hit, lane)
		}
	}
	topic, _, _ := strings.Cut(l.subject, ".")
	switch {
	case len(hit) > 0:
		return hit
	case topic == zookeeperLane:
		return []int{b.lanes[zookeeperLane]}
	}
	return []int{b.lanes[clusterLane]}
}

// chartGroups lists the groups of rows in the order in which they are drawn.
var chartGroups = []string{"steps", "faults", "processes", "sessions", "models", "registrations"}

// order sorts the bars and distributes them over rows, so that bars of a row do not overlap.
func (b *chartBuilder) order() {
	slices.SortStableFunc(b.bars, func(x, y placed) int {
		return cmp.Or(
			cmp.Compare(x.lane, y.lane),
			cmp.Compare(slices.Index(chartGroups, x.group), slices.Index(chartGroups, y.group)),
			byNumbers(x.name, y.name),
			cmp.Compare(x.bar.FromNs, y.bar.FromNs),
		)
	})
	for _, p := range b.bars {
		rows := &b.chart.Lanes[p.lane].Rows
		i := slices.IndexFunc(*rows, func(r ChartRow) bool {
			return r.Group == p.group && r.Name == p.name && r.Bars[len(r.Bars)-1].UntilNs <= p.bar.FromNs
		})
		if i < 0 {
			i = len(*rows)
			*rows = append(*rows, ChartRow{Group: p.group, Name: p.name})
		}
		(*rows)[i].Bars = append((*rows)[i].Bars, p.bar)
	}
}
