# make            lists the targets
# make check      what CI runs
# A target's help is what follows ## on its line.

GO ?= go
BUILD := .build
NICE ?= nice # what computes lets what waits go first; empty beside other load, where it would starve
TEST_LIMIT ?= 15m # for the tests of a package
comma := ,

.DEFAULT_GOAL := help
.NOTPARALLEL: # .ci/steps runs side by side what may
.PHONY: museum python-mutants training-stories help check check-busy quick nightly seeds seeds-check fmt fmt-check vet cross-check lint house proto proto-check test test-changed test-computing test-waiting test-summary race race-computing race-waiting nightly-race nightly-whatif nightly-gherkin nightly-zookeeper nightly-soak nightly-seeds nightly-fuzz nightly-scripts nightly-flakes determinism scenarios-check vectors-check check-zookeeper check-zookeeper-suites check-grpc names mutants check-python check-contract check-runners check-real check-java soak soak-check bench bench-engines bench-zookeeper bench-tfserving bench-agent bench-whatif bench-fidelity beam check-beam check-autoscaler nightly-autoscaler repairs nightly-repairs lab check-lab fuzz scripts flakes parity parity-check pytest-wheel install size-check release image newcomer findings clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-23s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# What CI runs, in three lanes side by side: steps that compute, and two of steps that mostly
# wait for clocks and processes and go first when they have something to compute: tests, and
# scenarios on clusters of processes. The whole takes a quarter of an hour at most on two
# quiet cores: a step that is added is paid for by what another no longer takes.
computing := fmt-check vet cross-check lint house proto-check test-computing race-computing vectors-check determinism seeds-check parity-check size-check
waiting := test-waiting race-waiting newcomer check-lab check-zookeeper
clusters := check-real check-java soak-check

check: ## what CI runs, in a quarter of an hour; once a step has failed no other begins
	@rm -f $(testEvents) $(testSummary); status=0; \
	MAKE="$(MAKE)" .ci/steps "$(NICE) $(computing)" "$(waiting)" "$(clusters)" || status=$$?; \
	$(MAKE) --no-print-directory test-summary; \
	if [ $$status -eq 0 ]; then echo "== check: ok"; fi; exit $$status

# Without -count=1 the second run would be what go test keeps of the first.
check-busy: ## make check RUNS (3) times in a row beside BUSY (8) busy loops, with no result kept: none fails; two hours
	@for run in $$(seq $(or $(RUNS),3)); do \
	  echo "== check beside $(or $(BUSY),8) busy loops, run $$run"; GOFLAGS="$$GOFLAGS -count=1" BUSY=$(BUSY) sh .ci/beside $(MAKE) --no-print-directory check NICE= TEST_LIMIT=1h || exit 1; \
	done

quick: fmt-check vet lint scenarios-check vectors-check test-changed ## for use while working, three minutes: format, vet, lint, all scenarios, all cases, tests of what changed since BASE (main)
	@echo "== quick: ok"

nightly: ## what is too long for check; vectors/scope/nightly.txt has each part with its reason and when it passed last; PARTS="race whatif"
	@MAKE="$(MAKE)" .ci/nightly $(PARTS)

fmt: ## format the Go files
	gofmt -l -w .

fmt-check: ## say which Go files are not formatted
	@echo "== fmt-check"
	@files=$$(gofmt -l .) || exit 1; \
	if [ -n "$$files" ]; then echo "not formatted, run make fmt:"; echo "$$files"; exit 1; fi

vet: ## go vet
	@echo "== vet"
	@$(GO) vet ./...

cross-check: ## say whether the program is right Go on Windows, the one system of a release that is not a Unix
	@echo "== cross-check"
	@$(GO) run ./cmd/lint -system windows ./cmd/monosim

# What only modules of their own call (runners/whatif/lab, beam and hpa/oracle), which deadcode does not see.
calledByLab := ReadPlan|ReadProfile|OrderInterval|Grid.WriteCell|Spec.Measured

lint: ## our own rules (determinism, import directions, the port, comments, examples, links, tests, text, citations), staticcheck, and what nothing reaches
	@echo "== lint"
	@$(GO) run ./cmd/lint ./...
	@$(GO) tool staticcheck ./...
	@dead=$$($(GO) tool deadcode -test ./... | grep -vE 'func: ($(calledByLab))$$'); \
	if [ -n "$$dead" ]; then echo "neither a program nor a test reaches this, delete it:"; echo "$$dead"; exit 1; fi

house: ## how large packages and functions are, and what is over the limits
	@echo "== house"
	@$(GO) run ./cmd/lint -house

proto: ## generate the Go of engine/proto
	$(GO) run ./engine/proto/gen

proto-check: ## say whether the Go of engine/proto is what its .proto files give
	@echo "== proto-check"
	@$(GO) run ./engine/proto/gen -check

# Packages whose tests run on the clock of the wall, most of them with processes and
# sockets. What they wait for has limits, and they leave the processors to others.
wallclock := /(walltime|process|realrun|agentrun|observe|wire|serve|grpcpeers)(/|$$)|/runners/(tfserving|zookeeper)/|/cmd/monosim$$|/diff/testee$$
# How many of them run at once: each waits for two thirds of its time.
waitingAtOnce := 4

testEvents := $(BUILD)/test-computing.json $(BUILD)/test-waiting.json
testSummary := $(BUILD)/test-summary.txt
# vet has looked at the tests already, and a binary that runs once wants no tables for a debugger.
testFlags := -vet=off -ldflags=-w
gotestsum = $(GO) tool gotestsum --format pkgname-and-test-fails --hide-summary skipped
events = --jsonfile $(BUILD)/$@.json
limit = -timeout $(TEST_LIMIT)
# What waits on a machine that others need, too, can fail by chance: at most three such tests run once
# more, none after a data race. The totals tell each by name; flakes gives nothing a second try.
again = --rerun-fails=1 --rerun-fails-max-failures=3 --rerun-fails-run-root-test --rerun-fails-abort-on-data-race \
	--rerun-fails-report $(BUILD)/again-$@.txt --packages="$$(echo $$packages)"

test: ## all tests; the last line is the totals
	@rm -f $(testEvents) $(testSummary); status=0; \
	MAKE="$(MAKE)" .ci/steps "$(NICE) test-computing" test-waiting || status=$$?; \
	$(MAKE) --no-print-directory test-summary; exit $$status

test-computing: # tests that compute
	@echo "== $@"
	@mkdir -p $(BUILD); packages=$$($(GO) list ./... | grep -vE '$(wallclock)') || exit 1; $(gotestsum) $(events) -- $(testFlags) $(limit) $$packages

test-waiting: # tests on the clock of the wall
	@echo "== $@"
	@mkdir -p $(BUILD); rm -f $(BUILD)/again-$@.txt; packages=$$($(GO) list ./... | grep -E '$(wallclock)') || exit 1; \
	$(gotestsum) $(events) $(again) -- $(testFlags) $(limit) -p $(waitingAtOnce)

test-changed: # tests of the packages that changed since BASE (main), and of those that import them; the short ones, for it is about minutes
	@echo "== $@"
	@packages=$$(GO="$(GO)" .ci/changed $(or $(BASE),main)) || exit 1; \
	if [ -n "$$packages" ]; then $(GO) test $(testFlags) -short -timeout 5m $$packages; fi

# This run of gotestsum reads the events of both once more, for the reasons to skip and the
# totals, which .ci/run prints last. Where one has not run there are no totals.
test-summary:
	@[ ! -e $(word 1,$(testEvents)) ] || [ ! -e $(word 2,$(testEvents)) ] || { \
	$(GO) tool gotestsum --raw-command --format none -- cat $(testEvents) 2>/dev/null | awk -f .ci/test-totals.awk $(wildcard $(BUILD)/again-*.txt) - > $(testSummary); cat $(testSummary); }

race: race-computing race-waiting ## the short tests of what starts goroutines, under the race detector

# What computes for many seconds and starts no goroutine that a shorter test does not start, too;
# determinism runs all scenarios in a build with the race detector, on all processors.
empty :=
longUnderRace := $(subst $(empty) $(empty),|,TestEveryNounIsHeld TestTheGreatestRateIsTheClosedForm \
  TestSectionsOfRates TestRecoveryIsNoNoise \
  TestNobodyIsAnsweredOfEveryMetric TestFewerReadsAreNoDifferenceWhereARunnerMayReadLess \
  TestWhatAnAutoscalerDidIsToldAsFarAsItIsKnown TestAMetastableStateIsSeenFromEachWindow \
  TestEdgesOfWindowsAddNothing TestAMeanIsThatOfAllRequests \
  TestTheRangeOverWorldsIsWhatIsBelieved TestWantOfSimulationIsApart \
  TestWorldsInWhichModelsDoNotFit TestTheTornadoTellsWhichInputsMatter)

race-computing:
	@echo "== $@"
	@packages=$$(GO="$(GO)" .ci/goroutines | grep -vE '$(wallclock)') || exit 1; $(GO) test $(testFlags) -race -short -skip '$(longUnderRace)' $(limit) $$packages

race-waiting:
	@echo "== $@"
	@mkdir -p $(BUILD); rm -f $(BUILD)/again-$@.txt; packages=$$(GO="$(GO)" .ci/goroutines | grep -E '$(wallclock)') || exit 1; \
	$(gotestsum) $(again) -- $(testFlags) -race -short $(limit) -p $(waitingAtOnce)

nightly-race: # the programs and the rooms that start no goroutines, too
	$(GO) test -race -short -timeout 60m ./...

nightly-whatif: # every question and every worked plan
	MONOSIM_NIGHTLY=1 $(GO) test -timeout 60m ./cmd/bench/goals ./cmd/bench/validate ./cmd/monosim/whatif

nightly-autoscaler check-autoscaler: # the model's autoscaler beside the controller of Kubernetes, look by look; the first build takes minutes
	@echo "== $@"
	@cd runners/whatif/hpa/oracle && $(GO) test -vet=off -count=1 -v -timeout 30m . | grep -E '^ *(---|ok|FAIL|panic)|_test.go'

repairs nightly-repairs: ## each repaired fault of the training side, alone and with the others, under every kind of fault, and STORIES (2000) drawn ones, from seed FIRST (0); a quarter of an hour
	MONOSIM_NIGHTLY=1 $(GO) test -count=1 ./cmd/monosim/repairs -run TestRepairs -timeout 3h -args -repairs.stories $(or $(STORIES),2000) -repairs.firststory $(or $(FIRST),0)

nightly-gherkin: # feature files that are drawn, beside the official parser, which npm brings; FILES (2000), SEEDS ('1 2 3')
	@for seed in $(or $(SEEDS),1 2 3); do \
	  $(GO) test -count=1 -v ./features/steps -run TestDrawnFeatureFiles -args -steps.drawnfiles $(or $(FILES),2000) -steps.drawnseed $$seed || exit 1; \
	done

nightly-zookeeper: # OPS (500000) operations of random scripts beside a real ZooKeeper, and beside a 3.9 at SERVER39 where that is set, from seed FIRST (1); KILLS (300) and FAULTS (40) of the simulated one
	$(GO) run ./cmd/monosim zookeeper check --ops $(or $(OPS),500000) --seed $(or $(FIRST),1)
	$(if $(SERVER39),$(GO) run ./cmd/monosim zookeeper check --ops $(or $(OPS),500000) --seed $(or $(FIRST),1) --profile zookeeper-3.9 --server $(SERVER39))
	$(GO) test -count=1 -v -timeout 2h ./runners/zookeeper/kills -args -kills $(or $(KILLS),300) -faults $(or $(FAULTS),40) -seed $(or $(FIRST),1)

nightly-soak nightly-seeds nightly-fuzz nightly-scripts nightly-flakes: nightly-%: # as they are
	@$(MAKE) --no-print-directory $*

determinism: ## the same scenarios in other processes and builds give the same traces
	@echo "== determinism"
	@$(GO) run ./cmd/determinism

seeds: ## every scenario with N seeds (default 5000) on JOBS cores (default all), an hour or two; fewer features with FEATURES="features/crashes.feature ..."
	@$(GO) run ./cmd/monosim test $(or $(FEATURES),builtin:) --seeds $(or $(N),5000) --jobs $(or $(JOBS),0)

seeds-check: ## every scenario with 12 seeds
	@echo "== seeds-check"
	@$(MAKE) --no-print-directory seeds N=12

scenarios-check: # every scenario with one seed
	@echo "== scenarios-check"
	@$(GO) run ./cmd/monosim test builtin: --format progress

vectors-check: ## replay the golden cases on the engine
	@echo "== vectors-check"
	@$(GO) run ./cmd/monosim vectors lint
	@$(GO) run ./cmd/monosim vectors verify

names: ## record the public names of the reference; needs MONOLITH_SRC and PYTHON (default python3)
	@test -n "$$MONOLITH_SRC" || { echo "names: MONOLITH_SRC names no checkout of bytedance/monolith"; exit 2; }
	"$${PYTHON:-python3}" runners/diff/python/names.py vectors/scope/names.json

.PHONY: record-graphs
record-graphs: ## export small models with a real TensorFlow and record what it answers; PYTHON has tensorflow (2.18 is recorded); MODELS ('half_plus_two ...', default all)
	cd sim/tfserving/graph/testdata && "$${PYTHON:-python3}" record.py $(MODELS)

check-python: ## hold engine and vectors to the real Python; needs MONOLITH_SRC and PYTHON (default python3)
	@test -n "$$MONOLITH_SRC" || { echo "check-python: MONOLITH_SRC names no checkout of bytedance/monolith"; exit 2; }
	$(GO) test -count=1 ./runners/diff/python
	$(GO) run ./cmd/monosim vectors record --python --check
	$(GO) run ./cmd/monosim diff --python --fuzz 20000
	$(GO) test -count=1 ./runners/tfserving/clients
	@$(MAKE) --no-print-directory check-contract

check-contract: ## hold the AgentService to the real Python over real sockets, both ways; without MONOLITH_SRC Go against Go only
	@test -n "$$MONOLITH_SRC" || echo "check-contract: MONOLITH_SRC names no checkout of bytedance/monolith: without Python"
	$(GO) test -count=1 -run Contract ./runners/test/realrun

check-runners: ## scenarios as processes and, with MONOLITH_SRC, with the reference's agents, compared with the simulation; RUNNERS, FEATURES, SCALE (0.1), JOBS (1), RECORD=vectors/compared.json, STALE=1 for what that has not or has of older code, LONGEST=15m of the cluster's time
	@mkdir -p $(BUILD)
	@test -n "$$MONOLITH_SRC" || echo "check-runners: MONOLITH_SRC names no checkout of bytedance/monolith: without Python"
	@test -n "$$TENSORFLOW_PYTHON" || echo "check-runners: TENSORFLOW_PYTHON names no Python 3.8 with TensorFlow 2.4.4: without TensorFlow"
	@$(GO) build -o $(BUILD)/monosim ./cmd/monosim
	@$(BUILD)/monosim test $(or $(FEATURES),features) --runner $(or $(RUNNERS),sim$(comma)real$(if $(MONOLITH_SRC),$(comma)python$(if $(TENSORFLOW_PYTHON),$(comma)tensorflow))) --compare --time-scale $(or $(SCALE),0.1) --again 2 --jobs $(or $(JOBS),1) $(if $(RECORD),--record $(RECORD)) $(if $(STALE),--stale) $(if $(LONGEST),--longest $(LONGEST))

# Scenarios of agents and of training jobs that take seven minutes of the cluster at most: one that a busy
# machine plays on a slower clock, too, is over in two. check-java
# has those of discovery, filters, policies and rollout, on another ZooKeeper. Faults and places of
# training are left to check-runners: they take three minutes, in which a busy machine is often too late to tell.
realFeatures = publishing loading $(if $(java),,$(javaFeatures) $(javaGoFeatures)) $(patsubst %,training/%,$(filter-out faults places,$(trainingFeatures)))
trainingFeatures = barriers checkpoints consul discovery faults life places restore serving

# A comparison of which a busy machine can tell nothing ends with 3, which is no failure of the project.
told = || { [ $$? -eq 3 ] && echo "no verdict: run this again on a quieter machine"; }

check-real: ## some seventy scenarios as processes, ten times the clock, compared with the simulation; SCALE (0.1), JOBS (6)
	@echo "== check-real"
	@mkdir -p $(BUILD)
	@$(GO) build -o $(BUILD)/monosim ./cmd/monosim
	@$(BUILD)/monosim test $(realFeatures:%=features/%.feature) --tags 'not @long' --longest 7m --runner sim$(comma)real --compare --time-scale $(or $(SCALE),0.1) --again 2 --jobs $(or $(JOBS),6) $(told)

# Whether there is a Java ZooKeeper, as Debian installs it.
java = $(and $(shell command -v java),$(wildcard /usr/share/java/zookeeper.jar))
# Scenarios that take little time of the cluster; those of the first list run with Python's agents, too.
javaFeatures = rollout filters
javaGoFeatures = discovery policies
onJava = $(BUILD)/monosim test --zookeeper java --compare --time-scale $(or $(SCALE),0.2) --again 2 --jobs $(or $(JOBS),4) --runner sim$(comma)real

check-java: ## 27 scenarios on Debian's Java ZooKeeper with Go agents and, with MONOLITH_SRC, ten with the reference's, compared with the simulation; SCALE (0.2), JOBS (4)
	@echo "== check-java"
	@mkdir -p $(BUILD)
	@if [ -z "$(java)" ]; then echo "check-java: no Java ZooKeeper is installed, skipped: apt-get install default-jre-headless libzookeeper-java"; exit 0; fi; \
	$(GO) build -o $(BUILD)/monosim ./cmd/monosim && \
	{ $(onJava)$(if $(MONOLITH_SRC),$(comma)python) $(javaFeatures:%=features/%.feature) $(told); } && \
	{ $(onJava) $(javaGoFeatures:%=features/%.feature) $(told); }

soak: ## kill agents, model servers and ZooKeeper of clusters of processes at random moments; CYCLES (1000), JOBS (4), SEED (1), SCALE (0.1)
	@echo "== soak"
	@$(GO) run ./cmd/soak -cycles $(or $(CYCLES),1000) -jobs $(or $(JOBS),4) -seed $(or $(SEED),1) -time-scale $(or $(SCALE),0.1)

soak-check: # a short soak, four times the clock: others may need the machine, too
	@$(MAKE) --no-print-directory soak CYCLES=20 SCALE=0.25

check-zookeeper: ## 100,000 operations on a real ZooKeeper and on the simulated one, compared; without a real one on the simulated ones
	@echo "== check-zookeeper"
	@$(GO) run ./cmd/monosim zookeeper check

check-zookeeper-suites: ## run the tests of kazoo (KAZOO_SRC, PYTHON) and go-zookeeper (GOZK_SRC, ROUNDS times) and Apache (ZOOKEEPER_TESTS), and recipes of Curator (CURATOR_JARS), on the simulated ZooKeeper; SERVER=real for a real one
	$(GO) test -count=1 -v -timeout 90m ./runners/zookeeper/suites -server=$(or $(SERVER),simulated) -rounds=$(or $(ROUNDS),1)

bench: ## measure, also how costs grow with agents: to 400, or 10,000 with BENCH=full; beside another build with BASE=monosim; ONLY=growth; LIMIT (30m) for one run
	$(GO) run ./cmd/bench $(if $(filter full,$(BENCH)),--full) $(if $(BASE),--base $(BASE)) $(if $(ONLY),--only "$(ONLY)") $(if $(LIMIT),--limit $(LIMIT))

bench-engines: ## the same work on our engine and on others that can be built here (ns-3, SimGrid, SimPy, crates); ROUNDS (5), ONLY='ours|desru', JSON=1
	@$(GO) run ./cmd/bench/engines -rounds $(or $(ROUNDS),5) $(if $(ONLY),-only '$(ONLY)') $(if $(JSON),-json)

bench-zookeeper: ## a real ZooKeeper and the simulated one side by side: rates and memory; without a real one the simulated only
	@$(GO) run ./cmd/bench zookeeper

bench-tfserving: ## the served model server: rates over gRPC, memory, polls, and an idle day in virtual time, beside the aims
	@$(GO) run ./cmd/bench tfserving

check-grpc: ## hold our gRPC servers to a bare one on C-core, byte by byte and by clients; PYTHON (python3) with grpcio, RECORD=1 records its answers
	PYTHON="$${PYTHON:-python3}" $(GO) test -count=1 -v -timeout 30m ./runners/grpcpeers -args -grpcpeers.clients $(if $(RECORD),-grpcpeers.record)

bench-agent: ## an agent that watches 1,000 replicas: rate, latency and memory, beside the reference's with MONOLITH_SRC and PYTHON
	@$(GO) run ./cmd/bench agent

bench-whatif: ## the capacity simulation beside its aims: closed forms, coverage, speed, the search beside the grid, a day of 10,000 containers, equal results, the plans of Ciw, 300 plans by a second simulator, the autoscaler beside that of Kubernetes
	@$(GO) run ./cmd/bench whatif
	@$(GO) test -count=1 -run Ciw -v ./runners/whatif/model | grep -vE '^=== '
	@MONOSIM_NIGHTLY=1 $(GO) test -count=1 -run SecondSimulator -v ./runners/whatif/model | grep -vE '^=== '
	@$(MAKE) --no-print-directory check-autoscaler

bench-fidelity: ## the capacity simulation beside real processes under load (G9), on ten plans that its service times were not fitted to; a quarter of an hour, HORIZON (30s), KEEP=folder, RECORD=runners/whatif/report/recorded.json for TRUST
	@$(MAKE) --no-print-directory lab
	@$(BUILD)/monosim-lab bench --horizon $(or $(HORIZON),30s) $(if $(KEEP),--keep $(KEEP)) $(if $(RECORD),--record $(RECORD))

lab: ## monosim-lab into .build, beside monosim, which it starts: fleets of plans as real processes
	@mkdir -p $(BUILD)
	@$(GO) build -o $(BUILD)/monosim ./cmd/monosim
	@cd runners/whatif/lab && $(GO) build -o $(abspath $(BUILD))/monosim-lab .

# Its tests wait for processes, so one package runs at a time.
check-lab: ## vet and test monosim-lab, which is a module of its own
	@echo "== check-lab"
	@cd runners/whatif/lab && $(GO) vet ./... && $(GO) test -p 1 ./...

beam: ## monosim-beam into .build: sweeps of plans on Apache Beam; the first build takes minutes
	@mkdir -p $(BUILD) && cd runners/whatif/beam && $(GO) build -o $(abspath $(BUILD))/monosim-beam .

check-beam: ## one sweep by cores, shards and Beam, also when a worker is killed; with Java and FLINK_JOB_SERVER (a jar, or a class path) on Flink, too
	@cd runners/whatif/beam && $(GO) vet . && $(GO) test -count=1 -v . | grep -E '^ *(---|ok|FAIL|panic)|_test.go'

fuzz: ## every fuzz target, FUZZTIME each (default 20000x: that many inputs)
	@grep -rl --include=*_test.go '^func Fuzz' . | sort | while read -r file; do \
	  for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\).*/\1/p' $$file); do \
	    echo "== $$(dirname $$file) $$target"; \
	    $(GO) test $$(dirname $$file) -run '^$$' -fuzz "^$$target$$" -fuzztime $(or $(FUZZTIME),20000x) || exit 1; \
	  done; \
	done
	@$(MAKE) --no-print-directory scripts FAULTSCRIPTS=200

scripts: ## leaps on and off are compared: LEAPSCRIPTS (1000000) random scripts of the model of a leap, 20 minutes of processor time, and FAULTSCRIPTS (10000) of the real stack, from seed FIRST (0)
	$(GO) test -count=1 ./engine/vtime/leap -run TestLeapsMakeNoDifference -timeout 6h -args -vtime.leapscripts $(or $(LEAPSCRIPTS),1000000) -vtime.firstscript $(or $(FIRST),0)
	$(GO) test -count=1 ./runners/test/simrun -run TestLeapsMakeNoDifferenceUnderFaults -timeout 6h -args -simrun.leapscripts $(or $(FAULTSCRIPTS),10000) -simrun.firstscript $(or $(FIRST),0)

# what make museum has to find in ten minutes of two cores: all that was found before
museumQuirks = $(shell grep '^Q' features/museum/found.txt | cut -f1 | paste -s -d, -)

museum: ## prove the scenarios of features/museum with 100 seeds, and find faults of the reference again from stories that nobody has told before: SEED (default the time), FOR (10m), QUIRKS; RUNNERS=sim,python has the reference's agents play what they can, with MONOLITH_SRC and PYTHON
	$(GO) build -o $(BUILD)/monosim ./cmd/monosim
	$(BUILD)/monosim test features/museum --seeds 100
	$(GO) test -count=1 ./features/explore -run TestACanaryIsFound
	$(BUILD)/monosim explore --record features/museum/found.txt --seed $(or $(SEED),$$(date +%s)) --for $(or $(FOR),10m) --find $(or $(QUIRKS),$(museumQuirks))
	$(if $(RUNNERS),$(BUILD)/monosim test features/museum/reference.feature features/network.feature --tags '$(or $(TAGS),@Q44 or @Q45 or @Q207 or @Q208 or @Q320 or @Q329)' --runner $(RUNNERS) --compare --jobs 5)

python-mutants: ## change the reference's agents in 21 small ways, one at a time, and see that a comparison notices; twenty minutes; ONLY='bindings every'; needs MONOLITH_SRC and PYTHON
	@test -n "$$MONOLITH_SRC" || { echo "python-mutants: MONOLITH_SRC names no checkout of bytedance/monolith"; exit 2; }
	$(GO) test -count=1 -v -timeout 60m ./runners/test/pythonrun -run TestMutantsAreNoticed -args -pythonrun.mutants '$(or $(ONLY),.)'

training-stories: ## play drawn stories of faults, and deaths of chief and PS, on TensorFlow and in the simulation: the same processes retry, fail and end, and the steps are within 5 %; a minute each: STORIES (10), FIRST (0), DEATHS (1); needs MONOLITH_SRC and TENSORFLOW_PYTHON
	@test -n "$$TENSORFLOW_PYTHON" || { echo "training-stories: TENSORFLOW_PYTHON names no Python 3.8 with tensorflow-cpu 2.4.4"; exit 2; }
	$(GO) test -count=1 -v -timeout 10h ./runners/test/tensorflowrun -run TestStories -args \
	  -tensorflowrun.stories $(or $(STORIES),10) -tensorflowrun.firststory $(or $(FIRST),0) -tensorflowrun.deaths $(or $(DEATHS),1)

mutants: ## change the agents in thousands of small ways and see that vectors, scenarios, tests or explored worlds notice nine in ten; half an hour, or SAMPLE=300
	@nice -n 19 $(GO) run ./cmd/mutants $(if $(SAMPLE),-sample $(SAMPLE)) $(if $(SEED),-seed $(SEED)) $(PLACES)

flakes: ## the tests that touch the clock or processes, N times (50) beside BUSY busy loops (8): none fails by chance; PACKAGES
	@packages=$$($(GO) list ./... | grep -E '$(wallclock)') || exit 1; \
	GO="$(GO)" PACKAGES="$${PACKAGES:-$$packages}" BUSY=$(BUSY) sh .ci/beside sh .ci/flakes.sh

parity: ## rewrite PARITY.md, the figures and tables in README.md and PROTOCOL.md, and lines of the port that became fewer
	$(GO) test -count=1 ./vectors/scope -run TestNoModuleGrows -update
	$(GO) run ./cmd/monosim parity -o PARITY.md
	$(GO) test -count=1 ./cmd/monosim -run TestREADMECounts -update
	$(GO) test -count=1 ./runners/diff/testee/catalogue -run 'TestProtocolTables|TestFiguresOfCases' -update

picture: ## README's picture of a report, which takes Chromium (CHROMIUM, default chromium)
	@mkdir -p $(BUILD)/picture; cp cmd/monosim/testdata/failures/zookeeper.down.feature $(BUILD)/picture
	@$(GO) build -o $(BUILD)/picture/monosim ./cmd/monosim
	@cd $(BUILD)/picture && { ./monosim test zookeeper.down.feature --explain 6 --format html:report.html; [ $$? -eq 1 ]; } # it fails by design
	@$(or $(CHROMIUM),chromium) --headless=new --no-sandbox --disable-gpu --hide-scrollbars --window-size=1000,1050 --virtual-time-budget=3000 \
		--screenshot=runners/show/report.png "file://$(CURDIR)/$(BUILD)/picture/report.html" 2>/dev/null
	@ls -l runners/show/report.png

parity-check: ## say whether PARITY.md is what make parity writes, and which results of scenarios on real and python are older than the code; check-runners with STALE=1 records them anew
	@echo "== parity-check"
	@$(GO) run ./cmd/monosim parity -o PARITY.md --check --records

pytest-wheel: ## the wheel of the pytest fixtures (runners/pytest) into .build; PYTHON (default python3)
	@mkdir -p $(BUILD)
	"$${PYTHON:-python3}" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(BUILD) ./runners/pytest

install: ## install the program where go install puts programs
	$(GO) install ./cmd/monosim

size-check: # the stripped program for linux/amd64 is no larger than .ci/sizes allows
	@echo "== size-check"
	@mkdir -p $(BUILD)
	@if [ "$$($(GO) env GOOS)/$$($(GO) env GOARCH)" = linux/amd64 ]; then \
	  $(GO) build -ldflags '-s -w' -o $(BUILD)/monosim-stripped ./cmd/monosim && .ci/size stripped $(BUILD)/monosim-stripped; \
	else echo "sizes are of linux/amd64: skipped"; fi

release: ## static programs for Linux, macOS and Windows on amd64 and arm64 into .build/release, archives with man pages and completions, and checksums
	@GO="$(GO)" sh .ci/release.sh

image: ## an OCI image of the released program into .build/release/image, from scratch and without a daemon; ARCH (amd64)
	@TARGETS=linux/$(or $(ARCH),amd64) $(MAKE) --no-print-directory release
	@cd .ci/image && $(GO) run . -arch $(or $(ARCH),amd64) -version "$$(git describe --tags --match 'v[0-9]*' 2>/dev/null || echo dev)" \
	  $(abspath $(BUILD))/release/monosim-linux-$(or $(ARCH),amd64) $(abspath $(BUILD))/release/image

newcomer: ## the walk of somebody who comes: clone, init, edit, run, wrong names, reports, a Go module, pytest; LIMIT (90 s, apart from builds)
	@echo "== newcomer"
	@GO="$(GO)" .ci/newcomer

findings: ## run the scripts of findings, which fetch packages: is the behaviour of each still what was seen; ONLY=name
	@ONLY="$(ONLY)" .ci/findings

clean: ## remove what was built
	rm -rf $(BUILD) bin monosim
