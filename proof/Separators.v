(** Theorems 1 and 2: what a separator and what multipliers prove.

    All rests on one identity: for multipliers a with u = sum a y x and t = sum a y, and any (w, b),

        sum a y s(x) = <w, u> + b t.                                        [weighted_margins] *)

From Coq Require Import Field Ring List.
From Halfspace Require Import OrderedField Vectors Definitions.
Import ListNotations.

Section Separators.

Variable F : ordered_field.
Add Field F_field : (field_laws F).
Variable d : nat.
Implicit Types w u x : vector F.
Implicit Types b g h m : F.
Implicit Types rows : list (row F).
Implicit Types l : multipliers F.

(** ** The identity *)

Lemma dot_weighted_sum w l :
  dot d w (weighted_sum l) = list_sum (fun t => fst t * label (snd t) * dot d w (point (snd t))) l.
Proof.
  change (weighted_sum l)
    with (fun j => list_sum (fun t => vscale (fst t * label (snd t)) (point (snd t)) j) l).
  rewrite dot_list_sum. apply list_sum_ext. intros. apply dot_scale_right.
Qed.

Lemma weighted_margins w b l :
  list_sum (fun t => fst t * row_margin d w b (snd t)) l = dot d w (weighted_sum l) + b * balance l.
Proof.
  rewrite dot_weighted_sum. unfold balance.
  rewrite <- list_sum_scale, <- list_sum_add. apply list_sum_ext.
  intros. unfold row_margin, score. ring.
Qed.

(** Where the offset does not count, because there is none or because t = 0. *)
Definition fits (offset : bool) l : Prop := offset = true -> balance l = 0.

Lemma offset_does_not_count offset b l : allowed offset b -> fits offset l -> b * balance l = 0.
Proof. destruct offset; intros H K; [rewrite K by easy | rewrite H by easy]; ring. Qed.

(** If every row has a functional margin of at least m, then m A <= <w, u>. *)
Lemma functional_margin_bound offset w b m rows l :
  allowed offset b -> fits offset l -> multipliers_of rows l ->
  (forall r, In r rows -> m <= row_margin d w b r) ->
  m * total l <= dot d w (weighted_sum l).
Proof.
  intros A B L M.
  replace (dot d w (weighted_sum l)) with (dot d w (weighted_sum l) + b * balance l)
    by (rewrite (offset_does_not_count offset) by assumption; ring).
  rewrite <- weighted_margins. unfold total. rewrite <- list_sum_scale.
  apply list_sum_le. intros t I. destruct (L t I) as [P R].
  replace (m * fst t) with (fst t * m) by ring. apply mul_le_left; auto.
Qed.

(** ** The hyperplane *)

(** w is perpendicular to the line through two of its points. *)
Theorem boundary_perpendicular w b x z :
  on_hyperplane d w b x -> on_hyperplane d w b z -> dot d w (vsub x z) = 0.
Proof.
  intros [_ X] [_ Z]. unfold score in *. rewrite dot_sub_right.
  replace (dot d w x - dot d w z) with (dot d w x + b - (dot d w z + b)) by ring. rewrite X, Z. ring.
Qed.

(** The foot of the perpendicular from x: x - (s(x) / |w|^2) w. *)
Definition foot w b x : vector F := vsub x (vscale (score d w b x / norm2 d w) w).

Theorem foot_on_hyperplane w b x : 0 < norm2 d w -> on_hyperplane d w b (foot w b x).
Proof.
  intros P. split; [exact P |]. unfold score at 1, foot. rewrite dot_sub_right, dot_scale_right.
  change (dot d w w) with (norm2 d w). unfold score. field. now apply positive_nonzero.
Qed.

(** The signed distance: the foot is at s(x) / |w| from x, and no point of the hyperplane is nearer. *)
Theorem distance_of_foot w b x :
  0 < norm2 d w -> norm2 d (vsub x (foot w b x)) * norm2 d w = score d w b x * score d w b x.
Proof.
  intros P. set (a := score d w b x / norm2 d w).
  assert (E : norm2 d (vsub x (foot w b x)) = norm2 d (vscale a w)).
  { unfold norm2. apply dot_ext; intros j _; unfold foot, vsub; fold a; ring. }
  rewrite E, norm2_scale. unfold a. field. now apply positive_nonzero.
Qed.

Theorem distance_from_hyperplane w b x z :
  on_hyperplane d w b z -> score d w b x * score d w b x <= norm2 d (vsub x z) * norm2 d w.
Proof.
  intros [_ Z]. replace (score d w b x) with (dot d w (vsub x z)).
  - replace (norm2 d (vsub x z) * norm2 d w) with (norm2 d w * norm2 d (vsub x z)) by ring.
    apply cauchy_schwarz.
  - rewrite dot_sub_right. unfold score in *.
    replace (dot d w x - dot d w z) with (dot d w x + b - (dot d w z + b)) by ring. rewrite Z. ring.
Qed.

(** ** Theorem 1: the interval of the widest margin *)

(** Where |w| is a number of the field, the geometric margin is at least g if y s(x) >= g |w|. *)
Theorem margin_with_norm w b rows g n :
  0 < n -> n * n = norm2 d w -> 0 <= g ->
  margin_at_least d w b rows g <-> forall r, In r rows -> g * n <= row_margin d w b r.
Proof.
  intros P N G. split.
  - intros (_ & _ & m & M & R & Q) r I. apply le_trans with m; [| auto].
    apply square_le_cancel; [exact M |]. rewrite <- N in Q.
    now replace (g * n * (g * n)) with (g * g * (n * n)) by ring.
  - intros R. repeat split; [rewrite <- N; now apply mul_positive | exact G |].
    exists (g * n). repeat split; [apply mul_nonneg; auto using lt_le | exact R |].
    rewrite <- N. right. ring.
Qed.

(** The lower end: a separator's own margin. *)
Theorem lower_end w b rows m low :
  0 < norm2 d w -> 0 < m -> (forall r, In r rows -> m <= row_margin d w b r) ->
  0 <= low -> low * low * norm2 d w <= m * m ->
  separates d w b rows /\ margin_at_least d w b rows low.
Proof.
  intros W M R L Q. split.
  - intros r I. apply lt_le_trans with m; auto.
  - repeat split; auto. exists m. auto using lt_le.
Qed.

(** The upper end: |u|^2 <= h^2 A^2 bounds the margin of every (w, b).  Proof: m A <= <w, u>, so
    g^2 |w|^2 A^2 <= m^2 A^2 <= |w|^2 |u|^2 <= |w|^2 h^2 A^2. *)
Theorem upper_end offset rows l h :
  multipliers_of rows l -> 0 < total l -> fits offset l ->
  0 <= h -> norm2 d (weighted_sum l) <= h * h * (total l * total l) ->
  forall w b g, allowed offset b -> margin_at_least d w b rows g -> g <= h.
Proof.
  intros L A B H U w b g O (W & G & m & M & R & Q).
  set (a := total l) in *. set (n2 := norm2 d w) in *.
  apply square_le_cancel; [exact H |].
  apply (mul_le_cancel _ (n2 * (a * a))); [repeat apply mul_positive; assumption |].
  apply le_trans with (m * a * (m * a)).
  - replace (n2 * (a * a) * (g * g)) with (a * a * (g * g * n2)) by ring.
    replace (m * a * (m * a)) with (a * a * (m * m)) by ring.
    apply mul_le_left; [apply square_nonneg | exact Q].
  - apply le_trans with (dot d w (weighted_sum l) * dot d w (weighted_sum l)).
    + apply square_le; [apply mul_nonneg; auto using lt_le |].
      now apply functional_margin_bound with offset b rows.
    + apply le_trans with (n2 * norm2 d (weighted_sum l)); [apply cauchy_schwarz |].
      replace (n2 * (a * a) * (h * h)) with (n2 * (h * h * (a * a))) by ring.
      apply mul_le_left; auto using lt_le.
Qed.

(** ** Theorem 2: no separator *)

Theorem multipliers_exclude offset rows l :
  multipliers_of rows l -> 0 < total l -> fits offset l -> norm2 d (weighted_sum l) = 0 ->
  ~ separable d offset rows.
Proof.
  intros L A B U (w & b & O & S).
  assert (Z : list_sum (fun t => fst t * row_margin d w b (snd t)) l = 0).
  { rewrite weighted_margins, (offset_does_not_count offset) by assumption.
    rewrite (dot_ext F d w w (weighted_sum l) vzero), dot_zero_right;
      [ring | easy | now apply norm2_zero]. }
  assert (E : forall t, In t l -> fst t = 0).
  { clear A B U. revert L Z. induction l as [| t k IH]; intros L Z s I; [easy |]. simpl in Z.
    assert (T : 0 <= fst t /\ 0 < row_margin d w b (snd t))
      by (split; [apply L | apply S, L]; now left).
    assert (K : multipliers_of rows k) by (intros x X; apply L; now right).
    assert (N : 0 <= list_sum (fun t => fst t * row_margin d w b (snd t)) k)
      by (apply list_sum_nonneg; intros x X; apply mul_nonneg; [| apply lt_le, S]; now apply K).
    destruct T as [[T | T] Y].
    - destruct (lt_irreflexive F 0). rewrite <- Z at 2.
      apply add_pos_nonneg; [now apply mul_positive | exact N].
    - destruct I as [<- | I]; [easy |]. apply IH; auto. rewrite <- Z, <- T. ring. }
  apply (lt_irreflexive F 0). unfold total in A.
  now rewrite (list_sum_ext F _ (fun _ => 0) l E), list_sum_zero in A.
Qed.

(** The epsilon form, for which u need not be exactly 0, is [upper_end]. *)
Corollary no_margin_above offset rows l epsilon :
  multipliers_of rows l -> 0 < total l -> fits offset l -> 0 <= epsilon ->
  norm2 d (weighted_sum l) <= epsilon * epsilon * (total l * total l) ->
  ~ exists w b g, allowed offset b /\ margin_at_least d w b rows g /\ epsilon < g.
Proof.
  intros L A B E U (w & b & g & O & M & G).
  exact (le_not_lt F g epsilon (upper_end offset rows l epsilon L A B E U w b g O M) G).
Qed.

(** ** The same in terms of convex hulls *)

Lemma dot_combination w (l : list (F * vector F)) :
  dot d w (combination l) = list_sum (fun t => fst t * dot d w (snd t)) l.
Proof.
  change (combination l) with (fun j => list_sum (fun t => vscale (fst t) (snd t) j) l).
  rewrite dot_list_sum. apply list_sum_ext. intros. apply dot_scale_right.
Qed.

(** A linear function that is at least m on the points is at least m on their hull. *)
Lemma hull_bound w m (P : vector F -> Prop) x :
  (forall p, P p -> m <= dot d w p) -> in_hull d P x -> m <= dot d w x.
Proof.
  intros H (l & L & O & E).
  rewrite (dot_ext F d w w x (combination l)), dot_combination by easy.
  replace m with (list_sum (fun t => m * fst t) l) by (rewrite list_sum_scale, O; ring).
  apply list_sum_le. intros t I. destruct (L t I).
  replace (m * fst t) with (fst t * m) by ring. apply mul_le_left; auto.
Qed.

Lemma positive_side w b m rows : (forall r, In r rows -> m <= row_margin d w b r) ->
  forall p, in_hull d (of_class true rows) p -> m <= score d w b p.
Proof.
  intros H p I. unfold score.
  assert (K : m - b <= dot d w p).
  { apply hull_bound with (2 := I). intros x (r & R & C & ->).
    apply H in R. unfold row_margin, label, score in R. rewrite C in R.
    apply le_by_difference. apply le_difference in R.
    match type of R with 0 <= ?e => now replace (dot d w (point r) - (m - b)) with e by ring end. }
  apply le_by_difference. apply le_difference in K.
  now replace (dot d w p + b - m) with (dot d w p - (m - b)) by ring.
Qed.

Lemma negative_side w b m rows : (forall r, In r rows -> m <= row_margin d w b r) ->
  forall p, in_hull d (of_class false rows) p -> score d w b p <= - m.
Proof.
  intros H p I. unfold score.
  assert (K : m + b <= dot d (vscale (- (1)) w) p).
  { apply hull_bound with (2 := I). intros x (r & R & C & ->). rewrite dot_scale_left.
    apply H in R. unfold row_margin, label, score in R. rewrite C in R.
    apply le_by_difference. apply le_difference in R.
    match type of R with 0 <= ?e => now replace (- (1) * dot d w (point r) - (m + b)) with e by ring end. }
  rewrite dot_scale_left in K. apply le_by_difference. apply le_difference in K.
  now replace (- m - (dot d w p + b)) with (- (1) * dot d w p - (m + b)) by ring.
Qed.

(** Half the distance of two points, one in the hull of each class, bounds every margin. *)
Theorem hulls_bound_margin rows p q w b g :
  in_hull d (of_class true rows) p -> in_hull d (of_class false rows) q ->
  margin_at_least d w b rows g -> (2 * g) * (2 * g) <= norm2 d (vsub p q).
Proof.
  intros P Q (W & G & m & M & R & N).
  assert (D : 2 * m <= dot d w (vsub p q)).
  { rewrite dot_sub_right. apply (positive_side w b m rows R) in P.
    apply (negative_side w b m rows R) in Q. unfold score in P, Q.
    apply le_by_difference. apply le_difference in P. apply le_difference in Q.
    replace (dot d w p - dot d w q - 2 * m)
      with ((dot d w p + b - m) + (- m - (dot d w q + b))) by ring.
    now apply add_nonneg. }
  apply (mul_le_cancel _ (norm2 d w)); [exact W |].
  apply le_trans with ((2 * m) * (2 * m)).
  - replace (norm2 d w * (2 * g * (2 * g))) with (2 * 2 * (g * g * norm2 d w)) by ring.
    replace (2 * m * (2 * m)) with (2 * 2 * (m * m)) by ring.
    apply mul_le_left; [apply square_nonneg | exact N].
  - apply le_trans with (dot d w (vsub p q) * dot d w (vsub p q)); [| apply cauchy_schwarz].
    apply square_le; [apply mul_nonneg; [apply lt_le, two_positive | exact M] | exact D].
Qed.

(** A common point of both hulls excludes every separator. *)
Theorem common_point_excludes rows x :
  in_hull d (of_class true rows) x -> in_hull d (of_class false rows) x ->
  ~ separable d true rows.
Proof.
  intros P Q (w & b & _ & S).
  assert (H : exists m, 0 < m /\ forall r, In r rows -> m <= row_margin d w b r).
  { clear P Q. induction rows as [| r k IH].
    - exists 1. split; [apply one_positive | easy].
    - destruct IH as (m & M & R); [intros s I; apply S; now right |].
      assert (Y : 0 < row_margin d w b r) by (apply S; now left).
      destruct (le_total F m (row_margin d w b r)) as [C | C];
        [exists m | exists (row_margin d w b r)]; (split; [assumption |]);
        intros s [<- | I]; auto using le_refl; apply le_trans with m; auto. }
  destruct H as (m & M & R).
  apply (positive_side w b m rows R) in P. apply (negative_side w b m rows R) in Q.
  apply (le_not_lt F m (- m)); [now apply le_trans with (score d w b x) |].
  apply lt_by_difference. replace (m - - m) with (m + m) by ring. now apply add_pos_nonneg; [| left].
Qed.

(** Gordan's form: if 0 is in the hull of the points y x, no hyperplane through the origin separates. *)
Theorem gordan_excludes rows x :
  in_hull d (signed rows) x -> veq d x vzero -> ~ separable d false rows.
Proof.
  intros (l & L & O & E) Z (w & b & A & S). rewrite (A eq_refl) in S. clear A b.
  assert (D : dot d w (combination l) = 0).
  { rewrite (dot_ext F d w w (combination l) vzero); [apply dot_zero_right | easy |].
    intros j J. rewrite <- E, Z; auto. }
  rewrite dot_combination in D.
  assert (T : forall t, In t l -> 0 <= fst t /\ 0 < dot d w (snd t)).
  { intros t I. destruct (L t I) as [N (r & R & ->)]. split; [exact N |].
    rewrite dot_scale_right. apply S in R. unfold row_margin, score in R.
    now replace (label r * dot d w (point r)) with (label r * (dot d w (point r) + 0)) by ring. }
  clear L E. assert (K : list_sum fst l = 0).
  { clear O. revert D. induction l as [| t k IH]; simpl; intros D; [easy |].
    assert (N : 0 <= list_sum (fun t => fst t * dot d w (snd t)) k).
    { apply list_sum_nonneg. intros s I. destruct (T s); [now right |]. apply mul_nonneg; auto using lt_le. }
    destruct (T t (or_introl eq_refl)) as [[H | H] Y].
    - destruct (lt_irreflexive F 0). rewrite <- D at 2. apply add_pos_nonneg; [now apply mul_positive | exact N].
    - rewrite <- H in *. rewrite IH; [ring | intros s I; apply T; now right | rewrite <- D; ring]. }
  rewrite K in O. apply (positive_nonzero F 1 (one_positive F)). now symmetry.
Qed.

End Separators.

Arguments fits {_} _ _.
