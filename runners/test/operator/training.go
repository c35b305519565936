package operator

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/training/hooks/server"
	"github.com/monosim/monosim/engine/training/rustport/psservice"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners"
)

// CallController calls a method of a training job's controller, such as "StopTraining". It
// reads the controller's address from a file in the model's directory.
func CallController(e *env.Env, modelDir, method string) runners.TrainingAnswer {
	stub, err := server.StubFromModelDir(e, modelDir)
	if err != nil {
		return runners.TrainingAnswer{Err: err}
	}
	defer stub.Close()
	var response proto.Message
	switch method {
	case "StopTraining":
		response, err = stub.StopTraining()
	case "ResumeTraining":
		response, err = stub.ResumeTraining()
	case "GetBlockStatus":
		response, err = stub.GetBlockStatus()
	case "SaveCheckpoint":
		response, err = stub.SaveCheckpoint()
	case "GetTrainingStatus":
		response, err = stub.GetTrainingStatus()
	default:
		err = fmt.Errorf("controller: found method %q, want StopTraining, ResumeTraining, GetBlockStatus, SaveCheckpoint or GetTrainingStatus", method)
	}
	if err != nil {
		return runners.TrainingAnswer{Err: err}
	}
	return runners.TrainingAnswer{Text: words(response)}
}

// words formats a message as text on one line, with single blanks.
func words(m proto.Message) string {
	return strings.Join(strings.Fields(prototext.MarshalOptions{}.Format(m)), " ")
}

// ArriveAtPS calls Barrier of the PS service at addr on behalf of a worker, and waits for
// the answer.
func ArriveAtPS(e *env.Env, addr, id string, worker, numWorkers int, timeout time.Duration) runners.TrainingAnswer {
	client := psservice.NewClient(e, []string{addr})
	defer client.Close()
	arrived, err := client.Barrier(id, int32(worker), int32(numWorkers), timeout)
	return runners.TrainingAnswer{Text: fmt.Sprintf("released with %d", arrived), Err: err}
}

// ReadTraining fills status with the variables of a job's first PS. Variables that cannot be
// read leave status unchanged.
func ReadTraining(s session.Session, workers int, status *runners.TrainingStatus) {
	if step, err := session.Get[int64](s, session.Read(session.GlobalStep())); err == nil {
		status.GlobalStep = step
	}
	flags, err := session.Get[[]bool](s, session.Read(&session.Variable{Name: "barrier_var", First: make([]bool, workers+1)}))
	for i, blocked := range flags {
		if err == nil && blocked && i > 0 {
			status.Blocked = append(status.Blocked, i)
		}
	}
	status.Barrier = err == nil && len(flags) > 0 && flags[0]
}
