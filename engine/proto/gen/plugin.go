package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// plugins lists the code generators in the order in which they run. Each is a tool of go.mod.
// Generated files are written beside their source.
var plugins = []struct{ tool, parameter string }{
	{tool: "protoc-gen-go", parameter: "paths=source_relative"},
	{tool: "protoc-gen-go-grpc", parameter: "paths=source_relative"},
}

// generate returns the contents of all generated files, by slash-separated path relative to dir.
func generate(ctx context.Context, dir string) (map[string][]byte, error) {
	sources, descriptors, err := compile(ctx, dir)
	if err != nil {
		return nil, err
	}
	want := map[string][]byte{}
	for _, p := range plugins {
		response, err := runPlugin(ctx, dir, p.tool, &pluginpb.CodeGeneratorRequest{
			FileToGenerate: sources,
			Parameter:      proto.String(p.parameter),
			ProtoFile:      descriptors,
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.tool, err)
		}
		for _, file := range response.GetFile() {
			want[file.GetName()] = []byte(file.GetContent())
		}
	}
	return want, nil
}

// runPlugin runs a code generator. It writes the request to the generator's standard input and
// reads the response.
func runPlugin(ctx context.Context, dir, tool string, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	input, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "tool", tool)
	cmd.Dir = dir
	cmd.Stdin = bytes.NewReader(input)
	cmd.Stdout = &output
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(output.Bytes(), response); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	if response.Error != nil {
		return nil, errors.New(response.GetError())
	}
	return response, nil
}
