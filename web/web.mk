# The command and the checker as WebAssembly, and the page around them: build/playground.
# Called by the Makefile (make playground), whose rules compile the C files with other settings; `override`, so that
# a CC or CFLAGS for the native build (make CC=clang check-web) is not meant here.

override BUILD  := build/web
PAGE   := build/playground
SOURCES := build/packages
EMCC   ?= emcc
override CC     := $(EMCC)
override AR     := emar
HOSTCC ?= cc
PKG_CONFIG := false
override OPTIMIZE   := -O2 -msimd128
override PIC    :=
override HARDEN := no

HAVE_GMP := yes
override CFLAGS   := -DHSP_HAVE_GMP -isystem web/gmp -isystem $(BUILD)/gmp \
            -DHSP_HAVE_CLP -DHSP_LINK_CLP -isystem $(SOURCES)/Clp/src -isystem $(SOURCES)/CoinUtils/src
override WERROR   :=

.DEFAULT_GOAL := page
include Makefile

# GNU MP is mini-gmp, of the distribution's source package (tools/setup web). Its `long` becomes 64 bits
# wide, as it is where the library and the checker are used otherwise.
GMP_OBJ := $(BUILD)/gmp/gmp.o
GMP_SRC := $(patsubst %,$(BUILD)/gmp/mini-%,gmp.c gmp.h mpq.c mpq.h)
WIDEN   := 's/\<long\>/long long/g; s/\<LONG_M/LLONG_M/g; s/\<ULONG_MAX/ULLONG_MAX/g'
$(GMP_SRC): $(BUILD)/gmp/%: $(SOURCES)/mini-gmp/%
	@mkdir -p $(@D)
	$(Q)sed $(WIDEN) $< > $@
$(GMP_OBJ): $(GMP_SRC)
	$(SAY) cc $@
	$(Q)printf '#include "mini-gmp.c"\n#include "mini-mpq.c"\n' > $(BUILD)/gmp/gmp.c
	$(Q)$(CC) -O2 -c $(BUILD)/gmp/gmp.c -o $@
$(LIB_OBJ) $(CHECK_OBJ) $(BUILD)/obj/verify/main.o: | $(GMP_SRC)

# CLP and CoinUtils, without their command line, their interfaces to other solvers, and their tests.
CLP_SRC := $(filter-out %/CoinParamUtils.cpp,$(wildcard $(SOURCES)/CoinUtils/src/*.cpp)) \
           $(filter-out %Main.cpp $(foreach other,Mumps Pardiso Taucs Ufl Wssmp WssmpKKT,%/ClpCholesky$(other).cpp), \
               $(wildcard $(SOURCES)/Clp/src/Clp*.cpp $(SOURCES)/Clp/src/Idi*.cpp))
CLP_OBJ := $(CLP_SRC:$(SOURCES)/%.cpp=$(BUILD)/clp/%.o)
CLP_HAS := $(patsubst %,-DHAVE_%,CMATH CFLOAT CASSERT CSTDLIB CSTDIO CSTRING CSTDINT)
$(BUILD)/clp/%.o: $(SOURCES)/%.cpp
	@mkdir -p $(@D)
	$(SAY) c++ $<
	$(Q)em++ -Os -w -DNDEBUG $(CLP_HAS) -I$(SOURCES)/CoinUtils/src -I$(SOURCES)/Clp/src -c $< -o $@
$(BUILD)/libclp.a: $(CLP_OBJ)
	$(SAY) ar $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The checker counts in 64 bits: web/wide.h.
$(BUILD)/obj/verify/%.o: override CC := $(EMCC) -include web/wide.h

# One classic script with everything in it: a page that was opened from a file can load no other.
LINK_WEB = -O2 -s MODULARIZE=1 -s ENVIRONMENT=worker -s INVOKE_RUN=0 \
            -s ALLOW_MEMORY_GROWTH=1 -s EXPORTED_RUNTIME_METHODS=$(1)

$(BUILD)/command.js: $(CLI_OBJ) $(BUILD)/obj/web/grid.o $(BUILD)/libhalfspace.a $(GMP_OBJ) $(BUILD)/libclp.a
	$(SAY) link $@
	$(Q)em++ $(filter %.o %.a,$^) $(call LINK_WEB,FS$(comma)ENV$(comma)callMain) -s EXPORT_NAME=halfspace_command \
	    -s EXPORTED_FUNCTIONS=_main,_malloc,_free,_web_grid_new,_web_grid_free -o $@

# Nothing of the library is in it.
$(BUILD)/checker.js: $(BUILD)/obj/verify/main.o $(CHECK_OBJ) $(GMP_OBJ)
	$(SAY) link $@
	$(Q)$(CC) $(filter %.o,$^) $(call LINK_WEB,FS$(comma)callMain) -s EXPORT_NAME=halfspace_checker -o $@

$(PAGE)/core.js: web/core.js web/pack.mjs $(BUILD)/command.js $(BUILD)/checker.js
	@mkdir -p $(@D)
	$(SAY) pack $@
	$(Q)node web/pack.mjs $@ web/core.js $(filter $(BUILD)/%.js,$^)

# The other files as they are, but for what the core is made of.
WEB_FILES := $(shell cd web && find * -type f ! -name '*.[ch]' ! -name '*.mk' ! -name '*.mjs' ! -name '*.md' ! -path core.js)

$(PAGE)/%: web/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

.PHONY: page
page: $(PAGE)/core.js $(WEB_FILES:%=$(PAGE)/%)
