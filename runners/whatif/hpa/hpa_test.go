package hpa

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

const (
	second = int64(time.Second)
	look   = 15 * second
)

// fleet returns a configuration with the controller's defaults, for pods of one core.
func fleet(target int64, change func(*Config)) *Config {
	c := &Config{Min: 1, Max: 100, Metrics: []Metric{{CPU: true, Target: target}}, Request: 1000, DownWindow: 5 * time.Minute, Tolerance: 0.1, Starting: 5 * time.Minute, ReadyDelay: 30 * time.Second}
	if change != nil {
		change(c)
	}
	return c
}

// defaults returns the rules that Kubernetes applies for spec.behavior: {}.
func defaults() *Behavior {
	all := Policy{Percent: true, Value: 100, Period: 15 * time.Second}
	return &Behavior{Up: Rules{Select: "Max", Policies: []Policy{{Value: 4, Period: 15 * time.Second}, all}}, Down: Rules{Window: 5 * time.Minute, Select: "Max", Policies: []Policy{all}}}
}

// pods returns n pods that have been ready for long and all report the same value.
func pods(n int, value int64) []Pod {
	list := make([]Pod, n)
	for i := range list {
		list[i] = Pod{Started: -3600 * second, Ready: true, Since: -3590 * second, Values: []int64{value}, Window: look}
	}
	return list
}

// series runs an autoscaler for the given length. It returns each change of the number of
// replicas, as "15s:10>12".
func series(c *Config, begin int, length int64, shown func(at int64, n int) []Pod) []string {
	a, n := New(*c), begin
	var list []string
	for at := int64(0); at <= length; at += look {
		d := a.Look(&Look{At: at, Replicas: n, Stamp: at, Pods: shown(at, n)})
		if d.Replicas != n {
			list = append(list, fmt.Sprintf("%v:%d>%d", time.Duration(at), n, d.Replicas))
			n = d.Replicas
		}
	}
	return list
}

// Goal: each rule is the one that the real controller follows. Method: compare with
// decisions of the Kubernetes controller for the same pods, recorded by the folder oracle.
func TestTheRulesAreThoseThatWereSeen(t *testing.T) {
	flat := func(value int64) func(int64, int) []Pod {
		return func(_ int64, n int) []Pod { return pods(n, value) }
	}
	shared := func(total int64) func(int64, int) []Pod { // an amount of work that all pods share, with at most one core each
		return func(_ int64, n int) []Pod { return pods(n, min(1000, total/int64(n))) }
	}
	behavior := func(c *Config) { c.Behavior = defaults() }
	lost := func(dead int) func(int64, int) []Pod {
		return func(_ int64, n int) []Pod {
			list := pods(n, 1000)
			for i := range dead {
				list[i].Values = []int64{-1}
			}
			return list
		}
	}
	for _, c := range []struct {
		name   string
		config *Config
		begin  int
		length int64
		shown  func(at int64, n int) []Pod
		want   []string
	}{
		{"whole per cents, cut off: 66.9 stays", fleet(60, nil), 10, 0, flat(669), nil},
		{"whole per cents, cut off: 67.0 does not", fleet(60, nil), 10, 0, flat(670), []string{"0s:10>12"}},
		{"the tolerance upwards", fleet(60, nil), 10, 0, flat(660), nil},
		{"the tolerance downwards", fleet(60, nil), 10, 6 * 60 * second, flat(540), nil},
		{"a tolerance of its own", fleet(60, func(c *Config) { c.Behavior = defaults(); none := 0.0; c.Behavior.Up.Tolerance = &none }), 10, 0, flat(610), []string{"0s:10>11"}},
		{"floats: 100 pods, 28 of 50 are 57", fleet(50, nil), 100, 5*60*second + look, flat(280), []string{"5m15s:100>57"}},
		{"a look sees at most 100 %, so a step is 1.67 times", fleet(60, nil), 6, 0, flat(1000), []string{"0s:6>10"}},
		{"from 1 without behavior", fleet(5, nil), 1, 2 * look, flat(1000), []string{"0s:1>4", "15s:4>8", "30s:8>16"}},
		{"from 1 with behavior", fleet(5, behavior), 1, 2 * look, flat(1000), []string{"0s:1>5", "15s:5>10", "30s:10>20"}},
		{"the present number is the first recommendation, without behavior", fleet(60, nil), 10, 6 * 60 * second, flat(50), []string{"5m15s:10>1"}},
		{"and with it", fleet(60, behavior), 10, 6 * 60 * second, flat(50), []string{"5m0s:10>1"}},
		{"a target above 100 % of what is requested", fleet(150, nil), 4, 11 * 60 * second, shared(4000), []string{"5m15s:4>3", "10m30s:3>2"}},
		{"per cent upwards is rounded up as floats are", fleet(10, func(c *Config) {
			c.Max = 200
			c.Behavior = defaults()
			c.Behavior.Up.Policies = []Policy{{Percent: true, Value: 10, Period: time.Minute}}
		}), 100, 0, flat(1000), []string{"0s:100>111"}},
		{"per cent downwards is cut off", fleet(90, func(c *Config) {
			c.Behavior = defaults()
			c.Behavior.Down.Window = 0
			c.Behavior.Down.Policies = []Policy{{Percent: true, Value: 90, Period: time.Minute}}
		}), 100, 0, flat(10), []string{"0s:100>9"}},
		{"two pods a minute, of the least wish of a minute", fleet(60, func(c *Config) {
			c.Behavior = defaults()
			c.Behavior.Up.Window = time.Minute
			c.Behavior.Up.Policies = []Policy{{Value: 2, Period: time.Minute}}
		}), 4, 3 * 60 * second, flat(1000), []string{"1m0s:4>6", "2m0s:6>8", "3m0s:8>10"}},
		{"the direction that is disabled", fleet(60, func(c *Config) { c.Behavior = defaults(); c.Behavior.Down.Select = "Disabled" }), 10, 10 * 60 * second, flat(50), nil},
		{"half of the fleet lost: nothing is added", fleet(60, nil), 10, 4 * 60 * second, lost(5), nil},
		{"three of ten lost", fleet(60, nil), 10, 0, lost(3), []string{"0s:10>12"}},
		{"above max at once, in spite of behavior", fleet(60, func(c *Config) { c.Behavior = defaults(); c.Behavior.Down.Select = "Disabled"; c.Max = 6 }), 10, 0, flat(600), []string{"0s:10>6"}},
		{"below min at once", fleet(60, func(c *Config) { c.Min = 12 }), 2, 0, flat(600), []string{"0s:2>12"}},
		{"what starts counts as idle on the way up, and not on the way down", fleet(60, nil), 10, 6 * 60 * second, func(at int64, n int) []Pod {
			list := pods(n, 500)
			for i := range list {
				if at < 20*second {
					list[i].Values[0] = 1000
				}
				if i >= 6 {
					list[i] = Pod{Pending: true, Values: []int64{-1}}
				}
			}
			return list
		}, []string{"5m30s:10>5"}},
		{"a container that was ready counts with its idle core", fleet(60, nil), 10, 5*60*second + look, func(at int64, n int) []Pod {
			list := pods(n, 1000)
			for i := 0; i < n/2; i++ {
				list[i].Ready, list[i].Since, list[i].Values[0] = false, 0, 5
			}
			return list
		}, []string{"5m15s:10>9"}},
	} {
		if got := series(c.config, c.begin, c.length, c.shown); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// Goal: a look at which a metric cannot be read adds nothing to the history of
// recommendations. Method: the CPU metric fails from minute 1 to minute 8 while the fleet is
// idle. Then one of two metrics fails.
func TestAMetricThatFailsIsNotRemembered(t *testing.T) {
	a, n := New(*fleet(60, nil)), 10
	var list []string
	for at := int64(0); at <= 9*60*second; at += look {
		l := &Look{At: at, Replicas: n, Stamp: at, Pods: pods(n, 100)}
		if at > 60*second && at < 480*second {
			l.Failed = []bool{true}
		}
		if d := a.Look(l); d.Replicas != n {
			list = append(list, fmt.Sprintf("%v:%d>%d", time.Duration(at), n, d.Replicas))
			n = d.Replicas
		}
	}
	if !slices.Equal(list, []string{"8m0s:10>2"}) {
		t.Errorf("got %v, want 10>2 at 8 m at once", list)
	}
	for _, c := range []struct {
		value int64
		want  int
	}{{100, 10}, {900, 15}} {
		two := New(*fleet(60, func(c *Config) { c.DownWindow = 0; c.Metrics = append(c.Metrics, Metric{Target: 1000}) }))
		l := &Look{Replicas: 10, Pods: pods(10, c.value), Failed: []bool{false, true}}
		for i := range l.Pods {
			l.Pods[i].Values = append(l.Pods[i].Values, -1)
		}
		if d := two.Look(l); d.Replicas != c.want {
			t.Errorf("one of two metrics fails, cpu %d: got %d, want %d: it forbids the way down only", c.value, d.Replicas, c.want)
		}
	}
}

// Goal: at every look the autoscaler decides as Kubernetes did. Method: 24 random sequences
// of looks, recorded by the program in the folder oracle.
func TestRecordedLivesAreDecidedAsKubernetesDid(t *testing.T) {
	f, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	lives, changes := 0, 0
	for lines.Scan() {
		var l struct {
			Name    string
			Config  Config
			Looks   []Look
			Decided []int
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lives++
		a := New(l.Config)
		for k := range l.Looks {
			d := a.Look(&l.Looks[k])
			if d.Replicas != l.Decided[k] {
				t.Errorf("%s, look %d at %v: got %d (%s), Kubernetes %d", l.Name, k, time.Duration(l.Looks[k].At), d.Replicas, d.Why, l.Decided[k])
				break
			}
			if d.Replicas != l.Looks[k].Replicas {
				changes++
			}
		}
	}
	if lines.Err() != nil || lives < 24 || changes < 60 {
		t.Errorf("%v: %d lives with %d changes, want at least 24 and 60", lines.Err(), lives, changes)
	}
}
