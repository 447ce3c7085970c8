// SPDX-License-Identifier: BSD-3-Clause
// Exact and reproducible sums from C, right and wrong; verdicts are collective.
#include <math.h>
#include <nearfar/reproducible.h>
#include <shapes.h>
#include <stdio.h>
#include <string.h>

enum { most = 40 };
static int world_rank, world_size, failures;
static nearfar_team* team;
static MPI_Comm everyone;  // the ranks of the present shape

static void check_at(int line, int ok, const char* what) {
  int mine = !ok, failed = 0;
  MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_SUM, everyone);
  if (failed == 0) return;
  ++failures;
  if (!ok) fprintf(stderr, "[rank %d] line %d: %s (last error: %s)\n", world_rank, line, what, nearfar_last_error());
}

#define CHECK(condition) check_at(__LINE__, (condition), #condition)
#define OK(call) check_at(__LINE__, (call) == NEARFAR_OK, #call)
/* The call fails here with a usage error that names `word`. */
#define WRONG(call, word) \
  check_at(__LINE__, (call) == NEARFAR_USAGE_ERROR && strstr(nearfar_last_error(), word) != NULL, #call ": " word)

/* Numbers 0 … most-1, dealt to the ranks in turn: large ones that cancel, with 0.25 each between them. */
static double number(int i) { return i % 4 == 0 ? 1e300 : i % 4 == 2 ? -1e300 : 0.25; }

static int deal(double* x, float* narrow) {
  int count = 0;
  for (int i = world_rank; i < most; i += world_size) {
    narrow[count] = i % 2 ? 0.25f : 1e30f * (float)(1 - i % 4);
    x[count++] = number(i);
  }
  return count;
}

static void test_sums(void) {
  double x[most], sum = -1, dot = -1;
  float narrow[most], narrow_sum = -1, narrow_dot = -1;
  const int count = deal(x, narrow);
  OK(nearfar_reproducible_sum(team, x, count, NEARFAR_ELEMENT_FLOAT64, &sum));
  CHECK(sum == 0.25 * most / 2);
  OK(nearfar_reproducible_sum(team, narrow, count, NEARFAR_ELEMENT_FLOAT32, &narrow_sum));
  CHECK(narrow_sum == 0.25f * most / 2);
  OK(nearfar_reproducible_dot(team, x, x, count, NEARFAR_ELEMENT_FLOAT64, &dot));
  CHECK(dot == INFINITY);
  double signs[most];
  for (int i = 0; i < count; ++i) signs[i] = fabs(x[i]);
  OK(nearfar_reproducible_dot(team, x, signs, count, NEARFAR_ELEMENT_FLOAT64, &dot));
  CHECK(dot == 0.0625 * most / 2);
  OK(nearfar_reproducible_dot(team, narrow, narrow, count, NEARFAR_ELEMENT_FLOAT32, &narrow_dot));
  CHECK(narrow_dot == INFINITY);
  OK(nearfar_reproducible_sum(team, NULL, 0, NEARFAR_ELEMENT_FLOAT64, &sum));
  CHECK(sum == 0);
}

static void test_accumulators(void) {
  double x[most], sums[2] = {-1, -1}, value = -1;
  float narrow[most], narrow_dots[1] = {-1}, narrow_value = -1;
  const int count = deal(x, narrow);
  nearfar_exact_sum *first, *second;
  nearfar_exact_dot *dot, *other;
  OK(nearfar_exact_sum_create(&first));
  OK(nearfar_exact_sum_create(&second));
  OK(nearfar_exact_sum_add(first, x, count, NEARFAR_ELEMENT_FLOAT64));
  OK(nearfar_exact_sum_add(second, narrow, count, NEARFAR_ELEMENT_FLOAT32));
  OK(nearfar_exact_sum_merge(second, first));
  const nearfar_exact_sum* const both[] = {first, second};
  OK(nearfar_reproducible_sums(team, 2, both, NEARFAR_ELEMENT_FLOAT64, sums));
  CHECK(sums[0] == 0.25 * most / 2 && sums[1] == 0.25 * most);
  OK(nearfar_exact_dot_create(&dot));
  OK(nearfar_exact_dot_create(&other));
  OK(nearfar_exact_dot_add(dot, (float[]){1e-30f, 2}, (float[]){1e-30f, 3}, 2, NEARFAR_ELEMENT_FLOAT32));
  OK(nearfar_exact_dot_add(other, (double[]){4}, (double[]){5}, 1, NEARFAR_ELEMENT_FLOAT64));
  OK(nearfar_exact_dot_merge(dot, other));
  OK(nearfar_exact_dot_value(dot, NEARFAR_ELEMENT_FLOAT64, &value));
  OK(nearfar_exact_dot_value(dot, NEARFAR_ELEMENT_FLOAT32, &narrow_value));
  CHECK(value == 26 && narrow_value == 26);
  const nearfar_exact_dot* const one[] = {dot};
  OK(nearfar_reproducible_dots(team, 1, one, NEARFAR_ELEMENT_FLOAT32, narrow_dots));
  CHECK(narrow_dots[0] == 26.0f * (float)world_size);
  OK(nearfar_exact_sum_value(second, NEARFAR_ELEMENT_FLOAT64, &value));
  OK(nearfar_exact_sum_free(&first));
  OK(nearfar_exact_sum_free(&second));
  OK(nearfar_exact_dot_free(&dot));
  OK(nearfar_exact_dot_free(&other));
  CHECK(first == NULL && dot == NULL);
  OK(nearfar_exact_sum_free(&first));
}

static void test_elements(void) {
  double values[3] = {world_rank == 0 ? 1e300 : 1, world_rank == world_size - 1 ? -1e300 : 1, 0.5};
  OK(nearfar_reproducible_allreduce(team, values, 3, NEARFAR_ELEMENT_FLOAT64));
  CHECK(values[0] == 1e300 && values[1] == -1e300 && values[2] == 0.5 * world_size);
  float narrow[1] = {0.5f};
  OK(nearfar_reproducible_allreduce(team, narrow, 1, NEARFAR_ELEMENT_FLOAT32));
  CHECK(narrow[0] == 0.5f * (float)world_size);
}

static void test_errors(void) {
  double x = 1, sum = 0;
  nearfar_exact_sum* none = NULL;
  WRONG(nearfar_reproducible_sum(NULL, &x, 1, NEARFAR_ELEMENT_FLOAT64, &sum), "team");
  WRONG(nearfar_reproducible_sum(team, &x, -1, NEARFAR_ELEMENT_FLOAT64, &sum), "-1");
  WRONG(nearfar_reproducible_sum(team, NULL, 1, NEARFAR_ELEMENT_FLOAT64, &sum), "NULL");
  WRONG(nearfar_reproducible_sum(team, &x, 1, NEARFAR_ELEMENT_FLOAT64, NULL), "NULL");
  WRONG(nearfar_reproducible_sum(team, &x, 1, NEARFAR_ELEMENT_INT32, &sum), "NEARFAR_ELEMENT_FLOAT64");
  WRONG(nearfar_reproducible_dot(team, &x, NULL, 1, NEARFAR_ELEMENT_FLOAT64, &sum), "'b'");
  WRONG(nearfar_reproducible_allreduce(team, NULL, 1, NEARFAR_ELEMENT_FLOAT64), "NULL");
  WRONG(nearfar_exact_sum_add(none, &x, 1, NEARFAR_ELEMENT_FLOAT64), "not created");
  WRONG(nearfar_exact_sum_value(none, NEARFAR_ELEMENT_FLOAT64, &x), "not created");
  WRONG(nearfar_exact_sum_create(NULL), "NULL");
}

int main(void) {
  MPI_Init(NULL, NULL);
  while (nearfar_test_next_shape(&everyone)) {
    MPI_Comm_rank(everyone, &world_rank);
    MPI_Comm_size(everyone, &world_size);
    NEARFAR_TRY(nearfar_team_create(everyone, NULL, &team));
    test_sums();
    test_accumulators();
    test_elements();
    test_errors();
    NEARFAR_TRY(nearfar_team_free(&team));
  }
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures > 0;
}
