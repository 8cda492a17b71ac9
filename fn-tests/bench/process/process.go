package process

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"google.golang.org/grpc"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// maxRequest that functions receive, in MB. Observed state with its managed fields is far larger than what a response
	// may hold, which has the limit of Crossplane's client.
	maxRequest = 64

	// grace is how long a process may take to end by itself.
	grace = 5 * time.Second
	// patience is how long a process may take until it listens.
	patience = 30 * time.Second
	// attempts to find a port that no other program takes meanwhile.
	attempts = 5
	// poll is how often it is looked at until then.
	poll = time.Millisecond

	host = "127.0.0.1"
)

// errPortTaken means that another program has taken the port of a function between its choice and its use.
var errPortTaken = errors.New("the port is taken")

// A Function is a process that serves a composition function, and the one connection to it that Crossplane keeps.
type Function struct {
	// Name of the function.
	Name string

	certificates           *Certificates
	program                string
	arguments, environment []string

	client     fnv1.FunctionRunnerServiceClient
	command    *exec.Cmd
	log        string
	done       chan struct{}
	address    string
	connection *grpc.ClientConn
}

// Settings of a process.
type Settings struct {
	// MaxRequest that the function receives, in MB. If it is 0, the function receives larger requests than any graph has.
	MaxRequest int
	// Metrics is the address of the metrics. If it is empty, it is any.
	Metrics string
	// NoMetrics is true for a program that has no flag for the address of its metrics.
	NoMetrics bool
	// Environment beside that of this process.
	Environment []string
}

// Start the function that a program serves when it is called with these arguments.
func Start(certificates *Certificates, name, program string, arguments ...string) (*Function, error) {
	return StartWith(Settings{}, certificates, name, program, arguments...)
}

// StartWith settings.
func StartWith(s Settings, certificates *Certificates, name, program string, arguments ...string) (*Function, error) {
	if s.MaxRequest == 0 {
		s.MaxRequest = maxRequest
	}
	arguments = append(arguments, "--tls-certs-dir="+certificates.Folder, "--max-recv-message-size="+strconv.Itoa(s.MaxRequest))
	if !s.NoMetrics {
		arguments = append(arguments, "--metrics-address="+cmp.Or(s.Metrics, host+":0"))
	}
	f := &Function{
		Name: name, certificates: certificates, program: program, arguments: arguments, environment: append(os.Environ(), s.Environment...),
	}
	err := f.start()
	return f, err
}

// start the process at an address at which nobody listens.
func (f *Function) start() error {
	address, err := FreeAddress()
	if err != nil {
		return err
	}
	log, err := os.CreateTemp(f.certificates.Folder, filepath.Base(f.Name)+"-*.log")
	if err != nil {
		return fmt.Errorf("cannot make the log of %s: %w", f.Name, err)
	}
	defer log.Close() //nolint:errcheck // The process has its own handle.

	arguments := slices.Concat(f.arguments, []string{"--address=" + address})
	command := exec.Command(f.program, arguments...) //nolint:gosec,noctx // It runs what it has built itself, and ends it in Stop.
	command.Stdout, command.Stderr, command.Env = log, log, f.environment
	command.SysProcAttr = &syscall.SysProcAttr{
		// A terminal's interrupt reaches us alone, who end all in order.
		Setpgid: true,
		// Nothing stays behind when this process is killed.
		Pdeathsig: syscall.SIGKILL,
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("cannot start %s: %w", f.Name, err)
	}
	done := make(chan struct{})
	f.command, f.log, f.done, f.address = command, log.Name(), done, address
	go func() {
		defer close(done)
		// It is ended by a signal; what it has to say is in its log.
		_ = command.Wait()
	}()
	f.connection, err = grpc.NewClient(address, grpc.WithTransportCredentials(f.certificates.client))
	if err != nil {
		f.Stop()
		return fmt.Errorf("cannot connect to %s: %w", f.Name, err)
	}
	f.client = fnv1.NewFunctionRunnerServiceClient(f.connection)
	return nil
}

// Listening waits until the function listens. gRPC itself would wait a second after a first attempt that came too early. If another program has
// taken its port meanwhile, it gets another one.
func (f *Function) Listening(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := f.listening(ctx)
		if attempt == attempts || !errors.Is(err, errPortTaken) {
			return err
		}
		// Its connection has no call, and the process has ended.
		_ = f.connection.Close()
		if err := f.start(); err != nil {
			return err
		}
	}
}

func (f *Function) listening(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	dialer := &net.Dialer{}
	for {
		select {
		case <-f.done:
			return f.ended()
		default:
		}
		connection, err := dialer.DialContext(ctx, "tcp", f.address)
		if err == nil {
			return connection.Close()
		}
		select {
		case <-f.done:
			return f.ended()
		case <-ctx.Done():
			return fmt.Errorf("function %s does not listen: %w", f.Name, ctx.Err())
		case <-time.After(poll):
		}
	}
}

// RunFunction calls the function, once it listens.
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f.client.RunFunction(ctx, req, grpc.WaitForReady(true))
}

// Usage of the process so far.
func (f *Function) Usage() (controlplane.Usage, error) {
	select {
	case <-f.done:
		return controlplane.Usage{}, f.ended()
	default:
		return controlplane.UsageOf(f.command.Process.Pid)
	}
}

// ended says how a process ended that should run, and what it said.
func (f *Function) ended() error {
	said, _ := os.ReadFile(f.log)
	err := fmt.Errorf("function %s ended (%s):\n%s", f.Name, f.command.ProcessState, said)
	if bytes.Contains(said, []byte(syscall.EADDRINUSE.Error())) {
		err = fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return err
}

// Stop the process, if need be by force.
func (f *Function) Stop() {
	if f.connection != nil {
		// Nothing is under way any more that could fail.
		_ = f.connection.Close()
	}
	// One that has ended already is no error.
	_ = f.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-f.done:
	case <-time.After(grace):
		_ = f.command.Process.Kill()
		<-f.done
	}
}

// FreeAddress at which nobody listens.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", host+":0") //nolint:noctx // It is closed at once.
	if err != nil {
		return "", fmt.Errorf("cannot find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}
