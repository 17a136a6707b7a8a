// The part of HiGHS that github.com/lanl/highs leaves out: a run that can be stopped and watched, its incumbent and bound,
// and a start. Prototypes of its C interface are declared by hand in highs_shim.c, as the interface's own header may stand
// in one place of a program only.

#ifndef ALLOT_HIGHS_SHIM_H
#define ALLOT_HIGHS_SHIM_H

#include <stdint.h>

// milp_watch is what a run and those who watch it share. It lives in C's memory, because a run may outlast its caller.
typedef struct milp_watch milp_watch;

// milp_watch_new makes a watch for so many columns; NULL where there is no memory.
milp_watch *milp_watch_new(int64_t columns);
void milp_watch_free(milp_watch *w);

// milp_stop asks the run to end; any thread may call it.
void milp_stop(milp_watch *w);

// milp_look copies what the run has reached: objective (+inf: none), bound (-inf: none), nodes. Where values is not NULL
// and there is an incumbent, its values too. It says whether there is one.
int milp_look(milp_watch *w, double *objective, double *bound, int64_t *nodes, double *values);

// milp_run solves, watched unless w is NULL. It returns the status of the call: -1 is an error.
int milp_run(void *highs, milp_watch *w);

int milp_start(void *highs, const double *values);
int milp_solution(void *highs, double *values);
int milp_model_status(void *highs);
int milp_has_solution(void *highs);
int milp_double_info(void *highs, const char *name, double *value);
int milp_int64_info(void *highs, const char *name, int64_t *value);
int milp_read(void *highs, const char *file);
void milp_destroy(void *highs);

#endif
