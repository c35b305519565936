package serve

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"

	"google.golang.org/grpc/credentials"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/sim/tfserving"
)

// credentials returns the TLS credentials of --ssl_config_file; nil without the flag. If the file
// cannot be read, credentials ends the process and returns ok false. Upstream aborts in this case
// (model_servers/server.cc:122-154).
func (s *Server) credentials(files *portFiles) (secure credentials.TransportCredentials, ok bool) {
	if s.opt.Machine.SSLConfigFile == "" {
		s.log.logf(env.Info, "Using InsecureServerCredentials")
		return nil, true
	}
	if files.sslErr != nil {
		s.log.logf(env.Error, "Non-OK-status: ParseProtoTextFile<SSLConfig>(ssl_config_file, &ssl_config) status: %s",
			s.opt.Machine.Profile.StatusString(files.sslErr))
		s.machine.Stop()
		s.end(-6, "")
		return nil, false
	}
	if s.opt.Machine.Profile == tfserving.ProfileHead {
		s.log.logf(env.Info, "Using SSL credentials")
	}
	tlsConfig, err := tlsOf(&files.ssl)
	if err != nil {
		s.log.logf(env.Error, "%v", err)
		s.machine.FailToListen()
		return nil, false
	}
	return credentials.NewTLS(tlsConfig), true
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
