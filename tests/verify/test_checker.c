/* The checker's parts: its hash, its numbers, its enclosures, its readers, and what it says of
 * files that are not as they should be. */
#include "check.h"

#include "verify/check.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

static char checker_reason[2000], checker_said[4000];

static void checker_hex(const char *bytes, size_t size, char out[65])
{
    unsigned char digest[32];
    hsv_sha sha;
    hsv_sha_start(&sha);
    hsv_sha_add(&sha, bytes, size);
    hsv_sha_end(&sha, digest);
    for (int i = 0; i < 32; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* A certificate with these members of "data" and behind it, about this file. */
static int checker_run(const char *data, const char *members, const char *rest)
{
    char hash[65], cert[8000];
    checker_hex(data, strlen(data), hash);
    snprintf(cert, sizeof cert,
             "{\"format\": \"halfspace certificate\", \"version\": 1, \"data\": {\"file\": \"x\", "
             "\"sha256\": \"%s\", %s}, %s}",
             hash, members, rest);
    FILE *files[2] = {fmemopen(cert, strlen(cert), "rb"),
                      fmemopen((char *)(uintptr_t)data, strlen(data), "rb")};
    FILE *err = fmemopen(checker_reason, sizeof checker_reason, "w");
    FILE *out = fmemopen(checker_said, sizeof checker_said, "w");
    memset(checker_reason, 0, sizeof checker_reason);
    memset(checker_said, 0, sizeof checker_said);
    const int status = halfspace_verify_streams(files[0], files[1], NULL, out, err);
    fclose(err);
    fclose(out);
    fclose(files[0]);
    fclose(files[1]);
    return status;
}

/* A certificate with these members of "data" and "test" and this claim, about these files. */
static int checker_pair(const char *data, const char *members, const char *test,
                        const char *test_members, const char *claim)
{
    char hash[2][65], cert[8000];
    checker_hex(data, strlen(data), hash[0]);
    checker_hex(test, strlen(test), hash[1]);
    snprintf(cert, sizeof cert,
             "{\"format\": \"halfspace certificate\", \"version\": 1, \"data\": {\"file\": \"x\", "
             "\"sha256\": \"%s\", %s}, \"test\": {\"file\": \"z\", \"sha256\": \"%s\", %s}, "
             "\"claims\": [%s]}",
             hash[0], members, hash[1], test_members, claim);
    FILE *files[3] = {fmemopen(cert, strlen(cert), "rb"),
                      fmemopen((char *)(uintptr_t)data, strlen(data), "rb"),
                      fmemopen((char *)(uintptr_t)test, strlen(test), "rb")};
    FILE *out = fmemopen(checker_said, sizeof checker_said, "w");
    FILE *err = fmemopen(checker_reason, sizeof checker_reason, "w");
    memset(checker_said, 0, sizeof checker_said);
    memset(checker_reason, 0, sizeof checker_reason);
    const char *const names[2] = {"a b", NULL};
    const int status = halfspace_verify_named(files[0], files[1], files[2], names, out, err);
    fclose(out);
    fclose(err);
    for (int i = 0; i < 3; i++)
        fclose(files[i]);
    return status;
}

#define LIBSVM(rows, columns)                                                                   \
    "\"rows\": " rows ", \"columns\": " columns ", \"format\": \"libsvm\", \"index_base\": 1, " \
    "\"negative\": [\"-1\"], \"positive\": [\"1\"]"
#define SEPARATES(w, b)                                                                   \
    "\"claims\": [{\"claim\": \"separable\", \"offset\": true, \"separator\": {\"w\": " w \
    ", \"b\": \"" b "\"}}]"

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_hash(void)
{
    char hex[65], million[1000];
    checker_hex("", 0, hex);
    CHECK_TEXT(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    checker_hex("abc", 3, hex);
    CHECK_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    checker_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    CHECK_TEXT(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    unsigned char digest[32];
    hsv_sha sha;
    memset(million, 'a', sizeof million);
    hsv_sha_start(&sha);
    for (int i = 0; i < 1000; i++)
        hsv_sha_add(&sha, million, sizeof million);
    hsv_sha_end(&sha, digest);
    CHECK(digest[0] == 0xcd && digest[1] == 0xc7 && digest[31] == 0xd0);
}

static void test_decimals(void)
{
    static const struct {
        const char *text;
        int sound;
        long mantissa, exponent;
    } cases[] = {
        {"1", 1, 1, 0},       {"-2.5", 1, -25, -1},  {"+.5", 1, 5, -1},    {"3.", 1, 3, 0},
        {"1e-3", 1, 1, -3},   {"1.50E2", 1, 150, 0}, {"-0", 1, 0, 0},      {"", 0, 0, 0},
        {".", 0, 0, 0},       {"e5", 0, 0, 0},       {"1e", 0, 0, 0},      {"1e+", 0, 0, 0},
        {"1 ", 0, 0, 0},      {"0x10", 0, 0, 0},     {"1.2.3", 0, 0, 0},   {"nan", 0, 0, 0},
        {"1e99999", 0, 0, 0}, {"--1", 0, 0, 0},      {"1e-99999", 0, 0, 0}};
    mpz_t mantissa;
    mpz_init(mantissa);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long exponent = 0;
        const int sound = hsv_decimal(cases[i].text, strlen(cases[i].text), mantissa, &exponent);
        CHECK_NOTE(sound == cases[i].sound, "'%s'", cases[i].text);
        if (sound && cases[i].sound)
            CHECK_NOTE(mpz_cmp_si(mantissa, cases[i].mantissa) == 0 &&
                           exponent == cases[i].exponent,
                       "'%s'", cases[i].text);
    }
    long exponent;
    CHECK(hsv_decimal("12345678901234567890.123456789", 30, mantissa, &exponent));
    mpz_t want;
    mpz_init_set_str(want, "12345678901234567890123456789", 10);
    CHECK(mpz_cmp(mantissa, want) == 0 && exponent == -9);
    mpz_clears(mantissa, want, NULL);
}

typedef struct checker_value {
    const char *above, *below, *digits; /* of the function of above/below, 10^60 times, cut down */
} checker_value;

/* Enclosures against 60 known digits, and lo <= hi within a few units. */
static void checker_enclosed(void (*function)(const mpz_t, const mpz_t, mpz_t, mpz_t),
                             const checker_value *values, size_t count)
{
    mpz_t n[6], power;
    for (int i = 0; i < 6; i++)
        mpz_init(n[i]);
    mpz_init(power);
    for (size_t i = 0; i < count; i++) {
        mpz_set_str(n[0], values[i].above, 10);
        mpz_set_str(n[1], values[i].below, 10);
        function(n[0], n[1], n[2], n[3]);
        CHECK(mpz_cmp(n[2], n[3]) <= 0);
        mpz_sub(n[4], n[3], n[2]);
        CHECK_NOTE(mpz_cmp_ui(n[4], 2) <= 0, "case %zu is %lu wide", i, mpz_get_ui(n[4]));
        /* lo / 2^bits <= (digits + 1) / 10^60 and digits / 10^60 <= hi / 2^bits */
        mpz_ui_pow_ui(power, 10, 60);
        mpz_set_str(n[5], values[i].digits, 10);
        mpz_mul(n[2], n[2], power);
        mpz_mul(n[3], n[3], power);
        mpz_mul_2exp(n[4], n[5], HSV_BITS);
        CHECK_NOTE(mpz_cmp(n[4], n[3]) <= 0, "case %zu from above", i);
        mpz_add_ui(n[5], n[5], 1);
        mpz_mul_2exp(n[4], n[5], HSV_BITS);
        CHECK_NOTE(mpz_cmp(n[2], n[4]) <= 0, "case %zu from below", i);
    }
    for (int i = 0; i < 6; i++)
        mpz_clear(n[i]);
    mpz_clear(power);
}

static void test_exponential(void)
{
    static const checker_value values[] = {
        {"0", "1", "1000000000000000000000000000000000000000000000000000000000000"},
        {"1", "1", "367879441171442321595523770161460867445811131031767834507836"},
        {"1", "2", "606530659712633423603799534991180453441918135487186955682892"},
        {"10", "1", "45399929762484851535591515560550610237918088866564969259"},
        {"1", "10", "904837418035959573164249059446436621194705360980400952056257"},
        {"50", "1", "192874984796391778301734281652701257475"},
        {"100000", "1", "0"},
    };
    checker_enclosed(hsv_exp, values, sizeof values / sizeof *values);
}

static void test_logarithm(void)
{
    static const checker_value values[] = {
        {"1", "1", "0"},
        {"2", "1", "693147180559945309417232121458176568075500134360255254120680"},
        {"10", "1", "2302585092994045684017991454684364207601101488628772976033327"},
        {"1", "3", "-1098612288668109691395245236922525704647490557822749451734695"},
        {"3", "4", "-287682072451780927439219005993827431503509710897761056506666"},
        {"1000000000000000000000000000001", "1000000000000000000000000000000",
         "999999999999999999999999999999"},
        {"10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "0000"
         "00000000",
         "1", "230258509299404568401799145468436420760110148862877297603332790"},
    };
    checker_enclosed(hsv_log, values, sizeof values / sizeof *values);
}

static void test_libsvm(void)
{
    static const char rest[] = SEPARATES("[[1, \"0x1p+0\"], [3, \"-1/2\"]]", "-0.25");
    CHECK(!checker_run("1 1:1\n-1 3:2 # 1:9\n\n# nothing\n+1.0 qid:7 1:.5e0 2:0\r\n-1.0\n",
                       LIBSVM("4", "3"), rest));
    CHECK_TEXT(checker_reason, "");
    CHECK(checker_run("1 1:1\n-1 3:2\n", LIBSVM("3", "3"), rest) == HALFSPACE_REJECTED);
    CHECK(strstr(checker_reason, "2 rows are used, not 3") != NULL);
    CHECK(checker_run("1 4:1\n", LIBSVM("1", "3"), rest) == HALFSPACE_UNREADABLE);
    CHECK(checker_run("1 2:1 1:1\n", LIBSVM("1", "3"), rest) == HALFSPACE_UNREADABLE);
    CHECK(checker_run("1 0:1\n", LIBSVM("1", "3"), rest) == HALFSPACE_UNREADABLE);
    CHECK(checker_run("1 1:inf\n", LIBSVM("1", "3"), rest) == HALFSPACE_UNREADABLE);
    CHECK(checker_run("1:1\n", LIBSVM("1", "3"), rest) == HALFSPACE_UNREADABLE);
    CHECK(checker_run("2 1:1\n", LIBSVM("1", "3"), rest) == HALFSPACE_REJECTED);
    CHECK(strstr(checker_reason, "'2' is of no class") != NULL);
    CHECK(!checker_run("2 1:1\n1 1:1\n", LIBSVM("1", "3") ", \"others\": \"drop\"", rest));
}

#define CSV(rows, columns, header, missing)                                                        \
    "\"rows\": " rows ", \"columns\": " columns                                                    \
    ", \"format\": \"csv\", \"separator\": \",\", \"header\": " header ", \"missing\": \"" missing \
    "\", \"negative\": [\"no\"], \"positive\": [\"yes\", \"NA\"], \"fields\": "

static void test_csv(void)
{
    static const char fields[] = "[{\"kind\": \"number\", \"mean\": \"1/3\"}, {\"kind\": "
                                 "\"category\", \"values\": [\"a,\\\"b\", "
                                 "\"c\"]}, {\"kind\": \"ignored\"}, {\"kind\": \"label\"}]";
    char members[1000];
    snprintf(members, sizeof members, "%s%s", CSV("3", "3", "true", "error"), fields);
    /* x1 - 2 [c]: 1, -1, and 5 */
    CHECK(!checker_run("n,c,i,l\r\n 1 ,\"a,\"\"b\",?,yes\r\n\r\n\"1\",c,,no\n5e0, d ,x,\"NA\"",
                       members, SEPARATES("[[1, 1], [3, -2]]", "0")));
    CHECK_TEXT(checker_reason, "");
    CHECK(checker_run("n,c,i,l\n,c,,no\n", members, SEPARATES("[]", "1")) == HALFSPACE_UNREADABLE);
    CHECK(strstr(checker_reason, "line 2: a value is missing") != NULL);
    CHECK(checker_run("n,c,i,l\n1,c,no\n", members, SEPARATES("[]", "1")) == HALFSPACE_UNREADABLE);
    CHECK(checker_run("n,c,i,l\n1,c,1,no,1\n", members, SEPARATES("[]", "1")) ==
          HALFSPACE_UNREADABLE);
    CHECK(checker_run("n,c,i,l\n1,\"c,1,no\n", members, SEPARATES("[]", "1")) ==
          HALFSPACE_UNREADABLE);
    CHECK(checker_run("n,c,i,l\n1,\"c\"x,1,no\n", members, SEPARATES("[]", "1")) ==
          HALFSPACE_UNREADABLE);
    /* The mean, 1/3, is exact: 3 x1 - 1 = 0 is not above 0. */
    snprintf(members, sizeof members, "%s%s", CSV("1", "3", "false", "mean"), fields);
    CHECK(checker_run("?,c,,yes\n", members, SEPARATES("[[1, 3]]", "-1")) == HALFSPACE_REJECTED);
    CHECK(!checker_run("?,c,,yes\n", members, SEPARATES("[[1, 3]]", "-0.9999999999999999999999")));
    snprintf(members, sizeof members, "%s%s", CSV("1", "3", "false", "drop"), fields);
    CHECK(!checker_run("?,c,,yes\n2,c,,yes\n2,c,,\n", members, SEPARATES("[]", "1")));
}

/* An indicator without a missing value to mark, carriage returns, values below 0 for a kernel that
 * has none. */
static void test_refused(void)
{
#define FIELD(missing, separator)                                                                 \
    "\"rows\": 1, \"columns\": 2, \"format\": \"csv\", \"separator\": \"" separator               \
    "\", \"header\": false, \"missing\": \"" missing "\", \"negative\": [\"no\"], \"positive\": " \
    "[\"yes\"], \"fields\": [{\"kind\": \"number\", \"mean\": 1, \"indicator\": true}, "          \
    "{\"kind\": "                                                                                 \
    "\"label\"}]"
    static const char one[] = SEPARATES("[]", "1");
    CHECK(!checker_run("?,yes\n", FIELD("indicator", ","), SEPARATES("[[2, 1]]", "0")));
    CHECK(checker_run("?,yes\n", FIELD("mean", ","), one) == HALFSPACE_UNREADABLE);
    CHECK(strstr(checker_reason, "an indicator belongs to no feature") != NULL);
    CHECK(!checker_run("1 yes  \r\n", FIELD("indicator", " "), one));
    CHECK(!checker_run("1  yes\r", FIELD("indicator", " "), one));
    CHECK(!checker_run("1,\"yes\"\r\n\r\n", FIELD("indicator", ","), one));
    CHECK(checker_run("1  \ryes\n", FIELD("indicator", " "), one) == HALFSPACE_UNREADABLE);
    CHECK(strstr(checker_reason, "a carriage return inside a line") != NULL);
    CHECK(checker_run("1\r,yes\n", FIELD("indicator", ","), one) == HALFSPACE_UNREADABLE);
    CHECK(checker_run("1,yes\r\r\n", FIELD("indicator", ","), one) == HALFSPACE_UNREADABLE);
    static const char meet[] = "\"claims\": [{\"claim\": \"separable\", \"offset\": true, "
                               "\"kernel\": [\"sum\", [\"intersection\"], [\"const\", 1]], "
                               "\"separator\": {\"rows\": [], \"b\": 1}}]";
    CHECK(!checker_run("1 1:1\n1 2:1\n", LIBSVM("2", "2"), meet));
    CHECK(checker_run("1 1:1\n1 2:-1\n", LIBSVM("2", "2"), meet) == HALFSPACE_REJECTED);
    CHECK(strstr(checker_reason, "values that are not below 0") != NULL);
}

static void test_transform(void)
{
    /* (x1 - 1/2) 4 and x2, at 1 and 0: 2 and -2. */
    CHECK(!checker_run(
        "1 1:1 2:.25\n-1 2:.25\n", LIBSVM("2", "2"),
        "\"transform\": [[1, \"1/2\", 4]], "
        "\"claims\": [{\"claim\": \"separable\", \"offset\": true, \"separator\": {\"w\": "
        "[[1, 1]]}, \"margin\": {\"low\": 2, \"high\": 2}, \"multipliers\": [[1, 1], [2, "
        "1]]}]"));
    CHECK_TEXT(checker_reason, "");
    CHECK(checker_run("1 1:1\n", LIBSVM("1", "2"),
                      "\"transform\": [[3, 0, 1]], " SEPARATES("[]", "1")) == HALFSPACE_UNREADABLE);
}

/* A row that fills its room to the last place (64), moved, in more than one claim. */
static void test_full_row(void)
{
    static const char claim[] = "{\"claim\": \"separable\", \"offset\": true, \"separator\": "
                                "{\"w\": [[1, 1]]}, \"margin\": {\"low\": 0}}";
    char data[8000], rest[1000];
    size_t used = 0;
    for (int y = 1; y >= -1; y -= 2) {
        used += (size_t)snprintf(data + used, sizeof data - used, "%d", y);
        for (int j = 1; j <= 64; j++)
            used += (size_t)snprintf(data + used, sizeof data - used, " %d:%de30", j, y * j);
        used += (size_t)snprintf(data + used, sizeof data - used, "\n");
    }
    snprintf(rest, sizeof rest, "\"transform\": [[1, 0, 1]], \"claims\": [%s, %s, %s, %s]", claim,
             claim, claim, claim);
    CHECK(!checker_run(data, LIBSVM("2", "64"), rest));
    CHECK_TEXT(checker_reason, "");
}

/* ---- A file that is another one when it is read again ---------------------------------------- */

typedef struct checker_changing {
    const char *texts[2];
    int starts, last; /* the second text comes behind `last` starts */
    size_t at;
} checker_changing;

static ssize_t checker_read(void *with, char *buffer, size_t size)
{
    checker_changing *f = with;
    const char *text = f->texts[f->starts > f->last];
    const size_t left = strlen(text) - f->at, got = left < size ? left : size;
    memcpy(buffer, text + f->at, got);
    f->at += got;
    return (ssize_t)got;
}

static int checker_seek(void *with, off64_t *offset, int whence)
{
    checker_changing *f = with;
    if (whence != SEEK_SET || *offset) return -1;
    f->starts++;
    f->at = 0;
    return 0;
}

static void test_file_changes(void)
{
    static const char before[] = "1 1:1\n-1 1:-1\n";
    static const char claims[] =
        "{\"claim\": \"separable\", \"offset\": true, \"separator\": {\"w\": [[1, 1]]}, "
        "\"margin\": {\"low\": 1, \"high\": 1}, \"multipliers\": [[1, 1], [2, 1]]}";
    char hash[65], cert[2000], longer[3000] = "1 1:1";
    const char *const after[2] = {longer, "1 60:1\n-1 1:-1\n"};
    for (int j = 2; j <= 200; j++)
        snprintf(longer + strlen(longer), sizeof longer - strlen(longer), " %d:1", j);
    checker_hex(before, strlen(before), hash);
    snprintf(cert, sizeof cert,
             "{\"format\": \"halfspace certificate\", \"version\": 1, \"data\": {\"file\": \"x\", "
             "\"sha256\": \"%s\", %s}, \"claims\": [%s, %s]}",
             hash, LIBSVM("2", "200"), claims, claims);
    int verified = 0;
    for (int k = 0; k < 24; k++) {
        const int last = k / 2;
        checker_changing file = {.texts = {before, after[k % 2]}, .last = last};
        FILE *data = fopencookie(
            &file, "r", (cookie_io_functions_t){.read = checker_read, .seek = checker_seek});
        FILE *text = fmemopen(cert, strlen(cert), "rb");
        const int status = halfspace_verify_streams(text, data, NULL, NULL, NULL);
        CHECK_NOTE(status == (file.starts > last ? HALFSPACE_REJECTED : HALFSPACE_VERIFIED),
                   "changed behind start %d: status %d", last, status);
        verified += !status;
        fclose(text);
        fclose(data);
    }
    CHECK(verified > 0 && verified < 20);
}

/* Counts that add up to 5 modulo 2^64, and to far more. */
static void test_sums_of_counts(void)
{
    enum { COUNTS = 18447 };
    static const char *const claims[2] = {
        "\"learner\": \"perceptron\", \"offset\": \"none\", \"separator\": {\"w\": []}, "
        "\"functional_margin\": 1, \"passes\": 999999999999999",
        "\"learner\": \"winnow\", \"variant\": \"winnow2\", \"alpha\": 2, \"threshold\": 1, "
        "\"disjunction\": [1]"};
    const size_t room = 40 * COUNTS + 1000;
    char *data = calloc(COUNTS + 1, 3), *cert = calloc(room, 1), hash[65];
    for (int i = 0; i < COUNTS; i++)
        memcpy(data + 3 * (size_t)i, "-1\n", 3);
    checker_hex(data, strlen(data), hash);
    for (int k = 0; k < 2; k++) {
        size_t used = (size_t)snprintf(
            cert, room,
            "{\"format\": \"halfspace certificate\", \"version\": 1, \"data\": {\"file\": \"x\", "
            "\"sha256\": \"%s\", %s}, \"claims\": [{\"claim\": \"mistakes\", %s, \"total\": 5, "
            "\"updates\": [",
            hash, LIBSVM("18447", "1"), claims[k]);
        uint64_t sum = 0;
        for (int i = 1; i <= COUNTS; i++) {
            const uint64_t count = i < COUNTS ? UINT64_C(999999999999999) : 5 - sum;
            sum += count;
            used += (size_t)snprintf(cert + used, room - used, "%s[%d, %llu]", i > 1 ? ", " : "", i,
                                     (unsigned long long)count);
        }
        CHECK(sum == 5);
        used += (size_t)snprintf(cert + used, room - used, "]}]}");
        FILE *files[2] = {fmemopen(cert, used, "rb"), fmemopen(data, strlen(data), "rb")};
        FILE *err = fmemopen(checker_reason, sizeof checker_reason, "w");
        CHECK(halfspace_verify_streams(files[0], files[1], NULL, NULL, err) == HALFSPACE_REJECTED);
        fclose(err);
        CHECK(strstr(checker_reason, "the updates of the rows are more than 10^15") != NULL);
        fclose(files[0]);
        fclose(files[1]);
    }
    free(data);
    free(cert);
}

/* ---- Winnow with a separator of known weight ---- */

#define WINNOW(variant, alpha, rest)                                                          \
    "\"claims\": [{\"claim\": \"mistakes\", \"learner\": \"winnow\", \"variant\": \"" variant \
    "\", \"alpha\": \"" alpha "\", " rest "}]"
#define SEPARATOR(w)   "\"separator\": {\"w\": [" w "]}"
#define THRESHOLD(t)   "\"threshold\": \"" t "\", "
#define COUNTS(u, k)   ", \"updates\": [" u "], \"total\": " k
#define BALANCED(w, b) "\"separator\": {\"w\": [" w "], \"b\": \"" b "\"}"

/* Rows of docs/winnow.md: two of three columns; one column, on or off; halves. What is at the bound
 * is accepted, one more is not, and neither is what a theorem does not speak of. */
static const char winnow_two[] = "-1\n-1 3:1\n-1 2:1\n1 2:1 3:1\n-1 1:1\n1 1:1 3:1\n1 1:1 2:1\n",
                  winnow_one[] = "1 1:1\n-1 1:0\n",
                  winnow_halves[] = "1 1:0.5 2:1\n1 1:1 2:.25\n-1 2:1\n";
#define ONES "[1, 1], [2, 1], [3, 1]"
#define TWO(alpha, t, w, u, k) \
    winnow_two, LIBSVM("7", "3"), WINNOW("winnow2", alpha, THRESHOLD(t) SEPARATOR(w) COUNTS(u, k))
#define ONE(alpha, offset, w, b, k) \
    winnow_one, LIBSVM("2", "1"),   \
        WINNOW("balanced", alpha,   \
               "\"offset\": \"" offset "\", " BALANCED(w, b) COUNTS("[1, " k "]", k))
#define HALVES(alpha, w, u, k)       \
    winnow_halves, LIBSVM("3", "2"), \
        WINNOW("winnow1", alpha, THRESHOLD("2") SEPARATOR(w) COUNTS(u, k))
static const struct {
    const char *data, *members, *claim;
    int status;
    const char *says;
} winnow_cases[] = {
    /* (15/ln 1.5)(ln(2.5/ln 1.5) - 1 - ln 3) + 18 = 7.6562... */
    {TWO("1.5", "3", ONES, "[4, 7]", "7"), 0, "= 7.65628 of the separator, S = 1.5."},
    {TWO("3/2", "3", ONES, "[4, 8]", "8"), 1, "8 mistakes are more than the bound, 7.65628"},
    {TWO("1.5", "3", ONES, "[1, 3], [4, 1]", "5"), 1, "add up to 4"},
    {TWO("1.5", "3", ONES, "[1, 4]", "4"), 1, "4 demotions are more than can be"},
    {TWO("1.5", "3", ONES, "[9, 1]", "1"), 1, "row 9 is named"},
    {TWO("1.9999", "3", ONES, "[4, 7]", "7"), 0, "S = 1.5"},
    {TWO("2", "3", ONES, "[4, 1]", "1"), 1, "alpha is too large for the separator"},
    {TWO("1.5", "3", "[1, 1], [2, 1]", "[4, 1]", "1"), 1, "does not separate"},
    {TWO("1.5", "3", "[1, 1], [2, 1], [3, -1]", "[4, 1]", "1"), 1, "a negative weight"},
    {TWO("1.5", "3", "", "[4, 1]", "1"), 1, "no weight"},
    {TWO("1", "3", ONES, "[4, 1]", "1"), 3, "alpha must be above 1"},
    {TWO("1.5", "0", ONES, "[4, 1]", "1"), 3, "above 0"},
    {TWO("1.5", "1/2", ONES, "[4, 9]", "9"), 0, "= 31.37094 of"},
    /* W = 3, b = 2: 8 9 ln(3 3/2) + 8 3 2 */
    {TWO("1.25", "3", ONES, "[4, 7]", "7"), 0, "8 W b n/theta = 156.293, where W = 3."},
    {winnow_two, LIBSVM("7", "3"),
     WINNOW("winnow2", "1.5", THRESHOLD("3") BALANCED(ONES, "-1") COUNTS("[4, 1]", "1")), 1,
     "b must be 0"},
    {winnow_two, LIBSVM("7", "3"),
     WINNOW("winnow1", "1.5", THRESHOLD("3") SEPARATOR(ONES) COUNTS("[4, 1]", "1")), 1,
     "as winnow1 needs it"},
    /* (ln 4 - H(1/3)) / (ln 1.4/3 - ln cosh ln 1.4) = 13.249..., and 24 ln 4 */
    {ONE("1.4", "unit", "[1, 2]", "-1", "13"), 0, "= 13.24991 of the separator, V/g = 3."},
    {ONE("1.4", "unit", "[1, 200]", "-100", "13"), 0, "(8/3) W^2 ln 2N = 33.27106, where W = 3"},
    {ONE("1.4", "unit", "[1, 2]", "-1", "14"), 1, "14 mistakes are more than the bound"},
    {ONE("1.1", "unit", "[1, 2]", "-1", "13"), 0, "V/g = 3."},
    {ONE("2.2", "unit", "[1, 2]", "-1", "1"), 1, "alpha is too large for the separator's margin"},
    {ONE("1.4", "unit", "[1, 1]", "-1", "1"), 1, "does not separate"},
    {ONE("1.4", "unit", "[1, -2]", "1", "1"), 1, "does not separate"},
    {ONE("1.4", "none", "[1, 2]", "-1", "1"), 1, "b must be 0"},
    {ONE("1.4", "none", "[1, 2]", "0", "1"), 1, "does not separate"},
    {ONE("1.4", "r2", "[1, 2]", "-1", "1"), 3, "offset"},
    /* one positive row alone, N = 1: ln 2 / ln 1.6, as ln 2 - ln cosh ln 2 = ln 2 - ln 5/4 */
    {"1 1:1\n", LIBSVM("1", "1"),
     WINNOW("balanced", "2", "\"offset\": \"none\", " SEPARATOR("[1, 7]") COUNTS("[1, 1]", "1")), 0,
     "= 1.474769 of the separator, V/g = 1."},
    {"1 1:1\n", LIBSVM("1", "1"),
     WINNOW("balanced", "2", "\"offset\": \"none\", " SEPARATOR("[1, 7]") COUNTS("[1, 2]", "2")), 1,
     "2 mistakes are more than the bound"},
    {winnow_one, LIBSVM("2", "1"),
     WINNOW("balanced", "1.4", THRESHOLD("1") BALANCED("[1, 2]", "-1") COUNTS("[1, 1]", "1")), 3,
     "threshold"},
    /* (4/ln 2)(ln(8/ln 2) - 1) + 1 */
    {HALVES("2", "[1, 1]", "[1, 7], [3, 2]", "9"), 0, "= 9.34428 of the separator, S = 2."},
    {HALVES("2", "[1, 1]", "[1, 8], [3, 2]", "10"), 1, "10 mistakes are more than the bound"},
    {HALVES("2", "[1, 1], [2, \"1/9\"]", "[1, 7]", "7"), 1, "as winnow1 needs it"},
    {HALVES("2", "[1, 1], [2, 9]", "[1, 7]", "7"), 1, "does not separate"},
    /* values beyond 0 and 1 */
    {"1 1:1.001\n-1 1:-.001\n", LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"offset\": \"unit\", \"clip\": \"0.001\", " BALANCED("[1, 2]", "-1")
                COUNTS("[1, 13]", "13")),
     0, "by no more than 0.001 count as 0 and 1"},
    {"1 1:1.001\n-1 1:-.001\n", LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"offset\": \"unit\", \"clip\": \"0.00099\", " BALANCED("[1, 2]", "-1")
                COUNTS("[1, 13]", "13")),
     1, "row 1 has a value that is not from 0 to 1"},
    {"1 1:1.001\n-1 1:-.001\n", LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"offset\": \"unit\", \"clip\": \"0.001\", " BALANCED("[1, 2]", "-0.9")
                COUNTS("[1, 1]", "1")),
     0, "V/g = 3.222222."},
    {"1 1:1.001\n-1 1:-.001\n", LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"offset\": \"unit\", \"clip\": \"0.001\", " BALANCED("[1, 2]", "-1.1")
                COUNTS("[1, 1]", "1")),
     0, "V/g = 3.444444."},
    {"1 1:1.002\n-1 1:-.001\n", LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"offset\": \"unit\", \"clip\": \"0.002\", " BALANCED("[1, 2]", "-1")
                COUNTS("[1, 1]", "1")),
     3, "clip: must be from 0 to 0.001"},
    {"1 1:1\n-1 1:-1e-99\n", LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"offset\": \"unit\", " BALANCED("[1, 2]", "-1") COUNTS("[1, 1]", "1")),
     1, "row 2 has a value that is not from 0 to 1"},
};

static void test_winnow(void)
{
    for (size_t i = 0; i < sizeof winnow_cases / sizeof *winnow_cases; i++) {
        const int status =
            checker_run(winnow_cases[i].data, winnow_cases[i].members, winnow_cases[i].claim);
        CHECK_NOTE(status == winnow_cases[i].status, "case %zu: status %d %s%s", i, status,
                   checker_said, checker_reason);
        CHECK_NOTE(strstr(status ? checker_reason : checker_said, winnow_cases[i].says) != NULL,
                   "case %zu: %s%s", i, checker_said, checker_reason);
    }
}

/* Margins that doubles cannot tell from 0, and numbers of a thousand digits. */
static void test_exact(void)
{
    CHECK(!checker_run(
        "1 1:1.000000000000000000000000000001\n-1 1:1\n", LIBSVM("2", "1"),
        "\"claims\": [{\"claim\": \"separable\", \"offset\": true, \"separator\": {\"w\": "
        "[[1, 1]], \"b\": \"-1.0000000000000000000000000000005\"}, \"margin\": {\"low\": "
        "\"5e-31\", \"high\": \"5e-31\"}, \"multipliers\": [[1, 1], [2, 1]]}]"));
    CHECK_TEXT(checker_reason, "");
    CHECK(
        !checker_run("1 1:1e-1000\n-1 1:-1e1000\n", LIBSVM("2", "1"), SEPARATES("[[1, 1]]", "0")));
    /* A vector of all columns would not fit anywhere. */
    CHECK(checker_run("1 1:1\n", LIBSVM("1", "4294967294"), SEPARATES("[[4294967294, 1]]", "0")) ==
          HALFSPACE_UNREADABLE);
    CHECK(checker_run("1 1:1e-9000\n", LIBSVM("1", "1"), SEPARATES("[[1, 1]]", "0")) ==
          HALFSPACE_UNREADABLE);
}

/* ---- Rows of both files ---------------------------------------------------------------------- */

#define TABLE(rows, columns, base, negative, positive)                                            \
    "\"rows\": " rows ", \"columns\": " columns ", \"format\": \"libsvm\", \"index_base\": " base \
    ", \"negative\": [" negative "], \"positive\": [" positive "], \"others\": \"drop\""
#define ERROR(w, shared, rows, mistakes)                                                           \
    "{\"claim\": \"error\", \"separator\": {\"w\": " w                                             \
    "}, \"tie\": \"mistake\", \"shared\": " shared ", \"rows\": " rows ", \"mistakes\": " mistakes \
    ", \"delta\": 0.5, \"upper\": 0.9}"

static void test_error_says(void)
{
    static const char both[] = TABLE("2", "2", "1", "\"-1\"", "\"1\"");
    static const char data[] = "1 1:1\n-1 1:-1\n";
    CHECK(!checker_pair(data, both, "1 1:2\n-1 1:-2\n", both, ERROR("[[1, 1]]", "0", "2", "0")));
    CHECK_TEXT(checker_reason, "");
    CHECK(strstr(checker_said, "data: \"a b\" is the file that was certified as \"x\": 2 rows"));
    CHECK(strstr(checker_said, "test: this is the file that was certified as \"z\": 2 rows"));
    CHECK(strstr(checker_said, "0 mistakes on 2 rows of test that are not in data (\"a b\").\n"));
    CHECK(strstr(checker_said, "come independently, the true error is at most 0.9 with"));
    CHECK(!strstr(checker_said, "do not count"));
    /* One row is in DATA: the bound is for rows that are not. */
    CHECK(!checker_pair(data, both, "1 1:1.0 2:0\n-1 1:-2\n", both,
                        ERROR("[[1, 1]]", "1", "1", "0")));
    CHECK(strstr(checker_said, "1 rows of test are in data, and do not count."));
    CHECK(strstr(checker_said, ", the error on rows that are not in data \"a b\" is at most 0.9"));
    CHECK(checker_pair(data, both, "1 1:1\n-1 1:-2\n", both, ERROR("[[1, 1]]", "0", "2", "0")) ==
          HALFSPACE_REJECTED);
    /* One row of TEST is left out. */
    CHECK(!checker_pair(data, both, "1 1:2\n2 1:5\n-1 1:-2\n", both,
                        ERROR("[[1, 1]]", "0", "2", "0")));
    CHECK(strstr(checker_said, ", the error on rows of these labels is at most 0.9"));
}

/* No row of DATA passes for a new one. */
static void test_error_files(void)
{
    static const char both[] = TABLE("2", "2", "1", "\"-1\"", "\"1\"");
    static const char data[] = "1 1:1\n-1 1:-1\n", more[] = "1 1:1\n-1 1:-1\n\n";
    /* Another first column, the same file, classes the other way round. */
    CHECK(checker_pair(data, both, more, TABLE("2", "2", "0", "\"-1\"", "\"1\""),
                       ERROR("[[2, 1]]", "0", "2", "0")) == HALFSPACE_REJECTED);
    CHECK(strstr(checker_reason, "the two files are not read in the same way"));
    CHECK(checker_pair(data, TABLE("1", "2", "1", "\"-1\"", ""), data,
                       TABLE("1", "2", "1", "", "\"1\""),
                       ERROR("[[1, 1]]", "0", "1", "0")) == HALFSPACE_REJECTED);
    CHECK(strstr(checker_reason, "the two files are the same"));
    CHECK(checker_pair(data, both, "1 1:2\n-1 1:-2\n", TABLE("2", "2", "1", "\"1.0\"", "\"-1\""),
                       ERROR("[[1, -1]]", "0", "2", "0")) == HALFSPACE_REJECTED);
    CHECK(
        strstr(checker_reason, "label \"1.0\" is positive in one file and negative in the other"));
    /* A row that DATA leaves out is in DATA. */
    CHECK(checker_pair(data, TABLE("1", "2", "1", "\"-1\"", ""), more,
                       TABLE("1", "2", "1", "", "\"1\""),
                       ERROR("[[1, 1]]", "0", "1", "0")) == HALFSPACE_REJECTED);
    CHECK(strstr(checker_reason, "1 rows of test are in data, 0 are certified"));
    /* Rows that are left out are sound all the same. */
    CHECK(checker_run("1 1:1\n2 x\n", TABLE("1", "2", "1", "\"-1\"", "\"1\""),
                      SEPARATES("[[1, 1]]", "0")) == HALFSPACE_UNREADABLE);
}

#define FIELDS(header, missing, fields)                                                           \
    "\"rows\": 1, \"columns\": 1, \"format\": \"csv\", \"separator\": \",\", \"header\": " header \
    ", \"missing\": \"" missing                                                                   \
    "\", \"negative\": [\"no\"], \"positive\": [\"yes\"], \"fields\": [" fields                   \
    ", {\"kind\": \"label\"}]"

static void test_error_fields(void)
{
    static const char number[] = FIELDS("false", "mean", "{\"kind\": \"number\", \"mean\": 1}");
    static const char *const others[] = {
        FIELDS("false", "mean", "{\"kind\": \"number\", \"mean\": 2}"),
        FIELDS("false", "error", "{\"kind\": \"number\", \"mean\": 1}"),
        FIELDS("false", "mean", "{\"kind\": \"number\"}"),
        FIELDS("false", "mean", "{\"kind\": \"category\", \"values\": [\"2\"]}"),
        FIELDS("false", "mean", "{\"kind\": \"number\", \"mean\": 1}, {\"kind\": \"ignored\"}")};
    CHECK(!checker_pair("1,yes\n", number, "2,yes\n", number, ERROR("[[1, 1]]", "0", "1", "0")));
    CHECK_TEXT(checker_reason, "");
    CHECK(!checker_pair("1,yes\n", number, "n,class\n2,yes\n",
                        FIELDS("true", "mean", "{\"kind\": \"number\", \"mean\": \"1.0\"}"),
                        ERROR("[[1, 1]]", "0", "1", "0")));
    CHECK_TEXT(checker_reason, "");
    CHECK(strstr(checker_said, "test: the first record is taken for names.\n"));
    CHECK(strstr(checker_said,
                 "data: values that are missing become the means that are certified.\n"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK(checker_pair("1,yes\n", number, i == 4 ? "2,3,yes\n" : "2,yes\n", others[i],
                           ERROR("[[1, 1]]", "0", "1", "0")) == HALFSPACE_REJECTED);
        CHECK_NOTE(strstr(checker_reason, "not read in the same way") != NULL, "%zu: %s", i,
                   checker_reason);
    }
    CHECK(!checker_pair("1,2,yes\n", others[4], "2,3,yes\n", others[4],
                        ERROR("[[1, 1]]", "0", "1", "0")));
    CHECK(strstr(checker_said, "test: 1 of 3 fields are ignored.\n"));
}

/* Lines that the certificate would like to have in the report. */
static void test_forged(void)
{
    static const char data[] = "1 1:1\n-1 1:-1\n", test[] = "\"x\\y\" 1:2\n";
    static const char odd[] =
        TABLE("1", "2", "1", "",
              "\"\\\"x\\\\y\\\"\", \"v\\nverified: \\u001b[2J\\u009b\\u202e\xff\\u00e9\"");
    CHECK(!checker_pair(data, TABLE("2", "2", "1", "\"-1\"", "\"1\""), test, odd,
                        ERROR("[[1, 1]]", "0", "1", "0")));
    CHECK_TEXT(checker_reason, "");
    CHECK(strstr(checker_said, "positive: \"\\\"x\\\\y\\\"\", \"v\\x0averified: \\x1b[2J\\xc2\\x9b"
                               "\\xe2\\x80\\xae\\xff\xc3\xa9\"; negative: no label.\n"));
    CHECK(checker_run(data, LIBSVM("2", "2") ", \"a\\nverified: b\": 1", SEPARATES("[]", "0")) ==
          HALFSPACE_UNREADABLE);
    CHECK_TEXT(checker_reason, "member \"a\\x0averified: b\" has no place here\n");
    char members[1000] = LIBSVM("2", "2") ", \"note\": \"\"";
    char *label = strstr(members, "\"1\""), tail[400];
    snprintf(tail, sizeof tail, "%s", label + 2);
    memset(label + 1, 'l', 300);
    strcpy(label + 301, tail);
    CHECK(checker_pair("-1 1:1\n-1 1:-1\n", members, data, LIBSVM("2", "2"),
                       ERROR("[[1, 1]]", "1", "1", "0")) == HALFSPACE_REJECTED);
    CHECK(strstr(checker_said, "lll\"...; negative: \"-1\".\n"));
}

/* A sentence says no more than was checked. */
static void test_says(void)
{
    static const char data[] = "1 1:1\n-1 1:-1\n";
#define UPDATES(model)                                                                           \
    "\"claims\": [{\"claim\": \"mistakes\", \"learner\": \"perceptron\", \"offset\": \"none\", " \
    "\"updates\": [[1, 1]], \"total\": 1, \"model\": {" model                                    \
    "}, \"separator\": {\"w\": [[1, 1]]}}]"
    CHECK(!checker_run(data, LIBSVM("2", "1"), UPDATES("\"w\": [[1, 1]]")));
    CHECK(strstr(checker_said, "rebuild the model exactly.\n") != NULL);
    CHECK(!checker_run(data, LIBSVM("2", "1"),
                       UPDATES("\"w\": [[1, -123456]], \"b\": 77, \"within\": 1e9")));
    CHECK(strstr(checker_said, "rebuild the model, each of its numbers within 1e9.\n") != NULL);
    CHECK(!checker_run(
        data, LIBSVM("2", "1"),
        "\"claims\": [{\"claim\": \"mistakes\", \"learner\": \"experts\", \"beta\": \"1/3\", "
        "\"negated\": false, \"tie\": \"mistake\", \"passes\": 3, \"abstain\": [1], \"total\": 0, "
        "\"best\": {\"column\": 1, \"negated\": false, \"mistakes\": 0}}]"));
    CHECK(strstr(checker_said, "of 1 experts (beta 1/3, ties mistakes, passes 3, columns that may "
                               "abstain 1) makes 0 mistakes") != NULL);
}

/* What is not of the format is refused, not passed over. */
static void test_format(void)
{
    static const char data[] = "1 1:1\n-1 1:-1\n";
    static const char sound[] = SEPARATES("[[1, 1]]", "0");
    static const char *const bad[] = {
        "\"claims\": []",
        "\"claims\": [{\"claim\": \"sound\"}]",
        "\"claims\": [1]",
        SEPARATES("[[1, 1]]", "0") ", \"more\": 1",
        SEPARATES("[[1, 1]]", "0") ", \"version\": 1",
        SEPARATES("[[1, 1], [1, 2]]", "0"),
        SEPARATES("[[0, 1]]", "0"),
        SEPARATES("[[2, 1]]", "0"),
        SEPARATES("[[1, \"1/0\"]]", "0"),
        SEPARATES("[[1, \"one\"]]", "0"),
        SEPARATES("[[1, \"0x\"]]", "0"),
        SEPARATES("[[1, \"0x1p\"]]", "0"),
        SEPARATES("[[1, \"-/3\"]]", "0"),
        SEPARATES("[[1, 1e6000]]", "0"),
        SEPARATES("{}", "0"),
        SEPARATES("[[1, 1]", "0"),
        SEPARATES("[[1, 01]]", "0"),
        "\"claims\": [{\"claim\": \"separable\", \"offset\": 1, \"separator\": {\"w\": []}}]",
        "\"claims\": [{\"claim\": \"separable\", \"offset\": true, \"separator\": {\"rows\": []}}]",
        "\"claims\": [{\"claim\": \"separable\", \"offset\": true, \"kernel\": [\"poly\", 0, "
        "\"1\"], "
        "\"separator\": {\"rows\": []}}]",
        "\"claims\": [{\"claim\": \"separable\", \"offset\": true, \"kernel\": [\"const\", "
        "\"-1\"], "
        "\"separator\": {\"rows\": []}}]",
        "\"claims\": [{\"claim\": \"separable\", \"offset\": true, \"kernel\": [\"sigmoid\", 1, "
        "1], "
        "\"separator\": {\"rows\": []}}]"};
    CHECK(!checker_run(data, LIBSVM("2", "1"), sound));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_NOTE(checker_run(data, LIBSVM("2", "1"), bad[i]) == HALFSPACE_UNREADABLE, "%s",
                   bad[i]);
        CHECK_NOTE(checker_reason[0] && checker_reason[0] != '\n', "no reason for %s", bad[i]);
    }
    CHECK(!checker_run(data, LIBSVM("2", "1") ", \"note\": \"\\u00e9\\ud83d\\ude00\"", sound));
    CHECK(checker_run(data, LIBSVM("2", "1") ", \"note\": \"\\ud83d\"", sound) ==
          HALFSPACE_UNREADABLE);
    CHECK(checker_run(data, LIBSVM("2", "1") ", \"header\": true", sound) == HALFSPACE_UNREADABLE);
    char deep[500] = "\"note\": ";
    memset(deep + 8, '[', 200);
    CHECK(checker_run(data, deep, sound) == HALFSPACE_UNREADABLE);
}

static void test_files_missing(void)
{
    CHECK(halfspace_verify("tests/verify/cases/none.json", "tests/verify/cases/line.data", NULL,
                           NULL, NULL) == HALFSPACE_UNREADABLE);
    CHECK(halfspace_verify("tests/verify/cases/line.json", "tests/verify/cases/none", NULL, NULL,
                           NULL) == HALFSPACE_UNREADABLE);
    CHECK(halfspace_verify("tests/verify/cases/line.json", "tests/verify/cases/line.data", NULL,
                           NULL, NULL) == HALFSPACE_VERIFIED);
    CHECK(halfspace_verify("tests/verify/cases/line.json", "tests/verify/cases/common.data", NULL,
                           NULL, NULL) == HALFSPACE_REJECTED);
    /* One file too many, and one too few. */
    CHECK(halfspace_verify("tests/verify/cases/line.json", "tests/verify/cases/line.data",
                           "tests/verify/cases/line.data", NULL, NULL) == HALFSPACE_UNREADABLE);
    CHECK(halfspace_verify("tests/verify/cases/error.json", "tests/verify/cases/error.data", NULL,
                           NULL, NULL) == HALFSPACE_UNREADABLE);
}

int main(void)
{
    RUN(test_hash);
    RUN(test_decimals);
    RUN(test_exponential);
    RUN(test_logarithm);
    RUN(test_libsvm);
    RUN(test_csv);
    RUN(test_refused);
    RUN(test_transform);
    RUN(test_full_row);
    RUN(test_file_changes);
    RUN(test_sums_of_counts);
    RUN(test_exact);
    RUN(test_winnow);
    RUN(test_error_says);
    RUN(test_error_files);
    RUN(test_error_fields);
    RUN(test_forged);
    RUN(test_says);
    RUN(test_format);
    RUN(test_files_missing);
    return check_done();
}
