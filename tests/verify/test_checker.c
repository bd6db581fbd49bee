/* The checker's parts: its hash, its numbers, its enclosures, its readers, and what it says of
 * files that are not as they should be. */
#include "check.h"

#include "verify/full.h"

/* ---- Helpers --------------------------------------------------------------------------------- */

static char checker_reason[2000], checker_said[4000];

/* A certificate with these members of "data" and behind it, about this file. */
static int checker_run(const char *data, const char *members, const char *rest)
{
    char hash[65], cert[8000];
    hsv_digest(data, strlen(data), hash);
    snprintf(cert, sizeof cert,
             "{\"format\": \"halfspace certificate\", \"version\": 2, \"data\": {\"file\": \"x\", "
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
    hsv_digest(data, strlen(data), hash[0]);
    hsv_digest(test, strlen(test), hash[1]);
    snprintf(cert, sizeof cert,
             "{\"format\": \"halfspace certificate\", \"version\": 2, \"data\": {\"file\": \"x\", "
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
    char hex[65], *million = malloc(1000000);
    hsv_digest("", 0, hex);
    CHECK_TEXT(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hsv_digest("abc", 3, hex);
    CHECK_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hsv_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    CHECK_TEXT(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(million, 'a', 1000000);
    hsv_digest(million, 1000000, hex);
    CHECK_TEXT(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void test_decimals(void)
{
    static const struct {
        const char *text;
        int sound;
        long mantissa, exponent;
    } cases[] = {
        {"1", 1, 1, 0},        {"-2.5", 1, -25, -1},  {"+.5", 1, 5, -1},     {"3.", 1, 3, 0},
        {"1e-3", 1, 1, -3},    {"1.50E2", 1, 150, 0}, {"-0", 1, 0, 0},       {"", 0, 0, 0},
        {".", 0, 0, 0},        {"e5", 0, 0, 0},       {"1e", 0, 0, 0},       {"1e+", 0, 0, 0},
        {"1 ", 0, 0, 0},       {"0x10", 0, 0, 0},     {"1.2.3", 0, 0, 0},    {"nan", 0, 0, 0},
        {"1e99999", -1, 0, 0}, {"--1", 0, 0, 0},      {"1e-99999", -1, 0, 0}};
    mpz_t mantissa;
    mpz_init(mantissa);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        long exponent = 0;
        const int sound = hsv_decimal(cases[i].text, strlen(cases[i].text), mantissa, &exponent);
        CHECK_NOTE(sound == cases[i].sound, "'%s'", cases[i].text);
        if (sound > 0 && cases[i].sound > 0)
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
    static const char rest[] = SEPARATES("[[1, \"1\"], [3, \"-1/2\"]]", "-0.25");
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
    CHECK(strstr(checker_reason, "\"2\" is of no class") != NULL);
    CHECK(!checker_run("2 1:1\n1 1:1\n", LIBSVM("1", "3") ", \"others\": \"drop\"", rest));
}

#define CSV(rows, columns, header, missing)                                                        \
    "\"rows\": " rows ", \"columns\": " columns                                                    \
    ", \"format\": \"csv\", \"separator\": \",\", \"header\": " header ", \"missing\": \"" missing \
    "\", \"negative\": [\"no\"], \"positive\": [\"yes\", \"NA\"], \"fields\": "

static void test_csv(void)
{
    static const char fields[] =
        "[{\"kind\": \"number\"}, {\"kind\": \"category\", \"values\": "
        "[\"a,\\\"b\", \"c\"], \"unseen\": true}, {\"kind\": \"ignored\"}, "
        "{\"kind\": \"label\"}]";
    static const char means[] =
        "[{\"kind\": \"number\", \"mean\": \"1/3\"}, {\"kind\": \"category\", \"values\": "
        "[\"b\", \"c\"], \"unseen\": true}, {\"kind\": \"ignored\"}, {\"kind\": \"label\"}]";
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
    snprintf(members, sizeof members, "%s%s", CSV("1", "3", "false", "mean"), means);
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
    "[\"yes\"], \"fields\": [{\"kind\": \"number\", \"indicator\": true}, "                       \
    "{\"kind\": "                                                                                 \
    "\"label\"}]"
    static const char one[] = SEPARATES("[]", "1");
    CHECK(!checker_run("?,yes\n", FIELD("indicator", ","), SEPARATES("[[2, 1]]", "0")));
    CHECK(checker_run("?,yes\n", FIELD("mean", ","), one) == HALFSPACE_UNREADABLE);
    CHECK(strstr(checker_reason, "an indicator is for missing values") != NULL);
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

/* ---- Runs that are replayed ------------------------------------------------------------------ */

#define RUN_OF(learner, rest) \
    "\"claims\": [{\"claim\": \"mistakes\", \"learner\": \"" learner "\", " rest "}]"
#define PERCEPTRON(rest) \
    RUN_OF("perceptron", "\"offset\": \"none\", \"separator\": {\"w\": [[1, 1]]}, " rest)
#define SEQUENCE(rows, total) "\"order\": \"sequence\", \"sequence\": [" rows "], \"total\": " total
#define CYCLIC(passes, total) "\"order\": \"cyclic\", \"passes\": " passes ", \"total\": " total
#define WINNOW(variant, alpha, rest) \
    RUN_OF("winnow",                 \
           "\"variant\": \"" variant "\", \"alpha\": \"" alpha "\", \"separator\": {" rest)
#define TWO(alpha, t, w, run)     \
    winnow_two, LIBSVM("7", "3"), \
        WINNOW("winnow2", alpha, "\"w\": [" w "]}, \"threshold\": \"" t "\", " run)
#define ONE(alpha, offset, w, b, run) \
    winnow_one, LIBSVM("2", "1"),     \
        WINNOW("balanced", alpha,     \
               "\"w\": [" w "], \"b\": \"" b "\"}, \"offset\": \"" offset "\", " run)

/* Rows of docs/winnow.md: two of three columns; one column, on or off. */
static const char replay_line[] = "1 1:3\n-1 1:-1\n-1 1:-2\n", replay_both[] = "1 1:1\n-1 1:1\n",
                  winnow_two[] = "-1\n-1 3:1\n-1 2:1\n1 2:1 3:1\n-1 1:1\n1 1:1 3:1\n1 1:1 2:1\n",
                  winnow_one[] = "1 1:1\n-1 1:0\n";
#define ONES "[1, 1], [2, 1], [3, 1]"
static const struct {
    const char *data, *members, *claim;
    int status;
    const char *says;
} replay_cases[] = {
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(CYCLIC("5", "1") ", \"converged\": true"), 0,
     "the run had converged: no row would be updated any more.\n"},
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(SEQUENCE("2", "1") ", \"converged\": true"), 0,
     "updates, replayed, number 1;"},
    /* After any first update all rows are right. */
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(SEQUENCE("2, 3", "2")), 1,
     "update 2 is of row 3, which was no mistake then"},
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(CYCLIC("5", "2")), 1, "makes 1 updates"},
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(SEQUENCE("", "0") ", \"converged\": true"), 1,
     "the run had not converged: row 1 would be updated"},
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(SEQUENCE("4", "1")), 1, "row 4 is named"},
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(SEQUENCE("0", "1")), 1, "row 0 is named"},
    {replay_line, LIBSVM("3", "1"), PERCEPTRON("\"order\": \"cyclic\", \"total\": 1"), 3, "passes"},
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(CYCLIC("1", "1") ", \"sequence\": [1]"), 3,
     "passes"},
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(CYCLIC("1", "1") ", \"updates\": [[1, 1]]"), 3,
     "\"updates\" has no place here"},
    /* One point in both classes: the counts differ by 1 at most. */
    {replay_both, LIBSVM("2", "1"),
     PERCEPTRON(
         SEQUENCE("1, 2, 1, 2, 1, 1, 1, 2", "8") ", \"functional_margin\": 1, \"passes\": 5"),
     1, "update 6 is of row 1, which was no mistake then"},
    {replay_both, LIBSVM("2", "1"),
     PERCEPTRON(SEQUENCE("1, 2, 1", "3") ", \"functional_margin\": 1, \"passes\": 1"), 1,
     "a row was updated 2 times in 1 passes"},
    {replay_both, LIBSVM("2", "1"),
     PERCEPTRON(SEQUENCE("1, 2, 1", "3") ", \"functional_margin\": 1, \"passes\": 2"), 0,
     "((sqrt(R~^2 + 2 tau/rate) ||w~*|| + D) / g)^2, of rows that need not be separable,"},
    /* The model is that of the run. */
    {replay_line, LIBSVM("3", "1"), PERCEPTRON(CYCLIC("2", "1") ", \"model\": {\"w\": [[1, 3]]}"),
     0, "the run ends with the weights of the claim, each number within 0.\n"},
    {replay_line, LIBSVM("3", "1"),
     PERCEPTRON(CYCLIC("2", "1") ", \"model\": {\"w\": [[1, \"3.5\"]]}"), 1,
     "the run does not end with the model"},
    {replay_line, LIBSVM("3", "1"),
     PERCEPTRON(CYCLIC("2", "1") ", \"model\": {\"w\": [[1, \"3.5\"]], \"within\": \"1/2\"}"), 0,
     "the run ends with the weights of the claim, each number within 1/2.\n"},
    /* Two of three: (15/ln 1.5)(ln(2.5/ln 1.5) - 1 - ln 3) + 18 = 7.6562... */
    {TWO("1.5", "3", ONES, CYCLIC("9", "2")), 0, "about 7.65628.\n"},
    {TWO("1.5", "3", ONES, SEQUENCE("4, 6", "2")), 0, "order sequence"},
    {TWO("1.5", "3", ONES, SEQUENCE("7, 7, 7", "3")), 1,
     "update 2 is of row 7, which was no mistake then"},
    {TWO("1.5", "3", ONES, SEQUENCE("1", "1")), 1, "update 1 is of row 1"},
    {TWO("1.5", "3", ONES, CYCLIC("9", "3")), 1, "makes 2 updates"},
    {TWO("2", "3", ONES, CYCLIC("9", "1")), 1, "alpha is too large for the separator"},
    {TWO("1.5", "3", "[1, 1], [2, 1]", CYCLIC("9", "2")), 1, "does not separate"},
    {TWO("1.5", "3", "[1, 1], [2, 1], [3, -1]", CYCLIC("9", "2")), 1, "a negative weight"},
    {TWO("1.5", "3", "", CYCLIC("9", "2")), 1, "no weight"},
    {TWO("1", "3", ONES, CYCLIC("9", "2")), 3, "alpha must be above 1"},
    {TWO("1.5", "0", ONES, CYCLIC("9", "2")), 3, "above 0"},
    /* A threshold of 1 is reached at once: a tie is positive, unless the certificate says else. */
    {"1 1:1\n", LIBSVM("1", "1"),
     WINNOW("winnow2", "2", "\"w\": [[1, 1]]}, \"threshold\": 1, " CYCLIC("3", "0")), 0,
     "0 mistakes"},
    {"1 1:1\n", LIBSVM("1", "1"),
     WINNOW("winnow2", "2", "\"w\": [[1, 1]]}, \"threshold\": 1, " CYCLIC("3", "1")), 1, "makes 0"},
    {"1 1:1\n", LIBSVM("1", "1"),
     WINNOW("winnow2", "2",
            "\"w\": [[1, 1]]}, \"threshold\": 1, \"tie\": \"mistake\", " CYCLIC("3", "1")),
     0, "1 mistake, within"},
    /* (ln 4 - H(1/3)) / (ln 1.4/3 - ln cosh ln 1.4) = 13.249..., and 24 ln 4 */
    {ONE("1.4", "unit", "[1, 2]", "-1", CYCLIC("9", "3")), 0,
     "(8/3) W^2 ln 2N, about 33.27106, where W is about 3"},
    {ONE("1.4", "unit", "[1, 2]", "-1", "\"tie\": \"mistake\", " CYCLIC("9", "5")), 0,
     "about 13.24991.\n"},
    {ONE("1.4", "unit", "[1, 2]", "-1", CYCLIC("9", "5")), 1, "makes 3 updates"},
    {ONE("2.2", "unit", "[1, 2]", "-1", CYCLIC("9", "3")), 1,
     "alpha is too large for the separator's margin"},
    {ONE("1.4", "unit", "[1, 1]", "-1", CYCLIC("9", "3")), 1, "does not separate"},
    {ONE("1.4", "none", "[1, 2]", "-1", CYCLIC("9", "3")), 1, "b must be 0"},
    /* values beyond 0 and 1 */
    {"1 1:1.001\n-1 1:-.001\n", LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"w\": [[1, 2]], \"b\": -1}, \"offset\": \"unit\", \"clip\": \"0.001\", " CYCLIC("9",
                                                                                              "3")),
     0, "by no more than 0.001 count as 0 and 1"},
    {"1 1:1.001\n-1 1:-.001\n", LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"w\": [[1, 2]], \"b\": -1}, \"offset\": \"unit\", \"clip\": \"0.00099\", " CYCLIC(
                "9", "3")),
     1, "row 1 has a value that is not from 0 to 1"},
    {winnow_one, LIBSVM("2", "1"),
     WINNOW("balanced", "1.4",
            "\"w\": [[1, 2]], \"b\": -1}, \"offset\": \"unit\", \"clip\": \"0.002\", " CYCLIC("9",
                                                                                              "3")),
     3, "clip: must be from 0 to 0.001"},
};

static void test_replay(void)
{
    for (size_t i = 0; i < sizeof replay_cases / sizeof *replay_cases; i++) {
        const int status =
            checker_run(replay_cases[i].data, replay_cases[i].members, replay_cases[i].claim);
        CHECK_NOTE(status == replay_cases[i].status, "case %zu: status %d %s%s", i, status,
                   checker_said, checker_reason);
        CHECK_NOTE(strstr(status ? checker_reason : checker_said, replay_cases[i].says) != NULL,
                   "case %zu: %s%s", i, checker_said, checker_reason);
    }
}

/* ---- How a table is read --------------------------------------------------------------------- */

#define READ(missing, fields)                                                                     \
    "\"rows\": 4, \"columns\": 1, \"format\": \"csv\", \"separator\": \",\", \"header\": false, " \
    "\"missing\": \"" missing                                                                     \
    "\", \"negative\": [\"b\"], \"positive\": [\"a\"], \"fields\": [" fields                      \
    ", {\"kind\": \"label\"}]"
#define LIST(kind, values, more) "{\"kind\": \"" kind "\", \"values\": [" values "]" more "}"

static void test_reading(void)
{
    static const char data[] = "1,a\n2,b\n3,a\n4,b\n";
    static const char half[] = SEPARATES("[[1, -1]]", "1.5");
    /* What is no plain number is printed. */
    CHECK(!checker_run(
        data, READ("error", LIST("ordinal", "\"1\", \"3\", \"2\", \"4\"", ", \"codes\": true")),
        half));
    CHECK_TEXT(checker_reason, "");
    CHECK(strstr(checker_said, "data: field 2 is the label.\n"));
    CHECK(strstr(checker_said, "data: field 1 is ordinal, its numbers are codes: \"1\" < \"3\" < "
                               "\"2\" < \"4\".\n"));
    static const struct {
        const char *members, *says;
    } refused[] = {
        {READ("error", LIST("ordinal", "\"1\", \"3\", \"2\", \"4\"", "")), "needs \"codes\": true"},
        {READ("error", LIST("category", "\"-\"", "")), "a value in its list that no row has"},
        {READ("error", LIST("category", "\"-\"", ", \"unseen\": true")),
         "a value in its list that no row has"},
        {READ("error", LIST("category", "\"-\"", ", \"codes\": true")), "needs \"codes\": true"},
        {READ("error", LIST("category", "", "")), "an empty list of values"},
        {READ("error", LIST("category", "\"x\", \"x\"", "")), "\"x\" is there twice"},
        {READ("error", "{\"kind\": \"number\", \"values\": [\"1\"]}"),
         "\"values\" has no place here"},
        {READ("error", "{\"kind\": \"number\", \"mean\": 1}"), "a mean is for missing values"},
        {READ("mean", LIST("category", "\"x\"", ", \"mean\": 1")), "\"mean\" has no place here"},
        {READ("error", "{\"kind\": \"number\", \"codes\": true}"), "\"codes\" has no place here"},
        {READ("error", "{\"kind\": \"number\", \"indicator\": true}"),
         "an indicator is for missing"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK(checker_run(data, refused[i].members, half) == HALFSPACE_UNREADABLE);
        CHECK_NOTE(strstr(checker_reason, refused[i].says) != NULL, "case %zu: %s", i,
                   checker_reason);
    }
    CHECK(!checker_run("1,a\n?,b\n3,a\n?,b\n",
                       READ("mean", "{\"kind\": \"number\", \"mean\": \"-1000\"}"),
                       SEPARATES("[[1, 1]]", "0")));
    CHECK(strstr(checker_said, "data: field 1: 2 missing values become -1000.\n"));
    /* Labels and values that are not UTF-8. */
    CHECK(!checker_run(
        "caf\xe9 1:1\n-1 1:-1\n",
        "\"rows\": 2, \"columns\": 1, \"format\": \"libsvm\", \"index_base\": 1, \"negative\": "
        "[\"-1\"], \"positive\": [{\"hex\": \"636166e9\"}]",
        SEPARATES("[[1, 1]]", "0")));
    CHECK(strstr(checker_said, "positive: \"caf\\xe9\";"));
    CHECK(checker_run("cafe 1:1\n",
                      "\"rows\": 1, \"columns\": 1, \"format\": \"libsvm\", \"index_base\": 1, "
                      "\"negative\": [], \"positive\": [{\"hex\": \"63616665\"}]",
                      SEPARATES("[]", "1")) == HALFSPACE_UNREADABLE);
    CHECK(strstr(checker_reason, "hex is for text that is not UTF-8"));
}

static void test_separator(void)
{
    char members[500];
    for (int byte = 32; byte < 127; byte++) {
        const int refused = strchr("\"+-.", byte) || (byte >= '0' && byte <= '9') ||
                            ((byte | 32) >= 'a' && (byte | 32) <= 'z');
        snprintf(members, sizeof members,
                 "\"rows\": 1, \"columns\": 1, \"format\": \"csv\", \"separator\": \"%s%c\", "
                 "\"header\": false, \"negative\": [], \"positive\": [\"y\"], \"fields\": "
                 "[{\"kind\": \"number\"}, {\"kind\": \"label\"}]",
                 byte == '\\' || byte == '"' ? "\\" : "", byte);
        char data[] = "1,y\n";
        data[1] = (char)byte;
        CHECK_NOTE(checker_run(data, members, SEPARATES("[]", "1")) ==
                       (refused ? HALFSPACE_UNREADABLE : HALFSPACE_VERIFIED),
                   "separator '%c': %s", byte, checker_reason);
        if (!refused && byte != ',')
            CHECK_NOTE(strstr(checker_said, "data: fields are separated by "), "'%c'", byte);
    }
}

/* "Not separable" through the origin says so: the rows are separable with an offset. */
static void test_origin(void)
{
    static const char data[] = "-1 1:1\n1 1:2\n";
    CHECK(!checker_run(data, LIBSVM("2", "1"),
                       "\"claims\": [{\"claim\": \"not separable\", \"offset\": false, "
                       "\"multipliers\": [[1, 2], [2, 1]]}]"));
    CHECK(strstr(checker_said,
                 "not separable through the origin: with multipliers a > 0 on rows 1 and 2"));
    CHECK(strstr(checker_said, ": 0 is in the convex hull of the y x.\n"));
    CHECK(!checker_run(data, LIBSVM("2", "1"), SEPARATES("[[1, 1]]", "-1.5")));
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
    /* A vector of all columns would take gigabytes. */
    CHECK(checker_run("1 1:1\n", LIBSVM("1", "4294967294"), SEPARATES("[[134217728, 1]]", "0")) ==
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
    CHECK(strstr(checker_said,
                 "0 mistakes on 2 rows of test (2 of them distinct) that are not in data; a "
                 "score of 0 is a mistake.\n"));
    CHECK(strstr(checker_said,
                 "if the test rows were drawn independently, and neither the separator nor the "
                 "training data was chosen by looking at them, then with probability at "
                 "least 1 - 0.5 the true error is at most 0.9.\n"));
    CHECK(!strstr(checker_said, "do not count"));
    /* One row is in DATA: the bound is for rows that are not. */
    CHECK(!checker_pair(data, both, "1 1:1.0 2:0\n-1 1:-2\n", both,
                        ERROR("[[1, 1]]", "1", "1", "0")));
    CHECK(strstr(checker_said, "1 row of test is in data, not counted."));
    CHECK(strstr(checker_said, " the error on rows that are not in data is at most 0.9"));
    CHECK(checker_pair(data, both, "1 1:1\n-1 1:-2\n", both, ERROR("[[1, 1]]", "0", "2", "0")) ==
          HALFSPACE_REJECTED);
    /* One row of TEST is left out. */
    CHECK(!checker_pair(data, both, "1 1:2\n2 1:5\n-1 1:-2\n", both,
                        ERROR("[[1, 1]]", "0", "2", "0")));
    CHECK(strstr(checker_said, " the error on rows of these labels is at most 0.9"));
}

/* One bound says nothing of others; of several, the probability that all hold is printed. */
static void test_errors_together(void)
{
    static const char both[] = TABLE("2", "2", "1", "\"-1\"", "\"1\"");
    static const char data[] = "1 1:1\n-1 1:-1\n", test[] = "1 1:2\n-1 1:-2\n";
    static const char one[] = "{\"claim\": \"error\", \"separator\": {\"w\": [[1, 1]]}, \"tie\": "
                              "\"mistake\", \"rows\": 2, \"mistakes\": 0, \"upper\": 0.99, "
                              "\"delta\": ";
    char claims[1000];
    snprintf(claims, sizeof claims, "%s0.01}", one);
    CHECK(!checker_pair(data, both, test, both, claims));
    CHECK(!strstr(checker_said, "hold together"));
    snprintf(claims, sizeof claims, "%s0.01}, %s0.02}, %s0.125}", one, one, one);
    CHECK(!checker_pair(data, both, test, both, claims));
    CHECK(strstr(checker_said, "error: under the premises of each, all 3 bounds on the error hold "
                               "together with probability at least 0.845.\n"));
    snprintf(claims, sizeof claims, "%s0.5}, %s0.75}", one, one);
    CHECK(!checker_pair(data, both, test, both, claims));
    CHECK(strstr(checker_said, "all 2 bounds on the error hold together with probability at least "
                               "0.\n"));
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
    CHECK(strstr(checker_reason, "is positive in one file and negative in the other"));
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
        FIELDS("false", "error", "{\"kind\": \"number\"}"),
        FIELDS("false", "mean", "{\"kind\": \"number\"}"),
        FIELDS("false", "mean", "{\"kind\": \"category\", \"values\": [\"2\"], \"codes\": true}"),
        FIELDS("false", "mean", "{\"kind\": \"number\", \"mean\": 1}, {\"kind\": \"ignored\"}")};
    CHECK(!checker_pair("1,yes\n", number, "2,yes\n", number, ERROR("[[1, 1]]", "0", "1", "0")));
    CHECK_TEXT(checker_reason, "");
    CHECK(!checker_pair("1,yes\n", number, "n,class\n2,yes\n",
                        FIELDS("true", "mean", "{\"kind\": \"number\", \"mean\": \"1.0\"}"),
                        ERROR("[[1, 1]]", "0", "1", "0")));
    CHECK_TEXT(checker_reason, "");
    CHECK(strstr(checker_said, "test: the first record is taken for names, not for a row.\n"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK(checker_pair("1,yes\n", number, i == 4 ? "2,3,yes\n" : "2,yes\n", others[i],
                           ERROR("[[1, 1]]", "0", "1", "0")) == HALFSPACE_REJECTED);
        CHECK_NOTE(strstr(checker_reason, "not read in the same way") != NULL, "%zu: %s", i,
                   checker_reason);
    }
    CHECK(!checker_pair("1,2,yes\n", others[4], "2,3,yes\n", others[4],
                        ERROR("[[1, 1]]", "0", "1", "0")));
    CHECK(strstr(checker_said, "test: field 2 is ignored.\n"));
}

/* Lines that the certificate would like to have in the report. */
static void test_forged(void)
{
    static const char data[] = "1 1:1\n-1 1:-1\n", test[] = "\"x\\y\" 1:2\n";
    static const char odd[] =
        TABLE("1", "2", "1", "",
              "\"\\\"x\\\\y\\\"\", \"v\\nverified: "
              "\\u001b[2J\\u009b\\u202e\\u061c\\u00ad\\udb40\\udc41\\u00e9\"");
    CHECK(!checker_pair(data, TABLE("2", "2", "1", "\"-1\"", "\"1\""), test, odd,
                        ERROR("[[1, 1]]", "0", "1", "0")));
    CHECK_TEXT(checker_reason, "");
    CHECK(strstr(checker_said, "positive: \"\\\"x\\\\y\\\"\", \"v\\x0averified: \\x1b[2J\\xc2\\x9b"
                               "\\xe2\\x80\\xae\\xd8\\x9c\\xc2\\xad\\xf3\\xa0\\x81\\x81\xc3\xa9\"; "
                               "negative: no label.\n"));
    CHECK(checker_run(data, LIBSVM("2", "2") ", \"note\": \"\xff\"", SEPARATES("[]", "0")) ==
          HALFSPACE_UNREADABLE);
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
        SEPARATES("[[1, 1]]", "0") ", \"version\": 2",
        "\"transform\": [[1, 0, 0]], " SEPARATES("[[1, 1]]", "0"),
        "\"transform\": [], " SEPARATES("[[1, 1]]", "0"),
        "\"model\": {\"sha256\": \"0\"}, " SEPARATES("[[1, 1]]", "0"),
        SEPARATES("[[1, 1], [1, 2]]", "0"),
        SEPARATES("[[0, 1]]", "0"),
        SEPARATES("[[2, 1]]", "0"),
        SEPARATES("[[1, \"1/0\"]]", "0"),
        SEPARATES("[[1, \"one\"]]", "0"),
        SEPARATES("[[1, \"0x1p+0\"]]", "0"),
        SEPARATES("[[1, \"1/-2\"]]", "0"),
        SEPARATES("[[1, \"+1/2\"]]", "0"),
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
    RUN(test_exact);
    RUN(test_replay);
    RUN(test_reading);
    RUN(test_separator);
    RUN(test_origin);
    RUN(test_error_says);
    RUN(test_errors_together);
    RUN(test_error_files);
    RUN(test_error_fields);
    RUN(test_forged);
    RUN(test_says);
    RUN(test_format);
    return check_done();
}
