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

// Drawing is what a web page needs to draw a Chart: a script that defines
// drawChart(element, chart), and its style. The script loads nothing.
var (
	//go:embed chart.js
	DrawingScript string
	//go:embed chart.css
	DrawingStyle string
)

// Chart is a run as lanes over virtual time. It also has every write to ZooKeeper, from which the
// page derives the tree and the registered services at any instant. Chart is made for JSON; times
// are nanoseconds from the start of the run, and n numbers an observation, from 1.
type Chart struct {
	EndNs int64       `json:"end_ns"`
	Lanes []ChartLane `json:"lanes"`
	// Marks are the observations without duration, in order.
	Marks  []Mark       `json:"marks"`
	Writes []ZnodeWrite `json:"writes"`
	// LeftOut counts the earliest marks that were dropped to keep at most MostMarks.
	LeftOut int `json:"left_out,omitempty"`
	// Calls counts successful calls, which have no marks.
	Calls int `json:"calls"`
}

// MostMarks bounds the marks of a chart.
const MostMarks = 5000

// ChartLane holds what one pod did, or ZooKeeper, the operator or the scenario.
type ChartLane struct {
	Name string     `json:"name"`
	Rows []ChartRow `json:"rows"`
}

// ChartRow has bars that do not overlap, in order.
type ChartRow struct {
	// Group is "steps", "faults", "processes", "sessions", "models" or "registrations".
	Group string `json:"group"`
	// Name is the subject of the bars: a model, a program, or a key of a registration.
	Name string `json:"name"`
	Bars []Bar  `json:"bars"`
}

// Bar is a stretch of time in one state. Open is set if the run ended before the bar did.
type Bar struct {
	FromNs  int64 `json:"from"`
	UntilNs int64 `json:"until"`
	Open    bool  `json:"open,omitempty"`
	// State is the state of a model version, or "open", "running", "fault", "step".
	State string `json:"state,omitempty"`
	Label string `json:"label"`
	// End says how the bar ended, for example an exit code.
	End string `json:"end,omitempty"`
}

// Mark is an observation without duration, or a failed call.
type Mark struct {
	N     int    `json:"n"`
	AtNs  int64  `json:"at"`
	Lane  int    `json:"lane"`
	Op    string `json:"op"`
	Text  string `json:"text"`
	Cause int    `json:"cause,omitempty"`
}

// Instant is one at which a run was lost, as when an invariant broke: a mark over all lanes.
type Instant struct {
	At time.Duration
	// Who is whose it is, "" for the scenario's.
	Who, Text string
}

// instantOp is the Op of an Instant's mark.
const instantOp = "instant"

// ZnodeWrite is a successful write to ZooKeeper. If the znode registers a service, Who
// serves Key in State at Addr.
type ZnodeWrite struct {
	AtNs int64  `json:"at"`
	Lane int    `json:"lane"`
	Op   string `json:"op"` // "create", "setData" or "delete"
	Path string `json:"path"`
	Data string `json:"data,omitempty"`
	// Ephemeral says whether the znode is.
	Ephemeral bool   `json:"ephemeral,omitempty"`
	Key       string `json:"key,omitempty"`
	Who       string `json:"who,omitempty"`
	State     string `json:"state,omitempty"`
	Addr      string `json:"addr,omitempty"`
}

// longestData and longestMark bound the texts of one write and of one mark, in characters.
const (
	longestData = 4000
	longestMark = 400
)

// NewChart makes the chart of a run that was observed with Spec.Detail and lasted until
// end. log holds all observations, in order.
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

// Lanes that come before those of pods, and the last lane.
const (
	scenarioLane  = "scenario"
	clusterLane   = "cluster"
	zookeeperLane = "zookeeper"
	operatorLane  = "operator"
)

// laneNames lists the lanes of a log: the scenario, observations of nobody, ZooKeeper, pods
// by their numbers, and all others.
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

// byNumbers compares names and reads the numbers in them: shard2 comes before shard10.
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
	// said is the present step, and saidAt its begin.
	said   string
	saidAt time.Duration
	last   bool // set at the end of the run: lives that end now are open
}

// placed is a bar with its row.
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

// step ends the present step and begins the next.
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

// lived draws an ended life on the lanes that it concerns.
func (b *chartBuilder) lived(l *life) {
	bar := Bar{FromNs: int64(l.from), UntilNs: int64(l.until), Open: b.last, State: l.state, Label: l.name, End: l.end}
	for _, lane := range b.lanesOf(l) {
		b.bars = append(b.bars, placed{lane, l.group, l.subject, bar})
	}
}

// lanesOf returns the lanes for a life. A fault has the lanes of the pods that it hits, or
// else of its topic; another life has the lane of its pod.
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

// chartGroups lists the kinds of rows in the order of drawing.
var chartGroups = []string{"steps", "faults", "processes", "sessions", "models", "registrations"}

// order distributes the bars over rows so that none overlap.
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
