/* Bytes coming in: a file, standard input or memory, unpacked on the way when it is compressed.
 *
 * A path may name several files, one per line (unless there is a file of that very name): they are
 * parts of one source, read one after the other. Reading ends at the end of a part, and
 * hsp__source_next goes on to the next one. */
#ifndef HSP_DATA_SOURCE_H
#define HSP_DATA_SOURCE_H

#include <stddef.h>

#include "base/ranks.h"
#include "halfspace_all.h"

/* Readers may look at the first members; the others are for source.c. */
typedef struct hsp__source {
    char *name;           /* for messages: the file, or "a.csv and 2 more files" */
    uint32_t parts, part; /* how many, and the number of the one at hand */
    char **part_names;    /* parts */
    uint64_t lines;       /* of the part at hand that were skipped: errors count from there */
    hsp_status (*begin)(void *user, hsp_context *ctx, struct hsp__source *source, hsp_error *err);
    const char *format; /* of the first part; NULL: the user told it */
    void *begin_user;   /* a format's look at the beginning of each later part; NULL: none */
    uint64_t position;  /* bytes taken so far, compressed ones of a compressed input */
    uint64_t size;      /* and in all, 0: not known */
    int again;          /* it is a file that can be opened and read again: not standard input, not a
                          pipe */
    int rewinds;        /* it can be read again from its beginning */
    int mappable;       /* it is a plain regular file: a binary cache wants to be mapped */
    struct hsp__packer *unpacker; /* of compressed input, whose size says little about how much
                                       text will come; NULL: plain */
    struct hsp__provenance *provenance; /* gets the hash of all bytes that are read; its other
                                       members are for readers. NULL: nobody asked */

    const hsp_ranks *ranks; /* each reads its part of the records; NULL: this process reads all */
    int own;                /* ... but this rank's files are no other's, and it reads all of them */
    uint32_t first_part;    /* of ranks: the file in which this rank's records begin, */
    uint64_t lines_before;  /* and the lines of it before them, once all are read */
    int begin_next;         /* the first of them is at the beginning of the next file */

    int live; /* a pipe that is read as bytes arrive: a read returns early when it has some bytes
                   and no more arrive within `wait` milliseconds. Set by the reader, for plain input */
    int wait;
    int at_end; /* of a live source: nothing is left of the part at hand but what lies ahead */
    hsp_context *ctx; /* is asked to stop while a pipe says nothing; a reader may set its own */
    int partial; /* a request to stop ends a pipe like its end does, and the reader takes the whole
                         records that came before it. Set by the reader */
    int stopped; /* ... and that happened: the last record may be cut off */

    hsp_allocator memory;
    int fd;            /* -1: memory */
    uint32_t input;    /* the part that is standard input */
    int64_t start;     /* of a regular file: where reading began */
    uint64_t *part_at; /* parts + 1, of files: where each begins among all bytes */
    uint64_t end; /* where this rank's records end among them; UINT64_MAX: with the last part */
    const char *bytes; /* of a memory source, `size` of them */
    char head[6];      /* packed bytes that told how they are packed, not yet unpacked */
    size_t head_from, head_to;
    char *ahead; /* peeked bytes not yet read */
    size_t ahead_from, ahead_to;
    uint64_t ahead_room;
} hsp__source;

/* Open one file ("-": standard input). */
hsp_status hsp__source_open(hsp_context *ctx, const char *path, hsp_error *err, hsp__source **out);
/* Open the file, or the first of several. */
hsp_status hsp__source_open_files(hsp_context *ctx, const char *path, hsp_error *err,
                                  hsp__source **out);
/* The same over memory that outlives the source. */
hsp_status hsp__source_memory(hsp_context *ctx, const void *data, size_t size, const char *name,
                              hsp_error *err, hsp__source **out);
void hsp__source_free(hsp__source *source);

/* The first bytes, up to `want` (fewer only at the end of the input, whole lines where it was
 * stopped), without consuming them. They stay valid until the first read. */
hsp_status hsp__source_peek(hsp__source *source, size_t want, hsp_error *err, const char **bytes,
                            size_t *size);

/* Live sources: the first lines, up to the end of the first one that ends behind `beyond` bytes and
 * is not blank. hsp__source_peek gives a live source's lines with `beyond` 0, and what came with them. */
hsp_status hsp__source_peek_line(hsp__source *source, size_t beyond, hsp_error *err,
                                 const char **bytes, size_t *size);

/* Is it a pipe, a terminal or the like? */
int hsp__source_is_pipe(const hsp__source *source);

/* The next bytes, exactly `want` unless the input ends. */
hsp_status hsp__source_read(hsp__source *source, void *buffer, size_t want, hsp_error *err,
                            size_t *got);

/* Pass over the next `size` bytes. */
hsp_status hsp__source_skip(hsp__source *source, size_t size, hsp_error *err);

/* All that is left of it, or a little more than `most` bytes, into memory that the caller frees;
 * *bytes may be set on failure too. */
hsp_status hsp__source_read_all(hsp_context *ctx, hsp__source *source, size_t most, hsp_error *err,
                                char **bytes, size_t *size);

/* Plain files that all ranks have opened are to be read in shares, one per rank; NULL: not any more. `own`:
 * each rank has opened files of its own, which are the shares. */
void hsp__source_share(hsp__source *source, const hsp_ranks *ranks, int own);

/* Of what is left of a shared source, leave the records that begin in this rank's share of the bytes.
 * `quoted`: there may be newlines between double quotes. A failure is every rank's. */
hsp_status hsp__source_divide(hsp_context *ctx, hsp__source *source, int quoted, hsp_error *err);

/* Is a file compressed, or one that cannot be read? */
int hsp__source_packed(const hsp__source *source);

/* Is the number of double quotes in a text odd? */
int hsp__quotes_odd(const char *text, size_t size);

/* Go on to the next part, which must be there, and let the format look at it. */
hsp_status hsp__source_next(hsp_context *ctx, hsp__source *source, hsp_error *err);

/* Go back to the beginning of the first part. */
hsp_status hsp__source_rewind(hsp_context *ctx, hsp__source *source, hsp_error *err);

#endif
