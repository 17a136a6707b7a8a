// Package multifactor computes the priorities of jobs as Slurm's plugin priority/multifactor does, to the last digit that sprio and sshare print.
//
// A [Calculator] knows the settings and the site: what a job asks for gives it an [Entry], whose terms are fixed but for the age and the fair share. A [Ledger] keeps
// the usage of the associations: it decays, and jobs add to it, in passes, each calculation period, and when a job ends. A [Tree] holds the shares and turns usage into the
// factors of fair share, by the classic algorithm or by Fair Tree.
//
// Times are in seconds, memory is in MB, time limits are in minutes. Slurm keeps usage in numbers of 80 bits, this package in numbers of 64: they agree in
// the digits that Slurm prints.
//
// Sources: Slurm 22.05, src/plugins/priority/multifactor; https://slurm.schedmd.com/priority_multifactor.html, https://slurm.schedmd.com/classic_fair_share.html and
// https://slurm.schedmd.com/fair_tree.html.
package multifactor
