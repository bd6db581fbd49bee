#include "learn/online/expert_weights.h"

#include "base/base.h"

#define EXPERT_WEIGHTS_TABLE \
    65536 /* weights that are looked up; those of more mistakes are computed */
#define EXPERT_WEIGHTS_LEVELS 4096    /* this many levels are kept however few the columns are */
#define EXPERT_WEIGHTS_SMALL  0x1p-64 /* of a sum: what is not added */

/* ---- Setting up ------------------------------------------------------------------------------ */

hsp_status hsp__expert_weights_init(hsp__expert_weights *experts, const hsp_allocator *memory,
                                    double beta, int negated, hsp_error *err)
{
    *experts = (hsp__expert_weights){
        .memory = *memory, .beta = beta, .log_root = log(beta) / 2, .negated = negated};
    const double vanish = 746 / -experts->log_root; /* exp(-746) is 0 */
    assert(beta > 0 && beta < 1 && vanish > 0);
    experts->table_count =
        vanish < EXPERT_WEIGHTS_TABLE ? (uint64_t)vanish + 2 : EXPERT_WEIGHTS_TABLE;
    experts->table = hsp__new_raw(memory, experts->table_count, sizeof *experts->table);
    if (!experts->table) return hsp__fail_memory(err);
    /* Whole mistakes by pow, so that the weights of beta = 1/2 are powers of 2 to the bit. */
    for (uint64_t k = 0; k < experts->table_count; k++) {
        const uint64_t whole = k / 2;
        experts->table[k] = pow(beta, (double)whole) * (k % 2 ? sqrt(beta) : 1);
    }
    return HSP_OK;
}

void hsp__expert_weights_free(hsp__expert_weights *experts)
{
    for (int k = 0; k < 2; k++)
        hsp__free(&experts->memory, experts->kind[k].levels);
    hsp__free(&experts->memory, experts->drift);
    hsp__free(&experts->memory, experts->silent);
    hsp__free(&experts->memory, experts->table);
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* Room for a drift beyond what there is; too many levels are given up. */
static hsp_status expert_weights_stretch(hsp__expert_weights *experts,
                                         hsp__expert_weights_kind *kind, int64_t drift,
                                         hsp_error *err)
{
    const int64_t low = drift < kind->low ? drift : kind->low;
    const int64_t high = drift > kind->high ? drift : kind->high;
    const uint64_t range = (uint64_t)(high - low) + 1;
    assert(low <= high);
    uint64_t *levels = NULL;
    if (range <= EXPERT_WEIGHTS_LEVELS || range <= kind->count) {
        const uint64_t room = 2 * range;
        const int64_t origin = low - (int64_t)(range / 2);
        levels = hsp__new(&experts->memory, room, sizeof *levels);
        if (!levels) return hsp__fail_memory(err);
        if (kind->levels)
            memcpy(levels + (kind->low - origin), kind->levels + (kind->low - kind->origin),
                   ((uint64_t)(kind->high - kind->low) + 1) * sizeof *levels);
        kind->room = room;
        kind->origin = origin;
    }
    hsp__free(&experts->memory, kind->levels);
    kind->levels = levels;
    return HSP_OK;
}

/* One column, or `count` new ones, come to a drift; the caller takes them from where they were. */
static hsp_status expert_weights_reach(hsp__expert_weights *experts, hsp__expert_weights_kind *kind,
                                       int64_t drift, uint64_t count, hsp_error *err)
{
    if (!kind->levels) return HSP_OK;
    if (drift < kind->origin || (uint64_t)(drift - kind->origin) >= kind->room) {
        hsp_status status = expert_weights_stretch(experts, kind, drift, err);
        if (status || !kind->levels) return status;
    }
    assert(drift >= kind->origin && (uint64_t)(drift - kind->origin) < kind->room);
    kind->levels[drift - kind->origin] += count;
    if (drift < kind->low) kind->low = drift;
    if (drift > kind->high) kind->high = drift;
    return HSP_OK;
}

/* What a 0 has cost so far, times two. */
static uint64_t expert_weights_zeros(const hsp__expert_weights *experts, int silent)
{
    return silent ? experts->seen : 2 * experts->positive;
}

/* After the drifts have changed: who is the best now? */
static void expert_weights_settle(hsp__expert_weights *experts)
{
    hsp__expert_weights_kind *kinds = experts->kind;
    uint64_t least = UINT64_MAX;
    /* without levels, look at all columns */
    if ((kinds[0].count && !kinds[0].levels) || (kinds[1].count && !kinds[1].levels)) {
        for (int k = 0; k < 2; k++) {
            kinds[k].low = INT64_MAX;
            kinds[k].high = INT64_MIN;
        }
        for (uint64_t j = 0; j < experts->count; j++) {
            hsp__expert_weights_kind *kind = &kinds[experts->silent[j]];
            const int64_t drift = experts->drift[j];
            if (drift < kind->low) kind->low = drift;
            if (drift > kind->high) kind->high = drift;
        }
    }
    for (int k = 0; k < 2; k++) {
        hsp__expert_weights_kind *kind = &kinds[k];
        if (!kind->count) continue;
        while (kind->levels && !kind->levels[kind->low - kind->origin])
            kind->low++;
        while (kind->levels && !kind->levels[kind->high - kind->origin])
            kind->high--;
        const uint64_t zeros = expert_weights_zeros(experts, k),
                       first = zeros + (uint64_t)kind->low;
        const uint64_t last = 2 * experts->seen - (zeros + (uint64_t)kind->high);
        if (first < least) least = first;
        if (experts->negated && last < least) least = last;
    }
    experts->least = experts->count ? least : 0;
}

hsp_status hsp__expert_weights_admit(hsp__expert_weights *experts, uint64_t count,
                                     const unsigned char *silent, int all_silent, hsp_error *err)
{
    assert(count >= experts->count);
    uint64_t added[2] = {0, 0};
    int64_t *drift = hsp__resize(&experts->memory, experts->drift, count, sizeof *drift);
    if (drift) experts->drift = drift;
    unsigned char *kinds = hsp__resize(&experts->memory, experts->silent, count, sizeof *kinds);
    if (kinds) experts->silent = kinds;
    if (!drift || !kinds) return hsp__fail_memory(err);
    for (uint64_t j = experts->count; j < count; j++) {
        drift[j] = 0;
        kinds[j] = silent ? silent[j] : all_silent != 0;
        added[kinds[j]]++;
    }
    experts->count = count;
    hsp_status status = HSP_OK;
    for (int k = 0; !status && k < 2; k++) {
        hsp__expert_weights_kind *kind = &experts->kind[k];
        if (!added[k]) continue;
        if (!kind->count) status = expert_weights_stretch(experts, kind, 0, err);
        kind->count += added[k];
        if (!status) status = expert_weights_reach(experts, kind, 0, added[k], err);
    }
    if (!status) expert_weights_settle(experts);
    return status;
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* beta^(half / 2), relative to that of the best. */
static inline double expert_weights_weight(const hsp__expert_weights *experts, uint64_t half)
{
    const uint64_t k = half - experts->least;
    if (k < experts->table_count) return experts->table[k];
    return experts->table_count < EXPERT_WEIGHTS_TABLE ? 0 : exp((double)k * experts->log_root);
}

double hsp__expert_weights_weights(const hsp__expert_weights *experts, uint64_t j, double *other)
{
    const uint64_t half = hsp__expert_weights_half(experts, j);
    assert(half >= experts->least && half <= 2 * experts->seen);
    *other = experts->negated ? expert_weights_weight(experts, 2 * experts->seen - half) : 0;
    return expert_weights_weight(experts, half);
}

double hsp__expert_weights_total(const hsp__expert_weights *experts)
{
    double all = 0;
    for (uint64_t j = 0; j < experts->count; j++) {
        double other, weight = hsp__expert_weights_weights(experts, j, &other);
        all += weight + other;
    }
    return all;
}

/* All weights of one kind: of the columns' experts, and of their negations. Both fall from their
 * best on, so that the ends of the lists vanish relative to what was added before. */
static double expert_weights_sum(const hsp__expert_weights *experts, int silent, double *others)
{
    const hsp__expert_weights_kind *kind = &experts->kind[silent];
    const uint64_t zeros = expert_weights_zeros(experts, silent), both = 2 * experts->seen;
    const double few = EXPERT_WEIGHTS_SMALL / (double)kind->count;
    double sum = 0, other;
    *others = 0;
    if (!kind->levels) { /* by the list of columns */
        for (uint64_t j = 0; j < experts->count; j++) {
            if (experts->silent[j] != silent) continue;
            sum += hsp__expert_weights_weights(experts, j, &other);
            *others += other;
        }
        return sum;
    }
    for (int64_t d = kind->low; d <= kind->high; d++) {
        const double weight = expert_weights_weight(experts, zeros + (uint64_t)d);
        if (weight <= few * sum) break;
        sum += (double)kind->levels[d - kind->origin] * weight;
    }
    for (int64_t d = kind->high; experts->negated && d >= kind->low; d--) {
        const double weight = expert_weights_weight(experts, both - (zeros + (uint64_t)d));
        if (weight <= few * *others) break;
        *others += (double)kind->levels[d - kind->origin] * weight;
    }
    return sum;
}

double hsp__expert_weights_score(const hsp__expert_weights *experts, const hsp_view *view,
                                 uint64_t row)
{
    const hsp__row votes = hsp__view_row(view, row);
    double says = 0, all = 0;
    for (int k = 0; k < 2; k++) {
        if (!experts->kind[k].count) continue;
        double others, sum = expert_weights_sum(experts, k, &others);
        all += sum + others;
        if (k == 0) says -= sum - others; /* all bits say no, but for those below: twice */
    }
    for (uint64_t k = 0; k < votes.count; k++) {
        const double x = hsp__row_value(view, &votes, k);
        if (x == 0) continue;
        const uint64_t j = hsp__row_column(&votes, k);
        double other, net = hsp__expert_weights_weights(experts, j, &other);
        net -= other;
        if (x > 0) says += experts->silent[j] ? net : 2 * net;
        if (x < 0 && experts->silent[j]) says -= net;
    }
    return all > 0 ? says / all : 0;
}

/* ---- Learning -------------------------------------------------------------------------------- */

hsp_status hsp__expert_weights_learn(hsp__expert_weights *experts, const hsp_view *view,
                                     uint64_t row, int positive, int *changed, hsp_error *err)
{
    const hsp__row votes = hsp__view_row(view, row);
    uint64_t right = positive ? 0 : experts->kind[0].count;
    hsp_status status = HSP_OK;
    for (uint64_t k = 0; !status && k < votes.count; k++) {
        const double x = hsp__row_value(view, &votes, k);
        if (x == 0) continue;
        const uint64_t j = hsp__row_column(&votes, k);
        /* Its cost compared with that of a 0: a silent 0 costs one half, the bit 0 a whole mistake
         * on rows of the second class and nothing on others. */
        const int silent = experts->silent[j], yes = x > 0;
        const int cost = silent ? (yes == positive ? -1 : 1) : !yes ? 0 : positive ? -2 : 2;
        hsp__expert_weights_kind *kind = &experts->kind[silent];
        if (kind->levels) kind->levels[experts->drift[j] - kind->origin]--;
        experts->drift[j] += cost;
        status = expert_weights_reach(experts, kind, experts->drift[j], 1, err);
        right += cost < 0;
        right -= cost == 2;
    }
    if (status) return status;
    experts->seen++;
    experts->positive += positive != 0;
    expert_weights_settle(experts);
    *changed = experts->count && (experts->negated || right < experts->count);
    return HSP_OK;
}

hsp_status hsp__expert_weights_restore(hsp__expert_weights *experts, double seen, double positive,
                                       const double *drift, uint64_t count, hsp_error *err)
{
    assert(!experts->seen && count <= experts->count);
    int sound = seen >= 0 && seen < 0x1p52 && seen == floor(seen) && positive >= 0 &&
                positive <= seen && positive == floor(positive);
    for (uint64_t j = 0; sound && j < count; j++) {
        const double half = (experts->silent[j] ? seen : 2 * positive) + drift[j];
        sound = drift[j] == floor(drift[j]) && half >= 0 && half <= 2 * seen;
        if (!sound) break;
        hsp__expert_weights_kind *kind = &experts->kind[experts->silent[j]];
        if (kind->levels) kind->levels[0 - kind->origin]--;
        experts->drift[j] = (int64_t)drift[j];
        HSP__TRY(expert_weights_reach(experts, kind, experts->drift[j], 1, err));
    }
    if (!sound)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the warm-start model has impossible mistakes of experts");
    experts->seen = (uint64_t)seen;
    experts->positive = (uint64_t)positive;
    expert_weights_settle(experts);
    return HSP_OK;
}

uint64_t hsp__expert_weights_best(const hsp__expert_weights *experts, int *negated, uint64_t *half)
{
    uint64_t best = 0;
    *half = UINT64_MAX;
    *negated = 0;
    for (uint64_t j = 0; j < experts->count; j++)
        for (int other = 0; other <= experts->negated; other++) {
            const uint64_t own = hsp__expert_weights_half(experts, j);
            const uint64_t made = other ? 2 * experts->seen - own : own;
            if (made >= *half) continue;
            *half = made;
            *negated = other;
            best = j;
        }
    return best;
}
