# halfspace: the one build system.
#
#   make            the command (build/halfspace) and the libraries
#   make demo       set up, build, and show the main job on a small data set
#   make check      set up, build, and run the quick tests
#   make test       set up, build, and run every test
#   make help       everything else
#
# Each variant (plain, asan, tsan, clang, bench) has a folder of its own under build/.

VERSION   := 0.1.0
SOVERSION := 0
PREFIX    ?= /usr/local
DESTDIR   ?=
BUILD     ?= build
OPTIMIZE  ?= -O2 -g
WERROR    ?= -Werror
SANITIZE  ?=
PIC       ?= -fPIC
HARDEN    ?= yes
PKG_CONFIG ?= pkg-config
comma     := ,
JOBS      ?= $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL := all
# A target whose recipe failed must not look finished to the next run.
.DELETE_ON_ERROR:

# Each step is one short line; V=1 shows the whole command.
Q := $(if $(V),,@)
SAY := $(if $(V)$(findstring s,$(filter-out --%,$(firstword $(MAKEFLAGS)))),@:,@printf '  %-5s %s\n')

# Recursive calls share the caller's -j, or use every processor.
SUBMAKE = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wpointer-arith -Wwrite-strings -Wundef -Wcast-qual -Wdouble-promotion -Wformat=2 \
        -Wimplicit-fallthrough $(WERROR)

# -ffp-contract=off: a product and a sum are rounded separately everywhere, so that every
# instruction set gives the same bits.
CFLAGS_ALL := -std=c17 -D_GNU_SOURCE $(OPTIMIZE) -ffp-contract=off -fno-math-errno $(PIC) \
              -fvisibility=hidden $(WARN) $(SANITIZE) -I. -Iinclude -Isrc -I$(BUILD) -Itests \
              -DHSP_VERSION_STRING='"$(VERSION)"' $(CFLAGS)
LDLIBS_ALL := -lm -lpthread $(LDLIBS)

# What makes a mistake in memory harder to exploit, as far as the compiler has it. The sanitizers
# have checks of their own, which these would get in the way of.
supported = $(shell echo 'int main(void) { return 0; }' | \
    $(CC) $(OPTIMIZE) $(CFLAGS) -Werror $(1) -include string.h -x c - -o /dev/null 2>/dev/null && echo '$(1)')
LDFLAGS_ALL := $(LDFLAGS)
ifeq ($(SANITIZE)$(HARDEN),yes)
CFLAGS_ALL += $(call supported,-fstack-protector-strong) $(call supported,-fcf-protection) \
              $(call supported,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
LDFLAGS_ALL += $(call supported,-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now)
endif

# Optional parts: found by pkg-config, each behind one file, and loaded when they are first needed.
ifneq ($(NO_ARCHIVE),1)
ifeq ($(shell $(PKG_CONFIG) --exists libarchive 2>/dev/null && echo yes),yes)
CFLAGS_ALL += -DHSP_HAVE_ARCHIVE $(shell $(PKG_CONFIG) --cflags libarchive)
LDLIBS_ALL += -ldl
endif
endif
# CLP is loaded when it is needed (src/learn/lp/lp_clp.c): only its header is used here.
ifneq ($(NO_CLP),1)
ifeq ($(shell $(PKG_CONFIG) --exists clp 2>/dev/null && echo yes),yes)
CFLAGS_ALL += -DHSP_HAVE_CLP $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags clp))
LDLIBS_ALL += -ldl
endif
endif
# PNG and PDF (src/show/cairo.c); SVG needs nothing.
ifneq ($(NO_CAIRO),1)
ifeq ($(shell $(PKG_CONFIG) --exists cairo cairo-pdf 2>/dev/null && echo yes),yes)
CFLAGS_ALL += -DHSP_HAVE_CAIRO $(patsubst -I%,-isystem %,$(filter -I%/cairo,$(shell $(PKG_CONFIG) --cflags cairo)))
LDLIBS_ALL += -ldl
endif
endif
# Exact arithmetic (src/prove/exact_*.c), and the checker.
ifneq ($(NO_GMP),1)
ifeq ($(shell $(PKG_CONFIG) --exists gmp 2>/dev/null && echo yes),yes)
CFLAGS_ALL += -DHSP_HAVE_GMP $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags gmp))
LDLIBS_ALL += $(shell $(PKG_CONFIG) --libs gmp)
HAVE_GMP := yes
endif
endif

HEADERS  := $(wildcard include/*.h)
LIB_SRC  := $(wildcard src/*/*.c src/*/*/*.c)
CLI_SRC  := $(wildcard cli/*.c)
# The checker, which the library calls (src/prove/run_checker.c); it needs GMP.
CORE_SRC  := $(if $(HAVE_GMP),$(filter-out %/main.c,$(wildcard verify/core/*.c)))
CHECK_SRC := $(if $(HAVE_GMP),$(filter-out verify/main.c,$(wildcard verify/*.c)) $(CORE_SRC))
TEST_SRC := $(filter-out $(if $(HAVE_GMP),,tests/verify/%),$(wildcard tests/*/test_*.c))
FUZZ_SRC := $(filter-out $(if $(HAVE_GMP),,fuzz/fuzz_certificate.c),$(wildcard fuzz/fuzz_*.c))
BENCH_SRC := $(wildcard bench/*.c)
# What bench/shapes.sh runs; the tests run it as well.
SHAPE_PROGRAMS := $(patsubst %,$(BUILD)/bench/%,elapsed objective kernel_objective near bandwidth)
EXAMPLES := $(patsubst %.c,$(BUILD)/%,$(wildcard examples/*.c))
PLANTED  := $(wildcard tests/sanitizers/planted_*.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)
CHECK_OBJ := $(CHECK_SRC:%.c=$(BUILD)/obj/%.o)
CORE_OBJ := $(CORE_SRC:%.c=$(BUILD)/obj/%.o)
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)
REPLAYS  := $(FUZZ_SRC:fuzz/%.c=$(BUILD)/replay/%)
LIBRARIES := $(BUILD)/libhalfspace.a $(BUILD)/libhalfspace.so
COMMAND  := $(if $(CLI_SRC),$(BUILD)/halfspace)
CHECKER  := $(if $(CHECK_SRC),$(BUILD)/halfspace-verify $(BUILD)/halfspace-verify-core)

# ---- Building ----------------------------------------------------------------------------------

.PHONY: all
all: $(COMMAND) $(CHECKER) $(LIBRARIES)
ifndef HAVE_GMP
	@echo 'without GMP: no halfspace-verify, and no certificates' >&2
endif

# Objects are made anew when the compiler or its flags change (libarchive was installed, CC=clang).
FLAGS_NOW := $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(LDLIBS_ALL)
.PHONY: always
$(BUILD)/flags: always
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
	    printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' > $@

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(CC) $(CFLAGS_ALL) $(CFLAGS_FILE) -MMD -MP -c $< -o $@

# The table of powers of ten, by a program that runs on the machine that builds.
HOSTCC ?= $(if $(SANITIZE),cc,$(CC))
$(BUILD)/generated/decimal_powers.h: tools/decimal_powers.c
	@mkdir -p $(@D)
	$(SAY) make $@
	$(Q)$(HOSTCC) -std=c17 $< -o $(BUILD)/generated/decimal_powers && $(BUILD)/generated/decimal_powers > $@

$(BUILD)/obj/src/base/decimal.o: $(BUILD)/generated/decimal_powers.h

# The checker knows no header of the library.
$(BUILD)/obj/verify/%.o: verify/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY) cc $<
	$(Q)$(CC) $(filter-out -I%,$(CFLAGS_ALL)) -Iverify -MMD -MP -c $< -o $@

# Tests compare with long double on purpose.
$(BUILD)/obj/tests/%.o: CFLAGS_FILE := -Wno-double-promotion

ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),)
$(BUILD)/obj/src/vec/vec_avx2.o:   CFLAGS_FILE := -mavx2
$(BUILD)/obj/src/vec/vec_avx512.o: CFLAGS_FILE := -mavx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl
endif

# Tests compute what they expect in long double.
$(BUILD)/obj/tests/%.o: CFLAGS_FILE := -Wno-double-promotion

# The lists of objects, so that a source file that went away goes away from the library too.
$(BUILD)/libhalfspace.a: $(LIB_OBJ) $(CHECK_OBJ) $(BUILD)/sources
	$(SAY) ar $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(LIB_OBJ) $(CHECK_OBJ)

$(BUILD)/libhalfspace.so: $(LIB_OBJ) $(CHECK_OBJ) $(BUILD)/sources
	$(SAY) link $@
	$(Q)$(CC) -shared -Wl,-soname,libhalfspace.so.$(SOVERSION) $(if $(SANITIZE),,-Wl,-z,defs) \
	    $(SANITIZE) $(LDFLAGS_ALL) $(LIB_OBJ) $(CHECK_OBJ) $(LDLIBS_ALL) -o $@
	$(Q)ln -sf libhalfspace.so $@.$(SOVERSION)

$(BUILD)/sources: always
	@mkdir -p $(@D)
	@echo '$(LIB_SRC) $(CLI_SRC) $(CHECK_SRC)' | cmp -s - $@ || echo '$(LIB_SRC) $(CLI_SRC) $(CHECK_SRC)' > $@

LINK = $(CC) $(SANITIZE) $(LDFLAGS_ALL) $(filter %.o %.a,$^) $(LDLIBS_ALL) -o $@

$(BUILD)/halfspace: $(CLI_OBJ) $(BUILD)/libhalfspace.a $(BUILD)/sources
	$(SAY) link $@
	$(Q)$(LINK)

# Some tests run the ranks of a job as threads.
$(BUILD)/tests/ranks/%: $(BUILD)/obj/tests/ranks/%.o $(BUILD)/obj/mpi/ranks_threads.o $(BUILD)/libhalfspace.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(LINK)

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/libhalfspace.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(LINK)

# Nothing of the library is in it.
$(BUILD)/halfspace-verify: $(BUILD)/obj/verify/main.o $(CHECK_OBJ) $(BUILD)/sources
	$(SAY) link $@
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS_ALL) $(filter %.o,$^) $(shell $(PKG_CONFIG) --libs gmp) -o $@

$(BUILD)/halfspace-verify-core: $(BUILD)/obj/verify/core/main.o $(CORE_OBJ) $(BUILD)/sources
	$(SAY) link $@
	$(Q)$(CC) $(SANITIZE) $(LDFLAGS) $(filter %.o,$^) $(shell $(PKG_CONFIG) --libs gmp) -o $@

$(BUILD)/tests/verify/%: $(BUILD)/obj/tests/verify/%.o $(CHECK_OBJ)
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(LINK)

$(BUILD)/replay/fuzz_certificate: $(BUILD)/obj/fuzz/fuzz_certificate.o $(BUILD)/obj/fuzz/replay.o $(CHECK_OBJ)
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(LINK)

$(BUILD)/replay/%: $(BUILD)/obj/fuzz/%.o $(BUILD)/obj/fuzz/replay.o $(BUILD)/libhalfspace.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(LINK)

$(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(BUILD)/libhalfspace.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(LINK)

$(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(BUILD)/libhalfspace.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(LINK)

# Bugs planted on purpose: warnings about them are expected, optimising them away is not.
$(BUILD)/planted/%: tests/sanitizers/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE -w -g -O0 $(SANITIZE) $< -lpthread -o $@

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# ---- Set-up, demonstration, tests --------------------------------------------------------------

# tools/setup runs first, then make anew, so that what it installed is found.
.PHONY: demo check test
demo:
	@tools/setup
	+@$(SUBMAKE) -s all
	@examples/iris.sh $(BUILD)/halfspace

# While working: the suites that tests/quick lists. It replaces no `make test`.
check:
	@tools/setup
	+@$(SUBMAKE) -s run-check

test:
	@tools/setup test
	+@$(SUBMAKE) -s run-tests

.PHONY: test-programs run-tests run-check
test-programs: all $(TESTS) $(REPLAYS) $(EXAMPLES) $(SHAPE_PROGRAMS)
run-tests: test-programs
	@tests/run.sh $(BUILD)
run-check: all $(patsubst %,$(BUILD)/tests/%,$(shell sed -n '/^[a-z]*\/test_/p' tests/quick 2>/dev/null))
	@tests/run.sh $(BUILD) quick

# ---- Sanitizers --------------------------------------------------------------------------------

.PHONY: check-stop
check-stop: $(BUILD)/halfspace $(if $(TICKS),$(BUILD)/halfspace-ticks)
	tools/check_stop.py --halfspace $(BUILD)/halfspace $(if $(TICKS),--ticks $(BUILD)/halfspace-ticks) $(STOP)

# The command with tools/tick_trace.c between it and the functions that ask whether to stop.
TICK_CALLS := hsp__tick hsp__tick_wait hsp__progress hsp__watch_gap
$(BUILD)/halfspace-ticks: $(CLI_OBJ) $(BUILD)/obj/tools/tick_trace.o $(BUILD)/libhalfspace.a
	$(SAY) link $@
	$(Q)$(LINK) -no-pie $(TICK_CALLS:%=-Wl$(comma)--wrap=%)

.PHONY: check-asan check-tsan run-checks
check-asan:
	+@$(SUBMAKE) -s run-checks BUILD=build/asan OPTIMIZE='-O1 -g -fno-omit-frame-pointer' KIND=asan \
	    SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all'
check-tsan:
	+@$(SUBMAKE) -s run-checks BUILD=build/tsan OPTIMIZE='-O1 -g -fno-omit-frame-pointer' KIND=tsan \
	    SANITIZE='-fsanitize=thread'
run-checks: test-programs $(PLANTED:tests/sanitizers/%.c=$(BUILD)/planted/%)
	@tests/run.sh $(BUILD) $(KIND)

# ---- Several machines ---------------------------------------------------------------------------

# The command, with MPI's ranks in the place of cli/ranks_none.c. Tests build it with each implementation of MPI:
# halfspace-mpi-openmpi, halfspace-mpi-mpich.
MPICC ?= mpicc
MPI_OBJ := $(filter-out %/ranks_none.o,$(CLI_OBJ))
MPI_COMPILE = $(CC) $(CFLAGS_ALL) $(patsubst -I%,-isystem %,$(filter -I%,$(shell $(1) -show))) -c $< -o $@
MPI_LINK = $(LINK) $(filter -L% -l% -Wl% -pthread,$(shell $(1) -show))
$(BUILD)/obj/mpi/ranks_mpi-%.o: mpi/ranks_mpi.c cli/cli.h include/halfspace_ranks.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY) cc $@
	$(Q)$(call MPI_COMPILE,mpicc.$*)
$(BUILD)/halfspace-mpi-%: $(MPI_OBJ) $(BUILD)/obj/mpi/ranks_mpi-%.o $(BUILD)/libhalfspace.a $(BUILD)/sources
	$(SAY) link $@
	$(Q)$(call MPI_LINK,mpicc.$*)
$(BUILD)/obj/mpi/ranks_mpi.o: mpi/ranks_mpi.c cli/cli.h include/halfspace_ranks.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY) cc $@
	$(Q)$(call MPI_COMPILE,$(MPICC))
$(BUILD)/halfspace-mpi: $(MPI_OBJ) $(BUILD)/obj/mpi/ranks_mpi.o $(BUILD)/libhalfspace.a $(BUILD)/sources
	$(SAY) link $@
	$(Q)$(call MPI_LINK,$(MPICC))

# What a training would send and compute on more processes than there are processors: docs/scaling.md.
$(BUILD)/scale-sim: $(BUILD)/obj/tools/scale_sim.o $(BUILD)/obj/mpi/ranks_threads.o $(BUILD)/libhalfspace.a
	$(SAY) link $@
	$(Q)$(LINK)

# What a message costs: mpirun -n 2 build/mpi-messages.
$(BUILD)/mpi-messages: $(BUILD)/obj/tools/mpi_messages.o $(BUILD)/obj/mpi/ranks_mpi.o
	$(SAY) link $@
	$(Q)$(call MPI_LINK,$(MPICC))

.PHONY: mpi scale-sim check-mpi
scale-sim:
	@tools/setup mpi
	+@$(SUBMAKE) -s $(BUILD)/scale-sim $(BUILD)/mpi-messages
mpi:
	@tools/setup mpi
	+@$(SUBMAKE) -s all $(BUILD)/halfspace-mpi
check-mpi:
	@tools/setup mpi mpi-test
	+@$(SUBMAKE) -s all $(BUILD)/halfspace-mpi-openmpi $(BUILD)/halfspace-mpi-mpich
	@tests/mpi/run.sh $(BUILD) $(CASES)

# ---- Proofs: theorems in Coq, and the checker that is made of them --------------------------------

.PHONY: proved check-proof
proved:
	@tools/setup proof
	+@$(MAKE) --no-print-directory -s -f proof/proof.mk checker BUILD=$(BUILD)
check-proof:
	@tools/setup proof
	+@$(SUBMAKE) -s all
	+@$(SUBMAKE) -s -f proof/proof.mk proofs checker BUILD=$(BUILD)
	@tests/proved/run.sh $(BUILD)

# ---- Exact statements --------------------------------------------------------------------------

.PHONY: check-exact
check-exact: all
	@tests/exact/run.sh $(BUILD) $(or $(TABLES),2000) $(or $(SEED),1)

# ---- The same bits as before -------------------------------------------------------------------

.PHONY: check-same-bits
check-same-bits: all
	@tests/same-bits/run --program $(BUILD)/halfspace $(SAME)

# ---- Documentation from the command's tables ---------------------------------------------------

.PHONY: docs-tables
docs-tables: all
	@tools/result-tables $(BUILD)/halfspace

# The figures of docs/figures.md, by its commands.
.PHONY: figures
figures: all
	@tools/figures $(BUILD)/halfspace $(or $(FIGURES),docs/figures)

# ---- Fuzzing, checking, measuring --------------------------------------------------------------

.PHONY: fuzz lint format bench
fuzz:
	@tools/setup fuzz
	@tools/fuzz $(or $(SECONDS),60) $(TARGET)
lint:
	@tools/setup lint
	+@$(SUBMAKE) -s all
	+@tools/lint $(BUILD)
format:
	@tools/lint --format
.PHONY: check-memory
check-memory: all
	@tests/large/memory.sh $(BUILD) $(or $(FOLDER),/var/tmp) $(MEGABYTES)

.PHONY: check-large
check-large: all
	@tests/large/run.sh $(BUILD) $(FOLDER)
bench:
	@tools/setup bench python
	+@$(SUBMAKE) -s all bench-programs python-package BUILD=build/release
	@bench/run.sh build/release $(if $(SIZE),--size $(SIZE)) $(if $(DATA),--data $(DATA)) $(BENCH)
.PHONY: bench-programs
bench-programs: $(BENCH_SRC:%.c=$(BUILD)/%)

# ---- Python ------------------------------------------------------------------------------------

# The extension uses the stable interface of Python 3.11 and no header of numpy: python/src, docs/python.md.
# The package is put together in $(BUILD)/python, where tests use it; python/backend.py makes a wheel of it.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)
PY_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard python/src/*.c))
PY_FILES := $(patsubst python/halfspace/%,$(BUILD)/python/halfspace/%,$(wildcard python/halfspace/*.py python/halfspace/*.pyi python/halfspace/py.typed))

$(PY_OBJ): CFLAGS_FILE = -Wno-pedantic -isystem $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')

$(BUILD)/python/halfspace/_core.abi3.so: $(PY_OBJ) $(BUILD)/libhalfspace.a
	@mkdir -p $(@D)
	$(SAY) link $@
	$(Q)$(CC) -shared -Wl,--exclude-libs,ALL $(SANITIZE) $(LDFLAGS_ALL) $^ $(LDLIBS_ALL) -o $@

$(BUILD)/python/halfspace/%: python/halfspace/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

.PHONY: python python-package python-estimators check-python check-python-asan
python-package: $(BUILD)/python/halfspace/_core.abi3.so $(PY_FILES)
python:
	@tools/setup python
	+@$(SUBMAKE) -s python-package
	@cd python && $(PYTHON) -c 'import backend, os; os.makedirs("../$(BUILD)/wheel", exist_ok=True); print("$(BUILD)/wheel/" + backend.build_wheel("../$(BUILD)/wheel"))'
# The classes with the library's options as parameters, and the reference.
python-estimators: $(BUILD)/python/halfspace/_core.abi3.so
	@$(PYTHON) python/generate.py $(BUILD)/python
	+@$(SUBMAKE) -s python-package
	@PYTHONPATH=$(BUILD)/python $(PYTHON) tools/python-reference
check-python:
	@tools/setup python oracles
	+@$(SUBMAKE) -s all python-package
	@tests/python/run.sh $(BUILD) $(PYTHON) $(PYTEST)
# The extension under the sanitizers of addresses and undefined behaviour, which are loaded before Python.
check-python-asan:
	@tools/setup python oracles
	+@$(SUBMAKE) -s all python-package BUILD=build/asan OPTIMIZE='-O1 -g -fno-omit-frame-pointer' \
	    SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all'
	@ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	    LD_PRELOAD='$(shell $(CC) -print-file-name=libasan.so) $(shell $(CC) -print-file-name=libubsan.so)' \
	    tests/python/run.sh build/asan $(PYTHON) $(or $(PYTEST),$(patsubst %,tests/python/test_%.py,arrays proof sklearn command))

# ---- In the browser ----------------------------------------------------------------------------

# The command, the checker and the page, compiled to WebAssembly: web/web.mk, docs/development/web.md.
WEBMAKE = NODE_PATH=/usr/share/nodejs $(SUBMAKE) -s -f web/web.mk

.PHONY: playground check-web
playground:
	@tools/setup web
	+@$(WEBMAKE) page
	@echo 'build/playground/index.html: open it in a browser, from the file or by any static file server'
check-web:
	@tools/setup web
	+@$(SUBMAKE) -s all
	+@$(WEBMAKE) page
	@node tests/web/run.mjs $(WEB)

# ---- Installing --------------------------------------------------------------------------------

LIBDIR  := $(DESTDIR)$(PREFIX)/lib
MANDIR  := $(DESTDIR)$(PREFIX)/share/man/man1
COMPDIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
SCHEMADIR := $(DESTDIR)$(PREFIX)/share/halfspace

.PHONY: install uninstall
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(LIBDIR)/pkgconfig $(MANDIR) $(COMPDIR)
	install -m 755 $(BUILD)/halfspace $(CHECKER) $(DESTDIR)$(PREFIX)/bin/
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(BUILD)/libhalfspace.a $(LIBDIR)/
	install -m 755 $(BUILD)/libhalfspace.so $(LIBDIR)/libhalfspace.so.$(VERSION)
	ln -sf libhalfspace.so.$(VERSION) $(LIBDIR)/libhalfspace.so.$(SOVERSION)
	ln -sf libhalfspace.so.$(SOVERSION) $(LIBDIR)/libhalfspace.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBS_PRIVATE@|$(strip $(LDLIBS_ALL))|' halfspace.pc.in > $(LIBDIR)/pkgconfig/halfspace.pc
	chmod 644 $(LIBDIR)/pkgconfig/halfspace.pc
	tools/install-docs $(BUILD)/halfspace $(MANDIR) $(COMPDIR) $(SCHEMADIR)

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/halfspace $(DESTDIR)$(PREFIX)/bin/halfspace-verify \
	    $(DESTDIR)$(PREFIX)/bin/halfspace-verify-core
	rm -f $(HEADERS:%=$(DESTDIR)$(PREFIX)/%)
	rm -f $(LIBDIR)/libhalfspace.a $(LIBDIR)/libhalfspace.so $(LIBDIR)/libhalfspace.so.$(SOVERSION)
	rm -f $(LIBDIR)/libhalfspace.so.$(VERSION) $(LIBDIR)/pkgconfig/halfspace.pc
	rm -f $(MANDIR)/halfspace.1 $(MANDIR)/halfspace-*.1 $(COMPDIR)/halfspace
	rm -rf $(SCHEMADIR)

# ---- The rest ----------------------------------------------------------------------------------

.PHONY: clean help
clean:
	rm -rf build

help:
	@echo 'make             build/halfspace, build/halfspace-verify (and its -core), build/libhalfspace.a, build/libhalfspace.so'
	@echo 'make demo        set up, build, and show the main job on a small data set'
	@echo 'make check       set up, build, and run the quick tests: 20 seconds, for use while working'
	@echo 'make test        set up, build, and run every test'
	@echo 'make check-asan  every test under the address, undefined and leak sanitizers'
	@echo 'make check-tsan  every test under the thread sanitizer'
	@echo 'make mpi         build/halfspace-mpi: the command on the processes of an MPI job'
	@echo 'make scale-sim   build/scale-sim, build/mpi-messages: what a training sends and computes on many processes (docs/scaling.md)'
	@echo 'make check-mpi   runs on 1 to 8 processes: the same bits, faults, shards'
	@echo 'make check-memory  4 GB of text with --memory 256M: 12 GB of disk in FOLDER=/var/tmp, several minutes; MEGABYTES=4000'
	@echo 'make check-large more than 2^31 non-zeros: 9 GB of disk in FOLDER=/tmp, several minutes'
	@echo 'make check-stop  how soon every command ends when it is told to; STOP="--rounds 1 svm lp"; TICKS=1: and the longest work without asking'
	@echo 'make check-exact exact statements against fractions, on random tables; TABLES=2000 SEED=1'
	@echo 'make proved      build/halfspace-verify-proved: the checker of certificates that is proven correct (Coq, OCaml)'
	@echo 'make check-proof compile all proofs, show that no theorem rests on an axiom, compare the proved checker with the others'
	@echo 'make check-same-bits  models, predictions, certificates and reports against the record; SAME="--threads 2"'
	@echo 'make figures     make the figures of docs/figures.md; FIGURES=FOLDER'
	@echo 'make docs-tables write the tables of keys in docs/commands.md and docs/result.schema.json'
	@echo 'make fuzz        fuzz the readers; TARGET=name SECONDS=60'
	@echo 'make lint        format, static analysis, layers, symbols, links and spelling of the pages, a clang build'
	@echo 'make format      format every C file (clang-format 14)'
	@echo 'make bench       measure beside LIBLINEAR and pandas; SIZE=500 (MB) DATA=dir BENCH=--quick'
	@echo 'make python      build/wheel: a wheel for Python 3.11 and later (pip install ./python does the same)'
	@echo 'make check-python  the tests of the Python package; PYTEST="-k certify"'
	@echo 'make check-python-asan  the same of the extension under the address and undefined sanitizers'
	@echo 'make python-estimators  write the Python classes and their reference from the tables of options'
	@echo 'make playground  build/playground: the page that trains, draws and certifies in the browser'
	@echo 'make check-web   the page, and the same bits in WebAssembly; WEB=core runs tests/web/core*'
	@echo 'make install     DESTDIR= PREFIX=/usr/local; make uninstall takes it away'
	@echo 'make clean       remove build/'
	@echo
	@echo 'Variables: CC, CFLAGS, LDFLAGS, OPTIMIZE=-O2 -g, WERROR= (warnings are not errors),'
	@echo '           NO_ARCHIVE=1 (without gz, bz2, xz, zst), NO_CLP=1 (without lp), NO_CAIRO=1 (without PNG and PDF), NO_GMP=1 (without certificates), BUILD=build, V=1 (whole commands)'
