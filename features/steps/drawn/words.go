package drawn

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
)

// Cast holds the things that sentences of a story may name, each list in a fixed order.
type Cast struct {
	Pods, IDCs []string
	// Servers lists model servers, such as "the ps server of shard0-replica0".
	Servers []string
	// Models lists sub-graphs, such as "ctr:entry". Newest holds the newest version of each so far.
	Models []string
	Newest map[string]int64
	// Layouts lists the layouts that agents watch.
	Layouts []string
	// Trainers lists the processes of the training job, Files some of the files that they share,
	// and Paths all shared directories.
	Trainers, Files, Paths []string
}

// Word draws random texts for a placeholder in a sentence.
type Word struct {
	// Draw returns a random text for the placeholder, "" if the cast has none. before holds the
	// texts of the placeholders before it in the sentence.
	Draw func(c *Cast, d *Dial, before []string) string
	// Plainer lists texts that are plainer than a text, the plainest first. A nil function lists
	// none.
	Plainer func(c *Cast, text string) []string
}

// None is for placeholders that no story fills.
var None Word

// first returns a Word that draws from one of the cast's lists. of is a function that returns this
// list. Members nearer to the front are plainer.
func first(of func(c *Cast) []string) Word {
	return Word{
		Draw: func(c *Cast, d *Dial, _ []string) string { return d.Of(of(c)) },
		Plainer: func(c *Cast, text string) []string {
			if i := slices.Index(of(c), text); i > 0 {
				return of(c)[:min(i, 2)]
			}
			return nil
		},
	}
}

// fixed returns a Word that draws one of the texts. Earlier texts are plainer.
func fixed(texts ...string) Word { return first(func(*Cast) []string { return texts }) }

// The words.
var (
	Pod     = first(func(c *Cast) []string { return c.Pods })
	Model   = first(func(c *Cast) []string { return c.Models })
	Layout  = first(func(c *Cast) []string { return c.Layouts })
	Trainer = first(func(c *Cast) []string { return c.Trainers })
	Path    = first(func(c *Cast) []string { return c.Paths })
	Status  = fixed("500", "503", "404", "429")
	Method  = fixed("GetBlockStatus", "SaveCheckpoint", "GetTrainingStatus")
	Size    = fixed("30 MB", "1 MB", "300 MB", "1 GB")
	// Number draws a number from 1 to 3, as a number of requests or a version.
	Number = Word{
		Draw:    func(_ *Cast, d *Dial, _ []string) string { return strconv.Itoa(1 + d.N(3)) },
		Plainer: plainerNumber,
	}
	// Server draws a model server. A server of an earlier pod is plainer.
	Server = Word{
		Draw:    func(c *Cast, d *Dial, _ []string) string { return d.Of(c.Servers) },
		Plainer: plainerServer,
	}
	// Models draws one sub-graph, or all of them.
	Models = Word{
		Draw: func(c *Cast, d *Dial, _ []string) string {
			if len(c.Models) > 1 && d.N(2) == 0 {
				return strings.Join(c.Models, ", ")
			}
			return d.Of(c.Models)
		},
		Plainer: plainerModels,
	}
	// Duration draws from a second to some minutes, with short durations as likely as long ones.
	Duration = Word{Draw: drawDuration, Plainer: func(_ *Cast, text string) []string { return PlainerDurations(text) }}
	// Places draws one place, which differs from the places before it in the sentence.
	Places = Word{Draw: drawPlace, Plainer: plainerPlace}
)

func plainerNumber(_ *Cast, text string) []string {
	if n, err := strconv.Atoi(text); err == nil && n > 1 {
		return []string{"1"}
	}
	return nil
}

func plainerServer(c *Cast, text string) (list []string) {
	kind, _, _ := strings.Cut(text, " of ")
	for _, s := range c.Servers {
		if s == text {
			break
		}
		if strings.HasPrefix(s, kind+" ") {
			list = append(list, s)
		}
	}
	return list[:min(len(list), 2)]
}

func plainerModels(_ *Cast, text string) []string {
	if list := strings.Split(text, ", "); len(list) > 1 {
		return list
	}
	return nil
}

func drawDuration(_ *Cast, d *Dial, _ []string) string {
	exact := time.Duration(1<<d.N(9))*time.Second + time.Duration(d.N(1000))*time.Millisecond
	if d.N(2) == 0 {
		exact = exact.Round(time.Second)
	}
	return Say(max(exact, time.Second))
}

func drawPlace(c *Cast, d *Dial, before []string) string {
	places := append(slices.Clone(c.Pods), "ZooKeeper", "ZooKeeper", "ZooKeeper")
	places = append(places, lists.Map(c.IDCs, func(idc string) string { return "idc " + idc })...)
	if len(c.IDCs) < 2 {
		places = places[:len(places)-len(c.IDCs)]
	}
	return d.Of(slices.DeleteFunc(places, func(p string) bool { return slices.Contains(before, p) }))
}

func plainerPlace(c *Cast, text string) []string {
	if i := slices.Index(c.Pods, text); i > 0 {
		return c.Pods[:1]
	}
	return nil
}

// PlainerDurations lists durations that are shorter and rounder than the one in text. If the text
// is not a duration, the list is empty.
func PlainerDurations(text string) (list []string) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return nil
	}
	add := func(o time.Duration) {
		if o > 0 && o < d && !slices.Contains(list, Say(o)) {
			list = append(list, Say(o))
		}
	}
	for _, round := range []time.Duration{10 * time.Second, time.Minute} {
		add(round)
	}
	add((d / 2).Truncate(time.Second))
	add(d.Truncate(10 * time.Second))
	add(d.Truncate(time.Second))
	return list
}

// Say writes a duration as scenarios do, such as 90s or 1.5s. It rounds to milliseconds and uses no
// hours.
func Say(d time.Duration) string {
	d = d.Round(time.Millisecond)
	if d >= time.Minute && d%time.Minute == 0 {
		return strconv.FormatInt(int64(d/time.Minute), 10) + "m"
	}
	if d < time.Second && d > 0 {
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}
