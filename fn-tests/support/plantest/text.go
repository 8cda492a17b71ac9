package plantest

// GraphOf a spec, JSON, called llama in namespace inference. Tests use it for specs as users write them, and for mistakes in them.
func GraphOf(spec string) string { return AnnotatedJSON(spec, `{}`) }

// AnnotatedJSON is GraphOf with annotations, JSON.
func AnnotatedJSON(spec, annotations string) string {
	return `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",
		"metadata":{"name":"llama","namespace":"inference","uid":"u1","annotations":` + annotations + `},"spec":` + spec + `}`
}
