(** The checker is right about optima: the values that it computes are those of the primal and of the
    dual, so by weak duality an accepted gap is one. *)

From Coq Require Import Field Ring List Bool ZArith QArith Lia.
From Halfspace Require Import OrderedField Vectors Definitions Separators Duality Numbers Sparse
  Checker Claims Soundness.
Import ListNotations.
Close Scope Q_scope.
Close Scope Z_scope.
Open Scope field_scope.

Section SoundOptimal.

Variable F : ordered_field.
Add Field F_field : (field_laws F).
Notation unit_of p := (@of_Z F (Zpos p)).

Variable d : data.
Variable l : list (row F).
Hypothesis rows_represented : Forall2 (represents F (scale d) (width d)) (int_rows d) l.
Let dim := N.to_nat (width d).

Lemma of_Q_half : of_Q (F := F) half = 1 / 2.
Proof. unfold half, of_Q. simpl. now rewrite of_Z_1, of_Z_2. Qed.

Lemma offset_norm2_correct o q : of_Q (F := F) (offset_norm2_Q o q) = offset_norm2 o (of_Q q).
Proof. destruct o; simpl; [apply of_Q_0 | apply of_Q_0 | apply of_Q_mul]. Qed.

(** ** The primal *)

Lemma max_over (x c : F) : 0 < c -> max 0 (x * c) = max 0 x * c.
Proof.
  intros C. unfold max. destruct (le_lt_dec 0 x) as [H | H], (le_lt_dec 0 (x * c)) as [K | K]; try ring.
  - destruct (le_not_lt F 0 (x * c)); [apply mul_nonneg; auto using lt_le | exact K].
  - destruct (le_not_lt F 0 (x * c) K). apply (mul_lt_left F c) in H; [| exact C].
    replace (c * x) with (x * c) in H by ring. now replace (c * 0) with (0 : F) in H by ring.
Qed.

Lemma int_loss_correct k one m (v : F) : of_Z m = v * unit_of one ->
  of_Z (int_loss k (Zpos one) m) = loss k v * unit_of (loss_below k one).
Proof.
  intros H.
  assert (E : of_Z (Z.max 0 (Zpos one - m)) = max 0 (1 - v) * unit_of one).
  { rewrite of_Z_max, of_Z_0, of_Z_sub, H, <- max_over by apply of_pos_positive. f_equal. ring. }
  destruct k; unfold int_loss, loss, loss_below; cbv zeta; [exact E |].
  rewrite Pos2Z.inj_mul, !of_Z_mul, E. ring.
Qed.

(** The losses of one class. *)
Definition loss_of_class k w b y (r : row F) : F :=
  if eqb (is_positive r) y then loss k (row_margin dim w b r) else 0.

Lemma class_loss_correct k s i y : integer_separator (width d) s = Some i ->
  of_Q (class_loss k (Zpos (margin_below d i)) (int_w i) (int_b i * Zpos (scale d)) y (int_rows d)
        # loss_below k (margin_below d i))
  = list_sum (loss_of_class k (w_of s) (b_of s) y) l.
Proof.
  intros S. set (one := margin_below d i). apply of_Q_below. unfold class_loss.
  rewrite of_Z_fold_sum, of_Z_0, zero_add.
  replace (list_sum _ l * unit_of (loss_below k one))
    with (list_sum (fun r => unit_of (loss_below k one) * loss_of_class k (w_of s) (b_of s) y r) l)
    by (rewrite list_sum_scale; ring).
  apply list_sum_Forall2 with (1 := rows_represented). intros r' r R.
  unfold loss_of_class. destruct R as (P & R). rewrite P.
  destruct (eqb (fst r') y); [| rewrite of_Z_0; ring].
  rewrite (int_loss_correct k one _ (row_margin dim (w_of s) (b_of s) r)); [ring |].
  now apply margin_correct; [| split].
Qed.

Lemma losses_by_class k cost w b :
  list_sum (fun r => cost (is_positive r) * loss k (row_margin dim w b r)) l
  = cost true * list_sum (loss_of_class k w b true) l + cost false * list_sum (loss_of_class k w b false) l.
Proof.
  rewrite <- !list_sum_scale, <- list_sum_add. apply list_sum_ext. intros r _.
  unfold loss_of_class. destruct (is_positive r); simpl; ring.
Qed.

Definition costs c (y : bool) : F := of_Q (cost_of c y).

Lemma primal_correct c i : integer_separator (width d) (o_separator c) = Some i ->
  of_Q (primal_value d c i)
  = primal dim (o_loss c) (o_offset c) (costs c) l (w_of (o_separator c)) (b_of (o_separator c)).
Proof.
  intros S. unfold primal_value, primal. destruct (separator_correct F d _ _ S) as (_ & _ & W).
  rewrite !of_Q_add, !of_Q_mul, of_Q_add, W, offset_norm2_correct, of_Q_half.
  rewrite !(class_loss_correct _ _ _ _ S), losses_by_class.
  fold dim. unfold costs, b_of. field. exact (two_nonzero F).
Qed.

(** ** The dual *)

Section Dual.

Variable c : optimal_claim.
Variable k : positive.
Variable z : list (Z * int_row).
Variable a : multipliers F.
Hypothesis Z_stands_for : Forall2 (stands_for F d k) z a.
Hypothesis cost_positive : forall y, (0 < Qnum (cost_of c y))%Z.

Lemma four_costs_positive y : (0 < Qnum (2 * 2 * cost_of c y))%Z.
Proof. specialize (cost_positive y). change (0 < 4 * Qnum (cost_of c y))%Z. lia. Qed.

Definition squares_of_class y : F :=
  list_sum (fun t => if eqb (is_positive (snd t)) y then fst t * fst t else 0) a.

Lemma class_squares_correct y : of_Q (class_squares y z # k * k) = squares_of_class y.
Proof.
  apply of_Q_below. unfold class_squares, squares_of_class.
  rewrite (sum_represented F d k z a Z_stands_for _
             (fun t => if eqb (is_positive (snd t)) y then fst t * fst t else 0) (unit_of (k * k))); [ring |].
  intros t x (E & P & _). rewrite P. destruct (eqb (fst (snd t)) y); [| rewrite of_Z_0; ring].
  rewrite Pos2Z.inj_mul, !of_Z_mul, <- E. ring.
Qed.

Lemma of_Q_four : of_Q (F := F) (2 * 2)%Q = 2 * 2.
Proof. now rewrite of_Q_mul, of_Q_Z, of_Z_2. Qed.

Lemma hinge_terms :
  list_sum (fun t => dual_term hinge (costs c (is_positive (snd t))) (fst t)) a = total a.
Proof. reflexivity. Qed.

Lemma squared_terms :
  list_sum (fun t => dual_term squared_hinge (costs c (is_positive (snd t))) (fst t)) a
  = total a - (squares_of_class true / (2 * 2 * costs c true) + squares_of_class false / (2 * 2 * costs c false)).
Proof.
  assert (N : forall y, costs c y <> 0) by (intros y; apply positive_nonzero, of_Q_positive, cost_positive).
  pose proof (N true) as T. pose proof (N false) as N0. pose proof (four_nonzero F) as Four.
  pose proof (two_nonzero F) as Two.
  unfold total, squares_of_class. clear Z_stands_for.
  induction a as [| t m IH]; cbn [list_sum]; [field; auto |].
  rewrite IH. unfold dual_term. destruct (is_positive (snd t)); cbn [eqb]; field; auto.
Qed.

Lemma dual_correct :
  of_Q (dual_value d c k z) = dual dim (o_loss c) (o_offset c) (costs c) a.
Proof.
  unfold dual_value, dual.
  rewrite !of_Q_sub, of_Q_mul, of_Q_add, of_Q_half, offset_norm2_correct.
  rewrite (of_Q_below F _ _ _ (sum_of_correct F d k z a Z_stands_for)).
  rewrite (of_Q_below F _ _ _ (norm2_of_correct F d k z a Z_stands_for)).
  rewrite (of_Q_below F _ _ _ (balance_of_correct F d k z a Z_stands_for)).
  fold dim. destruct (o_loss c).
  - rewrite of_Q_0, hinge_terms. field. exact (two_nonzero F).
  - rewrite of_Q_add, !of_Q_div by apply four_costs_positive.
    rewrite !class_squares_correct, !(of_Q_mul F (2 * 2)%Q), of_Q_four, squared_terms.
    unfold costs.
    set (x := squares_of_class true / _). set (y := squares_of_class false / _).
    field. exact (two_nonzero F).
Qed.

Lemma in_range : forall i, out_of_range c k i z = None ->
  forall t, In t z -> (0 <= fst t)%Z /\
    (o_loss c = hinge -> Qle_bool (fst t # k) (cost_of c (fst (snd t))) = true).
Proof.
  clear Z_stands_for. induction z as [| u m IH]; intros i H t I; [easy |]. simpl in H.
  destruct (_ && _)%bool eqn:E in H; [| discriminate].
  destruct I as [<- | I]; [| now apply IH with (1 := H)].
  apply andb_prop in E as [P Q]. split; [now apply Z.leb_le |].
  intros L. now rewrite L in Q.
Qed.

Lemma feasible : out_of_range c k 1 z = None ->
  (negb (is_free (o_offset c)) || (balance_of z =? 0)%Z)%bool = true ->
  dual_feasible (o_loss c) (o_offset c) (costs c) a.
Proof.
  intros R B. split.
  - intros t I. destruct (Forall2_in _ _ _ _ Z_stands_for I) as (x & J & E & P & _).
    destruct (in_range _ R x J) as [N H]. split.
    + apply (of_Z_nonneg F) in N. rewrite <- E in N. now apply nonneg_over with k.
    + intros L. apply H, (of_Q_le_bool F) in L. rewrite P.
      now rewrite (of_Q_below F _ k (fst t)) in L by now rewrite E.
  - intros O. rewrite O in B. simpl in B. apply Z.eqb_eq, (f_equal (of_Z (F := F))) in B.
    rewrite (balance_of_correct F d k z a Z_stands_for), of_Z_0 in B. now apply zero_over with k.
Qed.

End Dual.

Theorem optimal_sound c x : check_optimal d c = holds x -> optimal_holds F dim l c.
Proof.
  unfold check_optimal, optimal_holds. set (k := common _ _).
  destruct (integer_separator (width d) (o_separator c)) as [i |] eqn:S; [| discriminate].
  destruct (integers k (o_dual c)) as [ints |]; [| discriminate].
  intros H. accepted H B0. accepted H C.
  destruct (assign 1 (int_rows d) ints []) as [z | row] eqn:A; [| discriminate].
  apply assign_rows in A. simpl in A. pose proof rows_represented as R. rewrite <- A in R.
  destruct (multipliers_exist F d k z l R) as (a & L & Z_stands_for).
  destruct (out_of_range c k 1 z) eqn:O; [discriminate |].
  accepted H B. accepted H G.
  assert (P : forall y, (0 < Qnum (cost_of c y))%Z).
  { apply andb_prop in C as [C D]. intros []; now apply Z.ltb_lt. }
  split.
  - intros E. rewrite E in B0. now apply (offset_zero F false).
  - change (fun y => of_Q (cost_of c y)) with (costs c). rewrite <- L. intros w b.
    apply gap_bounds_objective.
    + intros y. apply of_Q_positive, P.
    + now apply feasible with k z.
    + apply (of_Q_le_bool F) in G.
      rewrite of_Q_sub, (primal_correct _ _ S), (dual_correct c k z a Z_stands_for P) in G. now rewrite L.
Qed.

End SoundOptimal.
