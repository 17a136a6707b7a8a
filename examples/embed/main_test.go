package main

// The schedule of the paper's figure 3; its processors count from 1.
func Example() {
	main()
	// Unordered output:
	// mcp 2.75
	// J3 on C2, processors 0-3, from 0 to 4
	// J1 on C2, processors 4-5, from 0 to 2
	// J4 on C1, processors 0-2, from 0 to 6
	// J2 on C1, processors 3, from 0 to 4
	// J6 on C2, processors 4-5, from 2 to 6
	// J5 on C1, processors 3, from 4 to 6
}
