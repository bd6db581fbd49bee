/* Planted on purpose: a shift by the width of the type. */
int main(int argc, char **argv)
{
    (void)argv;
    volatile int one = argc;
    volatile int shifted = one << (31 + argc);
    return shifted & 0;
}
