/* How good is this kernel machine? One judge for every program's model, from the file alone:
 *
 *     kernel_objective MODEL...
 *
 * MODEL is LIBSVM's text of a classifier with the kernel exp(-gamma ||x - y||^2). For every pair of
 * classes the dual objective, in doubles,
 *
 *     D = sum_i |coefficient_i| - (1/2) sum_ij coefficient_i coefficient_j k(x_i, x_j)
 *
 * which is what svm-train prints as -obj. Prints "objective=..." their sum: more is better. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 64 };

typedef struct machine {
    int classes;
    long count[CLASSES]; /* support vectors a class */
    long rows;
    double gamma;
    double *coefficients; /* rows * (classes - 1) */
    float *x;             /* rows * width */
    double *square;       /* rows */
    long width;
} machine;

static void judge_die(const char *what, const char *why)
{
    fprintf(stderr, "kernel_objective: %s: %s\n", what, why);
    exit(2);
}

static void *judge_memory(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) judge_die("memory", "there is not enough");
    return p;
}

/* The lines before "SV". */
static void judge_head(FILE *file, machine *m, char *line, size_t size)
{
    while (fgets(line, (int)size, file) && strncmp(line, "SV", 2) != 0) {
        char *at = line;
        if (sscanf(line, "gamma %lf", &m->gamma) == 1 ||
            sscanf(line, "nr_class %d", &m->classes) == 1 ||
            sscanf(line, "total_sv %ld", &m->rows) == 1)
            continue;
        if (strncmp(line, "nr_sv", 5) != 0) continue;
        at += 5;
        for (int c = 0; c < m->classes && c < CLASSES; c++)
            m->count[c] = strtol(at, &at, 10);
    }
    if (m->classes < 2 || m->classes > CLASSES || m->rows < 1) judge_die("head", "not understood");
}

/* One support vector a line: classes - 1 coefficients, then index:value. */
static void judge_rows(FILE *file, machine *m, char *line, size_t size)
{
    m->width = 4096;
    m->coefficients = judge_memory((size_t)m->rows * (size_t)m->classes, sizeof(double));
    m->x = judge_memory((size_t)(m->rows * m->width), sizeof(float));
    m->square = judge_memory((size_t)m->rows, sizeof(double));
    for (long i = 0; i < m->rows && fgets(line, (int)size, file); i++) {
        char *at = line, *end;
        for (int c = 0; c + 1 < m->classes; c++)
            m->coefficients[i * m->classes + c] = strtod(at, &at);
        for (;;) {
            const long index = strtol(at, &end, 10);
            if (end == at || *end != ':') break;
            const double value = strtod(end + 1, &at);
            if (index < 0 || index >= m->width) judge_die("rows", "too many columns");
            m->x[i * m->width + index] = (float)value;
            m->square[i] += (double)(float)value * (double)(float)value;
        }
    }
}

/* Only as many columns as there are, side by side. */
static void judge_pack(machine *m)
{
    long last = 0;
    for (long i = 0; i < m->rows * m->width; i++)
        if (m->x[i] != 0 && i % m->width > last) last = i % m->width;
    for (long i = 0; i < m->rows; i++)
        memmove(m->x + i * (last + 1), m->x + i * m->width, (size_t)(last + 1) * sizeof *m->x);
    m->width = last + 1;
}

static double judge_kernel(const machine *m, long i, long j)
{
    double dot[8] = {0};
    const float *a = m->x + i * m->width, *b = m->x + j * m->width;
    for (long k = 0; k < m->width; k++)
        dot[k % 8] += (double)a[k] * (double)b[k];
    const double all =
        ((dot[0] + dot[1]) + (dot[2] + dot[3])) + ((dot[4] + dot[5]) + (dot[6] + dot[7]));
    return exp(-m->gamma * fmax(m->square[i] + m->square[j] - 2 * all, 0));
}

/* The coefficient of row i, of class p, in the pair with class q. */
static double judge_coefficient(const machine *m, long i, int p, int q)
{
    return m->coefficients[i * m->classes + (q < p ? q : q - 1)];
}

static double judge_objective(const machine *m)
{
    double sum = 0;
    int *own = judge_memory((size_t)m->rows, sizeof *own);
    for (long i = 0, k = 0, c = 0; i < m->rows; i++) {
        while (k == m->count[c])
            c++, k = 0;
        own[i] = (int)c, k++;
    }
    for (long i = 0; i < m->rows; i++) {
        for (int q = 0; q < m->classes; q++)
            if (q != own[i]) sum += fabs(judge_coefficient(m, i, own[i], q));
        for (long j = 0; j <= i; j++) {
            const double k = judge_kernel(m, i, j) * (j < i ? 1 : 0.5);
            if (own[i] != own[j])
                sum -= k * judge_coefficient(m, i, own[i], own[j]) *
                       judge_coefficient(m, j, own[j], own[i]);
            for (int q = 0; own[i] == own[j] && q < m->classes; q++)
                if (q != own[i])
                    sum -=
                        k * judge_coefficient(m, i, own[i], q) * judge_coefficient(m, j, own[j], q);
        }
    }
    free(own);
    return sum;
}

int main(int count, char **names)
{
    static char line[1 << 20];
    for (int k = 1; k < count; k++) {
        machine m = {0};
        FILE *file = fopen(names[k], "r");
        if (!file) judge_die(names[k], "cannot be read");
        judge_head(file, &m, line, sizeof line);
        judge_rows(file, &m, line, sizeof line);
        fclose(file);
        judge_pack(&m);
        printf("objective=%.10g support=%ld\n", judge_objective(&m), m.rows);
        free(m.coefficients);
        free(m.x);
        free(m.square);
    }
    return 0;
}
