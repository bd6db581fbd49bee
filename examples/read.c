/* The shortest complete program: read a data file, print its shape.
 *
 *     cc examples/read.c $(pkg-config --cflags --libs halfspace) -o read
 *
 *     ./read examples/iris.csv
 */
#include <halfspace.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    hsp_context *ctx = NULL;
    hsp_data *data = NULL;
    hsp_error err = HSP_ERROR_INIT;
    hsp_status status = hsp_context_new(NULL, &ctx);
    if (!status) status = hsp_data_read(ctx, argc > 1 ? argv[1] : "-", NULL, NULL, &err, &data);
    if (status) {
        char line[1024];
        fprintf(stderr, "%s\n", hsp_error_text(&err, line, sizeof line));
    } else {
        printf("%llu rows, %llu features, %u classes\n", (unsigned long long)hsp_data_rows(data),
               (unsigned long long)hsp_data_cols(data), hsp_data_classes(data));
    }
    hsp_data_free(data);
    hsp_context_free(ctx);
    return hsp_status_exit(status);
}
