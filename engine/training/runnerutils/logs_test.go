package runnerutils_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/runnerutils"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// Goal: an operator reads the log lines that the reference would log (TRN-2.13). The recorded cases
// cover answers and files but no lines. The expected texts are from runner_utils.py.

// noted is a log that keeps its lines for the test.
type noted struct{ lines []string }

func (*noted) Enabled(env.Level) bool { return true }

func (n *noted) Logf(level env.Level, format string, args ...any) {
	n.lines = append(n.lines, level.String()+" "+fmt.Sprintf(format, args...))
}

const twoStates = "model_checkpoint_path: \"model.ckpt-61\"\nall_model_checkpoint_paths: \"model.ckpt-30\"\nall_model_checkpoint_paths: \"model.ckpt-61\"\n"

func write(c *worldtest.Case, dir, file, text string) {
	c.Must(c.Env.Files.MkdirAll(dir))
	c.Must(c.Env.Files.WriteFile(dir+"/"+file, []byte(text)))
}

// noMPI is what each process logs first of its environment (mlp_utils.py:90).
const noMPI = "INFO enable_mpi is False, index 0, port 0"

// logging makes a process with the command line argv, and returns it with the log it writes to.
func logging(c *worldtest.Case, argv ...string) (runnerutils.Process, *noted) {
	log := &noted{}
	c.Env.Log = log
	p := runnerutils.Process{Env: c.Env, Flags: runnerutils.NewFlags()}
	_, err := p.Flags.Parse(c.Env.Files, argv)
	c.Must(err)
	log.lines = nil
	return p, log
}

func TestWhatAnOverrideLogs(t *testing.T) {
	for _, try := range []struct{ ckpt, mode, want string }{
		{"model.ckpt-61", "eval", "WARNING model_checkpoint_path and model.ckpt-61 are identity"},
		{"model.ckpt-9", "eval", "WARNING checkpoint model.ckpt-9 not exists in /t/m"},
		{"model.ckpt-30", "eval", "INFO mode is eval, ignore /t/m/restore_ckpt"},
		{"model.ckpt-30", "train", "INFO mode is train and no /t/m/restore_ckpt file exists, apply /t/m/model.ckpt-30"},
	} {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			write(c, "/t/m", "checkpoint", twoStates)
			p, log := logging(c, "--restore_ckpt="+try.ckpt, "--mode="+try.mode)
			_, err := runnerutils.CheckpointStates{Env: c.Env, Flags: p.Flags}.State("/t/m", "")
			c.Must(err)
			if !slices.Contains(log.lines, try.want) {
				t.Errorf("%s in %s: got %q, want %q", try.ckpt, try.mode, log.lines, try.want)
			}
		})
	}
}

func TestWhatRestoringLogs(t *testing.T) {
	for _, try := range []struct {
		name  string
		state string
		ckpt  string
		want  []string
	}{
		{"nothing there", "", "", []string{"INFO restore_dir is /t/r", "WARNING no checkpoint in /t/r"}},
		{"another", twoStates, "model.ckpt-9", []string{"INFO restore_dir is /t/r", "INFO makedirs /t/m done!",
			"WARNING /t/r/model.ckpt-9 is not in restore all_model_checkpoint_paths", "INFO write checkpoint file done!", "INFO write monolith checkpoint file done!"}},
	} {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			write(c, "/t/r", "other", "")
			if try.state != "" {
				write(c, "/t/r", "checkpoint", try.state)
			}
			p, log := logging(c)
			conf := runnerutils.Class.New()
			conf.IsLocal, conf.ModelDir, conf.RestoreDir = true, "/t/m", pysem.Some("/t/r")
			if try.ckpt != "" {
				conf.RestoreCkpt = pysem.Some(try.ckpt)
			}
			c.Must(p.Init(&conf))
			if !slices.Equal(log.lines, append([]string{noMPI}, try.want...)) {
				t.Errorf("%s: got %q, want %q", try.name, log.lines, try.want)
			}
		})
	}
}

// Goal: a worker that waits logs so every 30 s. It logs after it has looked for the file, so that
// in 70 s it logs three times.
func TestAWorkerSaysThatItWaits(t *testing.T) {
	worldtest.Run(t, nil, func(c *worldtest.Case) {
		p, log := logging(c)
		c.Env.Tasks.Go("chief", func() {
			c.Env.Tasks.Sleep(70 * time.Second)
			write(c, "/t/m", "monolith_checkpoint", "")
		})
		conf := runnerutils.Class.New()
		conf.ServerType, conf.Index, conf.ModelDir, conf.RestoreDir = "worker", 1, "/t/m", pysem.Some("/t/r")
		c.Must(p.Init(&conf))
		if want := append([]string{noMPI}, slices.Repeat([]string{"INFO Waiting for chief setting up restore_dir..."}, 3)...); !slices.Equal(log.lines, want) {
			t.Errorf("got %q, want %q", log.lines, want)
		}
	})
}

// Goal: the latest checkpoint is the one that the state names, if it is there. A state that cannot be
// parsed is none, and one that is no text is an error.
func TestTheLatestCheckpoint(t *testing.T) {
	for text, want := range map[string]string{ //lint:ordered each by itself
		twoStates: "/t/m/model.ckpt-61", "model_checkpoint_path: \"model.ckpt-7\"": "", "": "ValueError", "\xff": "UnicodeDecodeError",
	} {
		worldtest.Run(t, nil, func(c *worldtest.Case) {
			write(c, "/t/m", "checkpoint", text)
			write(c, "/t/m", "model.ckpt-61.index", "")
			p, _ := logging(c)
			latest, err := runnerutils.CheckpointStates{Env: c.Env, Flags: p.Flags}.Latest("/t/m")
			if got := latest + pysem.TypeOf(err); got != want {
				t.Errorf("%q: got %q, %v, want %q", text, latest, err, want)
			}
		})
	}
}
