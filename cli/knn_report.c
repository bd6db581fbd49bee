/* Reports on models of nearest neighbours: what train, tune and model show say of them. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* "l2", or the kernel in whose space. */
static const char *knn_report_metric(const hsp_model *model, const hsp_knn_report *near)
{
    const char *kernel = hsp_model_kernel(model);
    return kernel ? kernel : near->metric;
}

void cli_neighbors_lines(cli_table *table, const hsp_model *model)
{
    hsp_knn_report near = {.size = sizeof near};
    if (!hsp_model_knn(model, &near)) return;
    if (near.tried)
        table_line(table, "neighbours", "%s, the best of 1 to %s", show_count(near.k),
                   show_count(near.tried));
    else
        table_line(table, "neighbours", "%s", show_count(near.k));
    table_line(table, "distance", "%s%s",
               strcmp(near.metric, "kernel") == 0 ? "in the space of " : "",
               show_text(knn_report_metric(model, &near)));
    table_line(table, "vote", "%s", near.vote);
    table_line(table, "index", "%s%s", near.index,
               near.index_chosen ? ", by what the rows are like" : "");
    if (!near.tried) return;
    const uint64_t wrong = near.mistakes[near.k - 1];
    table_line(table, "leave-one-out error", "%s (%s of %s row%s)",
               show_share((double)wrong / (double)near.rows), show_count(wrong),
               show_count(near.rows), plural(near.rows));
}

#define KNN_REPORT_ACROSS 5 /* values of k side by side */

void cli_neighbors_table(const hsp_model *model, FILE *file)
{
    hsp_knn_report near = {.size = sizeof near};
    cli_table table;
    if (!hsp_model_knn(model, &near) || !near.tried) return;
    const uint64_t lines = (near.tried + KNN_REPORT_ACROSS - 1) / KNN_REPORT_ACROSS;
    fprintf(file, "\nLeave-one-out error by the number of neighbours\n");
    table_begin(&table, "rrrrrrrrrr");
    for (uint64_t line = 0; line < lines; line++)
        for (uint64_t column = 0; column < KNN_REPORT_ACROSS; column++) {
            const uint64_t k = column * lines + line;
            const int there = k < near.tried;
            table_cell(&table, "%s", there ? show_count(k + 1) : "");
            table_cell(&table, "%s",
                       there ? show_share((double)near.mistakes[k] / (double)near.rows) : "");
        }
    table_print(&table, file);
}

const hsp_knn_report *cli_knn(const hsp_model *model, void *room)
{
    hsp_knn_report *near = room;
    near->size = sizeof *near;
    return hsp_model_knn(model, near) ? near : NULL;
}
