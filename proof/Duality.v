(** Theorem 3: weak duality. The dual value of any feasible multipliers is a lower bound on the objective
    of every (w, b), for the hinge, the squared hinge and the hard margin.

    Two inequalities are enough. Per row, c loss(m) >= e(a) - a m, where e(a) is the row's term of the
    dual [loss_bound]. For the norms, |w|^2 / 2 - <w, u> >= - |u|^2 / 2 [norm_bound]. *)

From Coq Require Import Field Ring List.
From Halfspace Require Import OrderedField Vectors Definitions Separators.
Import ListNotations.

Section Duality.

Variable F : ordered_field.
Add Field F_field : (field_laws F).
Variable d : nat.

Lemma two_nonzero : (2 : F) <> 0.
Proof. apply positive_nonzero, two_positive. Qed.
Lemma four_nonzero : (2 * 2 : F) <> 0.
Proof. apply positive_nonzero, mul_positive; apply two_positive. Qed.
Hint Resolve two_nonzero : core.

Lemma half_nonneg (x : F) : 0 <= x -> 0 <= x / 2.
Proof. intros H. apply div_nonneg; [exact H | apply two_positive]. Qed.

(** ** Two inequalities *)

Lemma loss_bound k (c a m : F) :
  0 < c -> 0 <= a -> (k = hinge -> a <= c) -> dual_term k c a - a * m <= c * loss k m.
Proof.
  intros C A H. unfold loss. set (v := max 0 (1 - m)).
  assert (V : a * (1 - m) <= a * v) by (apply mul_le_left; [exact A | apply max_right]).
  assert (V0 : 0 <= v) by apply max_left.
  destruct k; unfold dual_term.
  - apply le_trans with (a * v).
    + now replace (a - a * m) with (a * (1 - m)) by ring.
    + apply mul_le_right; auto.
  - (* c v^2 - a v + a^2 / 4c is the square (2 c v - a)^2 over 4 c *)
    assert (N : c <> 0) by now apply positive_nonzero.
    apply le_by_difference.
    replace (c * (v * v) - (a - a * a / (2 * 2 * c) - a * m))
      with ((2 * c * v - a) * (2 * c * v - a) / (2 * 2 * c) + (a * v - a * (1 - m)))
      by (field; split; [exact N | exact four_nonzero]).
    apply add_nonneg; [| now apply le_difference].
    apply div_nonneg; [apply square_nonneg |].
    repeat apply mul_positive; try apply two_positive. exact C.
Qed.

Lemma norm_bound (w u : vector F) : dot d w u <= norm2 d w / 2 + norm2 d u / 2.
Proof.
  apply le_by_difference.
  replace (norm2 d w / 2 + norm2 d u / 2 - dot d w u) with (norm2 d (vsub w u) / 2)
    by (rewrite norm2_sub; field; auto).
  apply half_nonneg, norm2_nonneg.
Qed.

(** The same for the offset: b t <= b^2 / 2 + t^2 / 2 if b is regularized; otherwise b t = 0. *)
Lemma offset_bound o (b t : F) :
  offset_allowed o b -> (o = free -> t = 0) -> b * t <= offset_norm2 o b / 2 + offset_norm2 o t / 2.
Proof.
  intros B T. destruct o; simpl.
  - rewrite T by easy. right. field. auto.
  - rewrite B by easy. right. field. auto.
  - apply le_by_difference.
    replace (b * b / 2 + t * t / 2 - b * t) with ((b - t) * (b - t) / 2) by (field; auto).
    apply half_nonneg, square_nonneg.
Qed.

(** ** Weak duality *)

Lemma losses_bound k cost (l : multipliers F) w b :
  (forall c, 0 < cost c) ->
  (forall t, In t l -> 0 <= fst t /\ (k = hinge -> fst t <= cost (is_positive (snd t)))) ->
  list_sum (fun t => dual_term k (cost (is_positive (snd t))) (fst t)) l
  - list_sum (fun t => fst t * row_margin d w b (snd t)) l
  <= list_sum (fun r => cost (is_positive r) * loss k (row_margin d w b r)) (map snd l).
Proof.
  intros C L. rewrite list_sum_map, <- list_sum_sub. apply list_sum_le.
  intros t I. destruct (L t I). now apply loss_bound.
Qed.

(** There is one multiplier per row: [map snd l] is the list of the rows. *)
Theorem weak_duality k o cost (l : multipliers F) w b :
  (forall c, 0 < cost c) -> dual_feasible k o cost l -> offset_allowed o b ->
  dual d k o cost l <= primal d k o cost (map snd l) w b.
Proof.
  intros C (L & T) B. unfold dual, primal.
  assert (S := losses_bound k cost l w b C L). rewrite weighted_margins in S.
  assert (N := norm_bound w (weighted_sum l)).
  assert (O := offset_bound o b (balance l) B T).
  apply le_by_difference. apply le_difference in S, N, O.
  set (x := dot d w (weighted_sum l)) in *. set (y := b * balance l) in *.
  match goal with |- 0 <= ?e =>
    match type of S with 0 <= ?s => match type of N with 0 <= ?n => match type of O with 0 <= ?p =>
      replace e with (s + n + p) by (field; exact two_nonzero) end end end end.
  repeat apply add_nonneg; assumption.
Qed.

(** What the claim "optimal" says: no (w', b') has an objective that is lower by more than the gap. *)
Corollary gap_bounds_objective k o cost (l : multipliers F) w b gap :
  (forall c, 0 < cost c) -> dual_feasible k o cost l ->
  primal d k o cost (map snd l) w b - dual d k o cost l <= gap ->
  forall w' b', offset_allowed o b' ->
    primal d k o cost (map snd l) w b <= primal d k o cost (map snd l) w' b' + gap.
Proof.
  intros C D G w' b' B. assert (W := weak_duality k o cost l w' b' C D B).
  apply le_by_difference. apply le_difference in G, W.
  match goal with |- 0 <= ?e =>
    match type of G with 0 <= ?g => match type of W with 0 <= ?h =>
      replace e with (g + h) by ring end end end.
  now apply add_nonneg.
Qed.

(** The hard margin: sum a - |u|^2 / 2 <= |w|^2 / 2 for every (w, b) with y s(x) >= 1. *)
Theorem hard_weak_duality offset rows (l : multipliers F) w b :
  multipliers_of rows l -> fits offset l -> allowed offset b -> hard_feasible d rows w b ->
  hard_dual d l <= hard_primal d w.
Proof.
  intros L T B H. unfold hard_dual, hard_primal.
  assert (M : 1 * total l <= dot d w (weighted_sum l))
    by now apply functional_margin_bound with offset b rows.
  assert (N := norm_bound w (weighted_sum l)).
  apply le_by_difference. apply le_difference in M, N.
  match goal with |- 0 <= ?e =>
    match type of M with 0 <= ?g => match type of N with 0 <= ?h =>
      replace e with (g + h) by ring end end end.
  now apply add_nonneg.
Qed.

End Duality.
