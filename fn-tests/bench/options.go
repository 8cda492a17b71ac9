package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options of the command line.
type options struct {
	// quick takes half a minute in place of several.
	quick bool
	// pressure is all that is measured.
	pressure bool
	// components has all graphs written with components, in v1beta1.
	components bool
	// graphs that are created at once on a real control plane, with the packages of a folder, the pipelines that are measured with them,
	// and how long the most of them are watched at rest. With any they are all that is measured.
	graphs    []int
	packages  string
	pipelines []string
	rest      time.Duration
	// template is a program of function-go-templating to compare with, or empty.
	template string
	// crossplane are more flags of Crossplane on that control plane.
	crossplane []string
}

func parseOptions(args []string, usage io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.BoolVar(&o.quick, "quick", false, "take half a minute: fewer workloads, runs and calls, and so figures that vary more")
	flags.BoolVar(&o.pressure, "pressure", false, "measure only functions that many call at once with the largest graph, with graphs that cost much to read, or beside strangers at the metrics port")
	flags.BoolVar(&o.components, "components", false, "write all graphs with components, in v1beta1; without this flag they are as they are, most with services")
	graphs := flags.String("graphs", "", "measure only so many graphs at once on a real control plane, such as \"1 100\"")
	flags.StringVar(&o.packages, "packages", "", "folder of the packages for -graphs, which hack/package.sh has written")
	flags.DurationVar(&o.rest, "rest", 0, "how long the most of -graphs are measured at rest; 0 leaves it out")
	flags.StringVar(&o.template, "template", "", "program of function-go-templating to compare the fused function with")
	pipelines := flags.String("pipelines", "chain fused static", "pipelines to measure with -graphs; static returns what fused would, and does nothing else")
	crossplane := flags.String("crossplane", "", "more flags of Crossplane for -graphs, such as --max-concurrent-reconciles=10")
	err := flags.Parse(args)
	o.crossplane = slices.Collect(strings.FieldsSeq(*crossplane))
	if err != nil {
		return o, err
	}
	if o.graphs, err = parseCounts(*graphs); err != nil {
		return o, err
	}
	o.pipelines, err = parsePipelines(*pipelines)
	return o, err
}

// parsePipelines, such as chain fused.
func parsePipelines(text string) ([]string, error) {
	pipelines := strings.Fields(text)
	if len(pipelines) == 0 {
		return nil, errors.New("cannot measure without a pipeline: want some of chain, fused and static")
	}
	for _, pipeline := range pipelines {
		if configurations()[pipeline] == "" {
			return nil, fmt.Errorf("cannot measure pipeline %q: want chain, fused or static", pipeline)
		}
	}
	return pipelines, nil
}

// parseCounts of graphs, such as 1 100 1000.
func parseCounts(text string) ([]int, error) {
	var counts []int
	for field := range strings.FieldsSeq(text) {
		count, err := strconv.Atoi(field)
		if err != nil || count < 1 {
			return nil, fmt.Errorf("cannot measure %q graphs", field)
		}
		counts = append(counts, count)
	}
	return counts, nil
}

// An effort is how much is measured.
type effort struct {
	// runs of each chain in turn, of which the median counts.
	runs int
	// slot is how long a run takes about: as many passes of the chain as fit, at least one.
	slot time.Duration
	// starts of a function from cold, of which the median counts.
	starts int
	// calls of one process after which its memory is looked at again.
	calls int
}

func (o options) effort() effort {
	if o.quick {
		return effort{runs: 5, slot: 50 * time.Millisecond, starts: 3, calls: 1000}
	}
	// The figures of the documentation are measured with this.
	return effort{runs: 20, slot: 150 * time.Millisecond, starts: 9, calls: 10000}
}
