/* What the checker gives back, and the exit status of its programs; 2 is usage. */
#ifndef HSV_STATUS_H
#define HSV_STATUS_H
enum {
    HALFSPACE_VERIFIED = 0,
    HALFSPACE_REJECTED = 1,
    HALFSPACE_UNREADABLE = 3,
    HALFSPACE_NO_MEMORY = 4,
    HALFSPACE_BEYOND = 5 /* of the core: halfspace-verify checks it */
};
#endif
