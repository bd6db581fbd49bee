(** The weighted majority of experts (Littlestone and Warmuth).

    N experts vote on every row, or abstain. All weights are 1 at the start. The prediction is the vote
    with the larger sum of weights, with any rule for ties. Then the weight of every expert is multiplied
    by 1 if its vote was right, by beta if it was wrong, and by alpha if it abstained. If abstaining
    counts as half a mistake, alpha is the square root of beta; alpha <= (1 + beta) / 2 is enough.

    Proven here, for M mistakes of the majority and any expert with m mistakes and s abstentions:
    - beta^m alpha^s <= N ((1 + beta) / 2)^M, in any ordered field;
    - M <= (m log(1 / beta) + log N) / log(2 / (1 + beta)), without abstentions and with any logarithm;
    - E <= (m ln(1 / beta) + ln N) / (1 - beta) for the expected number E of mistakes, if the prediction is
      the vote of an expert that is drawn by weight, and with any natural logarithm;
    - 29 M <= 70 (m + n), for beta = 1/2 and N <= 2^n: at most 2.41 times as many mistakes as the best
      expert, plus 2.41 log2 N. (No logarithm is needed for this form.)

    The proof. If the majority is wrong on a row, wrong votes have at least the weight of right votes. So
    the sum of all weights falls to (1 + beta) / 2 of itself or less. The weight of one expert is a part
    of the sum. *)

From Coq Require Import Field Ring List Arith ZArith Bool Lia.
From Halfspace Require Import OrderedField Vectors Sums Powers.
Import ListNotations.

Section Experts.

Variable F : ordered_field.
Add Field F_field_experts : (field_laws F).

Variable expert : Type.
Variable experts : list expert.
Variables alpha beta : F.
Hypothesis beta_positive : 0 < beta.
Hypothesis beta_at_most_one : beta <= 1.
Hypothesis alpha_positive : 0 < alpha.
Hypothesis alpha_bound : alpha <= (1 + beta) / 2.

(** A row, as the experts see it: the vote of each, or none; the label; and what the majority predicts. *)
Record round := { vote : expert -> option bool; outcome : bool; prediction : bool }.
Implicit Types (r : round) (l : list round) (e : expert).

Definition expert_right r e : bool :=
  match vote r e with Some v => eqb v (outcome r) | None => false end.
Definition expert_wrong r e : bool :=
  match vote r e with Some v => negb (eqb v (outcome r)) | None => false end.
Definition abstained r e : bool := match vote r e with Some _ => false | None => true end.
Definition majority_wrong r : bool := negb (eqb (prediction r) (outcome r)).

(** The number of rounds with a property *)
Definition number_of (P : round -> bool) l : nat := length (filter P l).

Definition factor r e : F :=
  match vote r e with
  | None => alpha
  | Some v => if eqb v (outcome r) then 1 else beta
  end.

(** The weight of an expert after the rounds of l; in the list l the last round comes first. *)
Fixpoint weight l e : F := match l with [] => 1 | r :: l => factor r e * weight l e end.

(** The weight of the votes for v *)
Definition weight_for l r v : F :=
  list_sum (fun e => match vote r e with Some u => if eqb u v then weight l e else 0 | None => 0 end)
    experts.

(** Every prediction is that of the weighted majority, either of the two in a tie. *)
Fixpoint follows_majority l : Prop :=
  match l with
  | [] => True
  | r :: l => weight_for l r (negb (prediction r)) <= weight_for l r (prediction r) /\ follows_majority l
  end.

Definition total_weight l : F := list_sum (weight l) experts.

(** ** The potential *)

Lemma factor_positive r e : 0 < factor r e.
Proof.
  unfold factor. destruct (vote r e) as [v |]; [| exact alpha_positive].
  destruct (eqb v (outcome r)); [apply one_positive | exact beta_positive].
Qed.

Lemma weight_positive l e : 0 < weight l e.
Proof.
  induction l as [| r l IH]; simpl; [apply one_positive |].
  apply mul_positive; [apply factor_positive | exact IH].
Qed.

Lemma total_weight_nonneg l : 0 <= total_weight l.
Proof. apply list_sum_nonneg. intros e _. apply lt_le, weight_positive. Qed.

Lemma factor_at_most_one r e : factor r e <= 1.
Proof.
  unfold factor. destruct (vote r e) as [v |].
  - destruct (eqb v (outcome r)); [apply le_refl | exact beta_at_most_one].
  - eapply le_trans; [exact alpha_bound |]. apply div_le; [apply two_positive |].
    replace (1 * 2 : F) with (1 + 1 : F) by ring. apply add_le; [apply le_refl | exact beta_at_most_one].
Qed.

(** No round makes the sum of all weights larger. *)
Lemma total_weight_decreases r l : total_weight (r :: l) <= total_weight l.
Proof.
  apply list_sum_le. intros e _. simpl. replace (weight l e) with (1 * weight l e) at 2 by ring.
  apply mul_le_right; [apply lt_le, weight_positive | apply factor_at_most_one].
Qed.

(** If q = (1 + beta) / 2, a right vote multiplies by q + (1 - q), a wrong one by q - (1 - q), and no
    vote by at most q. So the new sum is at most q times the old one, plus 1 - q times the weight of the
    right votes, minus 1 - q times that of the wrong votes. *)
Lemma total_weight_step r l :
  total_weight (r :: l) <=
  (1 + beta) / 2 * total_weight l +
  (1 - beta) / 2 * (weight_for l r (outcome r) - weight_for l r (negb (outcome r))).
Proof.
  pose proof (positive_nonzero F 2 (two_positive F)) as two.
  unfold total_weight, weight_for.
  set (right_part := fun e => match vote r e with
    | Some u => if eqb u (outcome r) then weight l e else 0 | None => 0 end).
  set (wrong_part := fun e => match vote r e with
    | Some u => if eqb u (negb (outcome r)) then weight l e else 0 | None => 0 end).
  replace ((1 + beta) / 2 * list_sum (weight l) experts
           + (1 - beta) / 2 * (list_sum right_part experts - list_sum wrong_part experts))
    with (list_sum (fun e => (1 + beta) / 2 * weight l e
                             + ((1 - beta) / 2 * right_part e + - ((1 - beta) / 2) * wrong_part e)) experts)
    by (rewrite !list_sum_add, !list_sum_scale; ring).
  apply list_sum_le. intros e _. simpl. unfold factor, right_part, wrong_part.
  destruct (vote r e) as [v |].
  - destruct v, (outcome r); simpl; right; now field.
  - replace ((1 + beta) / 2 * weight l e + ((1 - beta) / 2 * 0 + - ((1 - beta) / 2) * 0))
      with ((1 + beta) / 2 * weight l e) by ring.
    apply mul_le_right; [apply lt_le, weight_positive | exact alpha_bound].
Qed.

(** If the majority is wrong, wrong votes have at least the weight of right votes. *)
Lemma total_weight_after_mistake r l :
  weight_for l r (negb (prediction r)) <= weight_for l r (prediction r) -> majority_wrong r = true ->
  total_weight (r :: l) <= (1 + beta) / 2 * total_weight l.
Proof.
  intros majority wrong. unfold majority_wrong in wrong.
  assert (prediction r = negb (outcome r)) as opposite by (destruct (prediction r), (outcome r); easy).
  rewrite opposite, negb_involutive in majority.
  eapply le_trans; [apply total_weight_step |]. apply le_by_difference.
  replace ((1 + beta) / 2 * total_weight l - ((1 + beta) / 2 * total_weight l +
           (1 - beta) / 2 * (weight_for l r (outcome r) - weight_for l r (negb (outcome r)))))
    with ((1 - beta) / 2 * (weight_for l r (negb (outcome r)) - weight_for l r (outcome r))) by ring.
  apply mul_nonneg; [apply div_nonneg; [| apply two_positive] |]; now apply le_difference.
Qed.

Lemma majority_factor_nonneg : 0 <= (1 + beta) / 2.
Proof.
  apply div_nonneg; [| apply two_positive]. apply add_nonneg; [apply one_nonneg | now apply lt_le].
Qed.

(** W <= N ((1 + beta) / 2)^M *)
Theorem potential_bound l : follows_majority l ->
  total_weight l <= of_nat (length experts) * power ((1 + beta) / 2) (number_of majority_wrong l).
Proof.
  induction l as [| r l IH].
  - intros _. unfold total_weight. simpl. rewrite list_sum_constant. apply le_refl.
  - intros [majority before]. specialize (IH before). unfold number_of. simpl.
    destruct (majority_wrong r) eqn:wrong; simpl; fold (number_of majority_wrong l).
    + eapply le_trans; [now apply total_weight_after_mistake |].
      match goal with |- _ <= ?n * (?q * ?p) => replace (n * (q * p)) with (q * (n * p)) by ring end.
      apply mul_le_left; [apply majority_factor_nonneg | exact IH].
    + eapply le_trans; [apply total_weight_decreases | exact IH].
Qed.

(** An expert's weight is beta^m alpha^s. *)
Lemma weight_counts l e :
  weight l e = power beta (number_of (fun r => expert_wrong r e) l)
               * power alpha (number_of (fun r => abstained r e) l).
Proof.
  unfold number_of. induction l as [| r l IH]; simpl; [ring |].
  rewrite IH. unfold factor, expert_wrong, abstained.
  destruct (vote r e) as [v |]; [destruct v, (outcome r) |]; simpl; ring.
Qed.

(** The mistake bound as an inequality of powers *)
Theorem weighted_majority l e : follows_majority l -> In e experts ->
  power beta (number_of (fun r => expert_wrong r e) l) * power alpha (number_of (fun r => abstained r e) l)
  <= of_nat (length experts) * power ((1 + beta) / 2) (number_of majority_wrong l).
Proof.
  intros majority He. rewrite <- weight_counts.
  eapply le_trans; [| now apply potential_bound].
  apply list_sum_member; [| exact He]. intros x _. apply lt_le, weight_positive.
Qed.

(** ** With logarithms *)

Lemma never_abstains_power l e : (forall r, In r l -> vote r e <> None) ->
  power alpha (number_of (fun r => abstained r e) l) = 1.
Proof.
  unfold number_of. induction l as [| r l IH]; intros H; simpl; [reflexivity |].
  unfold abstained at 1. destruct (vote r e) eqn:v.
  - apply IH. intros x Hx. apply H. now right.
  - destruct (H r); [now left | exact v].
Qed.

(** M <= (m log(1 / beta) + log N) / log(2 / (1 + beta)) *)
Theorem weighted_majority_log log l e : logarithm log -> beta < 1 ->
  follows_majority l -> In e experts -> (forall r, In r l -> vote r e <> None) ->
  of_nat (number_of majority_wrong l) <=
  (of_nat (number_of (fun r => expert_wrong r e) l) * log (1 / beta) + log (of_nat (length experts)))
  / log (2 / (1 + beta)).
Proof.
  intros is_log beta_below_one majority He votes.
  pose proof (weighted_majority l e majority He) as bound.
  rewrite never_abstains_power in bound by exact votes.
  set (m := number_of (fun r => expert_wrong r e) l) in *. set (M := number_of majority_wrong l) in *.
  set (N := of_nat (length experts)) in *.
  assert (0 < 1 + beta) as sum_positive by (apply add_pos_nonneg; [apply one_positive | now apply lt_le]).
  pose proof (positive_nonzero F _ sum_positive) as sum_nonzero.
  pose proof (positive_nonzero F 2 (two_positive F)) as two.
  assert (0 < (1 + beta) / 2) as q_positive
    by (apply div_positive; [exact sum_positive | apply two_positive]).
  assert (0 < N) as N_positive.
  { replace (zero (o := F)) with (of_nat (F := F) 0) by reflexivity. apply of_nat_lt.
    destruct experts; [destruct He | simpl; lia]. }
  apply log_le with (log := log) in bound;
    [| exact is_log | replace (power beta m * 1) with (power beta m) by ring; now apply power_positive].
  replace (power beta m * 1) with (power beta m) in bound by ring.
  rewrite log_mul, !log_power in bound by auto using power_positive.
  replace (2 / (1 + beta)) with (1 / ((1 + beta) / 2)) by now field.
  rewrite !log_inverse by assumption.
  apply le_div.
  - rewrite <- log_inverse by assumption. apply log_positive; [exact is_log |].
    apply lt_by_difference. replace (1 / ((1 + beta) / 2) - 1) with ((1 - beta) / (1 + beta)) by now field.
    apply div_positive; [now apply lt_difference | exact sum_positive].
  - apply le_by_difference. apply le_difference in bound.
    follows_from bound.
Qed.

(** ** Randomised predictions *)

(** The prediction is the vote of an expert that is drawn by weight; if it abstains, a coin is tossed. It
    is wrong with a probability of (1 - (right - wrong)) / 2, with the shares of the weight that voted right
    and wrong. *)
Definition wrong_probability r l : F :=
  (1 - (weight_for l r (outcome r) - weight_for l r (negb (outcome r))) / total_weight l) / 2.

(** The expected number of mistakes *)
Fixpoint expected_mistakes l : F :=
  match l with [] => 0 | r :: l => wrong_probability r l + expected_mistakes l end.

Lemma total_weight_positive l : experts <> [] -> 0 < total_weight l.
Proof. intros some. apply list_sum_positive; [exact some |]. intros e _. apply weight_positive. Qed.

(** A row multiplies the sum of all weights by 1 - (1 - beta) q at most, if q is its probability. *)
Lemma total_weight_share r l : experts <> [] ->
  total_weight (r :: l) <= total_weight l * (1 - (1 - beta) * wrong_probability r l).
Proof.
  intros some. pose proof (positive_nonzero F _ (total_weight_positive l some)) as nonzero.
  pose proof (positive_nonzero F 2 (two_positive F)) as two.
  eapply le_trans; [apply total_weight_step |]. right. unfold wrong_probability. field. now split.
Qed.

Lemma expected_potential ln l : natural_logarithm ln -> experts <> [] ->
  ln (total_weight l) <= ln (of_nat (length experts)) - (1 - beta) * expected_mistakes l.
Proof.
  intros [is_log tangent] some. induction l as [| r l IH]; simpl.
  - right. unfold total_weight. simpl. rewrite list_sum_constant.
    replace (of_nat (length experts) * 1) with (of_nat (F := F) (length experts)) by ring. ring.
  - pose proof (total_weight_positive l some) as before.
    pose proof (total_weight_positive (r :: l) some) as after.
    pose proof (total_weight_share r l some) as share. set (q := wrong_probability r l) in *.
    assert (0 < 1 - (1 - beta) * q) as factor_positive.
    { apply (mul_lt_cancel F (total_weight l)); [exact before |].
      replace (total_weight l * 0) with (0 : F) by ring. now apply lt_le_trans with (1 := after). }
    apply (log_le F ln is_log) in share; [| exact after].
    rewrite (log_mul F ln is_log) in share by assumption.
    eapply le_trans; [exact share |].
    pose proof (add_le F _ _ _ _ IH (tangent _ factor_positive)) as both.
    eapply le_trans; [exact both |]. right. ring.
Qed.

(** Expected mistakes <= (m ln(1 / beta) + ln N) / (1 - beta) *)
Theorem randomized_majority ln l e : natural_logarithm ln -> beta < 1 ->
  In e experts -> (forall r, In r l -> vote r e <> None) ->
  expected_mistakes l <=
  (of_nat (number_of (fun r => expert_wrong r e) l) * ln (1 / beta) + ln (of_nat (length experts)))
  / (1 - beta).
Proof.
  intros natural beta_below_one He votes. pose proof natural as [is_log _].
  assert (experts <> []) as some by (intros none; rewrite none in He; destruct He).
  pose proof (expected_potential ln l natural some) as upper.
  assert (weight l e <= total_weight l) as part
    by (apply list_sum_member; [intros x _; apply lt_le, weight_positive | exact He]).
  apply (log_le F ln is_log) in part; [| apply weight_positive].
  rewrite weight_counts, never_abstains_power in part by exact votes.
  set (m := number_of (fun r => expert_wrong r e) l) in *.
  replace (power beta m * 1) with (power beta m) in part by ring.
  rewrite (log_power F ln is_log) in part by exact beta_positive.
  rewrite (log_inverse F ln is_log) by exact beta_positive.
  apply le_div; [now apply lt_difference |].
  pose proof (le_difference F _ _ (le_trans F _ _ _ part upper)) as both. apply le_by_difference.
  follows_from both.
Qed.

End Experts.

Arguments vote {expert} r e.
Arguments expert_wrong {expert} r e.
Arguments majority_wrong {expert} r.
Arguments number_of {expert} P l.
Arguments follows_majority {F expert} experts alpha beta l.

(** ** Without logarithms: beta = 1/2 *)

(** (4/3)^M <= 2^K implies M <= (70/29) K = 2.4138 K, because 2^29 <= (4/3)^70. *)
Lemma four_thirds (M K : nat) : (4 ^ M <= 2 ^ K * 3 ^ M)%nat -> (29 * M <= 70 * K)%nat.
Proof.
  intros H. apply Nat.nlt_ge. intros few. apply inj_le in H. apply inj_lt in few.
  rewrite Nat2Z.inj_mul, !Nat2Z.inj_pow in H. rewrite !Nat2Z.inj_mul in few.
  set (x := Z.of_nat M) in *. set (y := Z.of_nat K) in *. simpl (Z.of_nat _) in *.
  assert (0 <= x)%Z as Hx by apply Zle_0_nat. assert (0 <= y)%Z as Hy by apply Zle_0_nat.
  enough ((4 ^ 70) ^ x < (4 ^ 70) ^ x)%Z by lia.
  apply Z.le_lt_trans with ((2 ^ (70 * y)) * ((3 ^ 70) ^ x))%Z.
  - rewrite <- !Z.pow_mul_r, (Z.mul_comm 70 x), (Z.mul_comm 70 y), !Z.pow_mul_r, <- Z.pow_mul_l by lia.
    apply Z.pow_le_mono_l. split; [now apply Z.pow_nonneg | exact H].
  - apply Z.lt_le_trans with ((2 ^ (29 * x)) * ((3 ^ 70) ^ x))%Z.
    + apply Z.mul_lt_mono_pos_r; [now apply Z.pow_pos_nonneg |]. apply Z.pow_lt_mono_r; lia.
    + rewrite Z.pow_mul_r, <- Z.pow_mul_l by lia. apply Z.pow_le_mono_l. split; [easy |].
      apply Z.leb_le. vm_compute. reflexivity.
Qed.

Section Half.

Variable F : ordered_field.
Add Field F_field_half : (field_laws F).
Variables (expert : Type) (experts : list expert).

(** M <= 2.4138 (m + n), for N <= 2^n experts that never abstain, and beta = 1/2 *)
Theorem weighted_majority_half (l : list (round expert)) (e : expert) (n : nat) :
  follows_majority experts (1 / 2 : F) (1 / 2) l -> In e experts ->
  (forall r, In r l -> vote r e <> None) -> (length experts <= 2 ^ n)%nat ->
  (29 * number_of majority_wrong l <=
   70 * (number_of (fun r => expert_wrong r e) l + n))%nat.
Proof.
  intros majority He votes few.
  assert ((0 : F) < 2) as two_pos by apply two_positive. pose proof (positive_nonzero F 2 two_pos) as two.
  assert ((0 : F) < 1 / 2) as half_positive by (apply div_positive; [apply one_positive | exact two_pos]).
  assert ((1 : F) / 2 <= (1 + 1 / 2) / 2) as half_bound.
  { apply le_by_difference. replace ((1 + 1 / 2) / 2 - 1 / 2) with (1 / 2 * (1 / 2) : F) by now field.
    apply lt_le. now apply mul_positive. }
  assert ((1 : F) / 2 <= 1) as half_below_one.
  { apply le_by_difference. replace (1 - 1 / 2 : F) with (1 / 2 : F) by now field. now apply lt_le. }
  pose proof (weighted_majority F expert experts (1 / 2) (1 / 2)
                half_positive half_below_one half_positive half_bound l e majority He) as bound.
  rewrite never_abstains_power in bound by exact votes.
  set (m := number_of (fun r => expert_wrong r e) l) in *.
  set (M := number_of majority_wrong l) in *.
  apply four_thirds, (of_nat_le_cancel F).
  rewrite of_nat_mul, Nat.pow_add_r, of_nat_mul.
  assert (forall k, of_nat (3 ^ k) = power (1 + 2 : F) k) as power_of_three.
  { induction k as [| k IH]; [simpl; ring |]. change (3 ^ S k)%nat with (3 * 3 ^ k)%nat.
    rewrite of_nat_mul, IH. simpl. ring. }
  replace (4 ^ M)%nat with (2 ^ M * 2 ^ M)%nat by (rewrite <- Nat.pow_mul_l; reflexivity).
  rewrite of_nat_mul, power_of_three, <- !power_of_two.
  assert (forall k, power (2 : F) k * power (1 / 2) k = 1) as inverse.
  { intros k. rewrite <- power_product. replace (2 * (1 / 2) : F) with (1 : F) by now field.
    induction k as [| k IH]; simpl; [reflexivity | rewrite IH; ring]. }
  assert (power (2 : F) M * power 2 M * power ((1 + 1 / 2) / 2) M = power (1 + 2) M) as three_quarters.
  { rewrite <- !power_product. f_equal. now field. }
  apply (mul_le_left F (power 2 m * (power 2 M * power 2 M))) in bound;
    [| repeat apply mul_nonneg; apply power_nonneg; now apply lt_le].
  match type of bound with ?x <= ?y =>
    replace x with ((power 2 m * power (1 / 2) m) * (power 2 M * power 2 M) : F) in bound by ring;
    replace y with (power 2 m * of_nat (length experts)
                    * (power 2 M * power 2 M * power ((1 + 1 / 2) / 2) M) : F) in bound by ring end.
  rewrite inverse, three_quarters in bound.
  replace (1 * (power 2 M * power 2 M) : F) with (power 2 M * power 2 M : F) in bound by ring.
  eapply le_trans; [exact bound |].
  apply mul_le_right; [apply power_nonneg, add_nonneg; [apply one_nonneg | now apply lt_le] |].
  apply mul_le_left; [apply power_nonneg; now apply lt_le |].
  rewrite power_of_two. now apply of_nat_le.
Qed.

End Half.
