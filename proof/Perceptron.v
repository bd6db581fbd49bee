(** The mistake bounds of the perceptron.

    The rows are (x, y), the score is s(x) = <w, x> + b, and w = 0, b = 0 at the start. After a mistake,
    y s(x) <= 0, the update is w += rate y x and b += rate c^2 y. The four offset forms are c^2 = 0 (no
    offset), 1, R^2, and the square of an appended constant. A run is any sequence of such updates, so
    the theorems hold for every order of the rows and every number of passes.

    Let x~ = (x, c), w~ = (w, b/c), k the number of updates, and (u, a) any reference (the notes write
    w* and b* ), whose weights are in any ordered field, for example real numbers.
    - If y (<u, x> + a) >= g > 0 and |x|^2 <= R^2 on all rows, then k <= (R^2 + c^2) |u~|^2 / g^2
      (Novikoff). The forms in the notes are 1 / g^2, r^2 |u|^2, (R^2 + 1) |(u, a)|^2 / g^2 and
      2 R^2 |u~|^2 / g^2.
    - For every reference, separating or not, and every g >= 0, one pass over the rows has
      k g^2 <= (R |u~| + D)^2, where R^2 >= |x~|^2 on all rows, and D^2 is the sum of
      max(0, g - y (<u, x> + a))^2 over all rows (Freund and Schapire). In n passes D^2 counts n times.

    The proof. Each update adds rate y (<u, x> + a) to <u~, w~> (progress), and at most rate^2 |x~|^2 to
    |w~|^2, because the row is a mistake (growth). So the inequality of Cauchy and Schwarz for u~ and w~
    says
        (sum of y (<u, x> + a))^2 <= |u~|^2 (sum of |x~|^2),
    where both sums are over the k updates. This is [run_inequality]; everything else follows from it.
    With margins of at least g it is (k g)^2 <= |u~|^2 k R^2. Without, a margin is g minus at most its
    deficit, and a second inequality of Cauchy and Schwarz bounds the sum of the deficits by sqrt(k) D.

    To cover c = 0 there is a number t with a = c^2 t. So a/c = c t, and |u~|^2 = |u|^2 + c^2 t^2. *)

From Coq Require Import Field Ring List Arith Lia.
From Halfspace Require Import OrderedField Vectors Sums Powers Definitions.
Import ListNotations.

Section Perceptron.

Variable F : ordered_field.
Add Field F_field : (field_laws F).
Variable d : nat.

(** The length of a list, as a number of the field *)
Notation count l := (of_nat (length l)).

Implicit Types (l rows : list (row F)) (r : row F) (s : state F) (g t : F).

(** |x~|^2 *)
Definition extended_norm2 (c2 : F) r : F := norm2 d (point r) + c2.

(** max(0, g - y (<u, x> + a)): what a row misses to a margin of g *)
Definition deficit w b g r : F := max 0 (g - row_margin d w b r).
Definition deficit2 w b g r : F := deficit w b g r * deficit w b g r.

Lemma label_square r : label r * label r = 1.
Proof. unfold label. destruct (is_positive r); ring. Qed.

(** ** Progress and growth *)

Section OneRun.

Variables (rate c2 : F) (u : vector F) (a t : F).
Hypothesis rate_positive : 0 < rate.
Hypothesis c2_nonneg : 0 <= c2.
Hypothesis offset_of_reference : a = c2 * t.

Notation margin := (row_margin d u a).

(** |u~|^2 *)
Definition reference_norm2 : F := norm2 d u + c2 * (t * t).

(** b is c^2 times this number. *)
Definition label_sum l : F := rate * list_sum label l.

Lemma run_offset l s : run d rate c2 l s -> snd s = c2 * label_sum l.
Proof.
  unfold label_sum. induction 1 as [| l s r H IH M]; simpl; [ring |].
  rewrite IH. ring.
Qed.

(** <u~, w~> is rate times the sum of the reference's margins. *)
Theorem run_progress l s : run d rate c2 l s ->
  dot d u (fst s) + t * snd s = rate * list_sum margin l.
Proof.
  induction 1 as [| l s r H IH M]; simpl.
  - rewrite dot_zero_right. ring.
  - rewrite dot_add_right, dot_scale_right.
    transitivity (dot d u (fst s) + t * snd s + rate * margin r); [| rewrite IH; ring].
    unfold row_margin, score. rewrite offset_of_reference. ring.
Qed.

(** |w~|^2 is at most rate^2 times the sum of |x~|^2. *)
Theorem run_growth l s : run d rate c2 l s ->
  norm2 d (fst s) + c2 * (label_sum l * label_sum l) <= rate * rate * list_sum (extended_norm2 c2) l.
Proof.
  induction 1 as [| l s r H IH M]; simpl.
  - right. unfold label_sum, norm2. rewrite dot_zero_left. simpl. ring.
  - pose proof (run_offset l s H) as offset.
    unfold mistake, row_margin, score in M. rewrite offset in M.
    apply le_by_difference. apply le_difference in IH. apply le_difference in M.
    rewrite norm2_add, norm2_scale, dot_scale_right.
    set (y := label r) in *. set (q := dot d (fst s) (point r)) in *. set (B := label_sum l) in *.
    replace (label_sum (r :: l)) with (B + rate * y) by (unfold B, label_sum; simpl; fold y; ring).
    assert (y * y = 1) as square by apply label_square.
    match type of IH with 0 <= ?old =>
      match goal with |- 0 <= ?new =>
        replace new with (old + 2 * rate * (0 - y * (q + c2 * B))) end end.
    + apply add_nonneg; [exact IH |]. apply mul_nonneg; [| exact M].
      apply mul_nonneg; apply lt_le; [apply two_positive | exact rate_positive].
    + unfold extended_norm2 at 2. transitivity
        (rate * rate * list_sum (extended_norm2 c2) l
         + rate * rate * (y * y) * (norm2 d (point r) + c2)
         - (norm2 d (fst s) + 2 * (rate * y * q) + rate * y * (rate * y) * norm2 d (point r)
            + c2 * ((B + rate * y) * (B + rate * y)))); [ring |].
      rewrite square at 1. ring.
Qed.

(** The inequality of Cauchy and Schwarz with the offsets as one more coordinate *)
Lemma extended_cauchy_schwarz (v w : vector F) (p q : F) :
  (dot d v w + c2 * (p * q)) * (dot d v w + c2 * (p * q)) <=
  (norm2 d v + c2 * (p * p)) * (norm2 d w + c2 * (q * q)).
Proof.
  pose proof (le_difference _ _ _ (cauchy_schwarz F d v w)) as plain.
  pose proof (mul_nonneg F _ _ c2_nonneg (norm2_nonneg F d (vsub (vscale q v) (vscale p w)))) as mixed.
  rewrite norm2_sub, !norm2_scale, dot_scale_left, dot_scale_right in mixed.
  apply le_by_difference.
  pose proof (add_nonneg F _ _ plain mixed) as both. follows_from both.
Qed.

(** The inequality from which all bounds follow *)
Theorem run_inequality l s : run d rate c2 l s ->
  list_sum margin l * list_sum margin l <= reference_norm2 * list_sum (extended_norm2 c2) l.
Proof.
  intros H.
  pose proof (run_progress l s H) as progress. pose proof (run_growth l s H) as growth.
  rewrite (run_offset l s H) in progress.
  pose proof (extended_cauchy_schwarz u (fst s) t (label_sum l)) as bound.
  replace (dot d u (fst s) + c2 * (t * label_sum l)) with (rate * list_sum margin l) in bound
    by (rewrite <- progress; ring).
  apply (mul_le_cancel F (rate * rate)); [now apply mul_positive |].
  replace (rate * rate * (list_sum margin l * list_sum margin l))
    with (rate * list_sum margin l * (rate * list_sum margin l)) by ring.
  eapply le_trans; [exact bound |].
  replace (rate * rate * (reference_norm2 * list_sum (extended_norm2 c2) l))
    with (reference_norm2 * (rate * rate * list_sum (extended_norm2 c2) l)) by ring.
  apply mul_le_left; [| exact growth].
  apply add_nonneg; [apply norm2_nonneg | apply mul_nonneg; [exact c2_nonneg | apply square_nonneg]].
Qed.

End OneRun.

(** ** Sums of k numbers *)

(** k^2 x <= k y implies k x <= y, for the number k of updates. *)
Lemma cancel_count (T : Type) (l : list T) (x y : F) :
  0 <= y -> count l * count l * x <= count l * y -> count l * x <= y.
Proof.
  intros Hy H. destruct l as [| r l].
  - simpl. replace (0 * x) with (zero (o := F)) by ring. exact Hy.
  - apply (mul_le_cancel F (count (r :: l))).
    + simpl. apply add_nonneg_pos; [apply of_nat_nonneg | apply one_positive].
    + now replace (count (r :: l) * (count (r :: l) * x))
        with (count (r :: l) * count (r :: l) * x) by ring.
Qed.

(** p^2 <= k x^2 and q^2 <= k y^2 imply (p + q)^2 <= k (x + y)^2. *)
Lemma add_roots (k p q x y : F) : 0 <= k -> 0 <= x -> 0 <= y ->
  p * p <= k * (x * x) -> q * q <= k * (y * y) -> (p + q) * (p + q) <= k * ((x + y) * (x + y)).
Proof.
  intros Hk Hx Hy Hp Hq.
  assert (p * q <= k * (x * y)) as mixed.
  { apply square_le_cancel; [now apply mul_nonneg; [| apply mul_nonneg] |].
    replace (p * q * (p * q)) with (p * p * (q * q)) by ring.
    replace (k * (x * y) * (k * (x * y))) with (k * (x * x) * (k * (y * y))) by ring.
    apply mul_le; auto using square_nonneg. }
  replace ((p + q) * (p + q)) with (p * p + q * q + (p * q + p * q)) by ring.
  replace (k * ((x + y) * (x + y))) with (k * (x * x) + k * (y * y) + (k * (x * y) + k * (x * y))) by ring.
  repeat apply add_le; assumption.
Qed.

(** ** Separable rows *)

Section Bounds.

Variables (rate : F) (rows : list (row F)).
Hypothesis rate_positive : 0 < rate.

Lemma reference_norm2_nonneg c2 u t : 0 <= c2 -> 0 <= reference_norm2 c2 u t.
Proof.
  intros H. apply add_nonneg; [apply norm2_nonneg | apply mul_nonneg; [exact H | apply square_nonneg]].
Qed.

(** Novikoff's theorem: k <= (R^2 + c^2) |u~|^2 / g^2 *)
Theorem mistake_bound c2 u a t R2 g l s :
  0 <= c2 -> a = c2 * t ->
  0 < g -> (forall r, In r rows -> g <= row_margin d u a r) ->
  0 <= R2 -> (forall r, In r rows -> norm2 d (point r) <= R2) ->
  run d rate c2 l s -> incl l rows ->
  count l <= (R2 + c2) * reference_norm2 c2 u t / (g * g).
Proof.
  intros Hc2 Ha Hg margins HR2 radius H inside.
  pose proof (reference_norm2_nonneg c2 u t Hc2) as norm.
  assert (0 <= R2 + c2) as length_nonneg by now apply add_nonneg.
  apply le_div; [now apply mul_positive |]. apply cancel_count; [now apply mul_nonneg |].
  set (k := count l). set (S := list_sum (row_margin d u a) l).
  assert (k * g <= S) as progress by (apply list_sum_at_least; auto).
  assert (list_sum (extended_norm2 c2) l <= k * (R2 + c2)) as growth.
  { apply list_sum_at_most. intros r Hr. apply add_le; [auto | apply le_refl]. }
  replace (k * k * (g * g)) with (k * g * (k * g)) by ring.
  apply le_trans with (S * S).
  - apply square_le; [| exact progress]. apply mul_nonneg; [apply of_nat_nonneg | now apply lt_le].
  - eapply le_trans; [now apply (run_inequality rate c2 u a t) with (s := s) |].
    replace (k * ((R2 + c2) * reference_norm2 c2 u t))
      with (reference_norm2 c2 u t * (k * (R2 + c2))) by ring.
    now apply mul_le_left.
Qed.

(** Without an offset: k <= R^2 |u|^2 / g^2 *)
Corollary mistake_bound_no_offset u R2 g l s :
  0 < g -> (forall r, In r rows -> g <= row_margin d u 0 r) ->
  0 <= R2 -> (forall r, In r rows -> norm2 d (point r) <= R2) ->
  run d rate 0 l s -> incl l rows ->
  count l <= R2 * norm2 d u / (g * g).
Proof.
  intros Hg margins HR2 radius H inside.
  replace (R2 * norm2 d u) with ((R2 + 0) * reference_norm2 0 u 0)
    by (unfold reference_norm2; ring).
  apply mistake_bound with (a := 0) (s := s); auto; [apply le_refl | ring].
Qed.

(** Rows in the unit ball, |u| = 1: k <= 1 / g^2 *)
Corollary mistake_bound_unit_ball u g l s :
  norm2 d u = 1 -> 0 < g -> (forall r, In r rows -> g <= row_margin d u 0 r) ->
  (forall r, In r rows -> norm2 d (point r) <= 1) ->
  run d rate 0 l s -> incl l rows ->
  count l <= 1 / (g * g).
Proof.
  intros unit Hg margins ball H inside.
  replace (one (o := F)) with (1 * norm2 d u) at 1 by (rewrite unit; ring).
  apply mistake_bound_no_offset with s; auto. apply one_nonneg.
Qed.

(** Margins y <u, x> >= 1: k <= r^2 |u|^2 *)
Corollary mistake_bound_scaled u R2 l s :
  (forall r, In r rows -> 1 <= row_margin d u 0 r) ->
  0 <= R2 -> (forall r, In r rows -> norm2 d (point r) <= R2) ->
  run d rate 0 l s -> incl l rows ->
  count l <= R2 * norm2 d u.
Proof.
  intros margins HR2 radius H inside.
  replace (R2 * norm2 d u) with (R2 * norm2 d u / (1 * 1))
    by (field; apply positive_nonzero, one_positive).
  apply mistake_bound_no_offset with s; auto. apply one_positive.
Qed.

(** With an offset that learns by c^2 > 0: |u~|^2 = |u|^2 + a^2 / c^2 *)
Corollary mistake_bound_offset c2 u a R2 g l s :
  0 < c2 -> 0 < g -> (forall r, In r rows -> g <= row_margin d u a r) ->
  0 <= R2 -> (forall r, In r rows -> norm2 d (point r) <= R2) ->
  run d rate c2 l s -> incl l rows ->
  count l <= (R2 + c2) * (norm2 d u + a * a / c2) / (g * g).
Proof.
  intros Hc2 Hg margins HR2 radius H inside.
  assert (c2 <> 0) as nonzero by now apply positive_nonzero.
  replace (norm2 d u + a * a / c2) with (reference_norm2 c2 u (a / c2))
    by (unfold reference_norm2; now field).
  apply mistake_bound with (a := a) (s := s); auto; [now apply lt_le | now field].
Qed.

(** b += y: k <= (R^2 + 1) |(u, a)|^2 / g^2 *)
Corollary mistake_bound_unit_offset u a R2 g l s :
  0 < g -> (forall r, In r rows -> g <= row_margin d u a r) ->
  0 <= R2 -> (forall r, In r rows -> norm2 d (point r) <= R2) ->
  run d rate 1 l s -> incl l rows ->
  count l <= (R2 + 1) * (norm2 d u + a * a) / (g * g).
Proof.
  intros Hg margins HR2 radius H inside.
  replace (a * a) with (a * a / 1) by (field; apply positive_nonzero, one_positive).
  apply mistake_bound_offset with s; auto. apply one_positive.
Qed.

(** b += y R^2: k <= 2 R^2 |u~|^2 / g^2, with u~ = (u, a / R) *)
Corollary mistake_bound_R2_offset u a R2 g l s :
  0 < g -> (forall r, In r rows -> g <= row_margin d u a r) ->
  0 < R2 -> (forall r, In r rows -> norm2 d (point r) <= R2) ->
  run d rate R2 l s -> incl l rows ->
  count l <= 2 * R2 * (norm2 d u + a * a / R2) / (g * g).
Proof.
  intros Hg margins HR2 radius H inside.
  replace (2 * R2) with (R2 + R2) by ring.
  apply mistake_bound_offset with s; auto. now apply lt_le.
Qed.

(** ** Any rows *)

Lemma deficit_nonneg u a g r : 0 <= deficit u a g r.
Proof. apply max_left. Qed.

Lemma deficit2_nonneg u a g r : 0 <= deficit2 u a g r.
Proof. apply square_nonneg. Qed.

Lemma margin_with_deficit u a g r : g <= row_margin d u a r + deficit u a g r.
Proof.
  pose proof (le_difference _ _ _ (max_right F 0 (g - row_margin d u a r))) as H.
  apply le_by_difference. fold (deficit u a g r) in H.
  follows_from H.
Qed.

(** Freund and Schapire: k g^2 <= (R |u~| + D)^2, with a D for the rows of the updates *)
Theorem inseparable_bound c2 u a t g R U D l s :
  0 <= c2 -> a = c2 * t -> 0 <= g ->
  0 <= R -> (forall r, In r l -> extended_norm2 c2 r <= R * R) ->
  0 <= U -> reference_norm2 c2 u t <= U * U ->
  0 <= D -> list_sum (deficit2 u a g) l <= D * D ->
  run d rate c2 l s ->
  count l * (g * g) <= (R * U + D) * (R * U + D).
Proof.
  intros Hc2 Ha Hg HR radius HU norm HD deficits H.
  apply cancel_count; [apply square_nonneg |].
  set (k := count l). set (S := list_sum (row_margin d u a) l). set (E := list_sum (deficit u a g) l).
  assert (0 <= k) as Hk by apply of_nat_nonneg.
  assert (k * g <= S + E) as progress.
  { unfold S, E. rewrite <- list_sum_add. apply list_sum_at_least. intros r _. apply margin_with_deficit. }
  assert (S * S <= k * (R * U * (R * U))) as margins.
  { eapply le_trans; [now apply (run_inequality rate c2 u a t) with (s := s) |].
    replace (k * (R * U * (R * U))) with (U * U * (k * (R * R))) by ring.
    apply mul_le; [now apply reference_norm2_nonneg | | exact norm | now apply list_sum_at_most].
    apply list_sum_nonneg. intros r _. apply add_nonneg; [apply norm2_nonneg | exact Hc2]. }
  assert (E * E <= k * (D * D)) as missing.
  { eapply le_trans; [apply list_sum_square |]. now apply mul_le_left. }
  replace (k * k * (g * g)) with (k * g * (k * g)) by ring.
  apply le_trans with ((S + E) * (S + E)); [apply square_le; auto using mul_nonneg |].
  apply add_roots; auto using mul_nonneg.
Qed.

End Bounds.

(** ** Visits and passes are runs *)

(** The updates of a visit: each is by another row of the list, so sums over them are at most those over
    the list. *)
Lemma visit_run rate c2 s rows s' k : visit d rate c2 s rows s' k ->
  forall l, run d rate c2 l s ->
  exists l', run d rate c2 (l' ++ l) s' /\ length l' = k /\ incl l' rows /\
    forall f : row F -> F, (forall r, 0 <= f r) -> list_sum f l' <= list_sum f rows.
Proof.
  induction 1 as [s | s r rows s' k M H IH | s r rows s' k M H IH]; intros l before.
  - exists []. repeat split; [exact before | easy | intros; apply le_refl].
  - destruct (IH (r :: l)) as [l' [after [number [inside sums]]]]; [now constructor |].
    exists (l' ++ [r]). rewrite <- app_assoc. repeat split.
    + exact after.
    + rewrite app_length, number. simpl. lia.
    + intros x Hx. apply in_app_iff in Hx. destruct Hx as [Hx | [<- | []]]; simpl; auto.
    + intros f Hf. rewrite list_sum_app. simpl.
      replace (list_sum f l' + (f r + 0)) with (f r + list_sum f l') by ring.
      apply add_le; [apply le_refl | auto].
  - destruct (IH l before) as [l' [after [number [inside sums]]]].
    exists l'. repeat split; auto.
    + intros x Hx. right. auto.
    + intros f Hf. apply le_trans with (list_sum f rows); [auto |].
      simpl. apply le_by_difference. pose proof (Hf r) as one_more. follows_from one_more.
Qed.

(** In n passes, every row is updated at most n times. *)
Lemma passes_run rate c2 rows n s s' k : passes d rate c2 rows n s s' k ->
  forall l, run d rate c2 l s ->
  exists l', run d rate c2 (l' ++ l) s' /\ length l' = k /\ incl l' rows /\
    forall f : row F -> F, (forall r, 0 <= f r) -> list_sum f l' <= of_nat n * list_sum f rows.
Proof.
  assert (forall n (f : row F -> F), (forall r, 0 <= f r) -> 0 <= of_nat n * list_sum f rows) as nonneg.
  { intros m f Hf. apply mul_nonneg; [apply of_nat_nonneg | now apply list_sum_nonneg]. }
  induction 1 as [s | n s s' V | n s s' s'' k m V H IH]; intros l before.
  - exists []. repeat split; [exact before | easy |]. intros f Hf. now apply (nonneg 0%nat).
  - destruct (visit_run _ _ _ _ _ _ V l before) as [l' [after [number [inside sums]]]].
    exists l'. repeat split; auto. destruct l'; [| discriminate]. intros f Hf. now apply (nonneg (S n)).
  - destruct (visit_run _ _ _ _ _ _ V l before) as [l1 [after1 [number1 [inside1 sums1]]]].
    destruct (IH (l1 ++ l) after1) as [l2 [after2 [number2 [inside2 sums2]]]].
    exists (l2 ++ l1). rewrite <- app_assoc. repeat split.
    + exact after2.
    + rewrite app_length. lia.
    + now apply incl_app.
    + intros f Hf. rewrite list_sum_app. simpl.
      replace ((of_nat n + 1) * list_sum f rows) with (of_nat n * list_sum f rows + list_sum f rows) by ring.
      apply add_le; auto.
Qed.

(** The bound for n passes over rows that need not be separable: k g^2 <= (R |u~| + D)^2, where D^2 is n
    times the sum over all rows of max(0, g - y (<u, x> + a))^2 *)
Theorem inseparable_passes_bound rate c2 u a t g R U D rows n s k :
  0 < rate -> 0 <= c2 -> a = c2 * t -> 0 <= g ->
  0 <= R -> (forall r, In r rows -> norm2 d (point r) + c2 <= R * R) ->
  0 <= U -> norm2 d u + c2 * (t * t) <= U * U ->
  0 <= D -> of_nat n * list_sum (deficit2 u a g) rows <= D * D ->
  passes d rate c2 rows n start s k ->
  of_nat k * (g * g) <= (R * U + D) * (R * U + D).
Proof.
  intros Hrate Hc2 Ha Hg HR radius HU norm HD deficits H.
  destruct (passes_run _ _ _ _ _ _ _ H [] (run_start _ _ _ _)) as [l [after [<- [inside sums]]]].
  apply (inseparable_bound rate Hrate c2 u a t) with (s := s); auto.
  - intros r Hr. apply radius. auto.
  - eapply le_trans; [apply sums; intros; apply deficit2_nonneg | exact deficits].
  - now rewrite app_nil_r in after.
Qed.

(** One pass, |u~| = 1: k <= ((R + D) / g)^2 *)
Theorem inseparable_one_pass rate c2 u a t g R D rows s k :
  0 < rate -> 0 <= c2 -> a = c2 * t -> norm2 d u + c2 * (t * t) = 1 -> 0 < g ->
  0 <= R -> (forall r, In r rows -> norm2 d (point r) + c2 <= R * R) ->
  0 <= D -> list_sum (deficit2 u a g) rows <= D * D ->
  visit d rate c2 start rows s k ->
  of_nat k <= ((R + D) / g) * ((R + D) / g).
Proof.
  intros Hrate Hc2 Ha unit Hg HR radius HD deficits H.
  destruct (visit_run _ _ _ _ _ _ H [] (run_start _ _ _ _)) as [l [after [<- [inside sums]]]].
  rewrite app_nil_r in after.
  replace ((R + D) / g * ((R + D) / g)) with ((R * 1 + D) * (R * 1 + D) / (g * g))
    by (field; now apply positive_nonzero).
  apply le_div; [now apply mul_positive |].
  apply (inseparable_bound rate Hrate c2 u a t) with (s := s); auto.
  - now apply lt_le.
  - intros r Hr. apply radius. auto.
  - apply one_nonneg.
  - unfold reference_norm2. rewrite unit. right. ring.
  - eapply le_trans; [apply sums; intros; apply deficit2_nonneg | exact deficits].
Qed.

(** ** A run ends, and its end separates *)

Lemma converged_separates s rows : converged d s rows <-> separates d (fst s) (snd s) rows.
Proof.
  split; intros H r Hr; [apply not_le_lt | apply le_not_lt || intros M; apply (le_not_lt _ _ _ M)];
    now apply H.
Qed.

Lemma visit_without_update rate c2 s rows s' k :
  visit d rate c2 s rows s' k -> k = 0%nat -> s' = s /\ converged d s rows.
Proof.
  induction 1 as [s | s r rows s' k M H IH | s r rows s' k M H IH]; intros none.
  - split; [reflexivity | easy].
  - discriminate.
  - destruct (IH none) as [same rest]. split; [exact same |].
    intros x [<- | Hx]; [exact M | now apply rest].
Qed.

(** A pass that changes something makes an update at least. *)
Lemma passes_converged_or_long rate c2 rows n s s' k :
  passes d rate c2 rows n s s' k -> (n <= k)%nat \/ converged d s' rows.
Proof.
  induction 1 as [s | n s s' V | n s s' s'' k m V H IH].
  - left. lia.
  - right. now destruct (visit_without_update _ _ _ _ _ _ V eq_refl) as [-> ?].
  - destruct IH; [left; lia | now right].
Qed.

(** The passes can be made: it is decidable whether a row is a mistake. *)
Lemma visit_exists rate c2 rows s : exists s' k, visit d rate c2 s rows s' k.
Proof.
  revert s. induction rows as [| r rows IH]; intros s.
  - exists s, 0%nat. constructor.
  - destruct (le_lt_dec (row_margin d (fst s) (snd s) r) 0) as [M | M].
    + destruct (IH (update rate c2 s r)) as [s' [k H]]. exists s', (S k). now apply visit_mistake.
    + destruct (IH s) as [s' [k H]]. exists s', k. apply visit_right; [| exact H].
      intros wrong. exact (le_not_lt _ _ _ wrong M).
Qed.

Lemma passes_exists rate c2 rows n s : exists s' k, passes d rate c2 rows n s s' k.
Proof.
  revert s. induction n as [| n IH]; intros s.
  - exists s, 0%nat. constructor.
  - destruct (visit_exists rate c2 rows s) as [s' [[| k] V]].
    + exists s', 0%nat. now constructor.
    + destruct (IH s') as [s'' [m H]]. exists s'', (S k + m)%nat. now apply passes_more with s'.
Qed.

(** The perceptron finds a separator of separable rows: so many passes that their number is above the
    bound end with one. *)
Theorem perceptron_converges rate c2 u a t R2 g rows n :
  0 < rate -> 0 <= c2 -> a = c2 * t ->
  0 < g -> (forall r, In r rows -> g <= row_margin d u a r) ->
  0 <= R2 -> (forall r, In r rows -> norm2 d (point r) <= R2) ->
  (R2 + c2) * reference_norm2 c2 u t / (g * g) < of_nat n ->
  exists s k, passes d rate c2 rows n start s k /\ separates d (fst s) (snd s) rows.
Proof.
  intros Hrate Hc2 Ha Hg margins HR2 radius enough_passes.
  destruct (passes_exists rate c2 rows n start) as [s [k H]]. exists s, k. split; [exact H |].
  apply converged_separates.
  destruct (passes_converged_or_long _ _ _ _ _ _ _ H) as [many | done]; [exfalso | exact done].
  destruct (passes_run _ _ _ _ _ _ _ H [] (run_start _ _ _ _)) as [l [after [number [inside _]]]].
  rewrite app_nil_r in after. apply (of_nat_le F) in many. rewrite <- number in many.
  apply (le_not_lt F _ _ many). eapply le_lt_trans; [| exact enough_passes].
  now apply (mistake_bound rate rows Hrate c2 u a t) with (s := s).
Qed.

(** ** An appended column *)

(** x~ = (x, c): the column after the last one is c. *)
Definition append (c : F) r : row F :=
  {| is_positive := is_positive r; point := fun j => if Nat.eqb j d then c else point r j |}.

Lemma dot_append w c r : dot (S d) w (point (append c r)) = dot d w (point r) + w d * c.
Proof.
  unfold dot. simpl. rewrite Nat.eqb_refl. f_equal. apply sum_ext. intros j Hj.
  now rewrite (proj2 (Nat.eqb_neq j d)) by lia.
Qed.

(** w~ = (w, b / c), without an offset of its own *)
Definition same_weights (c : F) (s' s : state F) : Prop :=
  veq d (fst s') (fst s) /\ c * fst s' d = snd s /\ snd s' = 0.

Lemma same_margin c s' s r : same_weights c s' s ->
  row_margin (S d) (fst s') (snd s') (append c r) = row_margin d (fst s) (snd s) r.
Proof.
  intros [same [last none]]. unfold row_margin, score. rewrite dot_append, none, <- last.
  rewrite (dot_ext F d (fst s') (fst s) (point r) (point r)) by easy.
  unfold label. simpl. ring.
Qed.

Lemma same_update rate c s' s r : same_weights c s' s ->
  same_weights c (update rate 0 s' (append c r)) (update rate (c * c) s r).
Proof.
  intros [same [last none]]. unfold same_weights, update, vadd, vscale, label. simpl. repeat split.
  - intros j Hj. simpl. rewrite same by exact Hj. now rewrite (proj2 (Nat.eqb_neq j d)) by lia.
  - rewrite Nat.eqb_refl, <- last. ring.
  - rewrite none. ring.
Qed.

(** The perceptron without an offset on the rows (x, c) makes the updates of the perceptron whose offset
    learns by c^2, and has its weights. *)
Theorem appended_run rate c l :
  (forall s, run d rate (c * c) l s ->
     exists s', run (S d) rate 0 (map (append c) l) s' /\ same_weights c s' s) /\
  (forall s', run (S d) rate 0 (map (append c) l) s' ->
     exists s, run d rate (c * c) l s /\ same_weights c s' s).
Proof.
  induction l as [| r l [there back]]; split; simpl.
  - intros s H. inversion H. exists start. split; [constructor |].
    repeat split; simpl; unfold vzero; ring.
  - intros s' H. inversion H. exists start. split; [constructor |].
    repeat split; simpl; unfold vzero; ring.
  - intros s H. inversion H as [| l0 s0 r0 before M]; subst.
    destruct (there s0 before) as [s' [before' same]].
    exists (update rate 0 s' (append c r)). split; [| now apply same_update].
    constructor; [exact before' |]. unfold mistake. now rewrite (same_margin c s' s0).
  - intros s' H. inversion H as [| l0 s0 r0 before M]; subst.
    destruct (back s0 before) as [s [before' same]].
    exists (update rate (c * c) s r). split; [| now apply same_update].
    constructor; [exact before' |]. unfold mistake. now rewrite <- (same_margin c s0 s).
Qed.

End Perceptron.
