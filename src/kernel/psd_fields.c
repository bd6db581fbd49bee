/* What checking a kernel reports: the fields of hsp_kernel_report and hsp_factor. */
#include <math.h>

#include "halfspace_all.h"
#include "halfspace_fields.h"

#define PSD_FIELDS_LEADING 10 /* eigenvalues that a report has */
#define PSD_FIELDS_WITNESS 12 /* rows of a witness in a text */

/* An entry of a witness. */
typedef struct psd_fields_entry {
    uint64_t row; /* from 1 */
    double z;
} psd_fields_entry;

/* The eigenvalue at a share q / 4 of the order, from the smallest; 0 without rows. */
static double psd_fields_quantile(const hsp_kernel_report *found, uint64_t q)
{
    return found->rows ? found->eigenvalues[(found->rows - 1) - (found->rows - 1) * q / 4] : 0;
}

static double psd_fields_sum(const hsp_kernel_report *found)
{
    double sum = 0;
    for (uint64_t k = 0; k < found->rows; k++)
        sum += found->eigenvalues[k];
    return sum;
}

/* How many of the largest eigenvalues make up this share of the sum of the positive ones. */
static uint64_t psd_fields_share(const hsp_kernel_report *found, double share)
{
    double sum = 0, part = 0;
    uint64_t count = 0;
    for (uint64_t k = 0; k < found->rows; k++)
        sum += fmax(found->eigenvalues[k], 0);
    while (count < found->rows && part < share * sum)
        part += fmax(found->eigenvalues[count++], 0);
    return count;
}

static const void *psd_fields_entry_at(const void *record, size_t i, void *room)
{
    const hsp_kernel_report *found = record;
    if (i >= found->witness_count) return NULL;
    *(psd_fields_entry *)room = (psd_fields_entry){found->witness_row[i] + 1, found->witness[i]};
    return room;
}

static const void *psd_fields_quantile_at(const void *record, size_t i, void *room)
{
    const hsp_kernel_report *found = record;
    if (i >= 5 || !found->rows) return NULL;
    *(double *)room = psd_fields_quantile(found, i);
    return room;
}

GETTER(psd_fields_row, hsp_kernel_report, found,
       i < found->witness_count ? (*(uint64_t *)room = found->witness_row[i] + 1, room) : NULL)
GETTER(psd_fields_z, hsp_kernel_report, found, i < found->witness_count ? &found->witness[i] : NULL)
GETTER(psd_fields_leading, hsp_kernel_report, found,
       i < PSD_FIELDS_LEADING && i < found->rows ? &found->eigenvalues[i] : NULL)
GETTER(psd_fields_yes, hsp_kernel_report, found, found->semidefinite ? "" : NULL)
GETTER(psd_fields_witness, hsp_kernel_report, found, found->semidefinite ? NULL : found)
GETTER_NEW(psd_fields_smallest, hsp_kernel_report, found, double, psd_fields_quantile(found, 0))
GETTER_NEW(psd_fields_largest, hsp_kernel_report, found, double, psd_fields_quantile(found, 4))
GETTER_NEW(psd_fields_trace, hsp_kernel_report, found, double, psd_fields_sum(found))
GETTER_NEW(psd_fields_half, hsp_kernel_report, found, uint64_t, psd_fields_share(found, 0.5))
GETTER_NEW(psd_fields_most, hsp_kernel_report, found, uint64_t, psd_fields_share(found, 0.99))

FIELDS(psd_fields_witness_fields, hsp_kernel_report,
       FIELD_GET(LIST, "rows", NULL, psd_fields_row, "row numbers, from 1", .of = hsp_field_counts),
       FIELD_GET(LIST, "z", NULL, psd_fields_z, "z at these rows", .of = hsp_field_reals),
       FIELD(REAL, "value", NULL, witness_value, "z'Kz, below 0"))

FIELDS(psd_fields_entry_fields, psd_fields_entry,
       FIELD(COUNT, NULL, "", row, NULL, .text = "row {}"), FIELD(REAL, NULL, "", z, NULL))

PUBLIC_FIELDS(
    hsp_kernel_check_fields, hsp_kernel_report,
    FIELD_GET(TEXT, ".semidefinite", NULL, psd_fields_yes, NULL),
    FIELD(REAL, ".value", NULL, witness_value, NULL),
    FIELD(COUNT, "checked_rows", NULL, rows, "rows of the Gram matrix", .unit = "rows"),
    FIELD(FLAG, "semidefinite", "positive semidefinite", semidefinite,
          "no eigenvalue is below -tolerance", .text = "{}[{.semidefinite}, up to rounding]"),
    FIELD_GET(REAL, "smallest", "smallest eigenvalue", psd_fields_smallest, "smallest eigenvalue"),
    FIELD(REAL, "tolerance", "rounding", tolerance, "how far rounding may have moved an eigenvalue",
          .text = "up to {}"),
    FIELD_GET(LIST, "leading", "largest eigenvalues", psd_fields_leading,
              "the largest eigenvalues, ten at most", .of = hsp_field_reals),
    FIELD_GET(REAL, "largest", NULL, psd_fields_largest, "largest eigenvalue"),
    FIELD_GET(LIST, "quantiles", NULL, psd_fields_quantile_at,
              "quantiles of the eigenvalues: smallest, quarters, largest", .of = hsp_field_reals),
    FIELD_GET(REAL, "trace", NULL, psd_fields_trace, "sum of the eigenvalues"),
    FIELD_GET(COUNT, "half_trace", "half of the trace", psd_fields_half,
              "number of largest eigenvalues that sum to 50% of the trace",
              .text = "in the first {}"),
    FIELD_GET(COUNT, "most_trace", "99% of the trace", psd_fields_most,
              "number of largest eigenvalues that sum to 99% of the trace",
              .text = "in the first {}"),
    FIELD(COUNT, "rank", "rank", rank, "eigenvalues above tolerance",
          .text = "{} (eigenvalues above rounding)"),
    FIELD_GET(OBJECT, "witness", NULL, psd_fields_witness, "z with z'Kz < 0",
              .when = "null if semidefinite", .of = psd_fields_witness_fields),
    FIELD_GET(LIST, NULL, "Witness: z'Kz = {.value} < 0", psd_fields_entry_at, NULL,
              .of = psd_fields_entry_fields, .most = PSD_FIELDS_WITNESS))

PUBLIC_FIELDS(hsp_factor_fields, hsp_factor, FIELD(COUNT, "rank", NULL, rank, "columns of B"),
              FIELD(REAL, "tolerance", NULL, tolerance, "what may be left of the diagonal"),
              FIELD(REAL, "error", NULL, error, "largest |K - B B'|"))
