/* The least that an installed library must do for a program of ours. */
#include <halfspace.h>
#include <halfspace_data.h>
#include <stdio.h>

int main(void)
{
    hsp_error err = {0};
    hsp_context *ctx = NULL;
    hsp_data *data = NULL;
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    hsp_status status = hsp_data_parse(ctx, "1 1:2\n-1 2:3\n", 13, "text", NULL, NULL, &err, &data);
    if (status != HSP_OK) return 1;
    printf("%s: %d rows\n", hsp_version(), (int)hsp_data_rows(data));
    int wrong = hsp_data_rows(data) != 2;
    hsp_data_free(data);
    hsp_context_free(ctx);
    return wrong;
}
