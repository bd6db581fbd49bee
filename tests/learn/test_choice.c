/* The choice of --solver auto on shapes where it is clear. */
#include "learn/slow.h"
#include "learn/erm/solvers.h"

/* n rows of `each` numbers of the size `size`, at random columns of d. */
static void check_choice(uint64_t n, uint64_t d, uint64_t each, double size, double c,
                         const hsp__loss *loss, const char *expected)
{
    uint64_t *starts = calloc(n + 1, sizeof *starts);
    uint32_t *columns = calloc(n * each + 1, sizeof *columns), *labels = calloc(n, sizeof *labels);
    float *values = calloc(n * each + 1, sizeof *values);
    for (uint64_t i = 0; i < n; i++) {
        labels[i] = i % 2;
        starts[i + 1] = (i + 1) * each;
        for (uint64_t k = 0; k < each; k++) {
            columns[i * each + k] = (uint32_t)(k * (d / each) + (i * 7 + k) % (d / each));
            values[i * each + k] = (float)(size * (1 + (double)((i + k) % 5)));
        }
    }
    hsp_view view = hsp_view_sparse(HSP_FLOAT32, n, d, 8, starts, columns, values);
    view.labels = labels, view.classes = 2;
    const hsp__problem p = {.view = &view,
                            .positive = 1,
                            .cost = {c, c},
                            .loss = loss,
                            .penalty = HSP__PENALTY_L2,
                            .offset = HSP__OFFSET_FREE};
    const hsp__solver *solver = hsp__solver_for(&(hsp_context){0}, "auto", &p);
    CHECK_NOTE(solver && strcmp(solver->name, expected) == 0, "%d x %d, C %g: %s", (int)n, (int)d,
               c, solver ? solver->name : "none");
    free(starts);
    free(columns);
    free(labels);
    free(values);
}

static void few_columns_are_newtons(void)
{
    check_choice(5000, 20, 20, 1, 1, &hsp__hinge, "newton");
    check_choice(5000, 20, 20, 1, 100, &hsp__squared_hinge, "newton");
    check_choice(5000, 20, 20, 1, 1, &hsp__logistic, "newton");
}

static void text_is_for_coordinate_descent(void)
{
    check_choice(3000, 30000, 50, 0.05, 1, &hsp__hinge, "dcd");
    check_choice(3000, 30000, 50, 0.05, 1, &hsp__squared_hinge, "dcd");
}

/* Long rows, fewer than columns: in the space that they span. */
static void few_long_rows_are_newtons(void)
{
    check_choice(60, 3000, 1000, 100, 1, &hsp__hinge, "newton");
    check_choice(60, 3000, 1000, 100, 1, &hsp__squared_hinge, "newton");
}

/* But where they are nearly perpendicular, each step of coordinate descent is final. */
static void perpendicular_rows_are_for_coordinate_descent(void)
{
    check_choice(60, 300000, 50, 100, 1, &hsp__hinge, "dcd");
    check_choice(60, 300000, 50, 100, 1, &hsp__squared_hinge, "dcd");
}

/* A matrix of many columns is dear: coordinate descent is tried first, and hands on if it is slow. */
static void dear_matrices_come_second(void)
{
    check_choice(1000, 1000, 1000, 1, 1, &hsp__hinge, "dcd");
    check_choice(1000, 1000, 1000, 1, 1, &hsp__squared_hinge, "dcd");
}

/* Many short rows of many columns: conjugate gradients where coordinate descent would need many
 * passes. */
static void many_rows_are_for_conjugate_gradients(void)
{
    check_choice(50000, 5000, 8, 1, 1, &hsp__squared_hinge, "newton");
    check_choice(50000, 5000, 8, 1, 1e-3, &hsp__squared_hinge, "dcd");
}

int main(void)
{
    RUN(few_columns_are_newtons);
    RUN(text_is_for_coordinate_descent);
    RUN(few_long_rows_are_newtons);
    RUN(perpendicular_rows_are_for_coordinate_descent);
    RUN(dear_matrices_come_second);
    RUN(many_rows_are_for_conjugate_gradients);
    return check_done();
}
