# The command and the checker as WebAssembly, and the page around them: build/playground.
# Called by the Makefile (make playground), whose rules compile the C files with other settings.

BUILD  := build/web
PAGE   := build/playground
EMCC   ?= emcc
CC     := $(EMCC)
AR     := emar
HOSTCC ?= cc
PKG_CONFIG := false
OPTIMIZE   := -O2
PIC    :=
HARDEN := no

.DEFAULT_GOAL := page
include Makefile

# One classic script with everything in it: a page that was opened from a file can load no other.
LINK_WEB := -O2 -s MODULARIZE=1 -s ENVIRONMENT=worker -s INVOKE_RUN=0 \
            -s ALLOW_MEMORY_GROWTH=1 -s EXPORTED_RUNTIME_METHODS=FS,ENV,callMain

$(BUILD)/command.js: $(CLI_OBJ) $(BUILD)/obj/web/grid.o $(BUILD)/libhalfspace.a
	$(SAY) link $@
	$(Q)$(CC) $(filter %.o %.a,$^) $(LINK_WEB) -s EXPORT_NAME=halfspace_command \
	    -s EXPORTED_FUNCTIONS=_main,_malloc,_free,_web_grid_new,_web_grid_free -o $@

$(PAGE)/core.js: web/core.js web/pack.mjs $(BUILD)/command.js
	@mkdir -p $(@D)
	$(SAY) pack $@
	$(Q)node web/pack.mjs $@ web/core.js $(filter $(BUILD)/%.js,$^)

WEB_FILES := $(filter-out %.c %.h %.mk %.mjs %/core.js %.md,$(wildcard web/* web/*/*))

.PHONY: page
page: $(PAGE)/core.js
	@for file in $(WEB_FILES:web/%=%); do mkdir -p $(PAGE)/$$(dirname $$file) && cp web/$$file $(PAGE)/$$file; done
