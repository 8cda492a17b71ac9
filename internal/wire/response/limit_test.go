package response

import "testing"

func TestFormat(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 5632: "5.5 KiB", 1 << 20: "1.00 MiB", MaxSize: "4.00 MiB", 6<<20 + 1<<18: "6.25 MiB",
	} {
		if got := FormatSize(bytes); got != want {
			t.Errorf("Format(%d): want %s, got %s", bytes, want, got)
		}
	}
}
