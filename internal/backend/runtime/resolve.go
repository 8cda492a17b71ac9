package runtime

// Source is where the version of a component comes from.
type Source string

// The sources, in the order in which they are asked.
const (
	// FromForce is the input of the platform, which applies to all graphs.
	FromForce Source = "Force"
	// FromOverride is what the user says about the component.
	FromOverride Source = "Override"
	// FromImage is the tag of the image.
	FromImage Source = "Image"
	// FromInput is the input of the platform for images without a version.
	FromInput Source = "Input"
	// FromMemory is what was assumed before for the same image.
	FromMemory Source = "Memory"
	// FromDefault is the release that is assumed.
	FromDefault Source = "Default"
)

// IsAssumed reports whether the version was not specified.
func (s Source) IsAssumed() bool { return s == FromMemory || s == FromDefault }

// IsOfGraph reports whether the graph itself says the version. Only then can anything else in the graph contradict it.
func (s Source) IsOfGraph() bool { return s == FromOverride || s == FromImage }

// Component is what is known about the version of a component.
type Component struct {
	// Override of the user, and the Image of the main container. Both may be empty.
	Override, Image string

	// Remembered is the version that was used for the same image before. Empty if there is none.
	Remembered Version
}

// Policy of the platform.
type Policy struct {
	// Version of images without a version. Empty if the platform does not know it.
	Version Version

	// Force the version on all components, whatever their images are.
	Force bool
}

// Resolve the version of a component. A remembered version is used so that a newer release of these functions, which knows newer releases of
// Dynamo, does not change what the same image gets.
func (p Policy) Resolve(c Component) (Version, Source) {
	if p.Force && p.Version != "" {
		return p.Version, FromForce
	}
	// An invalid override is refused elsewhere.
	if v, err := Parse(c.Override); err == nil {
		return v, FromOverride
	}
	if v, ok := OfImage(c.Image); ok {
		return v, FromImage
	}
	switch {
	case p.Version != "":
		return p.Version, FromInput
	case c.Remembered != "":
		return c.Remembered, FromMemory
	default:
		return Assumed, FromDefault
	}
}
