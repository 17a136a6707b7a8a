package model

// StatedWeights are the weights of clusters without their own.
func (in *Instance) StatedWeights() Weights { return in.weights }

// Below is below, for tests.
func (e Evaluation) Below(other Evaluation) bool { return e.below(other) }
