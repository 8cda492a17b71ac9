// Package runtime knows how pods depend on the release of Dynamo in their image. That release is independent of the release of these
// functions: a graph may run images that are years apart.
package runtime

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/crossplane/function-sdk-go/errors"
)

// Version is a release of Dynamo, as MAJOR.MINOR.PATCH. Pre-releases, post-releases and builds of a release have the version of the release,
// because their tags also name variants, such as 1.3.0-efa. The zero value is Assumed.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/runtimeversion/runtimeversion.go
type Version string

// Assumed is the release of an image that does not say its own: the last one before pods differ by release under the Dynamo operator
// too, which gives a worker of an unknown release what it gives one of this release.
// https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/internal/features/runtime/gates.go
const Assumed Version = "1.4.0"

// Parse a semantic version. A leading v, a pre-release and build metadata are ignored.
func Parse(text string) (Version, error) {
	parsed, err := version.ParseSemantic(text)
	if err != nil || text != strings.TrimSpace(text) {
		return "", errors.Errorf("%q is not a semantic version such as %s", text, NewestWithRules())
	}
	return Version(fmt.Sprintf("%d.%d.%d", parsed.Major(), parsed.Minor(), parsed.Patch())), nil
}

// tagOfRelease is a tag that begins with a release, and goes on with what tags of containers and of Python packages add to one: a variant or a
// pre-release after a dash, such as -efa or -rc.2, a build, a word after a dot, such as .post1 or .dev3, or rc1 without anything between.
// https://packaging.python.org/en/latest/specifications/version-specifiers/
var tagOfRelease = regexp.MustCompile(`^(?i:v)?((?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*))` +
	`(?:$|[-_+]|\.[A-Za-z]|(?i:a|b|c|rc|alpha|beta|pre|preview|post|dev)[._-]?[0-9])[A-Za-z0-9._+-]*$`)

// OfImage is the version in the tag of an image. ok is false if the image has no tag, one that contains no release, or one that is the
// release of another project. A digest says nothing about the version.
func OfImage(image string) (v Version, ok bool) {
	match := tagOfRelease.FindStringSubmatch(Tag(image))
	if match == nil || OtherProject(image) != "" {
		return "", false
	}
	v, err := Parse(match[1])
	return v, err == nil
}

// OtherProject is the project whose releases are the tags of an image, if it is one that graphs run beside Dynamo, or without it. Empty if
// there is none, as far as it is known.
func OtherProject(image string) string {
	image = taggedName(image)
	repository := "/" + strings.TrimSuffix(image, ":"+Tag(image))
	for _, other := range [...]struct{ repository, project string }{
		{"/vllm/vllm-openai", "vLLM"},
		{"/lmsysorg/sglang", "SGLang"},
		{"/nvidia/tensorrt-llm/release", "TensorRT-LLM"},
		{"/nvidia/tritonserver", "Triton"},
		{"/ai-dynamo/modelexpress-server", "ModelExpress"},
	} {
		if strings.HasSuffix(repository, other.repository) {
			return other.project
		}
	}
	return ""
}

// Tag of an image. Empty if it has none.
func Tag(image string) string {
	image = taggedName(image)
	// A colon before a slash is that of a port.
	_, tag, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	return tag
}

// taggedName is the name of an image with its tag and without its digest. What stands before another at sign are credentials, which no image can
// have.
func taggedName(image string) string {
	if name, digest, ok := cutLast(image, "@"); ok && strings.HasPrefix(digest, "sha") {
		image = name
	}
	return image[strings.LastIndex(image, "@")+1:]
}

// cutLast is strings.Cut at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// Compare two versions. The result is negative if v is older than the other one, and positive if it is newer.
func (v Version) Compare(other Version) int {
	own, others := v.numbers(), other.numbers()
	return slices.Compare(own[:], others[:])
}

// ReleasesApart is how many minor releases are between two versions, at least: how many a major version had is not known.
func (v Version) ReleasesApart(other Version) uint64 {
	older, newer := v.numbers(), other.numbers()
	if v.Compare(other) > 0 {
		older, newer = newer, older
	}
	if older[0] == newer[0] {
		return newer[1] - older[1]
	}
	return newer[0] - older[0] + newer[1]
}

// String is the version as MAJOR.MINOR.PATCH.
func (v Version) String() string {
	if v == "" {
		return string(Assumed)
	}
	return string(v)
}

// numbers of a version. Versions are only made by Parse, so they consist of numbers.
func (v Version) numbers() [3]uint64 {
	var numbers [3]uint64
	rest := v.String()
	for i := range numbers {
		var text string
		text, rest, _ = strings.Cut(rest, ".")
		numbers[i], _ = strconv.ParseUint(text, 10, 64)
	}
	return numbers
}

// IsPlausible reports whether each number of a version has at most four digits, as the schema of the API demands.
func (v Version) IsPlausible() bool {
	numbers := v.numbers()
	return slices.Max(numbers[:]) < 10_000
}
