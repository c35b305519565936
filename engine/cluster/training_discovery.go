package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// What TrainingSpec.Discovery is beside "zookeeper": a Consul agent that all processes reach, and
// two by which each knows from its environment where all are, whether they run or not: the
// TF_CONFIG of Primus, and the variables of MLP.
const (
	DiscoveryConsul = "consul"
	DiscoveryPrimus = "primus"
	DiscoveryMLP    = "mlp"
)

// TrainerPort is where a process listens whose environment says where all are.
const TrainerPort = 2222

// discoveries holds all of them.
var discoveries = []string{"zookeeper", DiscoveryConsul, DiscoveryPrimus, DiscoveryMLP}

func (s *TrainingSpec) checkDiscovery() *SpecError {
	if s.Discovery != "" && !slices.Contains(discoveries, s.Discovery) {
		return &SpecError{Where: "discovery", Found: s.Discovery, Want: "one of " + strings.Join(discoveries, ", ")}
	}
	return nil
}

// IsPlaced reports whether the environment of the processes says where each of them is.
func (s *TrainingSpec) IsPlaced() bool {
	return s.Discovery == DiscoveryPrimus || s.Discovery == DiscoveryMLP
}

// Placement is where the processes of a job are, as their environment tells them.
type Placement struct {
	spec *TrainingSpec
	ip   func(name string) string
	// cluster is that of TF_CONFIG, which is the same in all of them, once it was asked for.
	cluster string
}

// Place returns the placement of a job whose processes have the addresses of ip. These stay as they
// are.
func (s *TrainingSpec) Place(ip func(name string) string) *Placement {
	return &Placement{spec: s, ip: ip}
}

// Variables returns the environment of a process by which it finds the others: TF_CONFIG, or the
// variables of MLP; none for the evaluator, nor where processes register.
func (p *Placement) Variables(name string) ([]string, error) {
	if !p.spec.IsPlaced() || name == EvaluatorRole {
		return nil, nil
	}
	if p.spec.Discovery == DiscoveryMLP {
		return p.spec.variablesOfMLP(name, p.ip), nil
	}
	if p.cluster == "" {
		config, err := json.Marshal(p.addrs())
		if err != nil {
			return nil, err
		}
		p.cluster = string(config)
	}
	typ, index := taskOf(name)
	return []string{`TF_CONFIG={"cluster":` + p.cluster + `,"task":{"index":` + strconv.Itoa(index) + `,"type":"` + typ + `"}}`}, nil
}

// addrs returns the addresses of each type of task.
func (p *Placement) addrs() map[string][]string {
	addrs := map[string][]string{}
	for _, name := range p.spec.TrainerNames() {
		if name != EvaluatorRole {
			typ, _ := taskOf(name)
			addrs[typ] = append(addrs[typ], p.ip(name)+":"+strconv.Itoa(TrainerPort))
		}
	}
	return addrs
}

// taskOf returns the place of a process in TF_CONFIG, where the chief is no worker.
func taskOf(name string) (typ string, index int) {
	typ, index = TrainerRole(name)
	switch {
	case name == "chief":
		return name, 0
	case typ == "worker":
		return typ, index - 1
	}
	return typ, index
}

func (s *TrainingSpec) variablesOfMLP(name string, ip func(name string) string) []string {
	role, index := TrainerRole(name)
	list := []string{
		"CLOUDNATIVE_INET_ADDR=" + ip(name), "MLP_ROLE=" + role, "MLP_ROLE_INDEX=" + strconv.Itoa(index), "MLP_PORT=" + strconv.Itoa(TrainerPort),
		fmt.Sprintf("MLP_WORKER_NUM=%d", s.Workers+1), fmt.Sprintf("MLP_PS_NUM=%d", s.PS+s.RedundantPS),
	}
	for _, other := range s.TrainerNames() {
		if other != EvaluatorRole {
			role, index := TrainerRole(other)
			place := fmt.Sprintf("MLP_%s_%d_", strings.ToUpper(role), index)
			list = append(list, place+"PRIMARY_HOST="+ip(other), place+"HOST="+ip(other), fmt.Sprintf("%sPORT=%d", place, TrainerPort))
		}
	}
	return list
}
