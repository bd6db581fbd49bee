(** The rational numbers are an ordered field. (Real numbers are another one: their laws are axioms or
    theorems of whoever defines them, so they are not a part of these proofs.) *)

From Coq Require Import QArith Qcanon Field.
From Halfspace Require Import OrderedField.

Lemma rational_lt_irreflexive (x : Qc) : ~ (x < x)%Qc.
Proof. intros H. exact (Qlt_irrefl x H). Qed.

Lemma rational_lt_add (x y z : Qc) : (x < y)%Qc -> (x + z < y + z)%Qc.
Proof. intros H. unfold Qclt, Qcplus, Q2Qc in *. cbn [this]. rewrite !Qred_correct. now apply Qplus_lt_l. Qed.

Lemma rational_mul_positive (x y : Qc) : (Q2Qc 0 < x)%Qc -> (Q2Qc 0 < y)%Qc -> (Q2Qc 0 < x * y)%Qc.
Proof.
  intros H K. replace (Q2Qc 0) with (Q2Qc 0 * y)%Qc by ring. now apply Qcmult_lt_compat_r.
Qed.

Definition rational_compare (x y : Qc) : {(x < y)%Qc} + {x = y} + {(y < x)%Qc}.
Proof. destruct (Qc_dec x y) as [[H | H] | H]; auto. Defined.

Definition rational_numbers : ordered_field := {|
  number := Qc;
  zero := Q2Qc 0; one := Q2Qc 1;
  add := Qcplus; mul := Qcmult; sub := Qcminus; opp := Qcopp; div := Qcdiv; inv := Qcinv;
  lt := Qclt;
  field_laws := Qcft;
  lt_irreflexive := rational_lt_irreflexive;
  lt_transitive := Qclt_trans;
  compare := rational_compare;
  lt_add := rational_lt_add;
  mul_positive := rational_mul_positive
|}.
