#include "show/axis.h"

#include <stdio.h>

void hsp__axis_range(hsp__axis *axis, double low, double high)
{
    axis->low = low;
    axis->high = high;
}

/* The range [low, high] and a little more on both sides; never empty, never beyond half of what a
 * double holds, so that differences are finite. */
void hsp__axis_pad(hsp__axis *axis, double low, double high)
{
    const double most = 0x1p1022;
    low = fmax(fmin(low, most), -most);
    high = fmax(fmin(high, most), -most);
    if (axis->log) {
        const double least = 0x1p-1022;
        low = fmax(low, least);
        high = fmax(high, low);
        const double ratio = low < high ? pow(10, 0.04 * (log10(high) - log10(low))) : 2;
        hsp__axis_range(axis, fmax(low / ratio, least), fmin(high * ratio, 0x1.1p1022));
        return;
    }
    double room = high * 0.04 - low * 0.04;
    if (!(room > fmax(fabs(low), fabs(high)) * 1e-13)) /* one value only */
        room = fmax(fabs(low), fabs(high)) * 0.1;
    if (!(room > 1e-307)) room = 1;
    hsp__axis_range(axis, fmax(low - room, -0x1.1p1022), fmin(high + room, 0x1.1p1022));
}

double hsp__axis_place(const hsp__axis *axis, double value)
{
    double low = axis->low, high = axis->high;
    if (axis->log) {
        low = log10(low);
        high = log10(high);
        value = value > 0 ? log10(value) : (double)NAN;
    }
    const double place = (value / 2 - low / 2) / (high / 2 - low / 2);
    return axis->reversed ? 1 - place : place;
}

/* ---- Numbers as labels ---- */

/* "1.0e+06" as "1e6". */
static void axis_short_exponent(char *label)
{
    char *e = strchr(label, 'e'), *last = e;
    if (!e) return;
    while (strchr(label, '.') < e && strchr(label, '.') && last[-1] == '0')
        last--;
    if (last[-1] == '.') last--;
    memmove(last, e, strlen(e) + 1);
    e = last;
    char *from = e + 1, *to = e + 1;
    if (*from == '-') *to++ = '-';
    from += *from == '-' || *from == '+';
    while (*from == '0' && from[1])
        from++;
    memmove(to, from, strlen(from) + 1);
}

const char *hsp__label_number(double value, char label[HSP__LABEL])
{
    snprintf(label, HSP__LABEL, "%.6g", value == 0 ? 0 : value);
    axis_short_exponent(label);
    return label;
}

const char *hsp__label_count(uint64_t count, char label[HSP__LABEL])
{
    char digits[HSP__LABEL];
    const int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *to = label;
    for (int i = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return label;
}

/* ---- Ticks ---- */

/* The label of k * step, the decimals those of the step (a power of ten times 1, 2 or 5). */
static void axis_label(double value, double step, double largest, char label[HSP__LABEL])
{
    const int exponent = (int)floor(log10(step) + 1e-9);
    if (largest < 1e6 && exponent >= -5) {
        snprintf(label, HSP__LABEL, "%.*f", exponent < 0 ? -exponent : 0, value);
        const double whole = fabs(value);
        if (exponent >= 0 && whole >= 1e4) {
            label[0] = '-';
            hsp__label_count((uint64_t)(whole + 0.5), label + (value < 0));
        }
        return;
    }
    /* as many digits as tell neighbours apart */
    const int digits = value == 0 ? 0 : (int)floor(log10(fabs(value)) + 1e-9) - exponent;
    if (value == 0)
        snprintf(label, HSP__LABEL, "0");
    else
        snprintf(label, HSP__LABEL, "%.*e", digits < 0 ? 0 : digits > 15 ? 15 : digits, value);
    axis_short_exponent(label);
}

static void axis_linear(const hsp__axis *axis, int wanted, hsp__ticks *ticks)
{
    const double low = axis->low, high = axis->high, span = high / 2 - low / 2;
    const double power = pow(10, floor(log10(span / (wanted + 1) * 2)));
    static const double steps[] = {1, 2, 5, 10};
    double step = power, first = ceil(low / step - 1e-9);
    for (int i = 1; i < 4 && floor(high / step + 1e-9) - first > wanted; i++) {
        step = steps[i] * power;
        first = ceil(low / step - 1e-9);
    }
    if (!(step > 0) || !isfinite(first) || fabs(first) > 0x1p52) return; /* digits would not do */
    const double largest = fmax(fabs(low), fabs(high));
    for (double k = first; ticks->count < HSP__TICKS && k * step <= high + step * 1e-9; k++) {
        const int i = ticks->count++;
        ticks->at[i] = k == 0 ? 0 : k * step;
        axis_label(ticks->at[i], step, largest, ticks->labels[i]);
        ticks->text[i] = ticks->labels[i];
    }
}

static void axis_log(const hsp__axis *axis, int wanted, hsp__ticks *ticks)
{
    static const int steps[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500};
    static const double parts[] = {1, 2, 5};
    const int first = (int)ceil(log10(axis->low) - 1e-9),
              last = (int)floor(log10(axis->high) + 1e-9);
    const int decades = last - first + 1, fine = decades <= 2; /* then 2 and 5 in between, too */
    int step = 0;
    while (step < 9 && decades > wanted * steps[step])
        step++;
    const int every = steps[step];
    for (int e = (int)ceil((double)first / every) * every - fine; e <= last; e += every)
        for (int part = 0; part < (fine ? 3 : 1) && ticks->count < HSP__TICKS; part++) {
            const double value = parts[part] * pow(10, e);
            if (!(value >= axis->low * (1 - 1e-9) && value <= axis->high * (1 + 1e-9))) continue;
            const int i = ticks->count++;
            ticks->at[i] = value;
            ticks->text[i] = hsp__label_number(value, ticks->labels[i]);
        }
}

void hsp__axis_ticks(const hsp__axis *axis, int wanted, hsp__ticks *ticks)
{
    ticks->count = 0;
    wanted = wanted < 2 ? 2 : wanted > HSP__TICKS ? HSP__TICKS : wanted;
    if (axis->bare) return;
    if (axis->categories) {
        const uint32_t every = (axis->category_count + (uint32_t)wanted - 1) / (uint32_t)wanted;
        for (uint32_t i = 0; i < axis->category_count; i += every) {
            ticks->at[ticks->count] = i;
            ticks->text[ticks->count++] = axis->categories[i];
        }
    } else if (axis->log)
        axis_log(axis, wanted, ticks);
    else
        axis_linear(axis, wanted, ticks);
}
