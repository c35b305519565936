package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/sim/tfserving/serve"
)

// bare answers the benchmark's calls with prepared answers, so that a call costs no more than
// grpc-go itself. No server based on grpc-go can be faster than bare.
type bare struct {
	apis.UnimplementedModelServiceServer
	apis.UnimplementedPredictionServiceServer
	status *apis.GetModelStatusResponse
	scores map[string]*apis.PredictResponse // answer to each Predict request, by model
}

func newBare(models int) *bare {
	b := &bare{
		status: &apis.GetModelStatusResponse{ModelVersionStatus: []*apis.ModelVersionStatus{{
			Version: modelVersion, State: apis.ModelVersionStatus_AVAILABLE, Status: &util.StatusProto{},
		}}},
		scores: map[string]*apis.PredictResponse{},
	}
	for n := range models {
		b.scores[modelName(n)] = &apis.PredictResponse{
			ModelSpec: &apis.ModelSpec{
				Name: modelName(n), SignatureName: signature, VersionChoice: &apis.ModelSpec_Version{Version: wrapperspb.Int64(modelVersion)},
			},
			Outputs: map[string]*framework.TensorProto{outputAlias: {
				Dtype: framework.DataType_DT_FLOAT, TensorShape: shapeOf(1), FloatVal: []float32{0.5},
			}},
		}
	}
	return b
}

// GetModelStatus returns the same answer for every model.
func (b *bare) GetModelStatus(context.Context, *apis.GetModelStatusRequest) (*apis.GetModelStatusResponse, error) {
	return b.status, nil
}

// Predict returns the same score for every request to a model.
func (b *bare) Predict(_ context.Context, r *apis.PredictRequest) (*apis.PredictResponse, error) {
	if score, ok := b.scores[r.GetModelSpec().GetName()]; ok {
		return score, nil
	}
	return nil, status.Errorf(codes.NotFound, "no model %q", r.GetModelSpec().GetName())
}

// ServeBare serves the prepared answers with grpc-go, with the settings of the model server.
// It listens on a free port of the loopback, and prints the address first. It returns only
// on error.
func ServeBare(out io.Writer) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b, g := newBare(fewModels), grpc.NewServer(serve.Tuning()...)
	apis.RegisterModelServiceServer(g, b)
	apis.RegisterPredictionServiceServer(g, b)
	if _, err := fmt.Fprintln(out, ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	return g.Serve(ln)
}

// StartBare starts a process of a program that calls ServeBare.
func StartBare(program []string) (*Server, error) {
	s := &Server{ended: make(chan struct{}), output: process.Tail{Max: outputKept}}
	s.cmd = exec.Command(program[0], program[1:]...)
	s.cmd.Stderr = &s.output
	process.DieWithParent(s.cmd)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.PID = s.cmd.Process.Pid
	line, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		s.err = s.cmd.Wait()
		close(s.ended)
	}()
	if err != nil {
		return nil, fmt.Errorf("%s: printed no address: %w; it said:\n%s", strings.Join(program, " "), errors.Join(err, s.Close()), s.output.String())
	}
	s.Addr = strings.TrimSpace(line)
	return s, nil
}
