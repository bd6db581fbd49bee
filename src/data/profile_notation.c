/* The notation of a table's numbers. The options of reading hold for all columns, so there is one, though
 * a column alone may be read in several: 1.200 and 1,200 may each be 1.2 or 1200. */
#include "data/table_profile.h"

int hsp__notation_fits(const hsp__column_profile *column, const hsp__number_format *format,
                       int decimal_given)
{
    const hsp__number_format *own = &column->format;
    if (!decimal_given && format->decimal == own->thousands) return 0;
    if (format->decimal == own->decimal && (!own->thousands || format->thousands == own->thousands))
        return 1;
    return hsp__column_profile_reads(column, format);
}

hsp__number_format hsp__notation_choose(const hsp_profile *profile, int decimal_given,
                                        int thousands_given, unsigned char *fits)
{
    const uint64_t columns = profile->totals.columns;
    const int comma = columns && profile->columns[0].decimal_comma;
    const hsp__number_format *given = &profile->rules.number, *next;
    hsp__number_format best = *given;
    uint64_t most = 0, all = 0;
    for (uint64_t j = 0; j < columns; j++)
        all += fits[j];
    for (size_t i = 0; most < all && (next = hsp__profile_format(i, comma)); i++) {
        hsp__number_format format = *next;
        uint64_t count = 0;
        if (decimal_given) format.decimal = given->decimal;
        if (thousands_given) format.thousands = given->thousands;
        if (format.decimal == format.thousands) continue;
        for (uint64_t j = 0; j < columns; j++)
            count += fits[j] && hsp__notation_fits(&profile->columns[j], &format, decimal_given);
        if (count > most) most = count, best = format;
    }
    for (uint64_t j = 0; most < all && j < columns; j++)
        fits[j] &= hsp__notation_fits(&profile->columns[j], &best, decimal_given) != 0;
    return best;
}
