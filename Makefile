# halfspace: the one build system.
#
#   make            the command (build/halfspace) and the libraries
#   make demo       set up, build, and show the main job on iris
#   make test       set up, build, and run every test
#   make help       everything else
#
# Each variant (plain, asan, tsan, fuzz) has a folder of its own under build/.

VERSION  := 0.1.0
CC       ?= cc
PREFIX   ?= /usr/local
DESTDIR  ?=
BUILD    ?= build
OPTIMIZE ?= -O2 -g
WERROR   ?= -Werror
SANITIZE ?=

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wpointer-arith -Wwrite-strings -Wundef -Wcast-qual -Wdouble-promotion -Wformat=2 \
        -Wimplicit-fallthrough $(WERROR)

# -ffp-contract=off: a product and a sum are rounded separately everywhere, so that every
# instruction set gives the same bits.
CFLAGS_ALL := -std=c17 -D_GNU_SOURCE $(OPTIMIZE) -ffp-contract=off -fno-math-errno -fPIC -fvisibility=hidden \
              $(WARN) $(SANITIZE) -Iinclude -Isrc -Itests -DHSP_VERSION_STRING='"$(VERSION)"' $(CFLAGS)
LDLIBS_ALL := -lm -lpthread $(LDLIBS)

# Optional parts: found by pkg-config, each behind one file.
PKG_CONFIG ?= pkg-config
ifneq ($(NO_ARCHIVE),1)
ifeq ($(shell $(PKG_CONFIG) --exists libarchive 2>/dev/null && echo yes),yes)
CFLAGS_ALL += -DHSP_HAVE_ARCHIVE $(shell $(PKG_CONFIG) --cflags libarchive)
LDLIBS_ALL += $(shell $(PKG_CONFIG) --libs libarchive)
endif
endif

LIB_SRC  := $(wildcard src/*/*.c)
CLI_SRC  := $(wildcard cli/*.c)
TEST_SRC := $(wildcard tests/*/test_*.c)
FUZZ_SRC := $(wildcard fuzz/fuzz_*.c)
LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/obj/%.o)
CLI_OBJ  := $(CLI_SRC:%.c=$(BUILD)/obj/%.o)
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)
REPLAYS  := $(FUZZ_SRC:fuzz/%.c=$(BUILD)/replay/%)

.PHONY: all
all: $(BUILD)/halfspace $(BUILD)/libhalfspace.a $(BUILD)/libhalfspace.so

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $(CFLAGS_FILE) -MMD -MP -c $< -o $@

ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),)
$(BUILD)/obj/src/vec/vec_avx2.o:   CFLAGS_FILE := -mavx2
$(BUILD)/obj/src/vec/vec_avx512.o: CFLAGS_FILE := -mavx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl
endif

$(BUILD)/libhalfspace.a: $(LIB_OBJ)
	rm -f $@ && ar rcs $@ $(LIB_OBJ)

$(BUILD)/libhalfspace.so: $(LIB_OBJ)
	$(CC) -shared -Wl,-soname,libhalfspace.so.0 $(SANITIZE) $(LDFLAGS) $(LIB_OBJ) $(LDLIBS_ALL) -o $@

$(BUILD)/halfspace: $(CLI_OBJ) $(BUILD)/libhalfspace.a
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(LDLIBS_ALL) -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(BUILD)/libhalfspace.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) $(LDFLAGS) $^ $(LDLIBS_ALL) -o $@

.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

.PHONY: clean
clean:
	rm -rf build
