#include "learn/kernel/kernel_option.h"

#include "base/base.h"
#include "kernel/gram.h"
#include "learn/option_helpers.h"

int hsp__kernel_is_precomputed(const hsp_kernel *kernel)
{
    for (uint64_t k = 0; k < kernel->count; k++)
        if (kernel->nodes[k].op == HSP__KERNEL_PRECOMPUTED) return 1;
    return 0;
}

hsp_status hsp__kernel_option(hsp_context *ctx, const hsp_options *options, const hsp_data *data,
                              const hsp_view *view, hsp_error *err, hsp_kernel **out)
{
    const int base = data->index_base && data->index_base[0] == '0' ? 0 : 1;
    hsp_kernel *kernel = NULL;
    hsp_error found = {0};
    hsp_status status =
        hsp_kernel_parse(ctx, hsp_options_text(options, "kernel"),
                         hsp_options_flag(options, "allow-indefinite"), base, &found, &kernel);
    if (status == HSP_USAGE)
        return hsp__fail_at(err, status, "--kernel", 0, found.column, "column %llu: %s",
                            (unsigned long long)found.column, found.message);
    if (status && err) *err = found;
    if (!status && hsp__kernel_needs_own(kernel))
        status = hsp__fail_at(
            err, HSP_USAGE, "--kernel", 0, 0,
            "normalize(precomputed) needs k(x, x), which rows to predict do not have; normalise "
            "the matrix when you make it, for example with kernel gram 'normalize(...)'");
    if (!status && hsp_options_is_set(options, "gamma") &&
        !hsp__kernel_set_gamma(kernel, hsp_options_real(options, "gamma")))
        status = hsp__fail_option(
            err, "--gamma",
            "the kernel %s has no place for it; --gamma G is the factor of rbf, and of rbf, "
            "laplace "
            "and chi2 with (gamma), as in laplace(gamma). (G <x, y> + r)^n of LIBSVM and "
            "scikit-learn is written G^n*poly(n, r/G)",
            hsp_kernel_text(kernel));
    if (!status) status = hsp_kernel_fit(ctx, kernel, view, err);
    if (status)
        hsp_kernel_free(kernel);
    else
        *out = kernel;
    return status;
}
