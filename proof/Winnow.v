(** Winnow's mistake bound for disjunctions (Littlestone).

    Rows have n columns of zeros and ones. All weights start at 1, and a row is predicted positive if
    <w, x> >= theta. A mistake on a positive row (a promotion) multiplies the weights of the columns that
    are 1 by alpha > 1, a mistake on a negative row (a demotion) divides them by alpha. If a row is
    positive if and only if at least one of r columns is 1, then for p promotions, d demotions and any
    number T with alpha^T > theta
        p <= r T   and   p + d <= alpha n / ((alpha - 1) theta) + (1 + alpha) r T,
    for every sequence of mistakes, so for any order of the rows and any rule for ties. With alpha = 2 and
    theta = n this is the bound of the notes, 2 + 3 r (1 + log2 n), even with log2 n rounded down.

    The proof. The r columns are 0 in negative rows, so nothing lowers their weights; a promotion multiplies
    one of them at least, and this one was at most theta. A promotion adds at most (alpha - 1) theta to
    the sum of all weights, a demotion subtracts at least (1 - 1 / alpha) theta, and the sum starts at n
    and stays positive. *)

From Coq Require Import Field Ring List Arith Lia Bool.
From Halfspace Require Import OrderedField Vectors Sums Powers.
Import ListNotations.

Section Winnow.

Variable F : ordered_field.
Add Field F_field_winnow : (field_laws F).

Variable n : nat.
Variables alpha theta : F.
Hypothesis alpha_above_one : 1 < alpha.
Hypothesis theta_positive : 0 < theta.

(** A row: which columns are 1, and whether it is positive *)
Record bit_row := { bit : nat -> bool; in_class : bool }.
Implicit Types (r : bit_row) (l : list bit_row) (j : nat).

(** The weight of column j after updates by the rows of l; in the list l the last update comes first. *)
Fixpoint weight l j : F :=
  match l with
  | [] => 1
  | r :: l => if bit r j then (if in_class r then alpha * weight l j else weight l j / alpha)
              else weight l j
  end.

(** <w, x>, and the sum of all weights *)
Definition score l r : F := sum n (fun j => if bit r j then weight l j else 0).
Definition total_weight l : F := sum n (weight l).

(** A positive row is a mistake if its score is not above theta, a negative one if it is not below; a score
    of theta may be either. *)
Definition mistake l r : Prop := if in_class r then score l r <= theta else theta <= score l r.

Fixpoint winnow_run l : Prop :=
  match l with [] => True | r :: l => mistake l r /\ winnow_run l end.

Definition promotions l : nat := length (filter in_class l).
Definition demotions l : nat := length (filter (fun r => negb (in_class r)) l).

Lemma updates_split l : length l = (promotions l + demotions l)%nat.
Proof.
  unfold promotions, demotions. induction l as [| r l IH]; simpl; [reflexivity |].
  destruct (in_class r); simpl; lia.
Qed.

Lemma alpha_positive : 0 < alpha.
Proof. exact (lt_transitive F 0 1 alpha (one_positive F) alpha_above_one). Qed.

Lemma weight_positive l j : 0 < weight l j.
Proof.
  induction l as [| r l IH]; simpl; [apply one_positive |].
  destruct (bit r j); [| exact IH]. destruct (in_class r).
  - now apply mul_positive; [apply alpha_positive |].
  - now apply div_positive; [| apply alpha_positive].
Qed.

(** ** The sum of all weights *)

Lemma total_after_promotion r l : in_class r = true ->
  total_weight (r :: l) = total_weight l + (alpha - 1) * score l r.
Proof.
  intros H. unfold total_weight, score. rewrite <- sum_scale, <- sum_add.
  apply sum_ext. intros j _. simpl. rewrite H. destruct (bit r j); ring.
Qed.

Lemma total_after_demotion r l : in_class r = false ->
  total_weight (r :: l) = total_weight l - (1 - 1 / alpha) * score l r.
Proof.
  intros H. pose proof (positive_nonzero F _ alpha_positive) as nonzero.
  transitivity (total_weight l + - (1 - 1 / alpha) * score l r); [| ring].
  unfold total_weight, score. rewrite <- sum_scale, <- sum_add.
  apply sum_ext. intros j _. simpl. rewrite H. destruct (bit r j); [now field | ring].
Qed.

Lemma shrink_nonneg : 0 <= 1 - 1 / alpha.
Proof.
  pose proof (positive_nonzero F _ alpha_positive) as nonzero.
  replace (1 - 1 / alpha) with ((alpha - 1) / alpha) by now field.
  apply div_nonneg; [| apply alpha_positive]. now apply le_difference, lt_le.
Qed.

(** W <= n + (alpha - 1) theta p - (1 - 1 / alpha) theta d, for any labels *)
Theorem total_bound l : winnow_run l ->
  total_weight l <= of_nat n + (alpha - 1) * theta * of_nat (promotions l)
                    - (1 - 1 / alpha) * theta * of_nat (demotions l).
Proof.
  induction l as [| r l IH]; simpl.
  - intros _. right. unfold total_weight, promotions, demotions. simpl.
    replace (sum n (fun _ => 1)) with (of_nat (F := F) n); [ring |].
    induction n as [| m IH]; simpl; [reflexivity | now rewrite IH].
  - intros [wrong before]. specialize (IH before). unfold mistake in wrong.
    unfold promotions, demotions. simpl. destruct (in_class r) eqn:class; simpl.
    all: fold (promotions l) (demotions l).
    + rewrite total_after_promotion by exact class.
      assert ((alpha - 1) * score l r <= (alpha - 1) * theta) as step
        by (apply mul_le_left; [now apply le_difference, lt_le | exact wrong]).
      pose proof (add_le F _ _ _ _ IH step) as sum_of_both.
      eapply le_trans; [exact sum_of_both |]. right. ring.
    + rewrite total_after_demotion by exact class.
      assert (- ((1 - 1 / alpha) * score l r) <= - ((1 - 1 / alpha) * theta)) as step
        by (apply opp_le, mul_le_left; [apply shrink_nonneg | exact wrong]).
      pose proof (add_le F _ _ _ _ IH step) as sum_of_both.
      replace (total_weight l - (1 - 1 / alpha) * score l r)
        with (total_weight l + - ((1 - 1 / alpha) * score l r)) by ring.
      eapply le_trans; [exact sum_of_both |]. right. ring.
Qed.

(** d <= alpha (n / ((alpha - 1) theta) + p), for any labels *)
Theorem demotions_bound l : winnow_run l ->
  of_nat (demotions l) <= alpha * (of_nat n / ((alpha - 1) * theta) + of_nat (promotions l)).
Proof.
  intros run. pose proof (positive_nonzero F _ alpha_positive) as alpha_nonzero.
  assert (0 < alpha - 1) as delta by now apply lt_difference.
  pose proof (positive_nonzero F _ delta) as delta_nonzero.
  pose proof (positive_nonzero F _ theta_positive) as theta_nonzero.
  assert (0 <= total_weight l) as total by (apply sum_nonneg; intros; apply lt_le, weight_positive).
  pose proof (le_trans F _ _ _ total (total_bound l run)) as bound.
  apply (mul_le_cancel F ((alpha - 1) * theta / alpha)).
  - apply div_positive; [now apply mul_positive | apply alpha_positive].
  - apply le_by_difference.
    follows_from bound.
Qed.

(** ** Disjunctions *)

Section Disjunction.

Variable relevant : list nat.
Hypothesis relevant_columns : forall j, In j relevant -> (j < n)%nat.

(** A row is positive if and only if one of the relevant columns is 1. *)
Definition disjunction l : Prop := forall r, In r l -> in_class r = existsb (bit r) relevant.

(** How often column j was promoted *)
Definition promoted l j : nat := length (filter (fun r => in_class r && bit r j) l).

(** No demotion changes a relevant weight. *)
Lemma relevant_weight l j : disjunction l -> In j relevant -> weight l j = power alpha (promoted l j).
Proof.
  intros target Hj. unfold promoted. induction l as [| r l IH]; simpl; [reflexivity |].
  rewrite IH by (intros x Hx; apply target; now right).
  destruct (bit r j) eqn:set_bit; [| now rewrite andb_false_r].
  assert (in_class r = true) as ->; [| reflexivity].
  rewrite (target r) by now left. apply existsb_exists. now exists j.
Qed.

(** A weight that is promoted was at most theta. *)
Lemma promoted_bound T l j : disjunction l -> winnow_run l -> In j relevant ->
  theta < power alpha T -> (promoted l j <= T)%nat.
Proof.
  intros target run Hj HT. induction l as [| r l IH]; [simpl; unfold promoted; simpl; lia |].
  destruct run as [wrong before].
  assert (disjunction l) as target_before by (intros x Hx; apply target; now right).
  specialize (IH target_before before). unfold promoted in *. simpl.
  destruct (in_class r) eqn:class; simpl; [| exact IH]. destruct (bit r j) eqn:set_bit; simpl; [| exact IH].
  apply Nat.nle_gt. intros many. unfold mistake in wrong. rewrite class in wrong.
  apply (le_not_lt F (power alpha T) theta); [| exact HT].
  apply le_trans with (weight l j).
  - rewrite relevant_weight by assumption. apply power_increasing; [now apply lt_le | exact many].
  - apply le_trans with (score l r); [| exact wrong]. unfold score.
    replace (weight l j) with ((fun i => if bit r i then weight l i else 0) j)
      by (simpl; now rewrite set_bit).
    apply (sum_member F n (fun i => if bit r i then weight l i else 0)); [now apply relevant_columns |].
    intros i _. destruct (bit r i); [apply lt_le, weight_positive | apply le_refl].
Qed.

(** Every promotion promotes a relevant column. *)
Lemma promotions_counted l : disjunction l ->
  of_nat (promotions l) <= list_sum (fun j => of_nat (F := F) (promoted l j)) relevant.
Proof.
  induction l as [| r l IH]; intros target.
  - apply list_sum_nonneg. intros; apply of_nat_nonneg.
  - assert (disjunction l) as target_before by (intros x Hx; apply target; now right).
    specialize (IH target_before). unfold promotions, promoted. simpl.
    pose proof (target r (or_introl eq_refl)) as class. destruct (in_class r); simpl; [| exact IH].
    fold (promotions l). symmetry in class. apply existsb_exists in class. destruct class as [j [Hj set_bit]].
    rewrite (list_sum_ext F _ (fun i => of_nat (promoted l i) + (if bit r i then 1 else 0))).
    + rewrite list_sum_add. apply add_le; [exact IH |].
      pose proof (list_sum_member F _ (fun i => if bit r i then 1 else 0) relevant j) as part.
      simpl in part. rewrite set_bit in part. apply part; [| exact Hj].
      intros i _. destruct (bit r i); [apply one_nonneg | apply le_refl].
    + intros i _. unfold promoted. destruct (bit r i); simpl; ring.
Qed.

(** p <= r T *)
Theorem promotions_bound T l : disjunction l -> winnow_run l -> theta < power alpha T ->
  (promotions l <= length relevant * T)%nat.
Proof.
  intros target run HT. apply (of_nat_le_cancel F).
  eapply le_trans; [now apply promotions_counted |]. rewrite of_nat_mul.
  apply list_sum_at_most. intros j Hj. apply of_nat_le. now apply promoted_bound.
Qed.

(** p + d <= alpha n / ((alpha - 1) theta) + (1 + alpha) r T *)
Theorem winnow_bound T l : disjunction l -> winnow_run l -> theta < power alpha T ->
  of_nat (length l) <=
  alpha * of_nat n / ((alpha - 1) * theta) + (1 + alpha) * (of_nat (length relevant) * of_nat T).
Proof.
  intros target run HT.
  pose proof (positive_nonzero F _ (lt_difference F _ _ alpha_above_one)) as delta_nonzero.
  pose proof (positive_nonzero F _ theta_positive) as theta_nonzero.
  pose proof (promotions_bound T l target run HT) as few. apply (of_nat_le F) in few.
  rewrite of_nat_mul in few. rewrite updates_split, of_nat_add.
  eapply le_trans; [apply add_le; [apply le_refl | now apply demotions_bound] |].
  set (p := of_nat (promotions l)) in *. set (rT := of_nat (length relevant) * of_nat T) in *.
  replace (p + alpha * (of_nat n / ((alpha - 1) * theta) + p))
    with (alpha * of_nat n / ((alpha - 1) * theta) + (1 + alpha) * p) by now field.
  apply add_le; [apply le_refl |]. apply mul_le_left; [| exact few].
  apply add_nonneg; [apply one_nonneg | apply lt_le, alpha_positive].
Qed.

End Disjunction.

End Winnow.

Arguments winnow_run {F} n alpha theta l.

Section Doubling.

Variable F : ordered_field.
Add Field F_field_doubling : (field_laws F).

(** alpha = 2, theta = n: k <= 2 + 3 r (1 + log2 n), with log2 n rounded down *)
Theorem winnow_doubling (n : nat) (relevant : list nat) (l : list bit_row) :
  (0 < n)%nat -> (forall j, In j relevant -> (j < n)%nat) ->
  disjunction relevant l -> winnow_run n (2 : F) (of_nat n) l ->
  (length l <= 2 + 3 * (length relevant * (1 + Nat.log2 n)))%nat.
Proof.
  intros some_columns columns target run.
  assert ((0 : F) < 2) as two_pos by apply two_positive.
  assert ((0 : F) < of_nat n) as n_positive by now apply (of_nat_lt F 0).
  pose proof (positive_nonzero F _ n_positive) as n_nonzero.
  assert ((1 : F) < 2) as one_below_two
    by (apply lt_by_difference; replace (2 - 1 : F) with (1 : F) by ring; apply one_positive).
  apply (of_nat_le_cancel F).
  eapply le_trans.
  - apply (winnow_bound F n 2 (of_nat n) one_below_two n_positive relevant columns (1 + Nat.log2 n));
      [exact target | exact run |].
    rewrite power_of_two. apply of_nat_lt. now apply Nat.log2_spec.
  - right. rewrite (of_nat_add F 2), (of_nat_mul F 3), of_nat_mul. simpl (of_nat 2). simpl (of_nat 3).
    replace (2 * of_nat n / ((2 - 1) * of_nat n)) with (2 : F).
    + ring.
    + assert ((2 - 1 : F) = 1) as -> by ring. field. exact n_nonzero.
Qed.

(** The same with any logarithm: k <= 2 + 3 r (1 + log n / log 2) *)
Theorem winnow_doubling_log (log : F -> F) (n : nat) (relevant : list nat) (l : list bit_row) :
  logarithm log -> (0 < n)%nat -> (forall j, In j relevant -> (j < n)%nat) ->
  disjunction relevant l -> winnow_run n (2 : F) (of_nat n) l ->
  of_nat (length l) <= 2 + (1 + 2) * (of_nat (length relevant) * (1 + log (of_nat n) / log 2)).
Proof.
  intros is_log some_columns columns target run.
  pose proof (winnow_doubling n relevant l some_columns columns target run) as bound.
  apply (of_nat_le F) in bound. eapply le_trans; [exact bound |].
  assert ((1 : F) < 2) as one_below_two
    by (apply lt_by_difference; replace (2 - 1 : F) with (1 : F) by ring; apply one_positive).
  assert (of_nat (F := F) (Nat.log2 n) <= log (of_nat n) / log 2) as rounded.
  { apply le_div; [now apply log_positive |]. rewrite <- log_power by (exact is_log || apply two_positive).
    apply log_le; [exact is_log | apply power_positive, two_positive |].
    rewrite power_of_two. apply of_nat_le. now apply Nat.log2_spec. }
  rewrite (of_nat_add F 2), (of_nat_mul F 3), of_nat_mul, (of_nat_add F 1 (Nat.log2 n)).
  set (r := of_nat (length relevant)). set (k := of_nat (Nat.log2 n)) in *.
  replace (of_nat 2 + of_nat 3 * (r * (of_nat 1 + k))) with (2 + (1 + 2) * (r * (1 + k))) by (simpl; ring).
  apply add_le; [apply le_refl |].
  apply mul_le_left; [apply add_nonneg; auto using one_nonneg, lt_le, two_positive |].
  apply mul_le_left; [apply of_nat_nonneg |]. apply add_le; [apply le_refl | exact rounded].
Qed.

End Doubling.
