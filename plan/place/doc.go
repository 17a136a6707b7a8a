// Package place decides on which machines, and on which devices of them, the blocks of a job lie. It serves schedules that are planned and policies
// that decide on line: both hand it what is free, a [Room], and get machines, the [Share] of each.
//
// What fits is the same under every rule: a machine is open to the job, has its features, and has room for whole blocks: their processors, memory and
// resources. A need of less than one device lies on one device, whose free share it takes; a need of whole devices takes devices that are free as a
// whole. Blocks of one job that need shares lie on different devices.
//
// Where a job goes among the machines on which it fits is up to a [Rule]: one file each, registered by name. Where a job has several blocks, machines
// are filled in the order of the rule's scores for the first block; limits of the number of machines are kept as far as any choice keeps them.
package place
