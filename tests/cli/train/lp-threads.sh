# CLP may bring OpenBLAS along, whose threads can keep a process from ending when memory is short. It
# is told to start none: while it is loaded, and unless the caller says otherwise.
case $(halfspace train lp "$EXAMPLES/iris.csv" --positive setosa 2>&1) in
*'no linear programming'*) echo 'built without CLP'; exit 77 ;;
esac
command -v cc >/dev/null || { echo 'there is no compiler'; exit 77; }
[ "$(uname)" = Linux ] || { echo 'not Linux'; exit 77; }
cat >stand-in.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static void say(const char *when)
{
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    fprintf(stderr, "%s: %s\n", when, threads ? threads : "not set");
}
__attribute__((constructor)) static void loaded(void) { say("as it is loaded"); }
__attribute__((destructor)) static void ended(void) { say("at the end"); }
END
cc -shared -fPIC stand-in.c -o libClp.so.1 || exit 1
export LD_LIBRARY_PATH="$PWD"
unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS
halfspace train lp -q "$EXAMPLES/iris.csv" --positive setosa 2>&1
OPENBLAS_NUM_THREADS=3 halfspace train lp -q "$EXAMPLES/iris.csv" --positive setosa 2>&1
unset LD_LIBRARY_PATH
# short of memory it ends, with an answer or the reason (sanitizers need more themselves)
(ulimit -v 30000 && halfspace --version) >/dev/null 2>&1 || exit 0
for kilobytes in 20000 40000 60000 80000 100000 160000; do
    (ulimit -v $kilobytes && timeout -s KILL 30 halfspace train lp -q "$EXAMPLES/iris.csv" --positive setosa >out 2>&1)
    status=$?
    case "$status $(grep "training error" out || tail -n 1 out)" in
    0*'training error'* | 4*'out of memory'*) ;;
    *) echo "$kilobytes kB: status $status: $(tail -n 1 out)" ;;
    esac
done
