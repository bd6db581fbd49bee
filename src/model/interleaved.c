#include "model/interleaved.h"

#include "base/base.h"
#include "data/data.h"
#include "vec/vec.h"

#define BESIDE_ALIGN 64
#define BESIDE_HUGE  ((uint64_t)2 << 20) /* bytes of a huge page, which saves address translations */
#define BESIDE_BYTES ((uint64_t)1 << 30) /* no larger copy is made */

hsp_status hsp__interleaved_init(hsp__interleaved *interleaved, const hsp_allocator *memory,
                                 uint64_t features, uint32_t scorers, hsp_error *err)
{
    const uint64_t block = HSP__BESIDE_BLOCK, columns = (scorers + block - 1) / block * block;
    *interleaved = (hsp__interleaved){0};
    if (scorers < HSP__BESIDE_LEAST || columns > HSP__BESIDE_MOST ||
        features > BESIDE_BYTES / sizeof(double) / columns)
        return HSP_OK;
    const uint64_t bytes = features * columns * sizeof(double);
    const uint64_t align = bytes < BESIDE_HUGE / 2 ? BESIDE_ALIGN : BESIDE_HUGE;
    const uint64_t whole = (bytes + align - 1) / align * align;
    interleaved->block = hsp__new_raw(memory, whole + align, 1);
    if (!interleaved->block) return hsp__fail_memory(err);
    if (align == BESIDE_HUGE) hsp__advise_huge(memory, interleaved->block, whole + align);
    uintptr_t at = (uintptr_t)interleaved->block;
    interleaved->w = (void *)((char *)interleaved->block + (-at & (align - 1)));
    memset(interleaved->w, 0, bytes);
    interleaved->columns = columns;
    return HSP_OK;
}

void hsp__interleaved_free(hsp__interleaved *interleaved, const hsp_allocator *memory)
{
    hsp__free(memory, interleaved->block);
    *interleaved = (hsp__interleaved){0};
}

void hsp__interleaved_fill(hsp__interleaved *interleaved, uint32_t c, const double *w,
                           uint64_t features)
{
    for (uint64_t j = 0; j < features; j++)
        interleaved->w[j * interleaved->columns + c] = w[j];
}

void hsp__interleaved_update(hsp__interleaved *interleaved, uint32_t c, const double *w,
                             const hsp_view *view, uint64_t row)
{
    hsp__row changed = hsp__view_row(view, row);
    for (uint64_t k = 0; k < changed.count; k++) {
        uint64_t j = hsp__row_column(&changed, k);
        interleaved->w[j * interleaved->columns + c] = w[j];
    }
}

void hsp__interleaved_dots(const hsp__interleaved *interleaved, const hsp_view *view, uint64_t row,
                           size_t first, size_t count, double *sums)
{
    const hsp__vec_table *vec = hsp__vec();
    const double *w = interleaved->w + first;
    const size_t stride = interleaved->columns;
    hsp__row x = hsp__view_row(view, row);
    if (!x.values)
        vec->ones_dots_f64(x.indices, (size_t)x.count, w, stride, count, sums);
    else if (view->precision == HSP_FLOAT32)
        vec->sparse_dots_f32f64(x.indices, x.values, (size_t)x.count, w, stride, count, sums);
    else
        vec->sparse_dots_f64(x.indices, x.values, (size_t)x.count, w, stride, count, sums);
}
