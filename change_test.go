package reviewcast

import (
	"reflect"
	"slices"
	"testing"
)

func TestDifference(t *testing.T) {
	text := "Fine."
	r := func(id string, rating int) *Review { return &Review{ID: id, Rating: rating, Date: "2026-01-02"} }
	edited := r("b", 4)
	edited.Text = &text
	d := Difference([]*Review{r("gone", 1), r("b", 5), r("same", 3), r("also-gone", 2)}, []*Review{r("new", 5), edited, r("same", 3)})
	want := &Delta{Added: []string{"new"}, Changed: []string{"b"}, Removed: []string{"also-gone", "gone"}, Fields: map[string][]string{"b": {"rating", "text"}}}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("Difference: %+v, want %+v", d, want)
	}
	if d.Empty() || !Difference([]*Review{r("a", 1)}, []*Review{r("a", 1)}).Empty() {
		t.Error("Empty is wrong")
	}
}

func TestCompare(t *testing.T) {
	list := []*Review{{ID: "a", Date: "2026-01-02"}, {ID: "c", Date: "2026-01-03"}, {ID: "b", Date: "2026-01-03"}}
	slices.SortFunc(list, Compare)
	if list[0].ID != "b" || list[1].ID != "c" || list[2].ID != "a" {
		t.Errorf("order %s %s %s", list[0].ID, list[1].ID, list[2].ID)
	}
}

// TestChangedFieldsSeesEveryField changes each field of a review, however deep: a
// change that isn't seen would never be published.
func TestChangedFieldsSeesEveryField(t *testing.T) {
	changes(t, func(a, b *Review) bool { return len(ChangedFields(a, b)) == 0 })
}

func changes[T any](t *testing.T, same func(a, b *T) bool) {
	var a, b T
	fill(reflect.ValueOf(&a).Elem())
	fill(reflect.ValueOf(&b).Elem())
	if !same(&a, &b) {
		t.Fatalf("%T: two equal ones differ", a)
	}
	var each func(v reflect.Value, path string)
	differs := func(v reflect.Value, path string, other reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(other)
		if same(&a, &b) {
			t.Errorf("%T: a change of %s isn't seen", a, path)
		}
		v.Set(old)
	}
	each = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				each(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		case reflect.Pointer:
			differs(v, path, reflect.Zero(v.Type()))
			each(v.Elem(), path)
		case reflect.String:
			differs(v, path, reflect.ValueOf("other").Convert(v.Type()))
		case reflect.Int, reflect.Float64:
			differs(v, path, reflect.ValueOf(7).Convert(v.Type()))
		case reflect.Bool:
			differs(v, path, reflect.ValueOf(!v.Bool()))
		case reflect.Slice, reflect.Map:
			differs(v, path, reflect.Zero(v.Type()))
			other := reflect.New(v.Type()).Elem()
			if v.Kind() == reflect.Slice {
				other.Set(reflect.MakeSlice(v.Type(), 1, 1))
			} else {
				other.Set(reflect.MakeMap(v.Type()))
				other.SetMapIndex(reflect.ValueOf("x").Convert(v.Type().Key()), reflect.Zero(v.Type().Elem()))
			}
			differs(v, path, other)
		default:
			t.Fatalf("%s is a %s: compare it, and change it here", path, v.Kind())
		}
	}
	each(reflect.ValueOf(&b).Elem(), "")
}

// fill gives every field a value that isn't zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.SetMapIndex(key, value)
	}
}
