/* Memory with a limit: an allocator that keeps resident memory below a size, however large the data.
 *
 * Blocks are in memory while there is room for them. A large block that does not fit is a file
 * without a name (the system removes it when the process ends, however it ends), mapped for reading
 * and writing. The kernel keeps such pages in its page cache and on disk, so any of them can be
 * given back at any time: MADV_DONTNEED on a shared mapping of a file removes pages from this
 * process and never loses a byte, even if another thread writes to them at that moment. So correct
 * results do not depend on what is given back or when. All algorithms run on such blocks as they run
 * on memory, and compute the same bits.
 *
 * A thread, the keeper, looks at the resident size of the process every quarter of a millisecond, and gives all
 * pages of files back once it is near the limit; threads that compute do the same at their ticks
 * (base/stop.h), so that no schedule of threads is trusted. A page that is needed again is in the
 * page cache as a rule, and costs a minor fault for 16 neighbours. What is not there comes from the
 * disk with what follows it, which the kernel reads ahead.
 *
 * docs/decisions/0030-memory-from-files.md compares this with blocks that solvers read themselves. */
#include "base/paging.h"

#include <sys/mman.h>

#include "base/base.h"

static int paging_holds(const hsp_allocator *memory, const void *pointer);

void hsp__advise_huge(const hsp_allocator *memory, void *pointer, uint64_t bytes)
{
#if defined(MADV_HUGEPAGE)
    const uintptr_t huge = (uintptr_t)2 << 20;
    const uintptr_t from = ((uintptr_t)pointer + huge - 1) & ~(huge - 1);
    const uintptr_t to = ((uintptr_t)pointer + bytes) & ~(huge - 1);
    if (to > from && !paging_holds(memory, pointer))
        madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)memory, (void)pointer, (void)bytes;
#endif
}

#if defined(__linux__) && !defined(__EMSCRIPTEN__)

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGING_LARGE  ((uint64_t)64 << 10) /* smaller blocks stay in memory */
#define PAGING_GROWS  ((uint64_t)1 << 20)  /* larger blocks in files grow where they are */
#define PAGING_HEAD   64                   /* bytes before a block in a file */
#define PAGING_FILES  ((uint64_t)16 << 20) /* of files that may be resident at least */
#define PAGING_KEEPER 250000               /* nanoseconds between two looks */
#define PAGING_SLICE  100000
#define PAGING_LOOK   5e-5 /* seconds between two looks at ticks */

/* A file that is mapped: a block, or one that was adopted. */
typedef struct paging_region {
    struct paging_region *next, *before;
    char *map;
    uint64_t bytes;
    int fd;      /* -1: it does not grow */
    int adopted; /* the map is the caller's */
} paging_region;

/* In front of every block. */
typedef union paging_head {
    struct {
        uint64_t bytes;        /* of the block */
        paging_region *region; /* NULL: it is in memory */
    } of;
    max_align_t align;
} paging_head;

struct hsp_memory_limit {
    uint64_t limit;            /* bytes */
    uint64_t room;             /* for blocks in memory */
    atomic_uint_fast64_t used; /* of blocks in memory */
    _Atomic double next;       /* look at the resident size then */
    atomic_int count;          /* regions */
    pthread_mutex_t giving;    /* one thread gives pages back, and others that should wait for it */
    pthread_rwlock_t map;      /* held for reading by who uses regions, for writing by who changes
                                   them */
    paging_region *regions;
    char why[256]; /* a request was refused: because of this; under the lock */
    char *folder;
    int statm;    /* a file of /proc */
    int stopping; /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t stop;
    int kept; /* the keeper runs */
    pthread_t keeper;
};

/* ---- Giving back ----------------------------------------------------------------------------- */

/* Must pages of files go? Threads fault more in until they notice, 16
 * pages at a time, so half of the room that other memory leaves is kept free. */
static int paging_is_high(const hsp_memory_limit *limit)
{
    char text[128], *end = text;
    const ssize_t size = pread(limit->statm, text, sizeof text - 1, 0);
    text[size > 0 ? size : 0] = 0;
    strtoull(text, &end, 10); /* of address space */
    const uint64_t resident = strtoull(end, &end, 10), shared = strtoull(end, &end, 10);
    if (resident == 0 || shared > resident) return 1;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), files = shared * page;
    const uint64_t other = (resident - shared) * page;
    const uint64_t most = other < limit->limit ? (limit->limit - other) / 2 : 0;
    return files >= (most > PAGING_FILES ? most : PAGING_FILES);
}

static void paging_look(hsp_memory_limit *limit)
{
    if (!atomic_load(&limit->count) || !paging_is_high(limit)) return;
    pthread_mutex_lock(&limit->giving);
    pthread_rwlock_rdlock(&limit->map);
    const int still = paging_is_high(limit);
    for (const paging_region *region = limit->regions; region && still; region = region->next)
        madvise(region->map, region->bytes, MADV_DONTNEED);
    pthread_rwlock_unlock(&limit->map);
    pthread_mutex_unlock(&limit->giving);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* Wait under the lock, which is held before and after; 0: the thread ends. */
static int paging_wait(hsp_memory_limit *limit, long nanoseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += nanoseconds;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!limit->stopping && pthread_cond_timedwait(&limit->stop, &limit->lock, &until) == 0) {
    }
    return !limit->stopping;
}

/* Linux 6.12 and later: a thread that asks for short slices runs soon after it wakes. */
static void paging_hurry(void)
{
#if defined(SYS_sched_setattr)
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = 48, .runtime = PAGING_SLICE};
    syscall(SYS_sched_setattr, 0, &attributes, 0); /* as before if it is not possible */
#endif
}

static void *paging_keeper(void *user)
{
    hsp_memory_limit *limit = user;
    paging_hurry();
    pthread_mutex_lock(&limit->lock);
    while (paging_wait(limit, PAGING_KEEPER)) {
        pthread_mutex_unlock(&limit->lock);
        paging_look(limit);
        pthread_mutex_lock(&limit->lock);
    }
    pthread_mutex_unlock(&limit->lock);
    return NULL;
}

/* The keeper begins with the first region; without it, ticks give pages back. */
static void paging_start_keeper(hsp_memory_limit *limit)
{
    if (!limit->kept) limit->kept = !pthread_create(&limit->keeper, NULL, paging_keeper, limit);
}

/* ---- Regions --------------------------------------------------------------------------------- */

static void paging_link(hsp_memory_limit *limit, paging_region *region)
{
    pthread_rwlock_wrlock(&limit->map);
    region->next = limit->regions;
    if (region->next) region->next->before = region;
    limit->regions = region;
    atomic_fetch_add(&limit->count, 1);
    paging_start_keeper(limit);
    pthread_rwlock_unlock(&limit->map);
}

static void paging_unlink(hsp_memory_limit *limit, const paging_region *region)
{
    pthread_rwlock_wrlock(&limit->map);
    *(region->before ? &region->before->next : &limit->regions) = region->next;
    if (region->next) region->next->before = region->before;
    atomic_fetch_sub(&limit->count, 1);
    pthread_rwlock_unlock(&limit->map);
}

static void *paging_refuse(hsp_memory_limit *limit, const char *what, uint64_t bytes, int code)
{
    pthread_mutex_lock(&limit->lock);
    const double mb = (double)bytes / 1e6;
    if (code)
        snprintf(limit->why, sizeof limit->why,
                 "%s a temporary file of %.1f MB in %s: %s; name another folder in TMPDIR, or "
                 "allow more memory",
                 what, mb, limit->folder, strerror(code));
    else
        snprintf(limit->why, sizeof limit->why, "%s at least %.1f MB", what,
                 (double)(atomic_load(&limit->used) + bytes) / 1e6);
    pthread_mutex_unlock(&limit->lock);
    return NULL;
}

static int paging_open(const hsp_memory_limit *limit)
{
    char name[4096];
    const int fd = open(limit->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return fd;
    if (snprintf(name, sizeof name, "%s/.halfspace-XXXXXX", limit->folder) >= (int)sizeof name)
        return -1;
    const int named = mkostemp(name, O_CLOEXEC);
    if (named >= 0) unlink(name);
    return named;
}

/* Of a file that is mapped: no large pages, one of which would be resident as a whole after one access,
 * and the longest read-ahead. (MADV_SEQUENTIAL would switch off what the kernel reads around a fault.) */
static void paging_advise(char *map, uint64_t bytes, int fd)
{
    madvise(map, bytes, MADV_NOHUGEPAGE);
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

/* A block in a file. All of the file is reserved, so that no write can fail later. */
static void *paging_region_new(hsp_memory_limit *limit, uint64_t bytes)
{
    paging_region *region = calloc(1, sizeof *region);
    if (!region) return NULL;
    region->bytes = bytes + PAGING_HEAD;
    region->fd = paging_open(limit);
    int code = region->fd < 0 ? errno : posix_fallocate(region->fd, 0, (off_t)region->bytes);
    region->map = MAP_FAILED;
    if (!code)
        region->map = mmap(NULL, region->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region->fd, 0);
    if (!code && region->map == MAP_FAILED) code = errno;
    if (code) {
        if (region->fd >= 0) close(region->fd);
        free(region);
        return paging_refuse(limit, "cannot make", bytes, code);
    }
    paging_advise(region->map, region->bytes, region->fd);
    if (bytes < PAGING_GROWS) { /* many of them would use up the numbers of open files */
        close(region->fd);
        region->fd = -1;
    }
    paging_link(limit, region);
    paging_head *head = (paging_head *)(region->map + PAGING_HEAD) - 1;
    head->of.bytes = bytes;
    head->of.region = region;
    return head + 1;
}

static void *paging_region_resize(hsp_memory_limit *limit, paging_region *region, uint64_t bytes)
{
    const uint64_t now = bytes + PAGING_HEAD, before = region->bytes;
    const int code =
        now > before ? posix_fallocate(region->fd, (off_t)before, (off_t)(now - before)) : 0;
    if (code) return paging_refuse(limit, "cannot enlarge", bytes, code);
    pthread_rwlock_wrlock(&limit->map);
    char *map = mremap(region->map, before, now, MREMAP_MAYMOVE);
    if (map != MAP_FAILED) {
        region->map = map;
        region->bytes = now;
    }
    pthread_rwlock_unlock(&limit->map);
    if (map == MAP_FAILED) return paging_refuse(limit, "cannot map", bytes, errno);
    if (now < before && ftruncate(region->fd, (off_t)now)) {
        /* the file keeps its size, and is as good */
    }
    paging_head *head = (paging_head *)(map + PAGING_HEAD) - 1;
    head->of.bytes = bytes;
    return head + 1;
}

static void paging_region_free(hsp_memory_limit *limit, paging_region *region)
{
    paging_unlink(limit, region);
    munmap(region->map, region->bytes);
    if (region->fd >= 0) close(region->fd);
    free(region);
}

/* ---- The allocator --------------------------------------------------------------------------- */

/* Take room for a block in memory; 0: there is none. */
static int paging_take(hsp_memory_limit *limit, uint64_t bytes)
{
    const uint64_t room = bytes < PAGING_LARGE ? limit->limit : limit->room;
    if (atomic_fetch_add(&limit->used, bytes) + bytes <= room) return 1;
    atomic_fetch_sub(&limit->used, bytes);
    return 0;
}

static void paging_free(void *user, void *pointer)
{
    hsp_memory_limit *limit = user;
    if (!pointer) return;
    paging_head *head = (paging_head *)pointer - 1;
    if (head->of.region) {
        paging_region_free(limit, head->of.region);
        return;
    }
    atomic_fetch_sub(&limit->used, head->of.bytes);
    free(head);
}

/* A block in memory becomes larger or smaller where it is; NULL: it cannot. */
static void *paging_resize_memory(hsp_memory_limit *limit, paging_head *head, uint64_t bytes)
{
    const uint64_t before = head ? head->of.bytes : 0;
    if (!paging_take(limit, bytes)) return NULL;
    paging_head *now = realloc(head, sizeof *now + bytes);
    atomic_fetch_sub(&limit->used, now ? before : bytes);
    if (!now) return NULL;
    now->of.bytes = bytes;
    now->of.region = NULL;
    return now + 1;
}

static void *paging_reallocate(void *user, void *pointer, size_t size)
{
    hsp_memory_limit *limit = user;
    paging_head *head = pointer ? (paging_head *)pointer - 1 : NULL;
    paging_region *region = head ? head->of.region : NULL;
    if (region && region->fd >= 0) return paging_region_resize(limit, region, size);
    void *block = region ? NULL : paging_resize_memory(limit, head, size);
    if (block) return block;
    if (region && size <= head->of.bytes) return pointer; /* it may stay larger than needed */
    if (size < PAGING_LARGE) return paging_refuse(limit, "this work needs", size, 0);
    block = paging_region_new(limit, size);
    if (!block || !head) return block;
    memcpy(block, pointer, size < head->of.bytes ? size : head->of.bytes);
    paging_free(limit, pointer);
    return block;
}

/* ---- What the library asks ------------------------------------------------------------------- */

static hsp_memory_limit *paging_of(const hsp_allocator *memory)
{
    return memory->reallocate == paging_reallocate ? memory->user : NULL;
}

/* Is it in a file? */
static int paging_holds(const hsp_allocator *memory, const void *pointer)
{
    hsp_memory_limit *limit = paging_of(memory);
    int holds = 0;
    if (!limit) return 0;
    pthread_rwlock_rdlock(&limit->map);
    for (const paging_region *region = limit->regions; region && !holds; region = region->next)
        holds = (const char *)pointer >= region->map &&
                (const char *)pointer < region->map + region->bytes;
    pthread_rwlock_unlock(&limit->map);
    return holds;
}

int hsp__paging_exceeds(const hsp_allocator *memory, uint64_t bytes)
{
    const hsp_memory_limit *limit = paging_of(memory);
    return limit && bytes > limit->room;
}

void hsp__paging_check(const hsp_allocator *memory)
{
    hsp_memory_limit *limit = paging_of(memory);
    struct timespec clock;
    if (!limit || !atomic_load_explicit(&limit->count, memory_order_relaxed)) return;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    const double now = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
    if (now < atomic_load_explicit(&limit->next, memory_order_relaxed)) return;
    atomic_store_explicit(&limit->next, now + PAGING_LOOK, memory_order_relaxed);
    paging_look(limit);
}

void hsp__paging_expect(const hsp_allocator *memory, const void *from, uint64_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)from & ~(page - 1);
    if (paging_of(memory)) madvise((void *)at, (uintptr_t)from - at + bytes, MADV_WILLNEED);
}

int hsp__paging_adopt(const hsp_allocator *memory, void *map, uint64_t bytes, int fd)
{
    hsp_memory_limit *limit = paging_of(memory);
    if (!limit) return 1;
    paging_region *region = calloc(1, sizeof *region);
    if (!region) return 0;
    region->map = map;
    region->bytes = bytes;
    region->fd = -1;
    region->adopted = 1;
    paging_advise(map, bytes, fd);
    paging_link(limit, region);
    return 1;
}

void hsp__paging_release(const hsp_allocator *memory, void *map)
{
    hsp_memory_limit *limit = paging_of(memory);
    if (!limit) return;
    pthread_rwlock_rdlock(&limit->map);
    paging_region *region = limit->regions;
    while (region && region->map != map)
        region = region->next;
    pthread_rwlock_unlock(&limit->map);
    if (!region) return;
    paging_unlink(limit, region);
    free(region);
}

/* ---- The object ------------------------------------------------------------------------------ */

static const char *paging_folder(const char *folder)
{
    const char *named = getenv("TMPDIR");
    if (folder) return folder;
    if (named && *named) return named;
    return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

hsp_status hsp_memory_limit_new(uint64_t bytes, const char *folder, hsp_error *err,
                                hsp_memory_limit **out)
{
    HSP__NEED(err, out);
    if (bytes < HSP_MEMORY_LEAST)
        return hsp__fail(err, HSP_USAGE,
                         "a limit of %llu bytes of memory; at least %llu are needed",
                         (unsigned long long)bytes, (unsigned long long)HSP_MEMORY_LEAST);
    const char *where = paging_folder(folder);
    hsp_memory_limit *limit = calloc(1, sizeof *limit);
    if (limit) limit->folder = strdup(where);
    if (!limit || !limit->folder) {
        free(limit);
        return hsp__fail(err, HSP_NO_MEMORY, "out of memory");
    }
    limit->limit = bytes;
    limit->room = bytes / 2;
    limit->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    hsp_status status = HSP_OK;
    const int probe = paging_open(limit);
    if (probe < 0)
        status = hsp__fail_at(err, HSP_IO, where, 0, 0,
                              "cannot make a temporary file: %s; set the environment variable "
                              "TMPDIR to a folder on a disk",
                              strerror(errno));
    else if (limit->statm < 0)
        status = hsp__fail_errno(err, "/proc/self/statm", "cannot open");
    if (probe >= 0) close(probe);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&limit->stop, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&limit->lock, NULL);
    pthread_mutex_init(&limit->giving, NULL);
    pthread_rwlock_init(&limit->map, NULL);
    if (status)
        hsp_memory_limit_free(limit);
    else
        *out = limit;
    return status;
}

hsp_allocator hsp_memory_limit_allocator(hsp_memory_limit *limit)
{
    return (hsp_allocator){paging_reallocate, paging_free, limit};
}

const char *hsp_memory_limit_refused(const hsp_memory_limit *limit)
{
    return limit && limit->why[0] ? limit->why : NULL;
}

void hsp_memory_limit_free(hsp_memory_limit *limit)
{
    if (!limit) return;
    pthread_mutex_lock(&limit->lock);
    limit->stopping = 1;
    pthread_cond_broadcast(&limit->stop);
    pthread_mutex_unlock(&limit->lock);
    if (limit->kept) pthread_join(limit->keeper, NULL);
    while (limit->regions) {
        paging_region *region = limit->regions;
        limit->regions = region->next;
        if (!region->adopted) munmap(region->map, region->bytes);
        if (region->fd >= 0) close(region->fd);
        free(region);
    }
    if (limit->statm >= 0) close(limit->statm);
    pthread_rwlock_destroy(&limit->map);
    pthread_mutex_destroy(&limit->giving);
    pthread_mutex_destroy(&limit->lock);
    pthread_cond_destroy(&limit->stop);
    free(limit->folder);
    free(limit);
}

#else

/* No system that is known to keep the promise. */

hsp_status hsp_memory_limit_new(uint64_t bytes, const char *folder, hsp_error *err,
                                hsp_memory_limit **out)
{
    (void)bytes, (void)folder, (void)out;
    return hsp__fail(err, HSP_UNSUPPORTED, "a limit of memory needs Linux");
}

hsp_allocator hsp_memory_limit_allocator(hsp_memory_limit *limit)
{
    (void)limit;
    return (hsp_allocator){0};
}

const char *hsp_memory_limit_refused(const hsp_memory_limit *limit)
{
    (void)limit;
    return NULL;
}

void hsp_memory_limit_free(hsp_memory_limit *limit)
{
    (void)limit;
}

static int paging_holds(const hsp_allocator *memory, const void *pointer)
{
    (void)memory, (void)pointer;
    return 0;
}

int hsp__paging_exceeds(const hsp_allocator *memory, uint64_t bytes)
{
    (void)memory, (void)bytes;
    return 0;
}

void hsp__paging_check(const hsp_allocator *memory)
{
    (void)memory;
}

void hsp__paging_expect(const hsp_allocator *memory, const void *from, uint64_t bytes)
{
    (void)memory, (void)from, (void)bytes;
}

int hsp__paging_adopt(const hsp_allocator *memory, void *map, uint64_t bytes, int fd)
{
    (void)memory, (void)map, (void)bytes, (void)fd;
    return 1;
}

void hsp__paging_release(const hsp_allocator *memory, void *map)
{
    (void)memory, (void)map;
}

#endif
