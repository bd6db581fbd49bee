/* Inner products that kernels of the same rows share.
 *
 * Whoever tries many kernels on the same rows (tune) computes the same inner products again and
 * again: rbf(0.1) and rbf(0.2) differ in what is done with a distance, which is made of them. Here
 * the products of all rows with all rows are kept, for the first rows that ask, and rows that were
 * given them look them up; every value has the same bits as without. Memory: rows * rows numbers,
 * within a limit; beyond it nothing is kept. May be asked by several threads. */
#ifndef HSP_KERNEL_SHARED_VALUES_H
#define HSP_KERNEL_SHARED_VALUES_H

#include "kernel/kernel_rows.h"

typedef struct hsp__kernel_shared hsp__kernel_shared;

/* `most`: bytes. NULL when there is no memory. */
hsp__kernel_shared *hsp__kernel_shared_new(hsp_context *ctx, uint64_t most);
void hsp__kernel_shared_free(hsp__kernel_shared *shared);

#define HSP__KERNEL_KEY 24

/* Let rows use the products, computing them if nobody has. `key`: a text that is the same for the
 * same rows alone. `wide`: they will be asked for in double. Nothing happens when the kernel has no
 * use for them, when they take too much memory, or when they are those of other rows. */
hsp_status hsp__kernel_shared_use(hsp_context *ctx, hsp__kernel_shared *shared, const char *key,
                                  int wide, hsp__kernel_rows *rows, hsp_error *err);

#endif
