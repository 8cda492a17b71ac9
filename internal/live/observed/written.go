package observed

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// RevisionFormat is the format of the data of ControllerRevisions. What another format says is not known here.
const RevisionFormat = 1

// Written are the hashes of what the user had written for the pods of each service when the newest revision of the graph was made. nil means that
// there is no revision, or it cannot be read.
func (s *State) Written() map[string]string {
	var newest *structpb.Struct
	for _, key := range s.keys {
		if object := s.Resources()[key].GetResource(); names.IsRevisionKey(key) && (newest == nil || numberOf(object) > numberOf(newest)) {
			newest = object
		}
	}
	data := tree.At(newest, "data")
	if data.GetFields()["format"].GetNumberValue() != RevisionFormat {
		return nil
	}
	hashes := map[string]string{}
	for name, component := range tree.At(data, "components").GetFields() {
		hashes[name] = tree.Text(component.GetStructValue(), "written")
	}
	return hashes
}

// numberOf a ControllerRevision.
func numberOf(revision *structpb.Struct) float64 {
	return revision.GetFields()["revision"].GetNumberValue()
}
