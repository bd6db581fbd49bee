(** Balanced Winnow's mistake bound for any linear target: k <= 2 W^2 ln 2n.

    Rows have n columns with values from -1 to 1. Every column has two weights, u+ and u-, which start at
    1; the score is <u+ - u-, x>, and after a mistake, y <u+ - u-, x> <= 0, each u+ is multiplied by
    e^(eta y x) and each u- divided by it. Let v be a target with y <v, x> >= g > 0 on all rows, and
    V = sum |v_j|. Then k mistakes imply

        e^(eta k g / V) <= 2 n cosh(eta)^k,

    for every sequence of mistakes. With W = V / g, eta = 1 / W and cosh(eta) <= e^(eta^2 / 2), this is
    k <= 2 W^2 ln 2n.

    The proof. For |x| <= 1 the chord of the exponential gives e^(eta x) <= cosh(eta) + x sinh(eta). So a
    mistake multiplies the sum of all weights by cosh(eta) at most: the other term is
    sinh(eta) y <u+ - u-, x> <= 0. On the other side, let e_j be the sum of y x_j over the mistakes; then
    k g <= sum v_j e_j <= V max |e_j|, and e^(eta |e_j|) is one of the weights.

    An ordered field need not have an exponential function. The theorems are for every function with its
    laws, e^(x + y) = e^x e^y and e^x >= 1 + x, such as the real one. *)

From Coq Require Import Field Ring List Arith Lia.
From Halfspace Require Import OrderedField Vectors Sums Powers Definitions.
Import ListNotations.

Section BalancedWinnow.

Variable F : ordered_field.
Add Field F_field : (field_laws F).

(** ** The exponential function *)

Variable exp : F -> F.
Hypothesis exp_add : forall x y, exp (x + y) = exp x * exp y.
Hypothesis exp_tangent : forall x, 1 + x <= exp x.

Lemma exp_zero : exp 0 = 1.
Proof.
  pose proof (exp_add 0 0) as square. replace (0 + 0 : F) with (0 : F) in square by ring.
  pose proof (exp_tangent 0) as above. replace (1 + 0 : F) with (1 : F) in above by ring.
  assert (exp 0 <> 0) as nonzero
    by (apply positive_nonzero, lt_le_trans with 1; [apply one_positive | exact above]).
  replace (exp 0) with (exp 0 * exp 0 / exp 0) by (now field). rewrite <- square. now field.
Qed.

Lemma exp_opposite x : exp x * exp (- x) = 1.
Proof. rewrite <- exp_add. replace (x + - x) with (0 : F) by ring. apply exp_zero. Qed.

Lemma exp_positive x : 0 < exp x.
Proof.
  pose proof (positive_nonzero F 2 (two_positive F)) as two.
  assert (0 <= exp x) as nonneg.
  { replace x with (x / 2 + x / 2) by (now field). rewrite exp_add. apply square_nonneg. }
  destruct nonneg as [positive | zero]; [exact positive |].
  pose proof (exp_opposite x) as product. rewrite <- zero in product.
  pose proof (one_positive F) as one_pos. rewrite <- product in one_pos.
  replace (0 * exp (- x)) with (0 : F) in one_pos by ring. now apply lt_irreflexive in one_pos.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof.
  intros H. replace y with (x + (y - x)) by ring. rewrite exp_add.
  replace (exp x) with (exp x * 1) at 1 by ring. apply mul_le_left; [apply lt_le, exp_positive |].
  eapply le_trans; [| apply exp_tangent]. apply le_by_difference. apply le_difference in H.
  follows_from H.
Qed.

Lemma exp_multiple x k : exp (of_nat k * x) = power (exp x) k.
Proof.
  induction k as [| k IH]; simpl.
  - replace (0 * x) with (0 : F) by ring. apply exp_zero.
  - replace ((of_nat k + 1) * x) with (x + of_nat k * x) by ring. now rewrite exp_add, IH.
Qed.

(** The tangent at z is below the function. *)
Lemma exp_tangent_at z y : exp z * (1 + (y - z)) <= exp y.
Proof.
  replace y with (z + (y - z)) at 2 by ring. rewrite exp_add.
  apply mul_le_left; [apply lt_le, exp_positive | apply exp_tangent].
Qed.

(** So its chords are above it: e^(eta x) <= cosh(eta) + x sinh(eta) for |x| <= 1. *)
Definition cosh eta : F := (exp eta + exp (- eta)) / 2.
Definition sinh eta : F := (exp eta - exp (- eta)) / 2.

Lemma exp_chord eta x : - (1) <= x -> x <= 1 -> exp (eta * x) <= cosh eta + x * sinh eta.
Proof.
  intros lower upper. pose proof (positive_nonzero F 2 (two_positive F)) as two.
  apply le_difference in lower, upper.
  pose proof (le_difference F _ _ (exp_tangent_at (eta * x) eta)) as right_end.
  pose proof (le_difference F _ _ (exp_tangent_at (eta * x) (- eta))) as left_end.
  pose proof (mul_nonneg F _ _ (div_nonneg F _ _ lower (two_positive F)) right_end) as right_part.
  pose proof (mul_nonneg F _ _ (div_nonneg F _ _ upper (two_positive F)) left_end) as left_part.
  pose proof (add_nonneg F _ _ right_part left_part) as both.
  apply le_by_difference. unfold cosh, sinh. follows_from both.
Qed.

Lemma cosh_nonneg eta : 0 <= cosh eta.
Proof. apply div_nonneg; [| apply two_positive]. apply add_nonneg; apply lt_le, exp_positive. Qed.

Lemma sinh_nonneg eta : 0 <= eta -> 0 <= sinh eta.
Proof.
  intros H. apply div_nonneg; [| apply two_positive]. apply le_difference, exp_le.
  apply le_trans with 0; [| exact H]. apply opp_le in H. now replace (- 0) with (0 : F) in H by ring.
Qed.

(** ** The algorithm *)

Variable n : nat.
Variable eta : F.
Hypothesis eta_nonneg : 0 <= eta.
Implicit Types (r : row F) (l : list (row F)) (j : nat).

(** e_j, the sum of y x_j over the mistakes *)
Definition exponent l j : F := list_sum (fun r => label r * point r j) l.

Definition upper_weight l j : F := exp (eta * exponent l j).
Definition lower_weight l j : F := exp (- (eta * exponent l j)).
Definition balanced_score l r : F := sum n (fun j => (upper_weight l j - lower_weight l j) * point r j).

(** In the list l the last mistake comes first. *)
Fixpoint balanced_run l : Prop :=
  match l with [] => True | r :: l => label r * balanced_score l r <= 0 /\ balanced_run l end.

Definition bounded r : Prop := forall j, (j < n)%nat -> - (1) <= point r j /\ point r j <= 1.

Definition total_weight l : F := sum n (fun j => upper_weight l j + lower_weight l j).

(** A mistake multiplies the weights by e^(eta y x) and its inverse. *)
Lemma upper_weight_step r l j :
  upper_weight (r :: l) j = upper_weight l j * exp (eta * (label r * point r j)).
Proof. unfold upper_weight. rewrite <- exp_add. f_equal. unfold exponent. simpl. ring. Qed.

Lemma lower_weight_step r l j :
  lower_weight (r :: l) j = lower_weight l j * exp (eta * - (label r * point r j)).
Proof. unfold lower_weight. rewrite <- exp_add. f_equal. unfold exponent. simpl. ring. Qed.

Lemma signed_bounded r j : bounded r -> (j < n)%nat ->
  - (1) <= label r * point r j /\ label r * point r j <= 1.
Proof.
  intros H L. destruct (H j L) as [lower upper]. apply le_difference in lower, upper.
  unfold label. destruct (is_positive r); split; apply le_by_difference;
    (follows_from lower || follows_from upper).
Qed.

(** The sum of all weights grows by a factor of at most cosh(eta). *)
Lemma total_weight_step r l : bounded r -> label r * balanced_score l r <= 0 ->
  total_weight (r :: l) <= cosh eta * total_weight l.
Proof.
  intros inside wrong.
  apply le_trans with (cosh eta * total_weight l + sinh eta * (label r * balanced_score l r)).
  - unfold total_weight, balanced_score. rewrite <- !sum_scale, <- sum_add. apply sum_le. intros j L.
    destruct (signed_bounded r j inside L) as [lower upper]. set (x := label r * point r j) in *.
    rewrite upper_weight_step, lower_weight_step. fold x.
    assert (upper_weight l j * exp (eta * x) <= upper_weight l j * (cosh eta + x * sinh eta)) as up
      by (apply mul_le_left; [apply lt_le, exp_positive | now apply exp_chord]).
    assert (lower_weight l j * exp (eta * - x) <= lower_weight l j * (cosh eta + - x * sinh eta)) as down.
    { apply mul_le_left; [apply lt_le, exp_positive |]. apply le_difference in lower, upper.
      apply exp_chord; apply le_by_difference; [follows_from upper | follows_from lower]. }
    eapply le_trans; [apply add_le; [exact up | exact down] |]. right. unfold x. ring.
  - apply (mul_le_left F _ _ _ (sinh_nonneg eta eta_nonneg)) in wrong.
    apply le_difference in wrong. apply le_by_difference. follows_from wrong.
Qed.

(** U <= 2 n cosh(eta)^k *)
Theorem balanced_potential l : (forall r, In r l -> bounded r) -> balanced_run l ->
  total_weight l <= 2 * of_nat n * power (cosh eta) (length l).
Proof.
  induction l as [| r l IH]; intros inside run.
  - right. unfold total_weight, upper_weight, lower_weight, exponent. simpl.
    replace (eta * 0) with (0 : F) by ring. replace (- 0) with (0 : F) by ring. rewrite exp_zero.
    induction n as [| m IH]; simpl; [ring | rewrite IH; ring].
  - destruct run as [wrong before]. simpl.
    eapply le_trans; [apply total_weight_step; [apply inside; now left | exact wrong] |].
    replace (2 * of_nat n * (cosh eta * power (cosh eta) (length l)))
      with (cosh eta * (2 * of_nat n * power (cosh eta) (length l))) by ring.
    apply mul_le_left; [apply cosh_nonneg |]. apply IH; [| exact before]. intros x I. apply inside. now right.
Qed.

(** ** The target *)

Definition absolute (x : F) : F := max x (- x).

Lemma absolute_nonneg x : 0 <= absolute x.
Proof.
  destruct (le_total F 0 x) as [H | H]; [apply le_trans with (1 := H); apply max_left |].
  apply le_trans with (- x); [| apply max_right]. apply opp_le in H.
  now replace (- 0) with (0 : F) in H by ring.
Qed.

Lemma product_absolute x y : x * y <= absolute x * absolute y.
Proof.
  pose proof (absolute_nonneg x) as X. pose proof (absolute_nonneg y) as Y.
  destruct (le_total F 0 x) as [H | H].
  - apply le_trans with (x * absolute y); [apply mul_le_left; [exact H | apply max_left] |].
    apply mul_le_right; [exact Y | apply max_left].
  - replace (x * y) with (- x * - y) by ring.
    apply le_trans with (- x * absolute y); [apply mul_le_left; [| apply max_right] |].
    + apply opp_le in H. now replace (- 0) with (0 : F) in H by ring.
    + apply mul_le_right; [exact Y | apply max_right].
Qed.

(** Some column has the largest |e_j|. *)
Lemma largest_exists (f : nat -> F) m : (0 < m)%nat ->
  exists i, (i < m)%nat /\ forall j, (j < m)%nat -> f j <= f i.
Proof.
  induction m as [| m IH]; intros some; [lia |].
  destruct (Nat.eq_dec m 0) as [-> | more].
  - exists 0%nat. split; [lia |]. intros j L. replace j with 0%nat by lia. apply le_refl.
  - destruct IH as (i & I & H); [lia |]. destruct (le_total F (f m) (f i)) as [K | K].
    + exists i. split; [lia |]. intros j L. destruct (Nat.eq_dec j m) as [-> | other]; [exact K |].
      apply H. lia.
    + exists m. split; [lia |]. intros j L. destruct (Nat.eq_dec j m) as [-> | other]; [apply le_refl |].
      apply le_trans with (2 := K), H. lia.
Qed.

(** Every e^(eta |e_j|) is one of the weights. *)
Lemma weight_of_column l j : (j < n)%nat -> exp (eta * absolute (exponent l j)) <= total_weight l.
Proof.
  intros L. apply le_trans with (upper_weight l j + lower_weight l j).
  - unfold absolute.
    destruct (max_case F (exponent l j) (- exponent l j)) as [-> | ->]; apply le_by_difference;
      unfold upper_weight, lower_weight.
    + pose proof (lt_le F _ _ (exp_positive (- (eta * exponent l j)))) as rest. follows_from rest.
    + replace (eta * - exponent l j) with (- (eta * exponent l j)) by ring.
      pose proof (lt_le F _ _ (exp_positive (eta * exponent l j))) as rest. follows_from rest.
  - apply (sum_member F n (fun i => upper_weight l i + lower_weight l i)); [exact L |].
    intros i _. apply add_nonneg; apply lt_le, exp_positive.
Qed.

Section Target.

Variables (v : vector F) (g : F).
Hypothesis g_positive : 0 < g.
Hypothesis some_columns : (0 < n)%nat.

(** V *)
Definition target_size : F := sum n (fun j => absolute (v j)).

(** <v, e> is the sum of the target's margins over the mistakes. *)
Lemma target_progress l : (forall r, In r l -> g <= label r * dot n v (point r)) ->
  of_nat (length l) * g <= sum n (fun j => v j * exponent l j).
Proof.
  intros margins. replace (sum n (fun j => v j * exponent l j))
    with (list_sum (fun r => label r * dot n v (point r)) l); [now apply list_sum_at_least |].
  unfold exponent.
  rewrite (sum_ext F n _ (fun j => list_sum (fun r => v j * (label r * point r j)) l))
    by (intros; now rewrite list_sum_scale).
  rewrite sum_list_sum. apply list_sum_ext. intros r _. unfold dot. rewrite <- sum_scale.
  apply sum_ext. intros; ring.
Qed.

(** e^(eta k g / V) <= 2 n cosh(eta)^k *)
Theorem balanced_winnow l : 0 < target_size ->
  (forall r, In r l -> bounded r) -> (forall r, In r l -> g <= label r * dot n v (point r)) ->
  balanced_run l ->
  exp (eta * (of_nat (length l) * g / target_size)) <= 2 * of_nat n * power (cosh eta) (length l).
Proof.
  intros size inside margins run.
  destruct (largest_exists (fun j => absolute (exponent l j)) n some_columns) as (i & I & largest).
  eapply le_trans; [| now apply balanced_potential].
  apply le_trans with (exp (eta * absolute (exponent l i))); [| now apply weight_of_column].
  apply exp_le, mul_le_left; [exact eta_nonneg |].
  apply div_le; [exact size |]. eapply le_trans; [now apply target_progress |].
  replace (absolute (exponent l i) * target_size)
    with (sum n (fun j => absolute (exponent l i) * absolute (v j)))
    by (unfold target_size; now rewrite sum_scale).
  apply sum_le. intros j L. eapply le_trans; [apply product_absolute |].
  replace (absolute (v j) * absolute (exponent l j)) with (absolute (exponent l j) * absolute (v j)) by ring.
  apply mul_le_right; [apply absolute_nonneg | exact (largest j L)].
Qed.

(** eta = 1 / W with W = V / g: k <= 2 W^2 ln 2n *)
Theorem balanced_winnow_squared ln l : 0 < target_size ->
  logarithm ln -> (forall x, ln (exp x) = x) -> (forall x, cosh x <= exp (x * x / 2)) ->
  (forall r, In r l -> bounded r) -> (forall r, In r l -> g <= label r * dot n v (point r)) ->
  balanced_run l -> eta = g / target_size ->
  of_nat (length l) <= 2 * (target_size / g * (target_size / g)) * ln (2 * of_nat n).
Proof.
  intros size is_log inverse cosh_bound inside margins run rate.
  pose proof (positive_nonzero F 2 (two_positive F)) as two.
  pose proof (positive_nonzero F _ size) as size_nonzero.
  pose proof (positive_nonzero F _ g_positive) as g_nonzero.
  assert (0 < 2 * of_nat (F := F) n) as columns
    by (apply mul_positive; [apply two_positive | now apply (of_nat_lt F 0)]).
  pose proof (balanced_winnow l size inside margins run) as bound.
  assert (exp (eta * (of_nat (length l) * g / target_size))
          <= 2 * of_nat n * exp (of_nat (length l) * (eta * eta / 2))) as both.
  { eapply le_trans; [exact bound |]. apply mul_le_left; [now apply lt_le |].
    rewrite exp_multiple. apply power_le; [apply cosh_nonneg | apply cosh_bound]. }
  apply log_le with (log := ln) in both; [| exact is_log | apply exp_positive].
  rewrite (log_mul F ln is_log), !inverse in both by auto using exp_positive. rewrite rate in both.
  set (k := of_nat (length l)) in *. set (V := target_size) in *.
  apply (mul_le_left F (2 * (V / g * (V / g)))) in both.
  - apply le_difference in both. apply le_by_difference.
    follows_from both.
  - apply mul_nonneg; [apply lt_le, two_positive | apply square_nonneg].
Qed.

End Target.

End BalancedWinnow.
