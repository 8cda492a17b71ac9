package health

import "testing"

func TestPersistentVolumeClaim(t *testing.T) {
	compare(t, map[string]healthCase{
		"Bound":   {reason: "A bound claim is ready.", observed: `{"kind":"PersistentVolumeClaim","status":{"phase":"Bound"}}`, want: Health{Ready: true}},
		"New":     {reason: "A claim that no controller has processed yet may wait for its pod.", observed: `{"kind":"PersistentVolumeClaim"}`, want: Health{Ready: true}},
		"Pending": {reason: "A claim that is pending may wait for its pod, which is part of the graph.", observed: `{"kind":"PersistentVolumeClaim","status":{"phase":"Pending"}}`, want: Health{Ready: true, Note: "is not bound to a volume yet"}},
		"Lost":    {reason: "A lost volume does not come back.", observed: `{"kind":"PersistentVolumeClaim","status":{"phase":"Lost"}}`, want: Health{Failed: true, Message: "its volume, and the data on it, are lost"}},
	})
}
