package pages

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"
)

// TestCard: the mean of 3.75 is three full stars, three quarters of one, and an empty one, in nothing but their shape.
func TestCard(t *testing.T) {
	picture, err := png.Decode(bytes.NewReader(renderOnce(t, "sample")[pathCard]))
	if err != nil {
		t.Fatal(err)
	}
	const y = 412
	for i, x := range []int{480, 590, 700, 810, 920} {
		left, right := cardStar, cardStar
		if i == 3 {
			right = cardTrack
		} else if i == 4 {
			left, right = cardTrack, cardTrack
		}
		for _, at := range []struct {
			dx, dy int
			want   color.RGBA
		}{{0, 0, left}, {-20, -8, left}, {30, -10, right}, {-44, -44, cardGround}, {44, 44, cardGround}, {0, 44, cardGround}} {
			if got := picture.At(x+at.dx, y+at.dy); got != at.want {
				t.Errorf("star %d is %v at %d,%d, want %v", i+1, got, at.dx, at.dy, at.want)
			}
		}
	}
}
