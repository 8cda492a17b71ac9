// Package flags parses the flags of a command with the standard library alone. The linker keeps every exported method of every type in a
// program that looks methods up by a name which it only knows at run time, as kong does for its hooks:
// https://go.dev/blog/deadcode#Tips. For the types of Kubernetes this is a fifth of a binary, and in the memory of each function.
package flags

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
)

// Set makes the flags of a command, a pointer to a struct, from the tags of its fields, which are a subset of those of kong:
//
//	name     what the flag is called; by default the field in lower case
//	short    a second name
//	default  value, unless the variable env of the environment or an argument gives another
//	env      variable of the environment
//	help     what the flag is for
//
// Exported fields are strings, numbers (int) or switches (bool). The fields of embedded structs are flags of the command, too. An error
// names a variable of the environment with a value that its field cannot have.
func Set(name string, command any) (*flag.FlagSet, error) {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	return set, add(set, reflect.ValueOf(command).Elem())
}

// add the fields of a struct to the flags.
func add(set *flag.FlagSet, fields reflect.Value) error {
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		switch {
		case field.Anonymous:
			if err := add(set, fields.Field(i)); err != nil {
				return err
			}
		case field.IsExported():
			if err := addField(set, field, fields.Field(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addField with its value from the default or the environment.
func addField(set *flag.FlagSet, field reflect.StructField, v reflect.Value) error {
	name := field.Tag.Get("name")
	if name == "" {
		name = strings.ToLower(field.Name)
	}
	text := &value{field: v}
	if given, ok := field.Tag.Lookup("default"); ok {
		if err := text.Set(given); err != nil {
			return fmt.Errorf("cannot use the default of --%s: %w", name, err)
		}
	}
	variable := field.Tag.Get("env")
	if given := os.Getenv(variable); given != "" {
		if err := text.Set(given); err != nil {
			return fmt.Errorf("cannot use %s=%q for --%s: %w", variable, given, name, err)
		}
	}
	set.Var(text, name, field.Tag.Get("help"))
	if short := field.Tag.Get("short"); short != "" {
		set.Var(text, short, "the same as --"+name)
	}
	return nil
}

// A value of a flag, in the field of its command.
type value struct{ field reflect.Value }

// String is the value as text. The standard library asks a value without a field as well.
func (v *value) String() string {
	if !v.field.IsValid() {
		return ""
	}
	return fmt.Sprint(v.field.Interface())
}

// IsBoolFlag reports whether the flag is a switch, which needs no value.
func (v *value) IsBoolFlag() bool { return v.field.Kind() == reflect.Bool }

// Set the value from text.
func (v *value) Set(text string) error {
	switch v.field.Kind() {
	case reflect.String:
		v.field.SetString(text)
	case reflect.Bool:
		given, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		v.field.SetBool(given)
	case reflect.Int:
		given, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		v.field.SetInt(int64(given))
	default:
		return fmt.Errorf("a flag cannot be a %s", v.field.Type())
	}
	return nil
}
