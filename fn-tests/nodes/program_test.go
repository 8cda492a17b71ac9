package nodes

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Variables of a stub program, in addition to those of its container.
const (
	// stubAddress is the address of its pod. Its presence makes a process a stub program.
	stubAddress = "STUB_ADDRESS"
	// stubHosts are the names that resolve, each with its address: name=address, separated by commas.
	stubHosts = "STUB_HOSTS"

	moment = 10 * time.Millisecond
)

// TestMain makes this binary the programs in the images.
func TestMain(m *testing.M) {
	address := os.Getenv(stubAddress)
	if address == "" {
		os.Exit(m.Run())
	}
	p := program{address: address, args: os.Args[1:]}
	run := map[string]func() error{"my-engine": p.engine, "python3": p.python, "ray": p.ray, "sleep": p.sleep}[filepath.Base(os.Args[0])]
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "%q: %v\n", os.Args, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// program in a pod with an address.
type program struct {
	address string
	args    []string
}

// engine of the user: the first node waits for the others, which say their ranks, and is then healthy.
func (p program) engine() error {
	host, port, err := net.SplitHostPort(p.value("--leader"))
	if err != nil {
		return err
	}
	leader, err := resolve(host)
	if err != nil {
		return err
	}
	if rank := p.value("--rank"); rank != "0" {
		c, err := dial(net.JoinHostPort(leader, port))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(c, rank+"\n"); err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, c)
		return errors.New("lost the first node")
	}
	if leader != p.address {
		return fmt.Errorf("%s is not the first node, whose rank this one has", host)
	}
	nodes, err := strconv.Atoi(p.value("--nodes"))
	if err != nil {
		return err
	}
	var healthy atomic.Bool
	if err := p.serveSystem(&healthy); err != nil {
		return err
	}
	ranks, err := p.await(port, nodes-1)
	if err != nil {
		return err
	}
	for i, rank := range ranks {
		if rank != strconv.Itoa(i+1) {
			return fmt.Errorf("want ranks from 1, got %v", ranks)
		}
	}
	healthy.Store(true)
	select {}
}

// await nodes on a port, and return what they say first, sorted.
func (p program) await(port string, nodes int) ([]string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(p.address, port))
	if err != nil {
		return nil, err
	}
	var said []string
	for range nodes {
		c, err := listener.Accept()
		if err != nil {
			return nil, err
		}
		var word string
		if _, err := fmt.Fscan(c, &word); err != nil {
			return nil, err
		}
		said = append(said, word)
	}
	slices.Sort(said)
	return said, nil
}

// serveSystem serves what Dynamo's system server does. The process is alive at once.
func (p program) serveSystem(healthy *atomic.Bool) error {
	listener, err := net.Listen("tcp", net.JoinHostPort(p.address, os.Getenv("DYN_SYSTEM_PORT")))
	if err != nil {
		return err
	}
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/health" && !healthy.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	go func() { _ = http.Serve(listener, http.HandlerFunc(answer)) }() //nolint:gosec // It only serves this test.
	return nil
}

// What the shell scripts ask python3 for.
var (
	askedPort = regexp.MustCompile(`create_connection\(\('127\.0\.0\.1',(\d+)\)`)
	askedURL  = regexp.MustCompile(`urlopen\('http://([^:]+):(\d+)(/[a-z]+)'`)
)

// python runs an elastic engine of vLLM, or a line of a script that waits.
func (p program) python() error {
	if len(p.args) > 1 && p.args[0] == "-c" {
		return p.ask(p.args[1])
	}
	if !slices.Equal(p.args[:2], []string{"-m", "dynamo.vllm"}) || !slices.Contains(p.args, "--enable-elastic-ep") {
		return errors.New("want vLLM with its flags")
	}
	// vLLM places its engines on the nodes of a Ray cluster, and looks for its own node by this address.
	if master := os.Getenv("VLLM_DP_MASTER_IP"); master != "" && master != p.address {
		return fmt.Errorf("the master is %s, which is another node", master)
	}
	c, err := net.Dial("tcp", net.JoinHostPort(p.address, "6379"))
	if err != nil {
		return err
	}
	_ = c.Close()
	var healthy atomic.Bool
	healthy.Store(true)
	if err := p.serveSystem(&healthy); err != nil {
		return err
	}
	select {}
}

// ask whether something listens.
func (p program) ask(line string) error {
	if match := askedPort.FindStringSubmatch(line); match != nil {
		c, err := net.Dial("tcp", net.JoinHostPort(p.address, match[1]))
		if err != nil {
			return err
		}
		return c.Close()
	}
	match := askedURL.FindStringSubmatch(line)
	if match == nil {
		return errors.New("unknown line")
	}
	address, err := resolve(match[1])
	if err != nil {
		return err
	}
	response, err := http.Get("http://" + net.JoinHostPort(address, match[2]) + match[3])
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// ray starts the head of a cluster, which counts its nodes on standard output, or a node of one.
func (p program) ray() error {
	if head := p.value("--address"); head != "" {
		host, port, err := net.SplitHostPort(head)
		if err != nil {
			return err
		}
		address, err := resolve(host)
		if err != nil {
			return err
		}
		c, err := dial(net.JoinHostPort(address, port))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(c, "node\n"); err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, c)
		return errors.New("lost the head")
	}
	if own := p.value("--node-ip-address"); own != "" && own != p.address {
		return fmt.Errorf("%s is the address of another node", own)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(p.address, p.value("--port")))
	if err != nil {
		return err
	}
	for {
		c, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			// The engine, and who asks whether the head listens, say nothing.
			var word string
			if _, err := fmt.Fscan(c, &word); err == nil {
				_, _ = fmt.Fprintln(os.Stdout, joined)
			}
		}()
	}
}

// joined is what the head of a Ray cluster prints for each node.
const joined = "a node has joined"

// sleep for a moment, whatever the argument is.
func (program) sleep() error {
	time.Sleep(moment)
	return nil
}

// value of a flag.
func (p program) value(flag string) string {
	for i, arg := range p.args {
		if arg == flag && i+1 < len(p.args) {
			return p.args[i+1]
		}
		if rest, ok := strings.CutPrefix(arg, flag+"="); ok {
			return rest
		}
	}
	return ""
}

// resolve a name.
func resolve(host string) (string, error) {
	for entry := range strings.SplitSeq(os.Getenv(stubHosts), ",") {
		if name, address, _ := strings.Cut(entry, "="); name == host {
			return address, nil
		}
	}
	return "", fmt.Errorf("no such host: %s", host)
}

// dial until something listens.
func dial(address string) (net.Conn, error) {
	var c net.Conn
	var err error
	for range 1000 {
		if c, err = net.Dial("tcp", address); err == nil {
			return c, nil
		}
		time.Sleep(moment)
	}
	return nil, err
}
