/* Planted on purpose: a read of a block that was freed. */
#include <stdlib.h>

int main(int argc, char **argv)
{
    (void)argv;
    volatile char *block = malloc(8);
    block[0] = (char)argc;
    free((void *)block);
    return block[0] - argc;
}
