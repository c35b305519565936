package engines

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/wholefile"
	"github.com/monosim/monosim/runners/whatif/model"
)

// Shard is an engine that simulates only every N-th point, starting with point I (from 0).
type Shard struct {
	I, N    int
	Workers int
}

// ParseShard parses I/N, or /N with I taken from the environment variable
// JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID.
func ParseShard(text string) (Shard, error) {
	first, last, ok := strings.Cut(text, "/")
	if first == "" {
		first = os.Getenv("JOB_COMPLETION_INDEX")
	}
	if first == "" {
		first = os.Getenv("SLURM_ARRAY_TASK_ID")
	}
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(last)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return Shard{}, fmt.Errorf("--engine: found shard=%s, want shard=i/N with 0 <= i < N, or shard=/N with i in JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID", text)
	}
	return Shard{I: i, N: n}, nil
}

// Name returns "shard=i/N".
func (s Shard) Name() string { return fmt.Sprintf("shard=%d/%d", s.I, s.N) }

// Share returns how many of n points this shard simulates.
func (s Shard) Share(n int) int { return (n - s.I + s.N - 1) / s.N }

// Run runs the shard's points.
func (s Shard) Run(ctx context.Context, points []Point, simulate func(Point) (*model.Sample, error), sink func(Point, *model.Sample) error) error {
	var own []Point
	for k, p := range points {
		if k%s.N == s.I {
			own = append(own, p)
		}
	}
	return Local{Workers: s.Workers}.Run(ctx, own, simulate, sink)
}

// record is a line of a shard's file, with one sample. The file's first line is a head
// instead.
type record struct {
	Point
	Sum    string          `json:"sha256"` // SHA-256 of the point and the sample, in hexadecimal
	Sample json.RawMessage `json:"sample"`
}

// recordOf returns the line of a shard's file that holds the sample of a point.
func recordOf(p Point, s *model.Sample) (record, error) {
	text, err := json.Marshal(s)
	one := record{Point: p, Sample: text}
	one.Sum = one.sum()
	return one, err
}

func (r *record) sum() string {
	sum := sha256.Sum256(append([]byte(r.Point.String()+"\n"), r.Sample...))
	return hex.EncodeToString(sum[:])
}

// sample decodes the sample of a line. It returns an error if the checksum does not match.
func (r *record) sample() (*model.Sample, error) {
	if r.Sum != r.sum() {
		return nil, fmt.Errorf("%s was altered, want its checksum", r.Point)
	}
	s := &model.Sample{}
	return s, json.Unmarshal(r.Sample, s)
}

type head struct {
	Hash string `json:"scenario_hash"`
	Seed uint64 `json:"seed"`
}

// FileOf returns the name of a shard's file.
func FileOf(s Shard) string { return fmt.Sprintf("shard-%05d-of-%05d.jsonl", s.I, s.N) }

// WriteCell writes the samples of one cell to a folder, in a file like a shard's.
// monosim-beam uses it, because it collects samples by cells. It returns an error if samples
// of the cell are missing.
func (g *Grid) WriteCell(dir string, cell int, samples Samples) error {
	missing := slices.DeleteFunc(g.Missing(samples), func(p Point) bool { return p.Cell != cell })
	if len(missing) > 0 {
		return missingError(missing)
	}
	return g.WriteShard(dir, Shard{I: cell, N: len(g.cells)}, samples)
}

// WriteShard writes the samples of a shard to a file in a folder, atomically.
func (g *Grid) WriteShard(dir string, s Shard, samples Samples) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	if err := e.Encode(head{g.plan.Hash(), g.plan.Seed}); err != nil {
		return err
	}
	for _, p := range g.Points() {
		if samples[p] == nil {
			continue
		}
		one, err := recordOf(p, samples[p])
		if err != nil {
			return err
		}
		if err := e.Encode(one); err != nil {
			return err
		}
	}
	return wholefile.Write(filepath.Join(dir, FileOf(s)), []byte(b.String()))
}

// Merge reads the samples of all shard files in a folder. A point may be in several files if
// its samples are equal.
func (g *Grid) Merge(dir string) (Samples, error) {
	files, err := filepath.Glob(filepath.Join(dir, "shard-*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: found no files of shards, want shard-*.jsonl", dir)
	}
	slices.Sort(files)
	samples := Samples{}
	for _, name := range files {
		if err := g.readShard(name, samples); err != nil {
			return nil, err
		}
	}
	if missing := g.Missing(samples); len(missing) > 0 {
		return nil, missingError(missing)
	}
	return samples, nil
}

func (g *Grid) readShard(name string, samples Samples) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	d := json.NewDecoder(bufio.NewReader(file))
	var first head
	if err := d.Decode(&first); err != nil {
		return noShard(name, err)
	}
	if want := (head{g.plan.Hash(), g.plan.Seed}); first != want {
		return fmt.Errorf("%s: found scenario %.12s with seed %d, want %.12s with seed %d: it is of another plan", name, first.Hash, first.Seed, want.Hash, want.Seed)
	}
	for d.More() {
		var r record
		if err := d.Decode(&r); err != nil {
			return noShard(name, err)
		}
		one, err := r.sample()
		if err != nil {
			return noShard(name, err)
		}
		if old := samples[r.Point]; old != nil && old.Hash != one.Hash {
			return fmt.Errorf("%s: %s is there twice with different results", name, r.Point)
		}
		samples[r.Point] = one
	}
	return nil
}

// noShard returns the error for a file that is incomplete or is not a shard's file.
func noShard(name string, err error) error {
	return fmt.Errorf("%s: found no whole file of a shard (%w), want one of monosim whatif sweep --engine shard=i/N", name, err)
}

// missingError returns an error that names some of the missing points.
func missingError(missing []Point) error {
	names := lists.MapOrNil(missing[:min(5, len(missing))], Point.String)
	more := ""
	if n := len(missing) - len(names); n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("%d points are missing: %s%s", len(missing), strings.Join(names, "; "), more)
}
