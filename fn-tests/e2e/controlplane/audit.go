package controlplane

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// auditPolicy has the API server log what Crossplane writes, but for events and leases, once for each request.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: None
    resources:
      - {group: "", resources: [events]}
      - {group: events.k8s.io, resources: [events]}
      - {group: coordination.k8s.io}
      - {group: authorization.k8s.io}
  - level: Metadata
    users: ["%s"]
    verbs: [create, update, patch, delete, deletecollection]
  - level: None
`

// A Write is a request of Crossplane to write an object.
type Write struct {
	// Verb of the request. That of server-side apply is apply, not patch.
	Verb string
	// Resource that is written, such as components or dynamographdeployments/status.
	Resource string
	// Namespace and Name of the object.
	Namespace, Name string
	// Status is the HTTP status of the response.
	Status int
}

// String says what is written, without the namespace.
func (w Write) String() string {
	return fmt.Sprintf("%s %s %s: %d", w.Verb, w.Resource, w.Name, w.Status)
}

// auditFlags of the API server.
func (c *ControlPlane) auditFlags() ([]string, error) {
	if !c.options.Audit {
		return nil, nil
	}
	policy := filepath.Join(c.folder, "audit.yaml")
	if err := os.WriteFile(policy, fmt.Appendf(nil, auditPolicy, crossplaneUser().name), 0o600); err != nil {
		return nil, fmt.Errorf("cannot write the policy of the audit log: %w", err)
	}
	return []string{"--audit-policy-file=" + policy, "--audit-log-path=" + c.auditLog()}, nil
}

func (c *ControlPlane) auditLog() string { return filepath.Join(c.folder, "audit.log") }

// Writes of Crossplane in a namespace since the API server was started, in the order in which they were answered. The control plane must have
// been started with Audit.
func (c *ControlPlane) Writes(namespace string) ([]Write, error) {
	data, err := os.ReadFile(c.auditLog())
	if err != nil {
		return nil, fmt.Errorf("cannot read the audit log: %w", err)
	}
	all, err := parseAudit(data)
	return slices.DeleteFunc(all, func(w Write) bool { return w.Namespace != namespace }), err
}

// auditEvent is a line of the audit log.
type auditEvent struct {
	Verb       string `json:"verb"`
	RequestURI string `json:"requestURI"`
	ObjectRef  struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// parseAudit reads an audit log. Its last line may not be written to its end yet.
func parseAudit(data []byte) ([]Write, error) {
	var all []Write
	lines := bufio.NewScanner(bytes.NewReader(data[:bytes.LastIndexByte(data, '\n')+1]))
	for lines.Scan() {
		event := auditEvent{}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, fmt.Errorf("cannot read the audit log: %w", err)
		}
		ref := event.ObjectRef
		write := Write{Verb: event.Verb, Resource: ref.Resource, Namespace: ref.Namespace, Name: ref.Name, Status: event.ResponseStatus.Code}
		if ref.Subresource != "" {
			write.Resource += "/" + ref.Subresource
		}
		// Crossplane only forces what it applies.
		if event.Verb == "patch" && strings.Contains(event.RequestURI, "force=true") {
			write.Verb = "apply"
		}
		all = append(all, write)
	}
	return all, lines.Err()
}
