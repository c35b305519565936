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

// Stores names the files with a server's keys and certificates, as the properties zookeeper.ssl.*
// do.
type Stores struct {
	// Key is a file with the server's private key and its chain of certificates (ssl.keyStore.location).
	Key string
	// Trust is a file with the certificates of the authorities that sign client certificates
	// (ssl.trustStore.location); "" for none.
	Trust string
	// ClientAuth says whether clients need a certificate: need, want or none (ssl.clientAuth).
	ClientAuth string
}

// clientAuths translates the words of ssl.clientAuth. With "want" a client may omit the
// certificate, but a certificate that it sends must be valid.
var clientAuths = map[string]tls.ClientAuthType{
	"need": tls.RequireAndVerifyClientCert, "want": tls.VerifyClientCertIfGiven, "none": tls.NoClientCert,
}

// Config loads the stores into a TLS configuration. Errors begin with the name of the wrong flag.
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

// readPEM reads a PEM file. For a store in another format, such as JKS or PKCS12, the error tells
// how to convert it.
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

// handshakeTime limits how long the TLS handshake of a client may take.
const handshakeTime = 10 * time.Second

// Server accepts TLS connections and forwards their decrypted bytes to a plain TCP address.
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

// Listen accepts TLS connections at addr and forwards them to the server at the address plain. log
// receives a line with the reason for each refused connection.
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

// Addr returns the host:port that the TLS server listens on.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// Close stops listening and closes all open connections.
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

// keep registers a connection so that Close can close it. After Close it closes the connection and
// returns false.
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

// serve forwards bytes between a TLS client and the plain server until either side closes.
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
	io.Copy(secure, behind) // the error is not needed: the connection is closed next in any case
	secure.CloseWrite()
	tcp.Close()
	<-over
}

// dialAs connects to addr. For a client on loopback it uses the client's own IP as the source
// address, so that ACLs of the scheme ip see the client's address.
func dialAs(client net.Addr, addr string) (net.Conn, error) {
	var d net.Dialer
	if tcp, ok := client.(*net.TCPAddr); ok && tcp.IP.IsLoopback() && tcp.IP.To4() != nil {
		d.LocalAddr = &net.TCPAddr{IP: tcp.IP}
	}
	return d.Dial("tcp", addr)
}
