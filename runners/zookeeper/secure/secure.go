// Package secure puts TLS before a served ZooKeeper, as secureClientPort does at a real one: it takes
// connections of TLS, and passes what is in them to the server's plain address.
//
// Two things to use first:
//
//   - [Config] reads certificates and keys, of PEM.
//   - [Listen] starts the port.
//
// The server behind it sees a client of this host at its own address, for ACLs of the scheme ip and
// for the limit of connections, and any other at 127.0.0.1. It learns nothing of certificates: there is
// no scheme x509 (ZK-26.2).
//
// Unstable: any commit may change it.
package secure

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Stores name what a server has for TLS, as the properties zookeeper.ssl.* do.
type Stores struct {
	// Key is a file with the server's private key and its chain of certificates (ssl.keyStore.location).
	Key string
	// Trust is a file with the certificates of those who sign clients' (ssl.trustStore.location); ""
	// for none.
	Trust string
	// ClientAuth is need, want or none (ssl.clientAuth).
	ClientAuth string
}

// clientAuths are the words of ssl.clientAuth. A certificate that is given has to be right.
var clientAuths = map[string]tls.ClientAuthType{
	"need": tls.RequireAndVerifyClientCert, "want": tls.VerifyClientCertIfGiven, "none": tls.NoClientCert,
}

// Config reads the stores. The error names the flag that is wrong.
func Config(s Stores) (*tls.Config, error) {
	auth, ok := clientAuths[s.ClientAuth]
	switch {
	case !ok:
		return nil, fmt.Errorf("--tls-client-auth: found %q, want need, want or none", s.ClientAuth)
	case s.Key == "":
		return nil, errors.New("--tls-key-store: found none, want a PEM file with the server's private key and certificates")
	case s.Trust == "" && auth != tls.NoClientCert:
		return nil, fmt.Errorf("--tls-trust-store: found none, want a PEM file of who signs clients' certificates, or --tls-client-auth none")
	}
	config := &tls.Config{ClientAuth: auth, MinVersion: tls.VersionTLS12}
	if s.Trust != "" {
		text, err := readPEM("--tls-trust-store", s.Trust)
		if err != nil {
			return nil, err
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--tls-trust-store: %s: found no certificate, want one at least", s.Trust)
		}
	}
	text, err := readPEM("--tls-key-store", s.Key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, fmt.Errorf("--tls-key-store: %s: %w", s.Key, err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// readPEM reads a file of PEM. A store of another kind, as JKS and PKCS12 are, has a tool that
// converts it.
func readPEM(flag, name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	block, _ := pem.Decode(text)
	switch {
	case block == nil:
		return nil, fmt.Errorf("%s: %s: found no PEM; stores of JKS and PKCS12 are not read: openssl pkcs12 -nodes writes PEM", flag, name)
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return nil, fmt.Errorf("%s: %s: found a key under a password, want one without: openssl pkey writes it", flag, name)
	}
	return text, nil
}

// handshakeTime limits how long a client may take to begin.
const handshakeTime = 10 * time.Second

// Server is a port of TLS.
type Server struct {
	ln     net.Listener
	plain  string
	config *tls.Config
	log    func(line string)

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
	wg     sync.WaitGroup
}

// Listen starts a port of TLS before the server at a plain address. log receives why a connection was
// refused.
func Listen(addr, plain string, config *tls.Config, log func(line string)) (*Server, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{ln: ln, plain: plain, config: config, log: log, open: map[net.Conn]bool{}}
	s.wg.Add(1)
	go s.accept()
	return s, nil
}

// Addr returns the address of the port.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Close ends the port and its connections.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	err := s.ln.Close()
	for c := range s.open { //lint:ordered each is closed
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
	return err
}

func (s *Server) accept() {
	defer s.wg.Done()
	for {
		c, err := s.ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && s.keep(c) {
			go s.serve(c)
		}
	}
}

// keep notes a connection, for Close. It reports false, and closes it, once the port is closed.
func (s *Server) keep(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.Close()
		return false
	}
	s.open[c] = true
	s.wg.Add(1)
	return true
}

func (s *Server) drop(c net.Conn) {
	c.Close()
	s.mu.Lock()
	delete(s.open, c)
	s.mu.Unlock()
	s.wg.Done()
}

// serve carries a connection to the server and back until either side ends it.
func (s *Server) serve(tcp net.Conn) {
	defer s.drop(tcp)
	secure := tls.Server(tcp, s.config)
	tcp.SetDeadline(time.Now().Add(handshakeTime))
	if err := secure.Handshake(); err != nil {
		s.log(fmt.Sprintf("connection of /%s closed: %v", tcp.RemoteAddr(), err))
		return
	}
	tcp.SetDeadline(time.Time{})
	behind, err := dialAs(tcp.RemoteAddr(), s.plain)
	if err != nil {
		s.log(fmt.Sprintf("connection of /%s closed: %v", tcp.RemoteAddr(), err))
		return
	}
	if !s.keep(behind) {
		return
	}
	defer s.drop(behind)
	over := make(chan struct{})
	go func() {
		defer close(over)
		io.Copy(behind, secure)
		behind.(*net.TCPConn).CloseWrite()
	}()
	io.Copy(secure, behind) // the server closes a connection that has ended, for whatever reason
	secure.CloseWrite()
	tcp.Close()
	<-over
}

// dialAs connects to a server, from the address of a client of this host.
func dialAs(client net.Addr, addr string) (net.Conn, error) {
	var d net.Dialer
	if tcp, ok := client.(*net.TCPAddr); ok && tcp.IP.IsLoopback() && tcp.IP.To4() != nil {
		d.LocalAddr = &net.TCPAddr{IP: tcp.IP}
	}
	return d.Dial("tcp", addr)
}
