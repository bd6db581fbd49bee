(** The checker is right about separators, multipliers and optima: if it accepts a claim, the claim holds
    over every ordered field. (Replay.v has the perceptron's runs.) *)

From Coq Require Import Field Ring List Bool ZArith QArith Lia FMapPositive.
From Halfspace Require Import OrderedField Vectors Definitions Separators Duality Numbers Sparse
  Checker Claims.
Import ListNotations.
Close Scope Q_scope.
Close Scope Z_scope.
Open Scope field_scope.

(** [H : (when c else why then v) = holds x] is c = true and v = holds x. *)
Tactic Notation "accepted" hyp(H) ident(E) :=
  match type of H with (if ?c then _ else _) = _ => destruct c eqn:E; [| discriminate H] end.

Lemma Forall2_of_map {A B C} (R : B -> C -> Prop) (f : A -> B) (g : A -> C) l :
  (forall x, In x l -> R (f x) (g x)) -> Forall2 R (map f l) (map g l).
Proof.
  induction l as [| x l IH]; intros H; simpl; constructor.
  - apply H. now left.
  - apply IH. intros y I. apply H. now right.
Qed.

Lemma Forall2_in {A B} (R : A -> B -> Prop) l m y :
  Forall2 R l m -> In y m -> exists x, In x l /\ R x y.
Proof.
  induction 1 as [| a b l m H _ IH]; intros I; [easy |].
  destruct I as [<- | I]; [exists a; simpl; auto |].
  destruct (IH I) as (x & J & K). exists x. simpl. auto.
Qed.

Section Soundness.

Variable F : ordered_field.
Add Field F_field : (field_laws F).

Lemma list_sum_Forall2 {A B} (R : A -> B -> Prop) (f : A -> F) (g : B -> F) l m :
  Forall2 R l m -> (forall x y, R x y -> f x = g y) -> list_sum f l = list_sum g m.
Proof. induction 1 as [| x y l m H _ IH]; intros E; simpl; [easy | rewrite (E x y H), IH; auto]. Qed.

(** ** Numbers over a denominator *)

Notation unit_of p := (@of_Z F (Zpos p)).

Lemma of_Q_below z p (x : F) : of_Z z = x * unit_of p -> of_Q (z # p) = x.
Proof. intros H. unfold of_Q. simpl. rewrite H. field. apply of_pos_nonzero. Qed.

Lemma zero_over (x : F) p : x * unit_of p = 0 -> x = 0.
Proof.
  intros H. replace x with (x * unit_of p * inv (unit_of p)) by (field; apply of_pos_nonzero).
  rewrite H. ring.
Qed.

(** What holds over a denominator. *)
Lemma positive_over (x : F) p : 0 < x * unit_of p -> 0 < x.
Proof.
  intros H. apply (mul_lt_cancel F (unit_of p)); [apply of_pos_positive |].
  replace (unit_of p * 0) with (0 : F) by ring. now replace (unit_of p * x) with (x * unit_of p) by ring.
Qed.

Lemma nonneg_over (x : F) p : 0 <= x * unit_of p -> 0 <= x.
Proof.
  intros H. apply (mul_le_cancel F (unit_of p)); [apply of_pos_positive |].
  replace (unit_of p * 0) with (0 : F) by ring. now replace (unit_of p * x) with (x * unit_of p) by ring.
Qed.

Lemma scaled_correct k q : divides k q = true -> of_Z (scaled k q) = of_Q q * unit_of k.
Proof.
  unfold divides, scaled, of_Q. intros H. apply Z.eqb_eq in H.
  apply Z_div_exact_full_2 in H; [| easy]. set (n := (Zpos k / Zpos (Qden q))%Z) in *.
  rewrite H, !of_Z_mul. field. apply of_pos_nonzero.
Qed.

Lemma integers_correct k l ints j :
  integers k l = Some ints -> vector_of of_Z ints j = vector_of of_Q l j * unit_of k.
Proof.
  unfold integers. destruct (forallb _ l) eqn:D; [| discriminate].
  intros H. injection H as <-. rewrite fast_map_is_map. apply vector_of_map.
  rewrite forallb_forall in D. intros e I. apply scaled_correct. now apply D.
Qed.

Lemma integers_within n k l ints : integers k l = Some ints -> within n l = true -> within n ints = true.
Proof.
  unfold integers. destruct (forallb _ l); [| discriminate].
  intros H W. injection H as <-. rewrite fast_map_is_map. unfold within in *.
  rewrite forallb_forall in *. intros e I. apply in_map_iff in I as (f & <- & I). now apply W.
Qed.

(** ** Rows *)

(** An integer row stands for a row of the field: its values are over the scale. *)
Definition represents (k : positive) (n : N) (r' : int_row) (r : row F) : Prop :=
  is_positive r = fst r' /\ within n (snd r') = true /\
  forall j, point r j * unit_of k = vector_of of_Z (snd r') j.

Theorem prepare_correct t d : prepare t = Some d ->
  width d = columns t /\ Forall2 (represents (scale d) (width d)) (int_rows d) (rows_of t).
Proof.
  unfold prepare. set (n := decimals (rows t)).
  destruct (0 <=? n)%Z eqn:N0; [| discriminate]. simpl.
  destruct (forallb _ (rows t)) eqn:A; [| discriminate]. intros H. injection H as <-. simpl.
  split; [reflexivity |]. rewrite fast_map_is_map. apply Forall2_of_map.
  rewrite forallb_forall in A. apply Z.leb_le in N0. intros r I.
  apply A, andb_prop in I as [W D]. rewrite forallb_forall in D.
  rewrite fast_map_is_map. repeat split; simpl.
  - unfold within in *. rewrite forallb_forall in *. intros e J.
    apply in_map_iff in J as (f & <- & J). now apply W.
  - intros j. rewrite Z2Pos.id by now apply power_positive. symmetry. apply vector_of_map.
    intros e J. apply D, Z.leb_le in J. destruct (snd e) as [m x].
    now apply of_decimal_scaled.
Qed.

Lemma label_signed k n r' r z : represents k n r' r -> of_Z (signed_by (fst r') z) = label r * of_Z z.
Proof. intros (P & _ & _). unfold signed_by, label. rewrite P. destruct (fst r'); [| rewrite of_Z_opp]; ring. Qed.

(** ** Separators *)

Section Data.

Variable d : data.
Variable l : list (row F).
Hypothesis rows_represented : Forall2 (represents (scale d) (width d)) (int_rows d) l.
Let n := width d.
Let dim := N.to_nat (width d).
Let row_represented := represents (scale d) (width d).

Lemma dot_represented w v k r' r :
  (forall j, vector_of_weights w j = v j * k) -> row_represented r' r ->
  of_Z (dot_row w (snd r')) = dot dim v (point r) * (k * unit_of (scale d)).
Proof.
  intros W (_ & I & E). rewrite (dot_row_correct F (width d)) by exact I.
  rewrite (dot_ext F _ _ (vscale k v) _ (vscale (unit_of (scale d)) (point r))).
  - rewrite dot_scale_left, dot_scale_right. unfold dim. ring.
  - intros j _. rewrite W. unfold vscale. ring.
  - intros j _. rewrite <- E. unfold vscale. ring.
Qed.

Lemma separator_correct s i : integer_separator n s = Some i ->
  (forall j, vector_of_weights (int_w i) j = w_of s j * unit_of (below i)) /\
  of_Z (int_b i) = b_of (F := F) s * unit_of (below i) /\
  of_Q (separator_norm2 i) = norm2 dim (w_of (F := F) s).
Proof.
  unfold integer_separator. set (k := common _ _).
  destruct (integers k (sep_w s)) as [ints |] eqn:E; [| discriminate].
  destruct (divides k (sep_b s) && within n (sep_w s)) eqn:D; [| discriminate].
  apply andb_prop in D as [D W]. intros H. injection H as <-. simpl.
  assert (V : forall j, vector_of_weights (add_row 1 ints no_weights) j = w_of s j * unit_of k).
  { intros j. rewrite add_row_correct, no_weights_correct, (integers_correct _ _ _ _ E), of_Z_1.
    unfold w_of. ring. }
  repeat split; [exact V | now apply scaled_correct |].
  apply of_Q_below. simpl.
  rewrite (dot_row_correct F n) by now apply integers_within with (1 := E).
  rewrite (dot_ext F _ _ (vscale (unit_of k) (w_of s)) _ (vscale (unit_of k) (w_of s))).
  - rewrite dot_scale_left, dot_scale_right, Pos2Z.inj_mul, of_Z_mul. unfold norm2, dim, n. ring.
  - intros j _. rewrite V. unfold vscale. ring.
  - intros j _. rewrite (integers_correct _ _ _ _ E). unfold vscale, w_of. ring.
Qed.

Lemma margin_correct s i r' r : integer_separator n s = Some i -> row_represented r' r ->
  of_Z (int_margin (int_w i) (int_b i * Zpos (scale d)) r')
  = row_margin dim (w_of s) (b_of s) r * unit_of (margin_below d i).
Proof.
  intros S R. destruct (separator_correct s i S) as (W & B & _).
  unfold int_margin. rewrite (label_signed _ _ _ _ _ R), of_Z_add, of_Z_mul, B.
  rewrite (dot_represented _ _ _ _ _ W R). unfold margin_below, row_margin, score.
  rewrite Pos2Z.inj_mul, of_Z_mul. ring.
Qed.

Lemma least_margin_correct w b rows m : forall i least,
  least_margin w b i rows least = least_is (Some m) ->
  (forall x, least = Some x -> 0 < x)%Z ->
  (0 < m /\ (forall x, least = Some x -> m <= x) /\
   forall r, In r rows -> m <= int_margin w b r)%Z.
Proof.
  induction rows as [| r rows IH]; intros i least H P; simpl in H.
  - injection H as ->. repeat split; [now apply P | | easy]. intros x E. injection E as ->. lia.
  - destruct (int_margin w b r <=? 0)%Z eqn:E; [discriminate |]. apply Z.leb_gt in E.
    apply IH in H.
    + destruct H as (M & L & R). specialize (L _ eq_refl). unfold smaller in L.
      repeat split; [exact M | |].
      * intros x ->. lia.
      * intros q [<- | I]; [destruct least; lia | now apply R].
    + intros x X. injection X as <-. unfold smaller.
      destruct least as [y |]; [specialize (P y eq_refl); lia | exact E].
Qed.

(** The least margin of a separator is positive, and no row has a smaller one. *)
Lemma separator_margins_correct s i m :
  integer_separator n s = Some i -> separator_margins d i = least_is (Some m) ->
  0 < of_Q (F := F) (m # margin_below d i) /\
  forall r, In r l -> of_Q (m # margin_below d i) <= row_margin dim (w_of s) (b_of s) r.
Proof.
  intros S H. apply least_margin_correct in H; [| discriminate]. destruct H as (M & _ & R). split.
  - now apply of_Q_positive.
  - intros r I. destruct (Forall2_in _ _ _ _ rows_represented I) as (r' & I' & E).
    apply R, (of_Z_le F) in I'. rewrite (margin_correct _ _ _ _ S E) in I'.
    apply div_le; [apply of_pos_positive | exact I'].
Qed.

(** ** Multipliers *)

(** An integer multiplier with its row stands for one over k. *)
Definition stands_for (k : positive) (t : Z * int_row) (a : F * row F) : Prop :=
  fst a * unit_of k = of_Z (fst t) /\ row_represented (snd t) (snd a).

Lemma assign_rows rows : forall i a done z,
  assign i rows a done = assigned z -> map snd z = rev (map snd done) ++ rows.
Proof.
  induction rows as [| r rows IH]; intros i a done z H; simpl in H.
  - destruct a; [| discriminate]. injection H as <-. unfold rev'.
    now rewrite rev_append_rev, !app_nil_r, map_rev.
  - destruct a as [| e a]; [| destruct (Pos.eqb (fst e) i)]; apply IH in H; rewrite H; simpl;
      now rewrite <- app_assoc.
Qed.

Lemma multipliers_exist k : forall z rows, Forall2 row_represented (map snd z) rows ->
  exists a, map snd a = rows /\ Forall2 (stands_for k) z a.
Proof.
  induction z as [| t z IH]; intros rows H; inversion H; subst.
  - now exists [].
  - destruct (IH _ H4) as (a & <- & A). exists ((of_Z (fst t) / unit_of k, y) :: a).
    split; [reflexivity |]. constructor; [| exact A]. split; [| assumption].
    simpl. field. apply of_pos_nonzero.
Qed.

Section Multipliers.

Variable k : positive.
Variable z : list (Z * int_row).
Variable a : multipliers F.
Hypothesis Z_stands_for : Forall2 (stands_for k) z a.

Lemma signed_multiplier_correct t x :
  stands_for k t x -> of_Z (signed_multiplier t) = fst x * label (snd x) * unit_of k.
Proof. intros [E R]. unfold signed_multiplier. rewrite (label_signed _ _ _ _ _ R), <- E. ring. Qed.

(** A sum over the integer multipliers is one over the multipliers, times a factor. *)
Lemma sum_represented (f : Z * int_row -> Z) (g : F * row F -> F) (c : F) :
  (forall t x, stands_for k t x -> of_Z (f t) = c * g x) ->
  of_Z (fold_left (fun s t => s + f t)%Z z 0%Z) = c * list_sum g a.
Proof.
  intros H. rewrite of_Z_fold_sum, of_Z_0, <- list_sum_scale, zero_add.
  now apply list_sum_Forall2 with (1 := Z_stands_for).
Qed.

Lemma sum_of_correct : of_Z (sum_of z) = total a * unit_of k.
Proof. unfold sum_of, total. rewrite (sum_represented _ fst (unit_of k)); [ring |]. intros t x [E _]. rewrite <- E. ring. Qed.

Lemma balance_of_correct : of_Z (balance_of z) = balance a * unit_of k.
Proof.
  unfold balance_of, balance. rewrite (sum_represented _ (fun t => fst t * label (snd t)) (unit_of k)); [ring |].
  intros t x E. rewrite (signed_multiplier_correct t x E). ring.
Qed.

Lemma vector_sum_correct j :
  vector_of_weights (vector_sum z) j = weighted_sum a j * (unit_of k * unit_of (scale d)).
Proof.
  assert (H : forall u, vector_of_weights (fold_left (fun u t => if (fst t =? 0)%Z then u
              else add_row (signed_multiplier t) (snd (snd t)) u) z u) j
            = vector_of_weights u j + weighted_sum a j * (unit_of k * unit_of (scale d))).
  { unfold weighted_sum. induction Z_stands_for as [| t x z' a' E A IH]; intros u; simpl; [ring |].
    rewrite IH by exact A. clear IH. pose proof (signed_multiplier_correct t x E) as S. destruct E as [E R].
    destruct (fst t =? 0)%Z eqn:T.
    - apply Z.eqb_eq in T. rewrite T, of_Z_0 in E.
      rewrite (zero_over _ _ E). ring.
    - rewrite add_row_correct, S. destruct R as (_ & _ & R). rewrite <- R. ring. }
  unfold vector_sum. rewrite H, no_weights_correct. ring.
Qed.

Lemma norm2_of_correct :
  of_Z (norm2_of z) = norm2 dim (weighted_sum a) * unit_of (k * scale d * (k * scale d)).
Proof.
  unfold norm2_of, norm2. rewrite dot_weighted_sum, !Pos2Z.inj_mul, !of_Z_mul.
  set (q := unit_of k * unit_of (scale d)).
  rewrite (sum_represented _ (fun t => fst t * label (snd t) * dot dim (weighted_sum a) (point (snd t)))
             (q * q)); [ring |].
  intros t x E. pose proof (signed_multiplier_correct t x E) as S. destruct E as [E R].
  destruct (fst t =? 0)%Z eqn:T.
  - apply Z.eqb_eq in T. rewrite T, of_Z_0 in E. rewrite of_Z_0.
    rewrite (zero_over _ _ E). ring.
  - rewrite of_Z_mul, S, (dot_represented _ (weighted_sum a) q _ _ vector_sum_correct R).
    unfold q. ring.
Qed.

End Multipliers.

Lemma multipliers_of_rows k z a :
  Forall2 (stands_for k) z a -> map snd a = l -> forallb (fun t => 0 <=? fst t)%Z z = true ->
  multipliers_of l a.
Proof.
  intros S R P t I. split; [| rewrite <- R; now apply in_map].
  destruct (Forall2_in _ _ _ _ S I) as (x & J & E & _).
  rewrite forallb_forall in P. apply P, Z.leb_le, (of_Z_nonneg F) in J. rewrite <- E in J.
  now apply nonneg_over with k.
Qed.

Theorem check_multipliers_sound offset bound list x :
  check_multipliers d offset bound list = holds x ->
  exists a, multipliers_of l a /\ 0 < total a /\ fits offset a /\ 0 <= of_Q (F := F) bound /\
    norm2 dim (weighted_sum a) <= of_Q bound * of_Q bound * (total a * total a).
Proof.
  unfold check_multipliers. set (k := common _ _).
  destruct (integers k list) as [ints |]; [| discriminate].
  destruct (assign 1 (int_rows d) ints []) as [z | row] eqn:A; [| discriminate].
  destruct (find _ ints); [discriminate |].
  apply assign_rows in A. simpl in A. pose proof rows_represented as R. rewrite <- A in R.
  destruct (multipliers_exist k z l R) as (a & L & S). intros H.
  accepted H P. accepted H T. accepted H B. accepted H N.
  exists a. repeat apply conj.
  - now apply (multipliers_of_rows k z).
  - apply Z.ltb_lt, (of_Z_positive F) in T. rewrite (sum_of_correct k z a S) in T.
    now apply positive_over with k.
  - intros ->. simpl in B. apply Z.eqb_eq, (f_equal (of_Z (F := F))) in B.
    rewrite (balance_of_correct k z a S), of_Z_0 in B. now apply zero_over with k.
  - apply andb_prop in N as [N _]. apply of_Q_nonneg, Z.leb_le, N.
  - apply andb_prop in N as [_ N]. apply (of_Q_le_bool F) in N. rewrite !of_Q_mul in N.
    rewrite (of_Q_below _ _ _ (norm2_of_correct k z a S)) in N.
    now rewrite (of_Q_below _ _ _ (sum_of_correct k z a S)) in N.
Qed.

(** ** Claims 1 and 2 *)

Lemma offset_zero offset q : (offset || (Qnum q =? 0)%Z)%bool = true -> allowed offset (of_Q (F := F) q).
Proof.
  intros H ->. simpl in H. apply Z.eqb_eq in H. unfold of_Q. rewrite H, of_Z_0.
  field. apply of_pos_nonzero.
Qed.

Lemma margins_sound offset bound list x :
  check_multipliers d offset bound list = holds x -> margins_at_most F dim l offset (of_Q bound).
Proof.
  intros H. destruct (check_multipliers_sound _ _ _ _ H) as (a & M & T & B & P & N).
  intros w b g A G. now apply upper_end with (4 := P) (l := a) (offset := offset) (rows := l) (d := dim) (w := w) (b := b).
Qed.

Theorem separable_sound c x : check_separable d c = holds x -> separable_holds F dim l c.
Proof.
  unfold check_separable, separable_holds.
  destruct (integer_separator (width d) (s_separator c)) as [i |] eqn:I; [| discriminate].
  intros H. accepted H O.
  destruct (separator_margins d i) as [[m |] | row] eqn:M; try discriminate H.
  destruct (separator_margins_correct _ _ _ I M) as [P R].
  destruct (separator_correct _ _ I) as (_ & _ & W).
  split; [now apply offset_zero |].
  split; [intros r J; apply lt_le_trans with (1 := P); now apply R |].
  destruct (s_margin c) as [[low high] |]; [| exact Logic.I].
  accepted H W0. accepted H L.
  assert (G : margin_at_least dim (w_of (s_separator c)) (b_of (s_separator c)) l (of_Q low)).
  { apply andb_prop in L as [L0 L]. apply (of_Q_le_bool F) in L. rewrite !of_Q_mul, W in L.
    apply Z.leb_le, (of_Q_nonneg F) in L0. apply Z.ltb_lt, (of_Q_positive F) in W0. rewrite W in W0.
    apply lower_end with (m := of_Q (m # margin_below d i)); assumption. }
  destruct high as [[high multipliers] |]; [| exact G].
  split; [exact G | now apply margins_sound with multipliers x].
Qed.

Theorem inseparable_sound c x : check_inseparable d c = holds x -> inseparable_holds F dim l c.
Proof.
  unfold check_inseparable, inseparable_holds. intros H.
  destruct (i_epsilon c) as [e |]; [now apply margins_sound with (i_multipliers c) x |].
  destruct (check_multipliers_sound _ _ _ _ H) as (a & M & T & B & _ & N).
  apply multipliers_exclude with a; auto. rewrite of_Q_0 in N.
  apply le_antisym; [| apply norm2_nonneg].
  now replace (0 * 0 * (total a * total a)) with (0 : F) in N by ring.
Qed.

End Data.

End Soundness.
