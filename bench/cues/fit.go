package main

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

// vector is a sparse one.
type vector []entry

type entry struct {
	at    int
	value float64
}

// example is a vector and which side it is on.
type example struct {
	x      vector
	yes    bool
	weight float64
}

// fit finds the weights that make examples most likely by logistic regression with
// a Gaussian prior: the smallest of ½|w|² + c Σ log(1+exp(-yf)). The last weight is the bias.
// It begins at from, or at zero.
func fit(examples []example, n int, from []float64, c float64) []float64 {
	if from == nil {
		from = make([]float64, n+1)
	}
	const softBias = 0.01
	value := func(w []float64) float64 {
		sum := 0.0
		for _, v := range w[:n] {
			sum += v * v / 2
		}
		sum += softBias * w[n] * w[n] / 2
		for _, e := range examples {
			f := dot(w, e.x) + w[n]
			if !e.yes {
				f = -f
			}
			sum += c * e.weight * (math.Log1p(math.Exp(-math.Abs(f))) + max(0, -f))
		}
		return sum
	}
	grad := func(g, w []float64) {
		for i, v := range w[:n] {
			g[i] = v
		}
		g[n] = softBias * w[n]
		for _, e := range examples {
			f := dot(w, e.x) + w[n]
			d := 1 / (1 + math.Exp(-f))
			if e.yes {
				d--
			}
			d *= c * e.weight
			for _, x := range e.x {
				g[x.at] += d * x.value
			}
			g[n] += d
		}
	}
	res, err := optimize.Minimize(optimize.Problem{Func: value, Grad: grad}, from,
		&optimize.Settings{GradientThreshold: 0.05, MajorIterations: 150, Converger: &optimize.FunctionConverge{Relative: 1e-5, Iterations: 3}}, &optimize.LBFGS{Store: 8})
	if res == nil {
		panic(err)
	}
	return res.X
}

func dot(w []float64, x vector) (sum float64) {
	for _, e := range x {
		sum += w[e.at] * e.value
	}
	return sum
}
