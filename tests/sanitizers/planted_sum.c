/* Planted on purpose: a signed sum that overflows. */
#include <limits.h>

int main(int argc, char **argv)
{
    (void)argv;
    volatile int sum = INT_MAX;
    sum = sum + argc;
    return 0;
}
