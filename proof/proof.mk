# The proofs, compiled in build/proof: make -f proof/proof.mk proofs. The main Makefile calls it.
BUILD ?= build
OUT   := $(BUILD)/proof
COQC  ?= coqc
Q     := $(if $(V),,@)
COQ_SRC := $(wildcard proof/*.v)
COQ_OBJ := $(COQ_SRC:proof/%.v=$(OUT)/%.vo)

.PHONY: proofs
proofs: $(COQ_OBJ)

# coqc runs in $(OUT), where it leaves its caches.
$(OUT)/%.vo: proof/%.v
	@echo '  coqc  $<'
	$(Q)cd $(OUT) && $(COQC) -q -w -extraction -Q . Halfspace -o $*.vo $(CURDIR)/$<

# Which file needs which.
$(OUT)/depend.mk: $(COQ_SRC)
	@mkdir -p $(OUT)
	$(Q)coqdep -Q proof Halfspace $(COQ_SRC) | sed 's#proof/\([A-Za-z0-9]*\)\.\(vo\|vok\|vos\|required_vo\|required_vos\)\>#$(OUT)/\1.\2#g' | \
	    sed -n 's#^\($(OUT)/[A-Za-z0-9]*\.vo\) [^:]*:#\1:#p' > $@
-include $(OUT)/depend.mk

# The checker in OCaml.
.PHONY: checker
checker: $(BUILD)/halfspace-verify-proved
$(BUILD)/halfspace-verify-proved: $(OUT)/Extraction.vo proof/reader.ml proof/report.ml
	@echo '  ocaml $@'
	$(Q)cp proof/reader.ml proof/report.ml $(OUT)/
	$(Q)cd $(OUT) && ocamlfind ocamlopt -w -a -package zarith checker.mli checker.ml -c && \
	    ocamlfind ocamlopt -w +a-4-9-40..42-44-45-70 -package zarith -linkpkg \
	        checker.cmx reader.ml report.ml -o $(abspath $@)
