(** The checker is right about runs of the perceptron: what it replays over the integers is the run over
    the field, update by update. *)

From Coq Require Import Field Ring List Bool ZArith QArith Arith Lia.
From Halfspace Require Import OrderedField Vectors Definitions Numbers Sparse Perceptron Checker Claims Soundness.
Import ListNotations.
Close Scope Q_scope.
Close Scope Z_scope.
Open Scope field_scope.

(** ** n passes, or fewer *)

Lemma iterate_done d unit m s : r_done s = true -> Nat.iter m (one_pass d unit) s = s.
Proof. intros D. induction m; simpl; [reflexivity |]. rewrite IHm. unfold one_pass. now rewrite D. Qed.

Lemma iterate_add {A} (f : A -> A) m n x : Nat.iter (m + n) f x = Nat.iter m f (Nat.iter n f x).
Proof. induction m; simpl; [reflexivity | now rewrite IHm]. Qed.

Lemma iterate_first {A} (f : A -> A) n x : Nat.iter (S n) f x = Nat.iter n f (f x).
Proof. induction n; simpl; [reflexivity | now rewrite <- IHn]. Qed.

Lemma replay_passes_iterate d unit n : forall s,
  replay_passes d unit n s = Nat.iter (Pos.to_nat n) (one_pass d unit) s.
Proof.
  induction n as [n IH | n IH |]; intros s; cbn [replay_passes].
  - rewrite Pos2Nat.inj_xI.
    replace (S (2 * Pos.to_nat n)) with (Pos.to_nat n + (Pos.to_nat n + 1))%nat by lia.
    rewrite !iterate_add, !IH. simpl (Nat.iter 1 _ s).
    destruct (r_done (one_pass d unit s)) eqn:D;
      [now rewrite !(iterate_done d unit _ (one_pass d unit s) D) |].
    destruct (r_done (Nat.iter _ _ (one_pass d unit s))) eqn:E; [| reflexivity].
    now rewrite (iterate_done d unit _ _ E).
  - rewrite Pos2Nat.inj_xO.
    replace (2 * Pos.to_nat n)%nat with (Pos.to_nat n + Pos.to_nat n)%nat by lia.
    rewrite iterate_add, !IH.
    destruct (r_done (Nat.iter _ _ s)) eqn:E; [| reflexivity].
    now rewrite (iterate_done d unit _ _ E).
  - reflexivity.
Qed.

(** ** All columns *)

Lemma all_columns_correct n f : all_columns n f = true ->
  forall j, (j < N.to_nat n)%nat -> f (column j) = true.
Proof.
  destruct n as [| p]; [simpl; lia |]. simpl. rewrite Pos2Nat.inj_iter.
  set (step := fun t : positive * bool => _).
  assert (H : forall m, fst (Nat.iter m step (1%positive, true)) = column m /\
                (snd (Nat.iter m step (1%positive, true)) = true ->
                 forall j, (j < m)%nat -> f (column j) = true)).
  { induction m as [| m [C A]]; simpl; [split; [reflexivity | lia] |].
    split; [now rewrite C |]. rewrite C. intros E j L. apply andb_prop in E as [E K].
    destruct (Nat.eq_dec j m) as [-> | N]; [exact K | apply A; [exact E | lia]]. }
  exact (proj2 (H (Pos.to_nat p))).
Qed.

Section SoundReplay.

Variable F : ordered_field.
Add Field F_field : (field_laws F).
Notation unit_of p := (@of_Z F (Zpos p)).

Variable d : data.
Variable l : list (row F).
Hypothesis rows_represented : Forall2 (represents F (scale d) (width d)) (int_rows d) l.
Let dim := N.to_nat (width d).
Let S := unit_of (scale d).

Variable rate : F.
Hypothesis rate_positive : 0 < rate.
Variable unit : bool.
Let c2 := c2_of F unit.

(** The weights and the offset of the replay stand for a state of the run. *)
Definition tracks (w : weights) (b : Z) (s : state F) : Prop :=
  (forall j, fst s j * S = rate * vector_of_weights w j) /\ snd s = rate * of_Z b.

Lemma rate_nonzero : rate <> 0.
Proof. now apply positive_nonzero. Qed.

Lemma S_positive : 0 < S.
Proof. apply of_pos_positive. Qed.

Lemma replay_margin_correct w b s r' r :
  tracks w b s -> represents F (scale d) (width d) r' r ->
  of_Z (replay_margin d w b r') * rate = row_margin dim (fst s) (snd s) r * (S * S).
Proof.
  intros [W B] R. unfold replay_margin, int_margin.
  assert (V : forall j, vector_of_weights w j = fst s j * (S / rate)).
  { intros j. replace (fst s j * (S / rate)) with (fst s j * S / rate) by (field; exact rate_nonzero).
    rewrite W. field. exact rate_nonzero. }
  rewrite (label_signed F _ _ _ _ _ R), of_Z_add, (dot_represented F d _ _ _ _ _ V R), !of_Z_mul.
  fold S dim. unfold row_margin, score. rewrite B. field. exact rate_nonzero.
Qed.

Lemma mistake_decided w b s r' r :
  tracks w b s -> represents F (scale d) (width d) r' r ->
  if (replay_margin d w b r' <=? 0)%Z then mistake dim s r else 0 < row_margin dim (fst s) (snd s) r.
Proof.
  intros T R. pose proof (replay_margin_correct w b s r' r T R) as E.
  assert (P : 0 < S * S) by (apply mul_positive; exact S_positive).
  destruct (replay_margin d w b r' <=? 0)%Z eqn:M.
  - apply Z.leb_le, (of_Z_le F) in M. rewrite of_Z_0 in M. unfold mistake.
    apply (mul_le_cancel F (S * S)); [exact P |].
    replace (S * S * row_margin dim (fst s) (snd s) r)
      with (row_margin dim (fst s) (snd s) r * (S * S)) by ring.
    rewrite <- E. replace (S * S * 0) with (0 * rate) by ring. apply mul_le_right; auto using lt_le.
  - apply Z.leb_gt, (of_Z_positive F) in M.
    apply (mul_lt_cancel F (S * S)); [exact P |].
    replace (S * S * row_margin dim (fst s) (snd s) r)
      with (row_margin dim (fst s) (snd s) r * (S * S)) by ring.
    rewrite <- E. replace (S * S * 0) with (0 : F) by ring. now apply mul_positive.
Qed.

Lemma update_tracks w b s r' r :
  tracks w b s -> represents F (scale d) (width d) r' r ->
  tracks (add_row (signed_by (fst r') 1) (snd r') w)
         (if unit then b + signed_by (fst r') 1 else b)%Z (update rate c2 s r).
Proof.
  intros [W B] R. pose proof (label_signed F _ _ _ _ 1 R) as L. destruct R as (_ & _ & E).
  rewrite of_Z_1 in L. split; simpl.
  - intros j. rewrite add_row_correct, L. fold S in E. rewrite <- E. unfold vadd, vscale.
    replace ((fst s j + rate * label r * point r j) * S)
      with (fst s j * S + rate * label r * (point r j * S)) by ring.
    rewrite W. ring.
  - rewrite B. unfold c2, c2_of. destruct unit; [rewrite of_Z_add, L |]; ring.
Qed.

(** ** Visiting the rows *)

Lemma visit_correct rows' rows : Forall2 (represents F (scale d) (width d)) rows' rows ->
  forall w b n s w' b' n', tracks w b s ->
  fold_left (visit_row d unit) rows' (w, b, n) = (w', b', n') ->
  exists s' k, visit dim rate c2 s rows s' k /\ tracks w' b' s' /\ n' = (n + Z.of_nat k)%Z.
Proof.
  induction 1 as [| r' r rows' rows R _ IH]; intros w b n s w' b' n' T H; simpl in H.
  - injection H as <- <- <-. exists s, 0%nat. repeat split; [constructor | apply T | apply T | lia].
  - pose proof (mistake_decided w b s r' r T R) as M.
    destruct (replay_margin d w b r' <=? 0)%Z.
    + pose proof (update_tracks w b s r' r T R) as U.
      destruct (IH _ _ _ _ _ _ _ U H) as (s' & k & V & T' & E).
      exists s', (Datatypes.S k). split; [now constructor | split; [exact T' | lia]].
    + destruct (IH _ _ _ _ _ _ _ T H) as (s' & k & V & T' & E).
      exists s', k. split; [| now split]. constructor; [| exact V].
      intros N. exact (le_not_lt F _ _ N M).
Qed.

Lemma passes_correct n : forall q s, tracks (r_w q) (r_b q) s -> r_done q = false ->
  exists s' k, let q' := Nat.iter n (one_pass d unit) q in
    passes dim rate c2 l n s s' k /\ tracks (r_w q') (r_b q') s' /\
    r_updates q' = (r_updates q + Z.of_nat k)%Z.
Proof.
  induction n as [| n IH]; intros q s T D.
  - exists s, 0%nat. repeat split; [constructor | apply T | apply T | simpl; lia].
  - rewrite iterate_first.
    destruct (fold_left (visit_row d unit) (int_rows d) (r_w q, r_b q, 0%Z)) as [[w b] m] eqn:E.
    destruct (visit_correct _ _ rows_represented _ _ _ _ _ _ _ T E) as (s1 & k1 & V & T1 & ->).
    assert (O : one_pass d unit q = {| r_w := w; r_b := b; r_updates := (r_updates q + (0 + Z.of_nat k1))%Z;
                                       r_done := (0 + Z.of_nat k1 =? 0)%Z |})
      by (unfold one_pass; now rewrite D, E).
    rewrite O. destruct k1 as [| k1].
    + exists s1, 0%nat. rewrite iterate_done by reflexivity. simpl.
      repeat split; [now constructor | apply T1 | apply T1].
    + destruct (IH (one_pass d unit q) s1) as (s2 & k2 & P & T2 & U); rewrite O in *; [exact T1 | reflexivity |].
      exists s2, (Datatypes.S k1 + k2)%nat. split; [now apply passes_more with s1 |].
      split; [exact T2 |]. rewrite U. cbn [r_updates]. lia.
Qed.

Lemma start_tracks : tracks (r_w replay_start) (r_b replay_start) start.
Proof.
  split; simpl.
  - intros j. rewrite no_weights_correct. unfold vzero. ring.
  - rewrite of_Z_0. ring.
Qed.

Lemma replay_correct n : exists s k, let q := replay_passes d unit n replay_start in
  passes dim rate c2 l (Pos.to_nat n) start s k /\ tracks (r_w q) (r_b q) s /\
  r_updates q = Z.of_nat k.
Proof.
  destruct (passes_correct (Pos.to_nat n) replay_start start start_tracks eq_refl) as (s & k & H).
  exists s, k. rewrite replay_passes_iterate. exact H.
Qed.

Lemma converged_correct w b s : tracks w b s ->
  forallb (fun r => 0 <? replay_margin d w b r)%Z (int_rows d) = true -> converged dim s l.
Proof.
  intros T H r I N. rewrite forallb_forall in H.
  destruct (Forall2_in _ _ _ _ rows_represented I) as (r' & I' & R).
  apply H, Z.ltb_lt in I'. pose proof (mistake_decided w b s r' r T R) as M.
  rewrite (proj2 (Z.leb_gt _ _) I') in M. exact (le_not_lt F _ _ N M).
Qed.

(** ** The model *)

Lemma close_correct within m u : close within m u = true -> close_to F (of_Q within) (of_Q m) (of_Q u).
Proof.
  unfold close. intros H. apply andb_prop in H as [H K].
  apply (of_Q_le_bool F) in H, K. rewrite of_Q_sub in H, K. now split.
Qed.

Lemma model_correct q rate_Q s m : of_Q rate_Q = rate -> tracks (r_w q) (r_b q) s ->
  check_model d rate_Q q m = true -> ends_with F dim m s.
Proof.
  intros Q [W B] H. unfold check_model in H.
  destruct (integer_separator (width d) (m_separator m)) as [i |] eqn:I; [| discriminate].
  apply andb_prop in H as [HB HW]. split.
  - apply close_correct in HB. rewrite of_Q_mul, of_Q_Z, Q in HB. unfold b_of. now rewrite B.
  - intros j L. apply all_columns_correct with (j := j) in HW; [| exact L].
    apply close_correct in HW. rewrite of_Q_mul, Q in HW.
    destruct (separator_correct F d _ _ I) as (V & _ & _). specialize (V j). specialize (W j).
    unfold vector_of_weights in V, W. rewrite (of_Q_below F _ _ _ V) in HW.
    replace (fst s j) with (rate * of_Q (weight (column j) (r_w q) # scale d)); [exact HW |].
    replace (fst s j) with (fst s j * S / S) by (field; apply of_pos_nonzero).
    rewrite W, of_Q_make. fold S. field. apply of_pos_nonzero.
Qed.

(** ** The bound *)

Lemma separator_correct_margins c x : p_unit c = unit ->
  (p_unit c || (Qnum (sep_b (p_separator c)) =? 0)%Z)%bool = true -> check_bound d c = holds x ->
  allowed (p_unit c) (b_of (F := F) (p_separator c)) /\
  separates dim (w_of (F := F) (p_separator c)) (b_of (F := F) (p_separator c)) l.
Proof.
  intros U O. unfold check_bound.
  destruct (integer_separator (width d) (p_separator c)) as [i |] eqn:I; [| discriminate].
  intros H. destruct (separator_margins d i) as [[m |] | row] eqn:M; try discriminate H.
  destruct (separator_margins_correct F d l rows_represented _ _ _ I M) as [P R].
  split; [now apply offset_zero |].
  intros r J. apply lt_le_trans with (1 := P). now apply R.
Qed.

(** The replay is a run, so the theorem on the number of mistakes holds for it. *)
Lemma bound_correct c x n s k : p_unit c = unit ->
  (p_unit c || (Qnum (sep_b (p_separator c)) =? 0)%Z)%bool = true -> check_bound d c = holds x ->
  passes dim rate c2 l n start s k -> bound_holds F dim l c (of_nat k).
Proof.
  intros U O H V. destruct (separator_correct_margins c x U O H) as [A E].
  split; [exact A | split; [exact E |]].
  intros g radius2 Hg margins Hr radius. rewrite U in *. fold c2.
  set (w := w_of (F := F) (p_separator c)) in *. set (b := b_of (F := F) (p_separator c)) in *.
  destruct (passes_run F dim rate c2 l n _ _ _ V [] (run_start _ _ _ _)) as (u & K & N & J & _).
  rewrite app_nil_r in K.
  assert (0 <= c2) as C by (unfold c2, c2_of; destruct unit; [apply one_nonneg | apply le_refl]).
  assert (b = c2 * b) as B
    by (unfold c2, c2_of; destruct unit; [ring | rewrite (A eq_refl); ring]).
  pose proof (mistake_bound F dim rate l rate_positive c2 w b b radius2 g u s C B Hg margins Hr radius K J)
    as bound.
  rewrite <- N. unfold reference_norm2 in bound.
  replace (c2 * (b * b)) with (b * b) in bound
    by (replace (c2 * (b * b)) with (c2 * b * b) by ring; now rewrite <- B).
  assert (0 < g * g) as G by now apply mul_positive.
  apply (mul_le_right F (g * g)) in bound; [| now apply lt_le].
  replace ((radius2 + c2) * (norm2 dim w + b * b) / (g * g) * (g * g))
    with ((radius2 + c2) * (norm2 dim w + b * b)) in bound
    by (field; now apply positive_nonzero).
  exact bound.
Qed.

End SoundReplay.

Theorem perceptron_sound F d l c x :
  Forall2 (represents F (scale d) (width d)) (int_rows d) l ->
  check_perceptron d c = holds x -> perceptron_holds F (N.to_nat (width d)) l c.
Proof.
  intros R. unfold check_perceptron, perceptron_holds. intros H.
  accepted H O. accepted H P. accepted H T. accepted H C. accepted H M.
  apply Z.ltb_lt, (of_Q_positive F) in P. apply Z.eqb_eq in T.
  destruct (replay_correct F d l R (of_Q (p_rate c)) P (p_unit c) (p_passes c)) as (s & k & V & Q & U).
  split; [exact P |]. exists s, k. split; [exact V |]. rewrite <- T, <- U. split; [reflexivity |].
  split; [| split].
  - intros E. rewrite E in C. exact (converged_correct F d l R (of_Q (p_rate c)) P _ _ s Q C).
  - destruct (p_model c); [| exact I].
    exact (model_correct F d (of_Q (p_rate c)) _ _ s _ eq_refl Q M).
  - now apply (bound_correct F d l R (of_Q (p_rate c)) P (p_unit c) c x (Pos.to_nat (p_passes c)) s).
Qed.
