package serve

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/sim/tfserving"
)

// credentials are those of --ssl_config_file; ok false means that the process
// has ended, which it does by abort where the file cannot be read
// (model_servers/server.cc:122-154).
func (s *Server) credentials() (options []grpc.ServerOption, ok bool) {
	file := s.opt.Machine.SSLConfigFile
	if file == "" {
		s.log.logf(env.Info, "Using InsecureServerCredentials")
		return nil, true
	}
	var ssl config.SSLConfig
	if err := s.readText(file, &ssl); err != nil {
		s.log.logf(env.Error, "Non-OK-status: ParseProtoTextFile<SSLConfig>(ssl_config_file, &ssl_config) status: %s",
			s.opt.Machine.Profile.StatusString(err))
		s.machine.Stop()
		s.end(-6, "")
		return nil, false
	}
	if s.opt.Machine.Profile == tfserving.ProfileHead {
		s.log.logf(env.Info, "Using SSL credentials")
	}
	tlsConfig, err := tlsOf(&ssl)
	if err != nil {
		s.log.logf(env.Error, "%v", err)
		s.machine.FailToListen()
		return nil, false
	}
	return []grpc.ServerOption{grpc.Creds(credentials.NewTLS(tlsConfig))}, true
}

func tlsOf(ssl *config.SSLConfig) (*tls.Config, error) {
	pair, err := tls.X509KeyPair([]byte(ssl.GetServerCert()), []byte(ssl.GetServerKey()))
	if err != nil {
		return nil, fmt.Errorf("ssl config: %w", err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if ssl.GetClientVerify() {
		c.ClientAuth = tls.RequireAndVerifyClientCert
	}
	if ca := ssl.GetCustomCa(); ca != "" {
		c.ClientCAs = x509.NewCertPool()
		if !c.ClientCAs.AppendCertsFromPEM([]byte(ca)) {
			return nil, fmt.Errorf("ssl config: custom_ca of %d bytes has no certificate", len(ca))
		}
	}
	return c, nil
}

// readText reads a text proto as ParseProtoTextFile does.
func (s *Server) readText(file string, message proto.Message) *env.RPCError {
	data, err := s.disk.ReadFile(file)
	if err != nil {
		return asStatus(err)
	}
	if textpb.Unmarshal(string(data), message) != nil {
		return &env.RPCError{Code: env.InvalidArgument, Message: "Invalid protobuf file: '" + file + "'"}
	}
	return nil
}

func asStatus(err error) *env.RPCError {
	if e, ok := err.(*env.RPCError); ok {
		return e
	}
	return &env.RPCError{Code: env.Unknown, Message: err.Error()}
}
