package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/bench/process"
)

const (
	// readers of the metrics port at once, each of which asks again as soon as it is answered.
	readers = 30

	// idlers connect to the metrics port and send nothing. The limit for open files of most users allows for so many, on both sides.
	idlers = 5000

	// mostIdlers that the function keeps, and the memory that all of them may take.
	mostIdlers      = 100
	mostIdlerMemory = 16 << 20

	// victimCalls are measured in each of some turns, alone and beside strangers.
	victimCalls, turns = 50, 4
)

// besideStrangers calls the fused function as Crossplane does, while others read its metrics port as fast as they can, or hold connections to
// it. It fails if the calls take more than twice as long, if the function keeps the connections, or if probes of the kubelet are not answered.
func (b *bench) besideStrangers(ctx context.Context) error {
	limits, err := readShipped()
	if err != nil {
		return err
	}
	ports, err := process.FreeAddress()
	if err != nil {
		return err
	}
	f, err := process.StartWith(process.Settings{
		MaxRequest: shippedMaxRequest, Metrics: ports, Environment: []string{"GOMAXPROCS=" + strconv.FormatInt(max(1, limits.processors), 10)},
	}, b.certificates, b.fused.Steps[0].Function, b.functions, b.fused.Steps[0].Function)
	if err != nil {
		return err
	}
	defer f.Stop()
	if err := f.Listening(ctx); err != nil {
		return err
	}
	graph, err := leaderWorkerSets(1, 1)
	if err != nil {
		return err
	}
	victim, err := b.requestOf(ctx, group{f}, graph)
	if err != nil {
		return err
	}
	return errors.Join(b.besideReaders(ctx, f, victim, ports), b.besideIdlers(ctx, f, victim, ports))
}

// besideReaders of each path, over connections that stay and over new ones, in turns with nobody: machines drift.
func (b *bench) besideReaders(ctx context.Context, f *process.Function, victim *fnv1.RunFunctionRequest, address string) error {
	rows := [][]string{{"strangers", "answered", "median ms", "slowest ms", "median ms alone"}}
	var errs []error
	for _, attack := range []struct {
		name, path string
		stay       bool
	}{
		{"read /metrics", "/metrics", true},
		{"connect anew to read /metrics", "/metrics", false},
		{"read /livez", "/livez", true},
		{"read what there is not", "/none", true},
	} {
		b.progressf("calling %s beside %d strangers that %s", f.Name, readers, attack.name)
		var alone, beside []time.Duration
		answered := int64(0)
		for range turns {
			quiet, err := callTimes(ctx, f, victim)
			if err != nil {
				return err
			}
			alone = append(alone, quiet...)
			meanwhile, stop := context.WithCancel(ctx)
			done := readAll(meanwhile, "http://"+address+attack.path, attack.stay)
			pressed, err := callTimes(ctx, f, victim)
			stop()
			answered += done()
			if err != nil {
				return fmt.Errorf("beside strangers that %s: %w", attack.name, err)
			}
			beside = append(beside, pressed...)
		}
		rows = append(rows, []string{
			attack.name, strconv.FormatInt(answered, 10), milliseconds(medianNumber(beside)), milliseconds(slices.Max(beside)), milliseconds(medianNumber(alone)),
		})
		if medianNumber(beside) > mostSlowdown*medianNumber(alone) {
			errs = append(errs, fmt.Errorf("calls take %s ms beside %d strangers that %s, more than %d times as long as alone",
				milliseconds(medianNumber(beside)), readers, attack.name, mostSlowdown))
		}
	}
	b.table(fmt.Sprintf("%d calls of an ordinary graph beside %d strangers at the metrics port", turns*victimCalls, readers), rows)
	return errors.Join(errs...)
}

// readAll has all readers read a URL until the context ends. done waits for them, and returns how often they were answered.
func readAll(ctx context.Context, url string, stay bool) (done func() int64) {
	var answered atomic.Int64
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() { answered.Add(read(ctx, url, stay)) })
	}
	return func() int64 {
		reading.Wait()
		return answered.Load()
	}
}

// callTimes of the victim's calls.
func callTimes(ctx context.Context, f *process.Function, victim *fnv1.RunFunctionRequest) ([]time.Duration, error) {
	times := make([]time.Duration, 0, victimCalls)
	for range victimCalls {
		begin := time.Now()
		if err := call(ctx, f, victim); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}

// read a URL until the context ends, over one connection if the server lets it stay. It returns how often it was answered.
func read(ctx context.Context, url string, stay bool) (answered int64) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: !stay}}
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return answered
		}
		response, err := client.Do(request)
		if err != nil {
			continue
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		answered++
	}
	return answered
}

// besideIdlers that hold connections.
func (b *bench) besideIdlers(ctx context.Context, f *process.Function, victim *fnv1.RunFunctionRequest, address string) error {
	b.progressf("calling %s beside %d idle connections", f.Name, idlers)
	before, err := f.Usage()
	if err != nil {
		return err
	}
	var held []net.Conn
	defer func() {
		for _, connection := range held {
			_ = connection.Close()
		}
	}()
	for range idlers {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return fmt.Errorf("cannot connect to the metrics port: %w", err)
		}
		held = append(held, connection)
	}
	var errs []error
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		if read := readOnce(ctx, "http://"+address+path); read != nil {
			errs = append(errs, fmt.Errorf("beside %d idle connections: %w", idlers, read))
		}
	}
	times, err := callTimes(ctx, f, victim)
	if err != nil {
		return err
	}
	after, err := f.Usage()
	if err != nil {
		return err
	}
	open := countOpen(held)
	b.table(fmt.Sprintf("%d connections to the metrics port that send nothing", idlers), [][]string{
		{"held", "kept", "RSS MB before", "RSS MB", "victim's median ms"},
		{strconv.Itoa(idlers), strconv.Itoa(open), megabytes(before.RSS), megabytes(after.RSS), milliseconds(medianNumber(times))},
	})
	if open > mostIdlers {
		errs = append(errs, fmt.Errorf("the function keeps %d of %d idle connections, more than %d", open, idlers, mostIdlers))
	}
	if grown := after.RSS - before.RSS; grown > mostIdlerMemory {
		errs = append(errs, fmt.Errorf("%d idle connections take %s MB", idlers, megabytes(grown)))
	}
	return errors.Join(errs...)
}

// readOnce a URL, over a connection of its own.
func readOnce(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", url, err)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", url, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("cannot read %s: %s", url, response.Status)
	}
	return nil
}

// countOpen connections: those that the server has not closed.
func countOpen(connections []net.Conn) int {
	open := 0
	for _, connection := range connections {
		// A connection that is closed says so at once, and one that is open has nothing to say.
		_ = connection.SetReadDeadline(time.Now().Add(time.Millisecond))
		_, err := connection.Read(make([]byte, 1))
		if failed, ok := errors.AsType[net.Error](err); ok && failed.Timeout() {
			open++
		}
	}
	return open
}
