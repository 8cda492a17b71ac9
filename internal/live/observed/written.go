package observed

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// RevisionFormat is the format of the data of ControllerRevisions. What another format says is not known here.
const RevisionFormat = 1

// Recorded is what the newest revision of a graph has of a component.
type Recorded struct {
	// Written is what the user had written for the pods.
	Written graphplan.Written

	// Generation of the workers. Empty if the pods have none.
	Generation string
}

// Recorded are the components in the newest revision of the graph. nil if there is no revision, or it cannot be read.
func (s *State) Recorded() map[string]Recorded {
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
	recorded := map[string]Recorded{}
	for name, value := range tree.At(data, "components").GetFields() {
		component := value.GetStructValue()
		recorded[name] = Recorded{Written: graphplan.Written(tree.Text(component, "written")), Generation: tree.Text(component, "generation")}
	}
	return recorded
}

// numberOf a ControllerRevision.
func numberOf(revision *structpb.Struct) float64 {
	return revision.GetFields()["revision"].GetNumberValue()
}
