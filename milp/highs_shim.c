//go:build highs && cgo

#include "highs_shim.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lp_data/HighsCallbackStruct.h"
#include "util/HighsInt.h"

// github.com/lanl/highs v1.0.0 declares these constants extern. From HiGHS 1.12 on they are static in the header, so that
// nothing defines them for the linker; before, the library's header does, and these, being weak, give way.
#define CONSTANT(name, value)                                \
	extern const HighsInt name __attribute__((weak)); \
	const HighsInt name __attribute__((weak)) = value

CONSTANT(kHighsStatusError, -1);
CONSTANT(kHighsStatusOk, 0);
CONSTANT(kHighsStatusWarning, 1);
CONSTANT(kHighsVarTypeContinuous, 0);
CONSTANT(kHighsVarTypeInteger, 1);
CONSTANT(kHighsVarTypeSemiContinuous, 2);
CONSTANT(kHighsVarTypeSemiInteger, 3);
CONSTANT(kHighsVarTypeImplicitInteger, 4);
CONSTANT(kHighsObjSenseMinimize, 1);
CONSTANT(kHighsObjSenseMaximize, -1);
CONSTANT(kHighsMatrixFormatColwise, 1);
CONSTANT(kHighsMatrixFormatRowwise, 2);
CONSTANT(kHighsHessianFormatTriangular, 1);
CONSTANT(kHighsHessianFormatSquare, 2);
CONSTANT(kHighsSolutionStatusNone, 0);
CONSTANT(kHighsSolutionStatusInfeasible, 1);
CONSTANT(kHighsSolutionStatusFeasible, 2);
CONSTANT(kHighsModelStatusNotset, 0);
CONSTANT(kHighsModelStatusLoadError, 1);
CONSTANT(kHighsModelStatusModelError, 2);
CONSTANT(kHighsModelStatusPresolveError, 3);
CONSTANT(kHighsModelStatusSolveError, 4);
CONSTANT(kHighsModelStatusPostsolveError, 5);
CONSTANT(kHighsModelStatusModelEmpty, 6);
CONSTANT(kHighsModelStatusOptimal, 7);
CONSTANT(kHighsModelStatusInfeasible, 8);
CONSTANT(kHighsModelStatusUnboundedOrInfeasible, 9);
CONSTANT(kHighsModelStatusUnbounded, 10);
CONSTANT(kHighsModelStatusObjectiveBound, 11);
CONSTANT(kHighsModelStatusObjectiveTarget, 12);
CONSTANT(kHighsModelStatusTimeLimit, 13);
CONSTANT(kHighsModelStatusIterationLimit, 14);
CONSTANT(kHighsModelStatusUnknown, 15);
CONSTANT(kHighsBasisValidityValid, 1);
CONSTANT(kHighsBasisStatusLower, 0);
CONSTANT(kHighsBasisStatusBasic, 1);
CONSTANT(kHighsBasisStatusUpper, 2);
CONSTANT(kHighsBasisStatusZero, 3);
CONSTANT(kHighsBasisStatusNonbasic, 4);

extern HighsInt Highs_run(void *highs);
extern void Highs_destroy(void *highs);
extern HighsInt Highs_readModel(void *highs, const char *filename);
extern HighsInt Highs_getModelStatus(const void *highs);
extern HighsInt Highs_getIntInfoValue(const void *highs, const char *info, HighsInt *value);
extern HighsInt Highs_getInt64InfoValue(const void *highs, const char *info, int64_t *value);
extern HighsInt Highs_getDoubleInfoValue(const void *highs, const char *info, double *value);
extern HighsInt Highs_getSolution(const void *highs, double *col_value, double *col_dual, double *row_value, double *row_dual);
extern HighsInt Highs_setSolution(void *highs, const double *col_value, const double *row_value, const double *col_dual,
                                  const double *row_dual);
extern HighsInt Highs_setCallback(void *highs, HighsCCallbackType callback, void *data);
extern HighsInt Highs_startCallback(void *highs, const HighsInt type);

// Types of callbacks, the same in all versions from 1.7 on.
enum { simplex_interrupt = 1, ipm_interrupt = 2, mip_improving_solution = 4, mip_interrupt = 6 };

struct milp_watch {
	atomic_int stop;
	pthread_mutex_t lock; // of what follows
	double objective, bound;
	int64_t nodes, columns;
	int has_values;
	double values[];
};

milp_watch *milp_watch_new(int64_t columns) {
	milp_watch *w = calloc(1, sizeof *w + (size_t)columns * sizeof(double));
	if (w == NULL) return NULL;
	pthread_mutex_init(&w->lock, NULL);
	w->objective = INFINITY;
	w->bound = -INFINITY;
	w->columns = columns;
	return w;
}

void milp_watch_free(milp_watch *w) {
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void milp_stop(milp_watch *w) { atomic_store(&w->stop, 1); }

int milp_look(milp_watch *w, double *objective, double *bound, int64_t *nodes, double *values) {
	pthread_mutex_lock(&w->lock);
	*objective = w->objective;
	*bound = w->bound;
	*nodes = w->nodes;
	int found = w->has_values;
	if (found && values != NULL) memcpy(values, w->values, (size_t)w->columns * sizeof(double));
	pthread_mutex_unlock(&w->lock);
	return found;
}

// callback notes what HiGHS reports and hands over the wish to stop. It calls nothing of Go.
static void callback(int type, const char *message, const HighsCallbackDataOut *out, HighsCallbackDataIn *in, void *data) {
	(void)message;
	milp_watch *w = data;
	if (out != NULL && (type == mip_improving_solution || type == mip_interrupt)) {
		pthread_mutex_lock(&w->lock);
		w->nodes = out->mip_node_count;
		if (out->mip_dual_bound > w->bound) w->bound = out->mip_dual_bound;
		if (type == mip_improving_solution && out->mip_solution != NULL && out->objective_function_value < w->objective) {
			w->objective = out->objective_function_value;
			w->has_values = 1;
			memcpy(w->values, out->mip_solution, (size_t)w->columns * sizeof(double));
		}
		pthread_mutex_unlock(&w->lock);
	}
	if (in != NULL && type != mip_improving_solution) in->user_interrupt = atomic_load(&w->stop);
}

int milp_run(void *highs, milp_watch *w) {
	static const HighsInt types[] = {simplex_interrupt, ipm_interrupt, mip_improving_solution, mip_interrupt};
	if (w == NULL) return (int)Highs_run(highs);
	if (atomic_load(&w->stop)) return 0;
	if (Highs_setCallback(highs, callback, w) == -1) return -1;
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (Highs_startCallback(highs, types[k]) == -1) return -1;
	return (int)Highs_run(highs);
}

int milp_start(void *highs, const double *values) { return (int)Highs_setSolution(highs, values, NULL, NULL, NULL); }

int milp_solution(void *highs, double *values) { return (int)Highs_getSolution(highs, values, NULL, NULL, NULL); }

int milp_model_status(void *highs) { return (int)Highs_getModelStatus(highs); }

int milp_has_solution(void *highs) {
	HighsInt status = 0;
	return Highs_getIntInfoValue(highs, "primal_solution_status", &status) != -1 && status == 2;
}

int milp_double_info(void *highs, const char *name, double *value) { return (int)Highs_getDoubleInfoValue(highs, name, value); }

int milp_int64_info(void *highs, const char *name, int64_t *value) { return (int)Highs_getInt64InfoValue(highs, name, value); }

int milp_read(void *highs, const char *file) { return (int)Highs_readModel(highs, file); }

void milp_destroy(void *highs) { Highs_destroy(highs); }
