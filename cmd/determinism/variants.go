package main

// binaries holds the paths of the monosim builds. race is "" if there is no build with the race
// detector.
type binaries struct {
	plain string
	race  string
}

// variant describes one way to run monosim.
type variant struct {
	name    string
	command []string
	env     []string // variables as key=value, in addition to the environment of this process
}

// group lists variants whose results must all equal the result of the first variant.
type group []variant

// These are the arguments of the monosim runs that are repeated and compared.
var (
	oneSeed       = []string{"test", "builtin:", "--seed", "1"}
	manySeeds     = []string{"test", "builtin:", "--seeds", "1000", "--tags", "@cluster1000"}
	checkItself   = []string{"test", "builtin:", "--check-determinism"}
	checkLeaps    = []string{"test", "builtin:", "--seeds", "3", "--check-determinism", "--no-leaps"}
	withoutLeaps  = []string{"test", "builtin:", "--seed", "1", "--no-leaps"}
	oneThread     = []string{"GOMAXPROCS=1"}
	twoThreads    = []string{"GOMAXPROCS=2"}
	oftenCollects = "GOGC=10"
	neverCollects = "GOGC=off"
)

// groups returns the variants to compare. A variant changes several things that must not influence
// a run: the process (addresses, hash seeds of maps), the scheduler, the collector, the
// instrumentation. To find which of them does, change one at a time for
// `monosim test builtin: --seed 1`.
func groups(b binaries) []group {
	plain := func(name string, args, env []string) variant {
		return variant{name: name, command: append([]string{b.plain}, args...), env: env}
	}
	seed := group{
		plain("seed 1", oneSeed, nil),
		plain("seed 1, GOMAXPROCS=1 GOGC=10", oneSeed, append(oneThread, oftenCollects)),
		plain("seed 1, GOMAXPROCS=2 GOGC=off, no leaps", withoutLeaps, append(twoThreads, neverCollects)),
	}
	if b.race != "" {
		seed = append(seed, variant{name: "seed 1, -race", command: append([]string{b.race}, oneSeed...)})
	}
	return []group{
		{plain("--check-determinism", checkItself, nil)}, // monosim compares the two runs itself
		{plain("leaps off and on, 3 seeds", checkLeaps, nil)},
		seed,
		{
			plain("1000 seeds of one cluster", manySeeds, oneThread),
			plain("1000 seeds of one cluster, again", manySeeds, twoThreads),
		},
	}
}
