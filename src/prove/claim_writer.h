/* Certificates are JSON that people read: members of a claim follow each other in a line or begin
 * a new one, and numbers are exact decimals in quotes.
 *
 * A writer needs no state: whether a comma is due is seen from the last byte of the text. Every
 * value below may follow a key or stand in an array. */
#ifndef HSP_PROVE_CLAIM_WRITER_H
#define HSP_PROVE_CLAIM_WRITER_H

#include "base/text.h"
#include "halfspace_all.h"

/* Sums here are wider than what they are compared with, where the machine has that. */
typedef long double hsp__long;

/* ---- Numbers without quotes ------------------------------------------------------------------ */

/* Decimals of `places` digits behind the point: value * 10^places to the nearest. */
int64_t hsp__prove_grid(hsp__long value, int places);
/* That number as text, without zeros at its end. */
void hsp__prove_format_grid(hsp__text *text, int64_t number, int places);
/* `digits` digits, rounded down or up; value >= 0 and finite. Returns it. */
double hsp__prove_format_bound(hsp__text *text, hsp__long value, int digits, int up);
/* A double, exactly: as a decimal where that is short, else as a fraction. */
void hsp__prove_format_exact(hsp__text *text, double value);

/* ---- JSON ------------------------------------------------------------------------------------ */

/* `key` NULL: an entry of an array; a key that begins with \n begins a line. */
void hsp__claim_open(hsp__text *text, const char *key, char bracket);
void hsp__claim_close(hsp__text *text, char bracket);
void hsp__claim_json(hsp__text *text, const char *key, const hsp__text *json); /* as it stands */
void hsp__claim_word(hsp__text *text, const char *key, const char *word); /* needs no escaping */
void hsp__claim_flag(hsp__text *text, const char *key, int flag);
void hsp__claim_count(hsp__text *text, const char *key, uint64_t count);
void hsp__claim_tie(hsp__text *text, const char *key, hsp_tie tie); /* what a score of 0 says */

/* The numbers above, and the shortest decimal that reads back to a double, in quotes. */
typedef void hsp__claim_number(hsp__text *text, const char *key, double value);
hsp__claim_number hsp__claim_exact, hsp__claim_short;
void hsp__claim_grid(hsp__text *text, const char *key, int64_t number, int places);
void hsp__claim_bound(hsp__text *text, const char *key, hsp__long value, int digits, int up);

/* Sparse lists, [[index, "number"], ...], indices from 1: those of `count` numbers that are not 0.
 * `row` (count) has their indices from 0, NULL: 0, 1, ...; `signs` 0: without their signs. */
void hsp__claim_list(hsp__text *text, const char *key, const uint64_t *row, const double *number,
                     uint64_t count, hsp__claim_number *write);
void hsp__claim_list_grid(hsp__text *text, const char *key, const uint64_t *row,
                          const int64_t *number, uint64_t count, int places, int signs);
/* One entry of such a list up to its number, which `]` follows. */
void hsp__claim_entry(hsp__text *text, uint64_t index);

/* The members of a run that was made again: this many passes over all rows in turn, or where `passes`
 * is 0 the rows of its updates in order (from 0); their number. */
void hsp__claim_order(hsp__text *text, uint64_t passes, const uint64_t *sequence, uint64_t updates);

#endif
