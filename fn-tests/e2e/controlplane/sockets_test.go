package controlplane

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// TestListening finds what this process listens on, and not what it is connected to.
func TestListening(t *testing.T) {
	open := func(network, address string) string {
		listener, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		return listener.Addr().String()
	}
	t.Chdir(t.TempDir())
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	open("unix", "relative.sock")
	want := []Socket{
		{Network: "tcp", Address: open("tcp4", "127.0.0.1:0")},
		{Network: "unix", Address: filepath.Join(folder, "relative.sock")},
		{Network: "unix", Address: open("unix", "@configuration-dynamo-"+strconv.Itoa(os.Getpid()))},
		{Network: "tcp", Address: open("tcp4", "0.0.0.0:0")},
		{Network: "tcp", Address: open("tcp", ":0")},
		{Network: "unix", Address: open("unix", filepath.Join(t.TempDir(), "a.sock"))},
	}
	connection, err := net.Dial("tcp", want[0].Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	got, err := (&ControlPlane{}).Listening()
	if err != nil {
		t.Fatal(err)
	}
	for _, socket := range want {
		if !slices.Contains(got, socket) {
			t.Errorf("want %v among the sockets, got %v", socket, got)
		}
	}
	if slices.ContainsFunc(got, func(s Socket) bool { return s.Address == connection.LocalAddr().String() }) {
		t.Errorf("want no connection among the sockets, got %v", got)
	}
}
