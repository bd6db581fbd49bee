/* Numbers as people write them, by hand; plain numbers in every format. */
#include "data/number_text.h"

#include "check.h"

static const char *number_plain(const char *text, char decimal, char thousands, int signs)
{
    static char out[128];
    const hsp__number_format format = {
        .decimal = decimal, .thousands = thousands, .percent = signs, .currency = signs};
    out[hsp__number_plain(text, strlen(text), &format, out)] = '\0';
    return out;
}

static void test_by_hand(void)
{
    CHECK_TEXT(number_plain("1,234.50", '.', ',', 0), "1234.50");
    CHECK_TEXT(number_plain("-12,345,678", '.', ',', 0), "-12345678");
    CHECK_TEXT(number_plain("1.234,5", ',', '.', 0), "1234.5");
    CHECK_TEXT(number_plain("0,25", ',', 0, 0), "0.25");
    CHECK_TEXT(number_plain("1 234 567,8", ',', ' ', 0), "1234567.8");
    CHECK_TEXT(number_plain("1\xC2\xA0"
                            "234\xE2\x80\xAF"
                            "567",
                            ',', ' ', 0),
               "1234567");
    CHECK_TEXT(number_plain("1'234.5", '.', '\'', 0), "1234.5");
    CHECK_TEXT(number_plain("12.5%", '.', 0, 1), "12.5e-2");
    CHECK_TEXT(number_plain(" 12,5 % ", ',', 0, 1), "12.5e-2");
    CHECK_TEXT(number_plain("$1,234", '.', ',', 1), "1234");
    CHECK_TEXT(number_plain("-$12", '.', ',', 1), "-12");
    CHECK_TEXT(number_plain("$-12", '.', ',', 1), "-12");
    CHECK_TEXT(number_plain("12,50 \xE2\x82\xAC", ',', '.', 1), "12.50");
    CHECK_TEXT(number_plain("EUR 3", '.', 0, 1), "3");
    CHECK_TEXT(number_plain("(1,000.00)", '.', ',', 1), "-1000.00");
    CHECK_TEXT(number_plain("($5)", '.', ',', 1), "-5");
    CHECK_TEXT(number_plain("+.5", '.', 0, 0), ".5");
    CHECK_TEXT(number_plain("5.", '.', 0, 0), "5.");
    CHECK_TEXT(number_plain("1.5e-3", '.', ',', 0), "1.5e-3");
    CHECK_TEXT(number_plain("1,5E+3", ',', 0, 0), "1.5e+3");
}

static void test_not_numbers(void)
{
    static const char *const wrong[] = {
        "",     ".",       "-",       "1,23",  "12,3456", "1,2,345",  ",123", "1,",  "1.2,34",
        "1.5e", "1.5e+",   "1.5e1.5", "1 234", "1.2.3",   "0x10",     "12 %", "$12", "(12)",
        "N/A",  "1e5 USD", "--1",     "+-1",   "1,234,",  "1234,567", "0,512"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_NOTE(!*number_plain(wrong[i], '.', ',', 0), "%s", wrong[i]);
    CHECK_TEXT(number_plain("%", '.', ',', 1), "");
    CHECK_TEXT(number_plain("$", '.', ',', 1), "");
    CHECK_TEXT(number_plain("()", '.', ',', 1), "");
    CHECK_TEXT(number_plain("(-1)", '.', ',', 1), "");
    CHECK_TEXT(number_plain("-$-1", '.', ',', 1), "");
    CHECK_TEXT(number_plain("1e5%", '.', ',', 1), "");
}

int main(void)
{
    RUN(test_by_hand);
    RUN(test_not_numbers);
    return check_done();
}
