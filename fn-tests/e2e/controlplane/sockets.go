package controlplane

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// A Socket is one that a process listens on.
type Socket struct {
	// Program of the control plane, or empty for this process.
	Program string
	// Network is tcp or unix, and Address that of the socket.
	Network, Address string
}

// Listening sockets of all programs of the control plane that run, and of this process.
func (c *ControlPlane) Listening() ([]Socket, error) {
	sockets, err := listening()
	if err != nil {
		return nil, err
	}
	var all []Socket
	for pid, program := range c.Processes() {
		process, err := procfs.NewProc(pid)
		if errors.Is(err, fs.ErrNotExist) {
			// It has ended meanwhile.
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot look at %s: %w", program, err)
		}
		folder, errOfFolder := process.Cwd()
		files, errOfFiles := process.FileDescriptorTargets()
		if err := errors.Join(errOfFolder, errOfFiles); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot list the files of %s: %w", program, err)
		}
		for _, file := range files {
			if socket, ok := sockets[file]; ok {
				socket.Program = program
				if socket.Network == "unix" && !strings.HasPrefix(socket.Address, "@") && !filepath.IsAbs(socket.Address) {
					socket.Address = filepath.Join(folder, socket.Address)
				}
				all = append(all, socket)
			}
		}
	}
	slices.SortFunc(all, func(a, b Socket) int { return strings.Compare(a.Program+" "+a.Address, b.Program+" "+b.Address) })
	return slices.Compact(all), nil
}

// Processes of programs that run, by their IDs, with the names of the programs, and this process. A program has no other processes.
func (c *ControlPlane) Processes() map[int]string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	all := map[int]string{os.Getpid(): ""}
	for _, process := range c.processes {
		if !process.Ended() {
			all[process.PID()] = process.Name
		}
	}
	return all
}

// tcpListens is the state of a TCP socket: https://docs.kernel.org/networking/proc_net_tcp.html
const tcpListens = 0x0A

// listening sockets of this machine, as processes have them open.
func listening() (map[string]Socket, error) {
	machine, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, fmt.Errorf("cannot list sockets: %w", err)
	}
	all := map[string]Socket{}
	opened := func(inode uint64) string { return fmt.Sprintf("socket:[%d]", inode) }
	for _, list := range []func() (procfs.NetTCP, error){machine.NetTCP, machine.NetTCP6} {
		sockets, err := list()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot list sockets: %w", err)
		}
		for _, socket := range sockets {
			if socket.St == tcpListens {
				all[opened(socket.Inode)] = Socket{Network: "tcp", Address: net.JoinHostPort(socket.LocalAddr.String(), strconv.FormatUint(socket.LocalPort, 10))}
			}
		}
	}
	sockets, err := machine.NetUNIX()
	if err != nil {
		return nil, fmt.Errorf("cannot list sockets: %w", err)
	}
	for _, socket := range sockets.Rows {
		if socket.Flags.String() == "listen" {
			all[opened(socket.Inode)] = Socket{Network: "unix", Address: socket.Path}
		}
	}
	return all, nil
}
