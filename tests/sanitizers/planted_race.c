/* Planted on purpose: two threads that write one variable without a lock. */
#include <pthread.h>
#include <stddef.h>

static int shared;

static void *race(void *unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++)
        shared++;
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, race, NULL);
    pthread_create(&two, NULL, race, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
