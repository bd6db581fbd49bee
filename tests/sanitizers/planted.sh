# The planted bugs that each sanitizer must catch, and its words for them. Sourced by tests/run.sh.
# shellcheck shell=sh disable=SC2154 # log: tests/run.sh sets it

# planted_caught PROGRAM WORDS: the program must fail, and say so in these words.
planted_caught()
{
    # shellcheck disable=SC2086 # RUNNER is a command and its options, or nothing
    if $RUNNER "$BUILD/planted/planted_$1" >"$log/planted_$1.out" 2>&1; then
        echo "FAILED sanitizers: planted $1 was not caught" | tee -a "$log/planted.lines"
        return 1
    elif ! grep -q "$2" "$log/planted_$1.out"; then
        echo "FAILED sanitizers: planted $1 died without the words '$2'" | tee -a "$log/planted.lines"
        cat "$log/planted_$1.out"
        return 1
    fi
    echo "ok sanitizers: planted $1 is caught" | tee -a "$log/planted.lines"
}

# The thread sanitizer cannot start where the kernel scatters mappings more than it knows; without
# scattering it can.
planted_runner()
{
    grep -q 'unexpected memory mapping' "$log/planted_probe" || return 0
    if ! setarch "$(uname -m)" -R true 2>/dev/null; then
        echo 'FAILED sanitizers: the thread sanitizer cannot start here;' \
            'as root: sysctl vm.mmap_rnd_bits=28'
        return 1
    fi
    RUNNER="setarch $(uname -m) -R"
    export RUNNER
}

planted_check()
{
    if [ "$1" = tsan ]; then
        "$BUILD/planted/planted_race" >"$log/planted_probe" 2>&1
        planted_runner && planted_caught race 'ThreadSanitizer: data race'
        return
    fi
    planted_caught overflow 'AddressSanitizer: heap-buffer-overflow' &&
        planted_caught after_free 'AddressSanitizer: heap-use-after-free' &&
        planted_caught shift 'runtime error: shift exponent' &&
        planted_caught sum 'runtime error: signed integer overflow' &&
        planted_caught leak 'LeakSanitizer: detected memory leaks'
}
