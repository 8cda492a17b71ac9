package controlplane

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
)

// secrets of a run, by what they are for. Nothing that another user of the machine could guess opens a door.
type secrets map[string]string

// registryPassword is what the password of the registry is kept by, beside the tokens of users by their IDs.
const registryPassword = "registry"

// of something, made when it is first needed.
func (s secrets) of(what string) string {
	if s[what] == "" {
		s[what] = rand.Text()
	}
	return s[what]
}

// Secrets of the run.
func (c *ControlPlane) Secrets() []string { return slices.Sorted(maps.Values(c.secrets)) }

// Folder with the files of the run.
func (c *ControlPlane) Folder() string { return c.folder }

// writeLogin writes how programs log in to the registry. They find it by the variable of registryEnvironment.
func (c *ControlPlane) writeLogin() error {
	login := base64.StdEncoding.EncodeToString([]byte("run:" + c.secrets.of(registryPassword)))
	config, err := json.Marshal(map[string]any{"auths": map[string]any{c.registry: map[string]string{"auth": login}}})
	if err != nil {
		return fmt.Errorf("cannot encode the login of the registry: %w", err)
	}
	return writeFiles(c.login(), map[string][]byte{"config.json": config})
}

func (c *ControlPlane) login() string { return filepath.Join(c.folder, "login") }

// registryEnvironment of programs that push to the registry or pull from it.
func (c *ControlPlane) registryEnvironment() string { return "DOCKER_CONFIG=" + c.login() }
