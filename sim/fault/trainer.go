package fault

import (
	"fmt"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/world"
)

var trainerKinds = []Kind{
	{
		FaultKind: cluster.FaultKind{
			Name:   "trainer.application-killed",
			Help:   "The application master ends all processes of the training job by SIGKILL; none is started again.",
			Fatal:  "no process is started again",
			Begins: "the application is killed",
		},
		Begin: func(w *world.World, _ cluster.Fault) error {
			if err := wantJob(w, "application", "to kill"); err != nil {
				return err
			}
			w.EndApplication()
			return w.Settle()
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "trainer.application-master",
			Help:  "The application master and the processes of the training job cannot reach each other.",
			Lasts: "the application master is unreachable",
			Ends:  "the application master is reachable again",
			Onset: "the application master becomes unreachable",
		},
		Begin: func(w *world.World, _ cluster.Fault) error { return fromMaster(w, w.Network().PartitionBoth) },
		End:   func(w *world.World, _ cluster.Fault) error { return fromMaster(w, w.Network().HealBoth) },
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "trainer.disconnected",
			Help:  "A process of the training job and ZooKeeper cannot reach each other.",
			Lasts: "{trainer} is without ZooKeeper",
			Ends:  "{trainer} finds ZooKeeper again",
			Onset: "{trainer} loses ZooKeeper",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			return fromTrainer(w, f, []string{world.ZooKeeperHost}, w.Network().PartitionBoth)
		},
		End: func(w *world.World, f cluster.Fault) error {
			return fromTrainer(w, f, []string{world.ZooKeeperHost}, w.Network().HealBoth)
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:   "trainer.expired-session",
			Help:   "ZooKeeper ends the session of a process of the training job at once.",
			Begins: "the ZooKeeper session of {trainer} expires",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			if _, err := w.FindTrainer(f.Pod); err != nil {
				return err
			}
			return expireSessions(w.ZooKeeper(), f.Pod, f.Pod)
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:   "trainer.garbled-file",
			Help:   "A file that the training job shares holds bytes that are no text.",
			Fatal:  "nobody writes the file anew but with the next checkpoint, which needs it",
			Begins: "the stored file {path} is garbled",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			return changeStored(w, f, func([]byte) []byte { return []byte("\xff\xfe\x00\xff") })
		},
	},
	// The process comes back after TrainingSpec.RestartAfter, if that is set.
	{
		FaultKind: cluster.FaultKind{
			Name:   "trainer.killed",
			Help:   "A process of the training job ends at once by SIGKILL.",
			Begins: "{trainer} is killed",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			t, err := w.FindTrainer(f.Pod)
			if err != nil {
				return err
			}
			if t.Process() == nil {
				return fmt.Errorf("%s: found it not running, want a process to kill", f.Pod)
			}
			if err := t.Process().Signal(env.SIGKILL); err != nil {
				return err
			}
			return w.Settle()
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:   "trainer.memory",
			Help:   "The memory of a PS comes to a size, which its health says from then on.",
			Fatal:  "the workers stop until an operator lets them go on (TRN-2.8)",
			Begins: "the memory of {trainer} comes to {size}",
			Only:   "ps",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			t, err := w.FindTrainer(f.Pod)
			if err != nil {
				return err
			}
			if t.Role != "ps" {
				return fmt.Errorf("memory: found %s, want a PS: nobody asks for that of others", f.Pod)
			}
			w.Hazards().SetRSSBytes(t.Index, f.SizeBytes)
			return nil
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:   "trainer.save-errors",
			Help:   "The next writes of a checkpoint fail with an error of TensorFlow.",
			Begins: "the next {n} write(s) of a checkpoint fail(s)",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			if err := wantJob(w, "checkpoint", "that writes them"); err != nil {
				return err
			}
			w.Hazards().SaveErrors = int(f.N)
			return nil
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:   "trainer.slow-saves",
			Help:   "Writing a checkpoint takes a time from now on.",
			Begins: "a checkpoint takes {duration} to write",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			if err := wantJob(w, "checkpoint", "that writes them"); err != nil {
				return err
			}
			w.Hazards().SaveTime = f.Duration
			return nil
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "trainer.stopped",
			Help:  "The process of a PS is stopped by SIGSTOP, and goes on by SIGCONT: its connections stay, and it answers nobody meanwhile.",
			Lasts: "{trainer} is stopped",
			Ends:  "{trainer} goes on",
			Onset: "{trainer} stops",
			Only:  "ps",
		},
		Begin: func(w *world.World, f cluster.Fault) error { return stopPS(w, f, true) },
		End:   func(w *world.World, f cluster.Fault) error { return stopPS(w, f, false) },
	},
	{
		FaultKind: cluster.FaultKind{
			Name:   "trainer.torn-file",
			Help:   "A file that the training job shares ends in the middle, as after a write that was cut off.",
			Fatal:  "nobody writes the file anew but with the next checkpoint, which needs it",
			Begins: "the stored file {path} is torn",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			return changeStored(w, f, func(data []byte) []byte { return data[:len(data)/2] })
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "trainer.unreachable",
			Help:  "What a process of the training job and the others send to each other is lost; ZooKeeper and the files are there.",
			Lasts: "{trainer} is unreachable",
			Ends:  "{trainer} is reachable again",
			Onset: "{trainer} becomes unreachable",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			return fromTrainer(w, f, trainersBut(w, f.Pod), w.Network().PartitionBoth)
		},
		End: func(w *world.World, f cluster.Fault) error {
			return fromTrainer(w, f, trainersBut(w, f.Pod), w.Network().HealBoth)
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "trainer.refused",
			Help:  "The connections between a process of the training job and the others break, and new ones are refused, as by a firewall that answers; ZooKeeper and the files are there.",
			Lasts: "the connections of {trainer} are refused",
			Ends:  "the connections of {trainer} are accepted again",
			Onset: "the connections of {trainer} break",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			return fromTrainer(w, f, trainersBut(w, f.Pod), w.Network().Refuse)
		},
		End: func(w *world.World, f cluster.Fault) error {
			return fromTrainer(w, f, trainersBut(w, f.Pod), w.Network().Admit)
		},
	},
}

// wantJob returns an error if there is no training job. The error says "WHERE: found no training
// job, want one WANT"; where and want supply these texts.
func wantJob(w *world.World, where, want string) error {
	if len(w.Trainers()) == 0 {
		return fmt.Errorf("%s: found no training job, want one %s", where, want)
	}
	return nil
}

// trainersBut returns the names of all processes of the training job except the named one.
func trainersBut(w *world.World, name string) []string {
	return lists.Select(w.Trainers(), func(t *world.Trainer) (string, bool) { return t.Name, t.Name != name })
}

// fromMaster passes two lists of hosts to do, which changes the network between them: the
// application master's host, and the hosts of the job's processes.
func fromMaster(w *world.World, do func(a, b []string) error) error {
	if w.ApplicationMaster() == nil {
		return &cluster.SpecError{Where: "application_master", Found: "none", Want: "a training job with one"}
	}
	return do([]string{world.ApplicationMasterHost}, trainersBut(w, ""))
}

// fromTrainer calls do with two lists of hosts: the training process that the fault names, and
// others. do cuts, refuses or restores the network between them.
func fromTrainer(w *world.World, f cluster.Fault, others []string, do func(a, b []string) error) error {
	if _, err := w.FindTrainer(f.Pod); err != nil {
		return err
	}
	return do([]string{f.Pod}, others)
}

// stopPS stops a parameter server (PS) if on is true, and otherwise lets it continue.
func stopPS(w *world.World, f cluster.Fault, on bool) error {
	t, err := w.FindTrainer(f.Pod)
	switch {
	case err != nil:
		return err
	case t.Role != "ps":
		return fmt.Errorf("stopped process: found %s, want a PS: what others do is not stopped", f.Pod)
	case on && t.Process() == nil:
		return fmt.Errorf("%s: found it not running, want a process to stop", f.Pod)
	}
	return t.Stop(on)
}

// changeStored changes the content of a file in the training job's directories.
func changeStored(w *world.World, f cluster.Fault, change func(data []byte) []byte) error {
	if err := wantJob(w, "stored file", "that has files"); err != nil {
		return err
	}
	fsys, inside := w.StoreOf(f.BasePath)
	data, err := fsys.ReadFile(inside)
	if err != nil {
		return fmt.Errorf("stored file %s: %w", f.BasePath, err)
	}
	return fsys.WriteTree(map[string]string{inside: string(change(data))})
}
