(** The checker in OCaml. Coq's integers become those of Zarith (ExtrOcamlZBigInt), its booleans, lists,
    options and pairs become OCaml's own (ExtrOcamlBasic). *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt ZArith QArith.
From Halfspace Require Import Checker.

Extraction Language OCaml.
Extraction "checker.ml" prepare check.
