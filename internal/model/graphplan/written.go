package graphplan

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Written are hashes of what a user has written for the pods of a component, one for each format that the release knows which has written them,
// such as 0123456789abcdef 2:fedcba9876543210. The first format has no number. Clusters keep them: a release finds those of its own formats among
// those of a newer one, and of an older one.
type Written string

// firstFormat of hashes.
const firstFormat = 1

// WrittenIn formats.
func WrittenIn(hashes map[int]string) Written {
	var all []string
	for _, format := range slices.Sorted(maps.Keys(hashes)) {
		if format == firstFormat {
			all = append(all, hashes[format])
			continue
		}
		all = append(all, strconv.Itoa(format)+":"+hashes[format])
	}
	return Written(strings.Join(all, " "))
}

// formats of the hashes.
func (w Written) formats() map[int]string {
	all := map[int]string{}
	for text := range strings.FieldsSeq(string(w)) {
		number, hash, numbered := strings.Cut(text, ":")
		if !numbered {
			all[firstFormat] = text
		} else if format, err := strconv.Atoi(number); err == nil {
			all[format] = hash
		}
	}
	return all
}

// Same reports whether the user has written the same, as far as the newest format tells that both have.
func (w Written) Same(other Written) bool {
	same, _ := w.Compare(other)
	return same
}

// Compare is Same, with the format that tells, or 0 if there is none that both have.
func (w Written) Compare(other Written) (same bool, format int) {
	own, others := w.formats(), other.formats()
	for _, format := range slices.Backward(slices.Sorted(maps.Keys(own))) {
		if hash, ok := others[format]; ok {
			return hash == own[format], format
		}
	}
	return false, 0
}

// Newest is the hash of the newest format alone.
func (w Written) Newest() Written {
	return w[strings.LastIndexByte(string(w), ' ')+1:]
}

// Completed with the formats that another release knows and that are missing.
func (w Written) Completed(other Written) Written {
	all := other.formats()
	maps.Copy(all, w.formats())
	return WrittenIn(all)
}
