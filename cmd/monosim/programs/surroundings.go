package programs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/monosim/monosim/runners/serve/programs"
)

// addSurroundings adds the flags that all serving programs share, about addresses, time and seed.
func addSurroundings(f *pflag.FlagSet, s *programs.Surroundings) {
	f.StringVar(&s.Listen, "listen", "", "address that the gRPC server listens on; 0.0.0.0 and :: are all, which other machines reach (default: --localhost, else 127.0.0.1)")
	f.StringVar(&s.Localhost, "localhost", "", "address for which localhost and 127.0.0.1 stand, where model servers listen on one of their own, as in a container")
	f.Var((*speed)(&s.Speed), "speed", "how much faster than the clock time passes, as 10x; ZooKeeper and model servers have to be as fast")
	f.Uint64Var(&s.Seed, "seed", 0, "what every choice follows from; 0 is another seed for each run")
	f.StringVar(&s.Python, "python", "", "version of Python whose behaviour is shown, as 3.8 (default 3.11)")
	f.IntVarP(&s.Verbosity, "verbosity", "v", 0, "what is logged, as absl has it: 1 debug, 0 info, -1 warnings, -2 errors")
}

// speed is a flag value that says how many times faster than the clock time passes, such as 10x.
type speed float64

func (s *speed) String() string { return strconv.FormatFloat(max(1, float64(*s)), 'g', -1, 64) + "x" }
func (s *speed) Type() string   { return "speed" }

func (s *speed) Set(text string) error {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(n > 0) {
		return fmt.Errorf("found %q, want a number above 0, as 10x", text)
	}
	*s = speed(n)
	return nil
}
