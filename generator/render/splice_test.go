package render

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"reviewcast"
)

// TestRendererKeepsPromise changes a dataset step by step: what a Renderer puts
// together from its last lines is, byte for byte, what a new one makes.
func TestRendererKeepsPromise(t *testing.T) {
	var r Renderer
	rng := rand.New(rand.NewPCG(1, 2))
	reviews := []reviewcast.Review{}
	channel := Channel{BaseURL: "https://reviews.example.com"}
	for step := range 300 {
		switch n := len(reviews); {
		case step%50 == 49:
			reviews = nil
		case n == 0 || rng.IntN(3) == 0:
			for range 1 + rng.IntN(4) {
				text := fmt.Sprintf("Text %d.", step)
				reviews = append(slices.Clone(reviews), reviewcast.Review{
					ID: fmt.Sprintf("r%d-%d", step, rng.IntN(1000)), Rating: 1 + rng.IntN(5), Text: &text, Author: "A",
					Date: reviewcast.Date(fmt.Sprintf("2026-0%d-01", 1+rng.IntN(9))),
				})
			}
		case rng.IntN(3) == 0:
			i := rng.IntN(n)
			reviews = slices.Delete(slices.Clone(reviews), i, i+1)
		default:
			reviews = slices.Clone(reviews)
			reviews[rng.IntN(n)].Author = fmt.Sprintf("B %d", step)
		}
		slices.SortFunc(reviews, func(a, b reviewcast.Review) int { return published(&a, &b) })
		channel.Title = fmt.Sprintf("Title %d", step/20)
		d := emptyDataset()
		d.Reviews, d.ReviewCount = reviews, len(reviews)
		in := &reviewcast.Insights{PerReview: map[string]reviewcast.ReviewInsight{}}
		for i := range reviews {
			in.PerReview[reviews[i].ID] = reviewcast.ReviewInsight{Score: float64(len(reviews[i].Author)), Aspects: map[string]reviewcast.Polarity{"a": reviewcast.Polarity(reviews[i].Author)}}
		}
		got, err := r.Files(channel, d, in)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Files(channel, d, in)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !bytes.Equal(got[i].Body, want[i].Body) || got[i].SHA256 != want[i].SHA256 {
				t.Fatalf("step %d, %s:\n%s\nwant\n%s", step, want[i].Path, got[i].Body, want[i].Body)
			}
		}
	}
}

// TestSameSeesEveryField changes each field of a review and of what is found in
// it, however deep: a change that doesn't show would never be published.
func TestSameSeesEveryField(t *testing.T) {
	changes(t, sameReview)
	changes(t, sameInsight)
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
