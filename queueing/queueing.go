// Package queueing holds formulas for the steady state of queues: mean waits for M/M/1, M/M/c and M/G/1, and bounds and
// approximations for G/G/1. Lambda is the arrival rate, mu the service rate of one server, both in 1/time; squared
// coefficients of variation are those of the inter-arrival times, ca2, and of the service times, cs2. A wait is the time
// in the queue, without the service, in the unit of time of the rates.
//
// A formula outside its domain, such as a queue that is not stable, is an error that wraps [ErrDomain], never Inf or NaN.
// [Simulate] checks the formulas by Lindley's recursion.
package queueing

import (
	"errors"
	"fmt"
	"math"
)

// ErrDomain is wrapped by the error of a formula outside its domain.
var ErrDomain = errors.New("outside the domain")

// Response is the time in the system: the wait in the queue and the mean service time.
func Response(wait, mu float64) float64 { return wait + 1/mu }

// Length is the mean number of jobs that wait, λ·W. J. D. C. Little (1961), A proof for the queuing formula L = λW, Operations
// Research 9(3), doi:10.1287/opre.9.3.383.
func Length(lambda, wait float64) float64 { return lambda * wait }

// MM1 is the mean wait in M/M/1: ρ/(μ − λ) with ρ = λ/μ.
//
// L. Kleinrock (1975), Queueing Systems I, Wiley, §3.2. Domain: 0 ≤ λ < μ.
func MM1(lambda, mu float64) (float64, error) {
	if err := stable(lambda, mu, 1); err != nil {
		return 0, err
	}
	return finite(lambda / mu / (mu - lambda))
}

// ErlangC is the probability that a job has to wait in M/M/c.
//
// A. K. Erlang (1917), Solution of some problems in the theory of probabilities of significance in automatic telephone exchanges,
// Elektroteknikeren 13, by the recursion of Erlang's loss formula, B(k) = a·B(k−1)/(k + a·B(k−1)), a = λ/μ: R. B. Cooper (1981),
// Introduction to Queueing Theory, 2nd ed., North Holland, eqs. 3.3.13 and 4.8.1. Domain: 0 ≤ λ < c·μ, c ≥ 1. O(c).
func ErlangC(lambda, mu float64, c int) (float64, error) {
	if err := stable(lambda, mu, c); err != nil {
		return 0, err
	}
	a, b := lambda/mu, 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	rho := a / float64(c)
	return b / (1 - rho*(1-b)), nil
}

// MMC is the mean wait in M/M/c: C/(c·μ − λ) with Erlang's C.
//
// L. Kleinrock (1975), Queueing Systems I, Wiley, §3.5. Domain: 0 ≤ λ < c·μ, c ≥ 1. O(c).
func MMC(lambda, mu float64, c int) (float64, error) {
	waits, err := ErlangC(lambda, mu, c)
	if err != nil {
		return 0, err
	}
	return finite(waits / (float64(c)*mu - lambda))
}

// MG1 is the mean wait in M/G/1, by Pollaczek and Khinchine: λ·(σS² + 1/μ²)/(2·(1 − ρ)).
//
// F. Pollaczek (1930), Über eine Aufgabe der Wahrscheinlichkeitstheorie, Math. Zeitschrift 32, doi:10.1007/BF01194620; Kleinrock
// (1975), eq. 5.72. Domain: 0 ≤ λ < μ, serviceVariance ≥ 0.
func MG1(lambda, mu, serviceVariance float64) (float64, error) {
	if err := stable(lambda, mu, 1); err != nil {
		return 0, err
	}
	if err := notNegative("variance", serviceVariance); err != nil {
		return 0, err
	}
	return finite(lambda * (serviceVariance + 1/(mu*mu)) / (2 * (1 - lambda/mu)))
}

// Kingman is an upper bound of the mean wait in G/G/1: λ·(σA² + σS²)/(2·(1 − ρ)). It is exact in the limit of heavy traffic.
//
// J. F. C. Kingman (1962), Some inequalities for the queue GI/G/1, Biometrika 49(3–4), doi:10.1093/biomet/49.3-4.315. Domain: 0 ≤ λ < μ,
// variances ≥ 0.
func Kingman(lambda, mu, arrivalVariance, serviceVariance float64) (float64, error) {
	if err := notNegative("variance", arrivalVariance, serviceVariance); err != nil {
		return 0, err
	}
	return KingmanMarshall((arrivalVariance+serviceVariance)/2, lambda, mu)
}

// KingmanMarshall is [Kingman]'s bound by κ = (σA² + σS²)/2, κ·λ/(1 − λ/μ), as the G/G/1 allocation writes it (its eq. 3).
//
// K. T. Marshall (1968), Some inequalities in queuing, Operations Research 16(3), doi:10.1287/opre.16.3.651. Domain: κ ≥ 0, 0 ≤ λ < μ.
func KingmanMarshall(kappa, lambda, mu float64) (float64, error) {
	if err := stable(lambda, mu, 1); err != nil {
		return 0, err
	}
	if err := notNegative("kappa", kappa); err != nil {
		return 0, err
	}
	return finite(kappa * lambda / (1 - lambda/mu))
}

// AllenCunneen approximates the mean wait in G/G/c as the mean wait in M/M/c times (ca² + cs²)/2. It is exact for M/M/c
// and M/G/1.
//
// A. O. Allen (1990), Probability, Statistics, and Queueing Theory, 2nd ed., Academic Press, §5.3, after A. Cunneen. Domain: that
// of [MMC], ca2 and cs2 ≥ 0.
func AllenCunneen(lambda, mu float64, c int, ca2, cs2 float64) (float64, error) {
	wait, err := MMC(lambda, mu, c)
	if err != nil {
		return 0, err
	}
	if err := notNegative("squared coefficient of variation", ca2, cs2); err != nil {
		return 0, err
	}
	return finite(wait * (ca2 + cs2) / 2)
}

// KraemerLangenbachBelz approximates the mean wait in G/G/1: that of [AllenCunneen] times exp(−2(1−ρ)(1−ca²)²/(3ρ(ca²+cs²)))
// for ca² ≤ 1, exp(−(1−ρ)(ca²−1)/(ca²+4cs²)) above.
//
// W. Kraemer, M. Langenbach-Belz (1976), Approximate formulae for the delay in the queueing system GI/G/1, Proc. 8th Int.
// Teletraffic Congress, paper 235. Domain: 0 ≤ λ < μ, ca2 and cs2 ≥ 0.
func KraemerLangenbachBelz(lambda, mu, ca2, cs2 float64) (float64, error) {
	wait, err := AllenCunneen(lambda, mu, 1, ca2, cs2)
	if err != nil || wait == 0 {
		return 0, err
	}
	rho := lambda / mu
	factor := math.Exp(-(1 - rho) * (ca2 - 1) / (ca2 + 4*cs2))
	if ca2 <= 1 {
		factor = math.Exp(-2 * (1 - rho) * (1 - ca2) * (1 - ca2) / (3 * rho * (ca2 + cs2)))
	}
	return wait * factor, nil
}

// stable checks 0 ≤ λ < c·μ.
func stable(lambda, mu float64, c int) error {
	if c < 1 {
		return fmt.Errorf("%w: expected at least one server, found %d", ErrDomain, c)
	}
	if !(mu > 0) || math.IsInf(mu, 1) {
		return fmt.Errorf("%w: expected a finite service rate > 0, found %v", ErrDomain, mu)
	}
	if !(lambda >= 0) || lambda >= float64(c)*mu {
		return fmt.Errorf("%w: expected an arrival rate of at least 0 and below %v, that of the service; found %v", ErrDomain, float64(c)*mu, lambda)
	}
	return nil
}

// notNegative checks that all values are finite and at least 0.
func notNegative(what string, values ...float64) error {
	for _, x := range values {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%w: expected a finite %s of at least 0, found %v", ErrDomain, what, x)
		}
	}
	return nil
}

// finite is the value, or an error where the numbers are too large for it.
func finite(x float64) (float64, error) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("%w: the wait is too large for a float64", ErrDomain)
	}
	return x, nil
}
