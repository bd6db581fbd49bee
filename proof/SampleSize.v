(** The sample size for a finite class of hypotheses, if one of them makes no mistakes.

    Examples are drawn independently from a distribution with finitely many outcomes. The true error R(h)
    is the probability that the hypothesis h is wrong on an example. Then, for a sample of m examples,
        P(some h in H with R(h) >= epsilon is right on the whole sample) <= |H| (1 - epsilon)^m,
    and this is at most delta if m >= (ln |H| + ln(1 / delta)) / epsilon: with probability at least
    1 - delta, every h in H without a mistake on the sample has R(h) < epsilon.

    The proof. One h is right on m examples with probability (1 - R(h))^m, by independence. The
    probability that this happens to one of several h is at most the sum. *)

From Coq Require Import Field Ring List Arith Lia Bool.
From Halfspace Require Import OrderedField Vectors Sums Powers.
Import ListNotations.

Section SampleSize.

Variable F : ordered_field.
Add Field F_field_sample : (field_laws F).

(** The outcomes of one draw with their probabilities *)
Variable example : Type.
Variable outcomes : list (F * example).
Hypothesis probabilities_nonneg : forall o, In o outcomes -> 0 <= fst o.
Hypothesis probabilities_sum : list_sum fst outcomes = 1.

(** Which hypothesis is wrong on which example. For rows x with labels c(x), h is wrong if h(x) is not
    c(x); but an example may also be a pair of a row and a random label. *)
Variable hypothesis : Type.
Variable wrong : hypothesis -> example -> bool.

Implicit Types (h : hypothesis) (x : example) (s : list example) (A B : list example -> bool).

Definition expectation (f : example -> F) : F :=
  list_sum (fun o => fst o * f (snd o)) outcomes.

(** The probability of the event A for a sample of m independent examples: the sum of the products of
    their probabilities over all samples in A *)
Fixpoint probability (m : nat) A : F :=
  match m with
  | O => if A [] then 1 else 0
  | S m => expectation (fun x => probability m (fun s => A (x :: s)))
  end.

Definition true_error h : F := expectation (fun x => if wrong h x then 1 else 0).

Definition right_on_all h s : bool := forallb (fun x => negb (wrong h x)) s.

Definition is_bad (epsilon : F) h : bool := if le_lt_dec epsilon (true_error h) then true else false.

(** Some hypothesis with a true error of at least epsilon makes no mistake on the sample. *)
Definition misleading (epsilon : F) (H : list hypothesis) s : bool :=
  existsb (fun h => is_bad epsilon h && right_on_all h s) H.

(** ** Expectations and probabilities *)

Lemma expectation_le (f g : example -> F) : (forall x, f x <= g x) -> expectation f <= expectation g.
Proof. intros H. apply list_sum_le. intros o Ho. apply mul_le_left; auto. Qed.

Lemma expectation_add (f g : example -> F) :
  expectation (fun x => f x + g x) = expectation f + expectation g.
Proof. unfold expectation. rewrite <- list_sum_add. apply list_sum_ext. intros; ring. Qed.

Lemma expectation_scale c (f : example -> F) : expectation (fun x => c * f x) = c * expectation f.
Proof. unfold expectation. rewrite <- list_sum_scale. apply list_sum_ext. intros; ring. Qed.

Lemma expectation_ext (f g : example -> F) : (forall x, f x = g x) -> expectation f = expectation g.
Proof. intros H. apply list_sum_ext. intros o _. now rewrite H. Qed.

Lemma expectation_constant c : expectation (fun _ => c) = c.
Proof.
  unfold expectation. rewrite (list_sum_ext F _ (fun o => c * fst o)) by (intros; ring).
  rewrite list_sum_scale, probabilities_sum. ring.
Qed.

Lemma probability_ext m A B : (forall s, A s = B s) -> probability m A = probability m B.
Proof.
  revert A B. induction m as [| m IH]; intros A B H; simpl; [now rewrite H |].
  apply expectation_ext. intros x. now apply IH.
Qed.

Lemma probability_never m : probability m (fun _ => false) = 0.
Proof. induction m as [| m IH]; simpl; [reflexivity |]. rewrite IH. apply expectation_constant. Qed.

(** P(A or B) <= P(A) + P(B) *)
Lemma probability_or m A B : probability m (fun s => A s || B s) <= probability m A + probability m B.
Proof.
  revert A B. induction m as [| m IH]; intros A B; simpl.
  - assert ((0 : F) <= 1) as one_ge by apply one_nonneg.
    destruct (A []), (B []); simpl; apply le_by_difference.
    + now replace (1 + 1 - 1 : F) with (1 : F) by ring.
    + right; ring.
    + right; ring.
    + right; ring.
  - rewrite <- expectation_add. apply expectation_le. intros x. apply IH.
Qed.

(** The probability that one of several events happens is at most the sum. *)
Lemma probability_exists m (T : Type) (events : list T) (A : T -> list example -> bool) :
  probability m (fun s => existsb (fun t => A t s) events)
  <= list_sum (fun t => probability m (A t)) events.
Proof.
  induction events as [| t events IH]; simpl; [right; apply probability_never |].
  eapply le_trans; [apply probability_or |]. apply add_le; [apply le_refl | exact IH].
Qed.

(** P(not A) = 1 - P(A) *)
Lemma probability_not m A : probability m (fun s => negb (A s)) = 1 - probability m A.
Proof.
  revert A. induction m as [| m IH]; intros A; simpl.
  - destruct (A []); simpl; ring.
  - rewrite (expectation_ext _ (fun x => 1 + - (1) * probability m (fun s => A (x :: s))))
      by (intros x; rewrite (IH (fun s => A (x :: s))); ring).
    rewrite expectation_add, expectation_scale, expectation_constant. ring.
Qed.

(** ** One hypothesis *)

Lemma true_error_at_most_one h : true_error h <= 1.
Proof.
  rewrite <- (expectation_constant 1). apply expectation_le. intros x.
  destruct (wrong h x); [apply le_refl | apply one_nonneg].
Qed.

(** Independence: h is right on m examples with probability (1 - R(h))^m. *)
Lemma probability_right_on_all m h : probability m (right_on_all h) = power (1 - true_error h) m.
Proof.
  induction m as [| m IH]; simpl; [reflexivity |].
  set (p := power (1 - true_error h) m) in *.
  rewrite (expectation_ext _ (fun x => p + - p * (if wrong h x then 1 else 0))).
  - rewrite expectation_add, expectation_scale, expectation_constant. fold (true_error h). ring.
  - intros x. destruct (wrong h x).
    + transitivity (probability m (fun _ => false)); [| rewrite probability_never; ring].
      now apply probability_ext.
    + transitivity (probability m (right_on_all h)); [| rewrite IH; ring].
      now apply probability_ext.
Qed.

(** ** The theorem *)

Theorem finite_class_bound epsilon (H : list hypothesis) m : epsilon <= 1 ->
  probability m (misleading epsilon H) <= of_nat (length H) * power (1 - epsilon) m.
Proof.
  intros small.
  eapply le_trans.
  { apply (probability_exists m hypothesis H (fun h s => is_bad epsilon h && right_on_all h s)). }
  apply list_sum_at_most. intros h _. unfold is_bad.
  destruct (le_lt_dec epsilon (true_error h)) as [bad | good]; simpl.
  - rewrite (probability_ext m _ (right_on_all h)) by reflexivity. rewrite probability_right_on_all.
    apply power_le; [apply le_difference, true_error_at_most_one |].
    apply le_by_difference. replace (1 - epsilon - (1 - true_error h)) with (true_error h - epsilon) by ring.
    now apply le_difference.
  - rewrite probability_never. apply power_nonneg. now apply le_difference.
Qed.

(** With probability at least 1 - delta no bad hypothesis is right on the whole sample. *)
Corollary finite_class_guarantee epsilon delta (H : list hypothesis) m :
  epsilon <= 1 -> of_nat (length H) * power (1 - epsilon) m <= delta ->
  1 - delta <= probability m (fun s => negb (misleading epsilon H s)).
Proof.
  intros small enough. rewrite probability_not.
  pose proof (le_difference F _ _ (le_trans F _ _ _ (finite_class_bound epsilon H m small) enough)) as bound.
  apply le_by_difference.
  follows_from bound.
Qed.

(** m >= (ln |H| + ln(1 / delta)) / epsilon examples are enough. *)
Theorem sample_size ln epsilon delta (H : list hypothesis) m :
  natural_logarithm ln -> H <> [] -> 0 < epsilon -> epsilon < 1 -> 0 < delta ->
  (ln (of_nat (length H)) + ln (1 / delta)) / epsilon <= of_nat m ->
  1 - delta <= probability m (fun s => negb (misleading epsilon H s)).
Proof.
  intros [is_log tangent] some positive small delta_positive enough.
  pose proof (positive_nonzero F _ positive) as nonzero.
  apply finite_class_guarantee; [now apply lt_le |].
  assert (0 < of_nat (F := F) (length H)) as size_positive
    by (destruct H; [easy |]; apply (of_nat_lt F 0); simpl; lia).
  assert (0 < 1 - epsilon) as rest_positive by now apply lt_difference.
  apply log_le_cancel with (log := ln); [exact is_log | exact delta_positive |].
  rewrite log_mul, log_power by auto using power_positive.
  rewrite log_inverse in enough by assumption.
  apply (mul_le_right F epsilon) in enough; [| now apply lt_le].
  replace ((ln (of_nat (length H)) + - ln delta) / epsilon * epsilon)
    with (ln (of_nat (length H)) - ln delta) in enough by now field.
  apply le_trans with (ln (of_nat (length H)) + of_nat m * (1 - epsilon - 1)).
  - apply add_le; [apply le_refl |]. apply mul_le_left; [apply of_nat_nonneg | now apply tangent].
  - apply le_difference in enough. apply le_by_difference.
    follows_from enough.
Qed.

End SampleSize.
