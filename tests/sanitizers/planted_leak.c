/* Planted on purpose: a block that nothing points to any more. */
#include <stdlib.h>

static void leak(void)
{
    volatile char *block = malloc(1000);
    block[0] = 1;
}

int main(void)
{
    leak();
    return 0;
}
