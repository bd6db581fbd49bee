# CLP may load OpenBLAS, whose threads can keep a process from ending when memory is short. OpenBLAS is told to start
# none while it is loaded, unless the environment says otherwise.
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
