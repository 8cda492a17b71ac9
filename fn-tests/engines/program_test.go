package engines

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
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
	if leader, is := os.LookupEnv(stubLeader); is {
		e := &engine{address: address, leader: leader, args: os.Args[1:]}
		fmt.Fprintln(os.Stderr, e.run())
		os.Exit(1)
	}
	p := program{address: address, args: os.Args[1:]}
	run := map[string]func() error{
		"getent": p.getent, "my-engine": p.engine, "mpirun": p.mpirun, "python3": p.python, "ray": p.ray, "sleep": p.sleep, "sshd": p.sshd,
		"ssh-keygen": p.keygen, "trtllm-llmapi-launch": p.launch,
	}[filepath.Base(os.Args[0])]
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
		return p.join(net.JoinHostPort(leader, port), rank)
	}
	if leader != p.address {
		return fmt.Errorf("%s is not the first node, whose rank this one has", host)
	}
	return p.lead(port, p.value("--nodes"))
}

// await nodes on a port, and return what they say first, which are numbers, sorted.
func (p program) await(port string, nodes int) ([]string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(p.address, port))
	if err != nil {
		return nil, err
	}
	var said []string
	for len(said) < nodes {
		c, err := listener.Accept()
		if err != nil {
			return nil, err
		}
		// Workers look whether their leader listens before they join it.
		var word string
		if _, err := fmt.Fscan(c, &word); err == nil {
			said = append(said, word)
		}
	}
	slices.SortFunc(said, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
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

// python runs an engine, the script with which workers wait for their leader, or a line of a script that waits.
func (p program) python() error {
	switch {
	case len(p.args) > 1 && p.args[0] == "-c":
		return p.ask(p.args[1])
	case len(p.args) == 1 && filepath.Base(p.args[0]) == "wait-for-leader.py":
		return p.wait()
	case len(p.args) < 2 || p.args[0] != "-m":
		return errors.New("want a module")
	}
	switch module := p.args[1]; {
	case module == "dynamo.vllm" && slices.Contains(p.args, "--enable-elastic-ep"):
		return p.elastic()
	case module == "dynamo.vllm":
		return p.vllm()
	case module == "dynamo.sglang":
		return p.joined(p.value("--dist-init-addr"))
	case module == "dynamo.trtllm":
		return p.serve()
	default:
		return fmt.Errorf("unknown module %s", module)
	}
}

// wait until the leader listens, as the script does.
func (program) wait() error {
	address, err := resolve(os.Getenv("LEADER_HOST"))
	if err != nil {
		return err
	}
	c, err := dial(net.JoinHostPort(address, os.Getenv("LEADER_PORT")))
	if err != nil {
		return err
	}
	return c.Close()
}

// vllm spans nodes with its own processes. Only the first one is a worker of Dynamo.
func (p program) vllm() error {
	if executor := p.value("--distributed-executor-backend"); executor != "mp" {
		return fmt.Errorf("executor %q is not in this image", executor)
	}
	if slices.Contains(p.args, "--headless") == (p.value("--node-rank") == "0") {
		return errors.New("want all nodes but the first one without the worker of Dynamo")
	}
	return p.joined(net.JoinHostPort(p.value("--master-addr"), p.value("--master-port")))
}

// joined engine: the first node waits for the others at an address, and serves when it has all ranks.
func (p program) joined(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	leader, err := resolve(host)
	if err != nil {
		return err
	}
	if rank := p.value("--node-rank"); rank != "0" {
		return p.join(net.JoinHostPort(leader, port), rank)
	}
	if leader != p.address {
		return fmt.Errorf("%s is not the first node, whose rank this one has", host)
	}
	return p.lead(port, p.value("--nnodes"))
}

// join the first node with a rank, and stay until it ends.
func (program) join(address, rank string) error {
	c, err := dial(address)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(c, rank+"\n"); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, c)
	return errors.New("lost the first node")
}

// lead the other nodes, and serve when all have joined. Something that says nothing only asks whether this node listens.
func (p program) lead(port, count string) error {
	nodes, err := strconv.Atoi(count)
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

// serve as an engine whose nodes are joined by something else.
func (p program) serve() error {
	var healthy atomic.Bool
	healthy.Store(true)
	if err := p.serveSystem(&healthy); err != nil {
		return err
	}
	select {}
}

// mpirun logs in to all hosts but the own one, and runs the program that follows its flags.
func (p program) mpirun() error {
	_, port, _ := strings.Cut(p.value("plm_rsh_args"), "-p ")
	port, _, _ = strings.Cut(port, " ")
	for host := range strings.SplitSeq(p.value("-H"), ",") {
		host, _, _ = strings.Cut(host, ":")
		address, err := resolve(host)
		if err != nil {
			return err
		}
		if address == p.address {
			continue
		}
		c, err := dial(net.JoinHostPort(address, port))
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }() //nolint:gocritic // The connections stay open until the program has ended.
	}
	i := slices.Index(p.args, "bash")
	if i < 0 {
		return errors.New("want a program")
	}
	return p.exec(p.args[i:])
}

// launch the ranks of TensorRT-LLM.
func (p program) launch() error { return p.exec(p.args) }

// exec another program in this process.
func (program) exec(argv []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, argv, os.Environ())
}

// sshd lets the leader log in.
func (p program) sshd() error {
	data, err := os.ReadFile(p.value("-f"))
	if err != nil {
		return err
	}
	port, _, _ := strings.Cut(string(data), "\n")
	listener, err := net.Listen("tcp", net.JoinHostPort(p.address, strings.TrimPrefix(port, "Port ")))
	if err != nil {
		return err
	}
	for {
		if _, err := listener.Accept(); err != nil {
			return err
		}
	}
}

// getent resolves the names of the pods.
func (p program) getent() error {
	_, err := resolve(p.args[len(p.args)-1])
	return err
}

// keygen writes a key.
func (p program) keygen() error { return os.WriteFile(p.value("-f"), []byte("key\n"), 0o600) }

// elastic engine of vLLM.
func (p program) elastic() error {
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
		if c, err = net.Dial("tcp", address); err == nil { //nolint:gosec // The address is one of the test.
			return c, nil
		}
		time.Sleep(moment)
	}
	return nil, err
}
