(** The perceptron can need exponentially many updates.

    Let v_i = e_i - e_1 - ... - e_(i-1) for i = 1, ..., d, and make rows of them with any labels,
    x_i = y_i v_i. They are separable, but every run of the perceptron without an offset that ends with a
    separator makes at least 2^(d-1) updates, in any order.

    The proof. The weights are integers z_i. A separator has z_i > z_1 + ... + z_(i-1), so z_i >= 2^(i-1).
    Only the last row changes z_d upwards, by 1 per update. (Indices begin with 0 below.) *)

From Coq Require Import Field Ring List Arith ZArith Lia.
From Halfspace Require Import OrderedField Vectors Definitions Numbers Perceptron.
Import ListNotations.
Close Scope Z_scope.
Open Scope field_scope.

(** ** Integers *)

(** v_i *)
Definition steep (i j : nat) : Z := if Nat.eqb j i then 1 else if Nat.ltb j i then -1 else 0.

Fixpoint Zsum (m : nat) (f : nat -> Z) : Z := match m with O => 0%Z | S m => (Zsum m f + f m)%Z end.

(** <z, v_i> = z_i - z_0 - ... - z_(i-1) *)
Lemma Zsum_steep z i m : (i < m)%nat -> Zsum m (fun j => z j * steep i j)%Z = (z i - Zsum i z)%Z.
Proof.
  assert (forall k, (k <= i)%nat -> Zsum k (fun j => z j * steep i j)%Z = (- Zsum k z)%Z) as before.
  { induction k as [| k IH]; intros L; simpl; [reflexivity |]. rewrite IH by lia. unfold steep.
    rewrite (proj2 (Nat.eqb_neq k i)), (proj2 (Nat.ltb_lt k i)) by lia. lia. }
  induction m as [| m IH]; intros L; [lia |]. simpl. destruct (Nat.eq_dec m i) as [-> | other].
  - rewrite before by lia. unfold steep. rewrite Nat.eqb_refl. lia.
  - rewrite IH by lia. unfold steep.
    rewrite (proj2 (Nat.eqb_neq m i)), (proj2 (Nat.ltb_ge m i)) by lia. lia.
Qed.

(** If every number is above the sum of those before, they grow like powers of 2. *)
Lemma doubling z d : (forall i, (i < d)%nat -> (0 < z i - Zsum i z)%Z) ->
  forall i, (i < d)%nat -> (2 ^ Z.of_nat i <= z i)%Z.
Proof.
  intros H. assert (forall i, (i <= d)%nat -> (2 ^ Z.of_nat i <= Zsum i z + 1)%Z) as sums.
  { induction i as [| i IH]; intros L; [simpl; lia |].
    specialize (IH ltac:(lia)). specialize (H i ltac:(lia)).
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. simpl Zsum. lia. }
  intros i L. specialize (sums i ltac:(lia)). specialize (H i L). lia.
Qed.

(** ** Rows *)

Section LowerBound.

Variable F : ordered_field.
Add Field F_field : (field_laws F).
Variable d : nat.

(** The row y_i v_i with the label y_i *)
Definition steep_row (y : bool) (i : nat) : row F :=
  {| is_positive := y; point := fun j => if y then of_Z (steep i j) else - of_Z (steep i j) |}.

Definition steep_rows (labels : nat -> bool) : list (row F) :=
  map (fun i => steep_row (labels i) i) (seq 0 d).

Lemma in_steep_rows labels r : In r (steep_rows labels) <->
  exists i, (i < d)%nat /\ r = steep_row (labels i) i.
Proof.
  unfold steep_rows. rewrite in_map_iff. split.
  - intros (i & <- & I). apply in_seq in I. exists i. split; [lia | reflexivity].
  - intros (i & L & ->). exists i. split; [reflexivity | apply in_seq; lia].
Qed.

Lemma signed_steep_row y i j : label (steep_row y i) * point (steep_row y i) j = of_Z (steep i j).
Proof. unfold label. destruct y; simpl; ring. Qed.

Lemma steep_margin z y i w : (i < d)%nat -> (forall j, w j = of_Z (z j)) ->
  row_margin d w 0 (steep_row y i) = of_Z (z i - Zsum i z).
Proof.
  intros L W. rewrite <- (Zsum_steep z i d L). unfold row_margin, score, dot.
  replace (label (steep_row y i) * (sum d (fun j => w j * point (steep_row y i) j) + 0))
    with (label (steep_row y i) * sum d (fun j => w j * point (steep_row y i) j)) by ring.
  rewrite <- sum_scale, (sum_ext F d _ (fun j => of_Z (z j * steep i j))).
  - clear L. induction d as [| m IH]; simpl; [now rewrite of_Z_0 | now rewrite IH, of_Z_add].
  - intros j _. rewrite of_Z_mul, <- (signed_steep_row y i j), W. ring.
Qed.

(** The weights are integers, and the last one is at most the number of updates. *)
Lemma steep_weights labels l s : run d 1 0 l s -> incl l (steep_rows labels) ->
  exists z, (forall j, fst s j = of_Z (z j)) /\ (z (d - 1)%nat <= Z.of_nat (length l))%Z.
Proof.
  induction 1 as [| l s r H IH M]; intros inside.
  - exists (fun _ => 0%Z). split; [intros j; symmetry; apply of_Z_0 | simpl; lia].
  - destruct IH as (z & W & last); [intros x X; apply inside; now right |].
    destruct (proj1 (in_steep_rows labels r)) as (i & L & ->); [apply inside; now left |].
    exists (fun j => z j + steep i j)%Z. split.
    + intros j. rewrite of_Z_add, <- W, <- (signed_steep_row (labels i) i j).
      unfold update, vadd, vscale. cbn [fst]. ring.
    + assert (steep i (d - 1) <= 1)%Z as one_more
        by (unfold steep; destruct (Nat.eqb _ _); [lia | destruct (Nat.ltb _ _); lia]).
      simpl length. lia.
Qed.

(** A run that ends with a separator makes at least 2^(d-1) updates. *)
Theorem exponentially_many_updates labels l s : (0 < d)%nat ->
  run d 1 0 l s -> incl l (steep_rows labels) -> separates d (fst s) (snd s) (steep_rows labels) ->
  (2 ^ (d - 1) <= length l)%nat.
Proof.
  intros some H inside separator.
  destruct (steep_weights labels l s H inside) as (z & W & last).
  assert (snd s = 0) as no_offset by (rewrite (run_offset F d 1 0 l s H); ring).
  assert (forall i, (i < d)%nat -> (0 < z i - Zsum i z)%Z) as increasing.
  { intros i L.
    assert (In (steep_row (labels i) i) (steep_rows labels)) as I by (apply in_steep_rows; now exists i).
    pose proof (separator _ I) as M.
    rewrite no_offset, (steep_margin z (labels i) i (fst s) L W) in M.
    destruct (Z.lt_ge_cases 0 (z i - Zsum i z)) as [positive | not]; [exact positive |].
    apply (of_Z_le F) in not. rewrite of_Z_0 in not. destruct (le_not_lt F _ _ not M). }
  pose proof (doubling z d increasing (d - 1) ltac:(lia)) as large.
  apply Nat2Z.inj_le. rewrite Nat2Z.inj_pow. simpl (Z.of_nat 2). lia.
Qed.

(** They are separable, by z_i = 2^i. *)
Theorem steep_rows_separable labels : separable d false (steep_rows labels).
Proof.
  exists (fun j => of_Z (2 ^ Z.of_nat j)), 0. split; [now intros _ |].
  intros r I. apply in_steep_rows in I as (i & L & ->).
  rewrite (steep_margin (fun j => 2 ^ Z.of_nat j)%Z (labels i) i _ L) by reflexivity.
  apply of_Z_positive. clear L.
  assert (Zsum i (fun j => 2 ^ Z.of_nat j)%Z = 2 ^ Z.of_nat i - 1)%Z as ->; [| lia].
  induction i as [| i IH]; [reflexivity |]. simpl Zsum. rewrite IH, Nat2Z.inj_succ, Z.pow_succ_r by lia. lia.
Qed.

End LowerBound.
