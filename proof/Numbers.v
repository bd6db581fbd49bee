(** Integers, rational numbers and decimals as numbers of an ordered field. The checker computes with
    Coq's integers and rational numbers; the lemmas of this file carry its results to the field. *)

From Coq Require Import Field Ring List ZArith QArith Lia.
From Halfspace Require Import OrderedField Vectors.
Import ListNotations.
Close Scope Q_scope.
Open Scope field_scope.

Section Numbers.

Variable F : ordered_field.
Add Field F_field : (field_laws F).

(** ** Integers *)

Definition of_Z (z : Z) : F := of_nat (Z.to_nat z) - of_nat (Z.to_nat (- z)).

(** An integer is a difference of natural numbers, and may be written as any such difference. *)
Lemma of_Z_difference m n : of_Z (Z.of_nat m - Z.of_nat n) = of_nat m - of_nat n.
Proof.
  unfold of_Z. set (p := Z.to_nat _). set (q := Z.to_nat _).
  assert (H : of_nat (F := F) (p + n) = of_nat (m + q)) by (f_equal; subst p q; lia).
  rewrite !of_nat_add in H.
  replace (of_nat p - of_nat q) with (of_nat p + of_nat n - of_nat n - of_nat (F := F) q) by ring.
  rewrite H. ring.
Qed.

Lemma as_difference (z : Z) : exists m n, z = (Z.of_nat m - Z.of_nat n)%Z.
Proof. exists (Z.to_nat z), (Z.to_nat (- z)). lia. Qed.

Lemma of_Z_of_nat n : of_Z (Z.of_nat n) = of_nat n.
Proof. replace (Z.of_nat n) with (Z.of_nat n - Z.of_nat 0)%Z by lia. rewrite of_Z_difference. simpl. ring. Qed.

Lemma of_Z_0 : of_Z 0 = 0.
Proof. exact (of_Z_of_nat 0). Qed.

Lemma of_Z_1 : of_Z 1 = 1.
Proof. change 1%Z with (Z.of_nat 1). rewrite of_Z_of_nat. simpl. ring. Qed.

Lemma of_Z_add x y : of_Z (x + y) = of_Z x + of_Z y.
Proof.
  destruct (as_difference x) as (a & b & ->), (as_difference y) as (c & e & ->).
  replace (_ + _)%Z with (Z.of_nat (a + c) - Z.of_nat (b + e))%Z by lia.
  rewrite !of_Z_difference, !of_nat_add. ring.
Qed.

Lemma of_Z_mul x y : of_Z (x * y) = of_Z x * of_Z y.
Proof.
  destruct (as_difference x) as (a & b & ->), (as_difference y) as (c & e & ->).
  replace (_ * _)%Z with (Z.of_nat (a * c + b * e) - Z.of_nat (a * e + b * c))%Z by lia.
  rewrite !of_Z_difference, !of_nat_add, !of_nat_mul. ring.
Qed.

Lemma of_Z_opp x : of_Z (- x) = - of_Z x.
Proof. replace (- x)%Z with (x * -1)%Z by lia. rewrite of_Z_mul.
  replace (-1)%Z with (Z.of_nat 0 - Z.of_nat 1)%Z by lia. rewrite of_Z_difference. simpl. ring.
Qed.

Lemma of_Z_sub x y : of_Z (x - y) = of_Z x - of_Z y.
Proof. replace (x - y)%Z with (x + - y)%Z by lia. rewrite of_Z_add, of_Z_opp. ring. Qed.

Lemma of_Z_nonneg x : (0 <= x)%Z -> 0 <= of_Z x.
Proof. intros H. rewrite <- (Z2Nat.id x H), of_Z_of_nat. apply of_nat_nonneg. Qed.

Lemma of_Z_positive x : (0 < x)%Z -> 0 < of_Z x.
Proof.
  intros H. replace x with (x - 1 + 1)%Z by lia. rewrite of_Z_add, of_Z_1.
  apply add_nonneg_pos; [apply of_Z_nonneg; lia | apply one_positive].
Qed.

Lemma of_Z_le x y : (x <= y)%Z -> of_Z x <= of_Z y.
Proof. intros H. apply le_by_difference. rewrite <- of_Z_sub. apply of_Z_nonneg. lia. Qed.

Lemma of_Z_lt x y : (x < y)%Z -> of_Z x < of_Z y.
Proof. intros H. apply lt_by_difference. rewrite <- of_Z_sub. apply of_Z_positive. lia. Qed.

Lemma of_Z_max x y : of_Z (Z.max x y) = max (of_Z x) (of_Z y).
Proof.
  unfold max. destruct (le_lt_dec (of_Z x) (of_Z y)) as [H | H]; destruct (Z.max_spec x y) as [[K ->] | [K ->]]; auto.
  - apply le_antisym; [exact H | now apply of_Z_le].
  - destruct (le_not_lt F (of_Z x) (of_Z y)); [apply of_Z_le; lia | exact H].
Qed.

Lemma of_pos_positive p : 0 < of_Z (Zpos p).
Proof. apply of_Z_positive. lia. Qed.

Lemma of_pos_nonzero p : of_Z (Zpos p) <> 0.
Proof. apply positive_nonzero, of_pos_positive. Qed.

(** ** Rational numbers *)

Definition of_Q (q : Q) : F := of_Z (Qnum q) / of_Z (Zpos (Qden q)).

Lemma of_Q_make n p : of_Q (n # p) = of_Z n / of_Z (Zpos p).
Proof. reflexivity. Qed.

Lemma of_Q_0 : of_Q 0%Q = 0.
Proof. unfold of_Q. simpl. rewrite of_Z_0. field. exact (of_pos_nonzero 1). Qed.

Lemma of_Q_Z z : of_Q (z # 1) = of_Z z.
Proof. unfold of_Q. simpl. rewrite of_Z_1. field. exact (positive_nonzero F 1 (one_positive F)). Qed.

Lemma of_Q_mul x y : of_Q (x * y)%Q = of_Q x * of_Q y.
Proof.
  destruct x as [a p], y as [b q]. unfold of_Q, Qmult. simpl.
  rewrite Pos2Z.inj_mul, !of_Z_mul. field. split; apply of_pos_nonzero.
Qed.

Lemma of_Q_add x y : of_Q (x + y)%Q = of_Q x + of_Q y.
Proof.
  destruct x as [a p], y as [b q]. unfold of_Q, Qplus. simpl.
  rewrite Pos2Z.inj_mul, of_Z_add, !of_Z_mul. field. split; apply of_pos_nonzero.
Qed.

Lemma of_Q_opp x : of_Q (- x)%Q = - of_Q x.
Proof. destruct x as [a p]. unfold of_Q, Qopp. simpl. rewrite of_Z_opp. field. apply of_pos_nonzero. Qed.

Lemma of_Q_sub x y : of_Q (x - y)%Q = of_Q x - of_Q y.
Proof. unfold Qminus. rewrite of_Q_add, of_Q_opp. ring. Qed.

Lemma of_Q_div x y : (0 < Qnum y)%Z -> of_Q (x / y)%Q = of_Q x / of_Q y.
Proof.
  intros P. unfold Qdiv. rewrite of_Q_mul.
  destruct y as [[| n | n] q]; try discriminate P.
  change (/ (Zpos n # q))%Q with (Zpos q # n)%Q. rewrite !of_Q_make. field. split; apply of_pos_nonzero.
Qed.

Lemma of_Z_2 : of_Z 2 = 2.
Proof. change 2%Z with (1 + 1)%Z. now rewrite of_Z_add, of_Z_1. Qed.

Lemma of_Q_le x y : (x <= y)%Q -> of_Q x <= of_Q y.
Proof.
  destruct x as [a p], y as [b q]. unfold Qle, of_Q. simpl. intros H.
  apply of_Z_le in H. rewrite !of_Z_mul in H.
  apply div_le; [apply of_pos_positive |].
  replace (of_Z b / of_Z (Zpos q) * of_Z (Zpos p)) with (of_Z b * of_Z (Zpos p) / of_Z (Zpos q))
    by (field; apply of_pos_nonzero).
  apply le_div; [apply of_pos_positive | exact H].
Qed.

Lemma of_Q_le_bool x y : Qle_bool x y = true -> of_Q x <= of_Q y.
Proof. intros H. now apply of_Q_le, Qle_bool_iff. Qed.

Lemma of_Q_nonneg q : (0 <= Qnum q)%Z -> 0 <= of_Q q.
Proof. intros H. apply div_nonneg; [now apply of_Z_nonneg | apply of_pos_positive]. Qed.

Lemma of_Q_positive q : (0 < Qnum q)%Z -> 0 < of_Q q.
Proof. intros H. apply div_positive; [now apply of_Z_positive | apply of_pos_positive]. Qed.

(** ** Decimals: (m, e) is m 10^e *)

Definition decimal : Set := (Z * Z)%type.

Definition of_decimal (t : decimal) : F :=
  of_Z (fst t * 10 ^ Z.max 0 (snd t)) / of_Z (10 ^ Z.max 0 (- snd t)).

Lemma power_positive e : (0 <= e)%Z -> (0 < 10 ^ e)%Z.
Proof. intros. now apply Z.pow_pos_nonneg. Qed.

(** With D decimals, m 10^e is the integer m 10^(e + D) over 10^D. *)
Lemma of_decimal_scaled m e n :
  (0 <= n)%Z -> (0 <= e + n)%Z -> of_Z (m * 10 ^ (e + n)) = of_decimal (m, e) * of_Z (10 ^ n).
Proof.
  intros N E. unfold of_decimal. simpl fst. simpl snd.
  assert (P : of_Z (10 ^ Z.max 0 (- e)) <> 0)
    by (apply positive_nonzero, of_Z_positive, power_positive; lia).
  assert (H : (m * 10 ^ (e + n) * 10 ^ Z.max 0 (- e) = m * 10 ^ Z.max 0 e * 10 ^ n)%Z).
  { rewrite <- !Z.mul_assoc, <- !Z.pow_add_r by lia. do 2 f_equal. lia. }
  apply (f_equal of_Z) in H. rewrite !(of_Z_mul _ (10 ^ _)) in H.
  set (x := of_Z (10 ^ Z.max 0 (- e))) in *.
  replace (of_Z (m * 10 ^ (e + n))) with (of_Z (m * 10 ^ (e + n)) * x / x) by (field; exact P).
  rewrite !of_Z_mul in *. rewrite H. field. exact P.
Qed.

End Numbers.

Arguments of_Z {_} _.
Arguments of_Q {_} _.
Arguments of_decimal {_} _.
