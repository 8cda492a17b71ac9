package transition

import (
	"context"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// Codes of the rules for which a call refuses a graph, sorted. The response only contains the messages.
type Codes []rule.Code

// String is a list.
func (c Codes) String() string {
	texts := make([]string, 0, len(c))
	for _, code := range c {
		texts = append(texts, string(code))
	}
	return strings.Join(texts, ",")
}

type codesKey struct{}

// WithCodes has a call say for which rules it refuses a graph.
func WithCodes(ctx context.Context, codes *Codes) context.Context {
	return context.WithValue(ctx, codesKey{}, codes)
}

// Refuse says for which rules a call refuses a graph, if anybody asks.
func Refuse(ctx context.Context, codes Codes) {
	if asked, ok := ctx.Value(codesKey{}).(*Codes); ok {
		*asked = codes
	}
}
