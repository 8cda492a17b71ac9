package strict

import (
	"strings"
	"testing"
)

// TestWithoutCredentials generates texts with a password in each place where addresses have one, and others that have none.
func TestWithoutCredentials(t *testing.T) {
	const password = "hunter2"
	places := []string{
		"https://user:hunter2@nvcr.io/nvidia/x:1.0.0", "user:hunter2@nvcr.io/nvidia/x:1.0.0", "https://hunter2@nvcr.io/x", "nats://a:hunter2@nats:4222",
		"s3://AKIA:hunter2@bucket/model", "https://user:hunter2@nvcr.io/x:1@sha256:0123abcd", "oci://:hunter2@host/x",
		"https://host/model?X-Amz-Signature=hunter2", "https://host/model?a=b&X-Amz-Security-Token=hunter2&c=d", "https://host/x?sig=hunter2", "https://h/?api_key=hunter2",
		"password=hunter2", "HF_TOKEN=hunter2", "aws_secret_access_key=hunter2", "--api-key=hunter2", "Authorization: Bearer hunter2", `{"password": "hunter2"}`, `{\"hf_token\":\"hunter2\"}`,
	}
	frames := []string{"%", "\"%\" is not a valid image name", "spec.a[b]: Invalid value: \"%\": no", "W (%), V (%)", "'%'", "first %\nsecond %"}
	for _, place := range places {
		for _, frame := range frames {
			text := strings.ReplaceAll(frame, "%", place)
			got := WithoutCredentials(text)
			if strings.Contains(got, password) || !strings.Contains(got, masked) || !HasCredentials(text) {
				t.Errorf("WithoutCredentials(%q): want no password, got %q", text, got)
			}
			if again := WithoutCredentials(got); again != got {
				t.Errorf("WithoutCredentials(%q): want no change of a masked text, got %q", got, again)
			}
		}
	}
	for _, text := range []string{
		"", "nvcr.io/nvidia/x:1.0.0", "nvcr.io/nvidia/x:1.0.0@sha256:0123456789abcdef", "localhost:5000/x:1@sha512:ab", "meta-llama/Llama-3", "me@example.org", "@", "a:@b",
		"spec.services[A].ports: 8000@8001", "--tensor-parallel-size=8", "step=100", "https://host/model?version=3", "set hostSuffix to \"\" or key: value", `{"model": "m"}`, "the bearer of a name=x",
	} {
		if got := WithoutCredentials(text); got != text || HasCredentials(text) {
			t.Errorf("WithoutCredentials(%q): want it as it is, got %q", text, got)
		}
	}
}
