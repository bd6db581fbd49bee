/* Names: numbering, finding, sorting, and running out of memory. */
#include "base/names.h"

#include "base/context.h"
#include "base/random.h"
#include "check.h"

static uint32_t add(hsp__names *names, const char *name)
{
    uint32_t number = 12345;
    CHECK(hsp__names_add(names, name, strlen(name), &number));
    return number;
}

static hsp__names empty(void)
{
    hsp_context *ctx = NULL;
    hsp__names names;
    if (hsp_context_new(NULL, &ctx)) abort();
    hsp__names_init(&names, &ctx->allocator);
    hsp_context_free(ctx);
    return names;
}

static void test_numbering(void)
{
    hsp__names names = empty();
    CHECK(hsp__names_find(&names, "a", 1) == HSP__NAME_NONE);
    CHECK(add(&names, "a") == 0 && add(&names, "") == 1 && add(&names, "ab") == 2);
    CHECK(add(&names, "a") == 0 && names.count == 3);
    CHECK(hsp__names_find(&names, "ab", 2) == 2 && hsp__names_find(&names, "ab", 1) == 0);
    CHECK(hsp__names_size(&names, 1) == 0 && hsp__names_size(&names, 2) == 2);
    CHECK_TEXT(hsp__names_get(&names, 2), "ab");
    hsp__names_free(&names);
}

static void test_many(void)
{
    hsp__names names = empty();
    char name[32];
    for (unsigned i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "%u", i * 2654435761u);
        CHECK(add(&names, name) == i);
    }
    for (unsigned i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "%u", i * 2654435761u);
        CHECK(hsp__names_find(&names, name, strlen(name)) == i);
    }
    hsp__names_free(&names);
}

static void test_sorting(void)
{
    hsp__names names = empty();
    const char *given[] = {"b", "10", "-1", "a", "9", "", "1e1x", "0.5"};
    const char *sorted[] = {"-1", "0.5", "9", "10", "", "1e1x", "a", "b"};
    uint32_t map[8];
    for (int i = 0; i < 8; i++)
        add(&names, given[i]);
    CHECK(hsp__names_sort(&names, map));
    for (uint32_t i = 0; i < 8; i++) {
        CHECK_TEXT(hsp__names_get(&names, i), sorted[i]);
        CHECK_TEXT(hsp__names_get(&names, map[i]), given[i]);
    }
    hsp__names_free(&names);
}

int main(void)
{
    RUN(test_numbering);
    RUN(test_many);
    RUN(test_sorting);
    return check_done();
}
