package controlplane

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
		folder, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
		if os.IsNotExist(err) {
			// It has ended meanwhile.
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the folder of %s: %w", program, err)
		}
		files, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
		if err != nil {
			return nil, fmt.Errorf("cannot list the files of %s: %w", program, err)
		}
		for _, file := range files {
			// A file that was closed meanwhile is none.
			target, _ := os.Readlink(file)
			inode := strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")
			if socket, ok := sockets[inode]; ok {
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

// listening sockets of this machine, by their inodes.
// https://docs.kernel.org/networking/proc_net_tcp.html
func listening() (map[string]Socket, error) {
	const (
		tcpListens, unixListens = "0A", "00010000"
		// Columns of /proc/net/tcp and /proc/net/unix.
		tcpAddress, tcpState, tcpInode   = 1, 3, 9
		unixFlags, unixInode, unixSocket = 3, 6, 7
	)
	all := map[string]Socket{}
	for _, table := range []string{"tcp", "tcp6", "unix"} {
		file, err := os.Open("/proc/net/" + table)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot list sockets: %w", err)
		}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			switch {
			case table == "unix" && len(fields) > unixSocket && fields[unixFlags] == unixListens:
				all[fields[unixInode]] = Socket{Network: "unix", Address: fields[unixSocket]}
			case table != "unix" && len(fields) > tcpInode && fields[tcpState] == tcpListens:
				address, err := parseAddress(fields[tcpAddress])
				if err != nil {
					_ = file.Close()
					return nil, err
				}
				all[fields[tcpInode]] = Socket{Network: "tcp", Address: address}
			}
		}
		_ = file.Close()
	}
	return all, nil
}

// parseAddress of /proc/net/tcp, such as 0100007F:1F90. Each word of an address has the order of bytes of the machine, which is little-endian on
// all that the project is built for.
func parseAddress(text string) (string, error) {
	ip, port, _ := strings.Cut(text, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return "", fmt.Errorf("cannot read port %q of a socket: %w", port, err)
	}
	decoded, err := hex.DecodeString(ip)
	if err != nil || len(decoded)%net.IPv4len != 0 {
		return "", fmt.Errorf("cannot read address %q of a socket: %w", ip, err)
	}
	for word := range slices.Chunk(decoded, net.IPv4len) {
		slices.Reverse(word)
	}
	return net.JoinHostPort(net.IP(decoded).String(), strconv.FormatUint(number, 10)), nil
}
