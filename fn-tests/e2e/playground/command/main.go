// Command command is the playground, which `make playground` builds and starts. It runs until it is interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/playground"
)

func main() {
	if err := play(); err != nil {
		fmt.Fprintf(os.Stderr, "playground: error: %v\n", err)
		os.Exit(1)
	}
}

// play until the playground is interrupted, which is no error.
func play() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("cannot find the repository: %w", err)
	}
	err = playground.Run(ctx, os.Args[1:], controlplane.Options{Machine: controlplane.NewMachine(1), Root: root}, os.Stdout, func(*playground.Playground) {
		<-ctx.Done()
	})
	if ctx.Err() != nil || errors.Is(err, flag.ErrHelp) {
		return nil
	}
	return err
}
