(** Powers, and what is needed of logarithms.

    An ordered field need not have logarithms. Theorems about them are for every function with the laws of
    one; the real logarithms are examples. Each is proven from an inequality between powers, which
    holds in every ordered field. *)

From Coq Require Import Field Ring List Arith Lia.
From Halfspace Require Import OrderedField.

Section Powers.

Variable F : ordered_field.
Add Field F_field_powers : (field_laws F).
Implicit Types a b x y : F.

Fixpoint power a (n : nat) : F := match n with O => 1 | S n => a * power a n end.

Lemma power_positive a n : 0 < a -> 0 < power a n.
Proof. intros H. induction n; simpl; [apply one_positive | now apply mul_positive]. Qed.

Lemma power_nonneg a n : 0 <= a -> 0 <= power a n.
Proof. intros H. induction n; simpl; [apply one_nonneg | now apply mul_nonneg]. Qed.

Lemma power_le a b n : 0 <= a -> a <= b -> power a n <= power b n.
Proof.
  intros H K. induction n; simpl; [apply le_refl |].
  apply mul_le; auto. now apply power_nonneg.
Qed.

Lemma power_add a m n : power a (m + n) = power a m * power a n.
Proof. induction m as [| m IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma power_product a b n : power (a * b) n = power a n * power b n.
Proof. induction n as [| n IH]; simpl; [| rewrite IH]; ring. Qed.

Lemma one_le_power a n : 1 <= a -> 1 <= power a n.
Proof.
  intros H. replace (one (o := F)) with (power 1 n) at 1
    by (induction n as [| n IH]; simpl; [| rewrite IH]; ring).
  apply power_le; [apply one_nonneg | exact H].
Qed.

Lemma power_increasing a m n : 1 <= a -> (m <= n)%nat -> power a m <= power a n.
Proof.
  intros H K. replace n with (m + (n - m))%nat by lia. rewrite power_add.
  replace (power a m) with (power a m * 1) at 1 by ring.
  apply mul_le_left; [| now apply one_le_power].
  apply power_nonneg, le_trans with 1; [apply one_nonneg | exact H].
Qed.

Lemma power_of_two n : power 2 n = of_nat (2 ^ n).
Proof.
  induction n as [| n IH]; [simpl; ring |].
  change (2 ^ S n)%nat with (2 * 2 ^ n)%nat. rewrite of_nat_mul, <- IH. simpl. ring.
Qed.

Lemma of_nat_lt m n : (m < n)%nat -> of_nat (F := F) m < of_nat n.
Proof.
  intros H. replace n with (m + S (n - m - 1))%nat by lia. rewrite of_nat_add. apply lt_by_difference.
  replace (of_nat m + of_nat (S (n - m - 1)) - of_nat m) with (of_nat (F := F) (S (n - m - 1))) by ring.
  simpl. apply add_nonneg_pos; [apply of_nat_nonneg | apply one_positive].
Qed.

Lemma of_nat_le m n : (m <= n)%nat -> of_nat (F := F) m <= of_nat n.
Proof.
  intros H. destruct (Nat.eq_dec m n) as [-> | other]; [apply le_refl |].
  apply lt_le, of_nat_lt. lia.
Qed.

Lemma of_nat_le_cancel m n : of_nat (F := F) m <= of_nat n -> (m <= n)%nat.
Proof.
  intros H. destruct (Nat.le_gt_cases m n) as [K | K]; [exact K |].
  destruct (le_not_lt F _ _ H). now apply of_nat_lt.
Qed.

(** ** Logarithms *)

(** The laws of a logarithm to some base above 1 *)
Definition logarithm (log : F -> F) : Prop :=
  (forall x y, 0 < x -> 0 < y -> log (x * y) = log x + log y) /\
  (forall x y, 0 < x -> x < y -> log x < log y).

(** The natural logarithm is the one below its tangent at 1. *)
Definition natural_logarithm (log : F -> F) : Prop :=
  logarithm log /\ forall x, 0 < x -> log x <= x - 1.

Section Logarithms.

Variable log : F -> F.
Hypothesis is_logarithm : logarithm log.

Lemma log_mul x y : 0 < x -> 0 < y -> log (x * y) = log x + log y.
Proof. apply is_logarithm. Qed.

Lemma log_le x y : 0 < x -> x <= y -> log x <= log y.
Proof. intros Hx [H | ->]; [apply lt_le; now apply is_logarithm | apply le_refl]. Qed.

Lemma log_one : log 1 = 0.
Proof.
  pose proof (log_mul 1 1 (one_positive F) (one_positive F)) as H.
  replace (1 * 1) with (one (o := F)) in H by ring.
  transitivity (log 1 + log 1 - log 1); [ring |]. rewrite <- H. ring.
Qed.

Lemma log_power x n : 0 < x -> log (power x n) = of_nat n * log x.
Proof.
  intros H. induction n as [| n IH]; simpl; [rewrite log_one; ring |].
  rewrite log_mul, IH by auto using power_positive. ring.
Qed.

Lemma log_inverse x : 0 < x -> log (1 / x) = - log x.
Proof.
  intros H. pose proof (positive_nonzero F x H) as nonzero.
  pose proof (log_mul x (1 / x) H (div_positive F 1 x (one_positive F) H)) as product.
  replace (x * (1 / x)) with (one (o := F)) in product by now field. rewrite log_one in product.
  transitivity (log x + log (1 / x) - log x); [ring |]. rewrite <- product. ring.
Qed.

Lemma log_positive x : 1 < x -> 0 < log x.
Proof. intros H. rewrite <- log_one. apply is_logarithm; [apply one_positive | exact H]. Qed.

Lemma log_le_cancel x y : 0 < y -> log x <= log y -> x <= y.
Proof.
  intros Hy H. apply not_lt_le. intros K. apply (le_not_lt F _ _ H). now apply is_logarithm.
Qed.

End Logarithms.

End Powers.

Arguments power {F} a n.
Arguments logarithm {F} log.
Arguments natural_logarithm {F} log.
