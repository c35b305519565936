package node

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// loadOrder returns the order in which a node loads models a, b and c in a run with the seed.
func loadOrder(t *testing.T, seed uint64, shuffle bool) string {
	w := vtime.New(vtime.Config{Seed: seed})
	defer w.Close()
	host := network.New(w, network.DefaultLatency()).AddHost("host", "host", "10.0.0.1")
	fs := files.NewFS(w)
	o := tfserving.DefaultOptions(tfserving.Profile24)
	o.InitialConfig = &modelconfig.ServerConfig{Kind: modelconfig.ModelList}
	o.ShuffleModels = shuffle
	for _, model := range []string{"a", "b", "c"} {
		if err := fs.AddModelVersion("/m/"+model, 1, 1); err != nil {
			t.Fatal(err)
		}
		o.InitialConfig.Models = append(o.InitialConfig.Models,
			modelconfig.ModelConfig{Name: model, BasePath: "/m/" + model, Platform: modelconfig.TensorFlowPlatform})
	}
	var loaded []string
	Start(Config{
		Options: o, Proc: host.Node().NewProcess("server"), Host: host, Files: fs, Dir: "/",
		Exit: func(code int, stdout string) { t.Errorf("the server ended with %d: %s", code, stdout) },
		OnEvent: func(e tfserving.Event) {
			if e.State == env.StateLoading {
				loaded = append(loaded, e.Model)
			}
		},
	})
	if _, err := w.Run(vtime.Limits{Until: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(loaded, " ")
}

// Goal: models are loaded in the order of their names, or in random order with ShuffleModels
// (TFS-21.2).
func TestTheOrderOfModelsIsByNameOrSeeded(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(20) {
		if got := loadOrder(t, seed, false); got != "a b c" {
			t.Errorf("seed %d: got %s, want a b c", seed, got)
		}
		shuffled := loadOrder(t, seed, true)
		if again := loadOrder(t, seed, true); again != shuffled {
			t.Errorf("seed %d, shuffled: got %s and then %s, want the same order", seed, shuffled, again)
		}
		orders[shuffled] = true
	}
	if len(orders) != 6 {
		t.Errorf("20 seeds, shuffled: got %d orders, want all 6", len(orders))
	}
}

// Goal: the process ends if another program holds its port without sharing it (TFS-9.2). gRPC
// servers share their ports.
func TestANodeWithoutItsPortEnds(t *testing.T) {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	host := network.New(w, network.DefaultLatency()).AddHost("host", "host", "10.0.0.1")
	o := tfserving.DefaultOptions(tfserving.Profile24)
	o.InitialConfig = &modelconfig.ServerConfig{Kind: modelconfig.ModelList}
	other := host.Node().NewProcess("other")
	if _, err := host.Listen(network.OwnedBy(other), o.Port, func(*network.Conn) {}); err != nil {
		t.Fatal(err)
	}
	var got string
	Start(Config{
		Options: o, Proc: host.Node().NewProcess("server"), Host: host, Files: files.NewFS(w), Dir: "/",
		Exit: func(code int, stdout string) { got = fmt.Sprint(code, " ", stdout) },
	})
	if _, err := w.Run(vtime.Limits{Until: time.Second}); err != nil {
		t.Fatal(err)
	}
	if want := "255 Failed to start server. Error: Invalid argument: Failed to BuildAndStart gRPC server\n"; got != want {
		t.Errorf("exit: got %q, want %q", got, want)
	}
}
