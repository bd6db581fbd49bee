(** Separable, or a proof that it is not: one of the two always exists.

    - Gordan's theorem: for finitely many vectors z there is a w with <w, z> > 0 for all of them, or 0 is in
      their convex hull.
    - Rows have a separator, or there are multipliers a >= 0, not all 0, with sum a y x = 0 (and
      sum a y = 0, if separators may have an offset). So a certificate of one of the two kinds exists for
      all rows.
    - Rows have a separator with an offset if and only if the convex hulls of the classes have no point in
      common.

    The proof of Gordan's theorem is Fourier's and Motzkin's elimination of the last coordinate. Take the
    vectors whose last coordinate is 0, and for each pair of one above and one below 0 the point where
    their segment crosses 0. If 0 is in the hull of these, it is in the hull of all. Otherwise some w is
    right for these, and there is a last coordinate of w that makes it right for all: every vector above
    0 is a lower bound for it, every vector below 0 an upper bound, and the crossing points say that each
    lower bound is below each upper bound. *)

From Coq Require Import Field Ring List Bool Arith Lia.
From Halfspace Require Import OrderedField Vectors Definitions Separators.
Import ListNotations.

Section Alternatives.

Variable F : ordered_field.
Add Field F_field : (field_laws F).
Implicit Types (v w z : vector F) (x y c : F).

(** ** Convex hulls *)

Lemma hull_point d (P : vector F -> Prop) z : P z -> in_hull d P z.
Proof.
  intros H. exists [(1, z)]. split; [| split].
  - intros t [<- | []]. split; [apply one_nonneg | exact H].
  - simpl. ring.
  - intros j _. unfold combination. simpl. ring.
Qed.

(** Points of the hull of points of a hull are in this hull. *)
Lemma hull_of_hull d (P : vector F -> Prop) z : in_hull d (in_hull d P) z -> in_hull d P z.
Proof.
  intros (l & inside & weights & E).
  enough (exists m, (forall t, In t m -> 0 <= fst t /\ P (snd t)) /\
            list_sum fst m = list_sum fst l /\ veq d (combination l) (combination m)) as (m & H & W & V).
  { exists m. split; [exact H |]. split; [now rewrite W |]. intros j L. now rewrite E, V. }
  clear weights E. induction l as [| [x v] l IH].
  - exists []. split; [easy | split; [reflexivity | easy]].
  - destruct IH as (m & H & W & V); [intros t I; apply inside; now right |].
    destruct (inside (x, v)) as (X & k & K & Wk & Vk); [now left |]. simpl in *.
    exists (map (fun t => (x * fst t, snd t)) k ++ m). split; [| split].
    + intros t I. apply in_app_iff in I as [I | I]; [| now apply H].
      apply in_map_iff in I as (s & <- & I). apply K in I as [A B]. simpl. split; [| exact B].
      now apply mul_nonneg.
    + rewrite list_sum_app, list_sum_map. simpl. rewrite list_sum_scale, Wk, W. ring.
    + intros j L. unfold combination in *. rewrite list_sum_app, list_sum_map. simpl.
      rewrite V, Vk by exact L.
      rewrite (list_sum_ext F (fun t => x * fst t * snd t j) (fun t => x * (fst t * snd t j)))
        by (intros; ring).
      now rewrite list_sum_scale.
Qed.

Lemma hull_segment d (P : vector F -> Prop) u v (s t : F) :
  in_hull d P u -> in_hull d P v -> 0 <= s -> 0 <= t -> s + t = 1 ->
  in_hull d P (vadd (vscale s u) (vscale t v)).
Proof.
  intros U V S T E. apply hull_of_hull. exists [(s, u); (t, v)]. split; [| split].
  - intros p [<- | [<- | []]]; now split.
  - simpl. rewrite <- E. ring.
  - intros j _. unfold combination, vadd, vscale. simpl. ring.
Qed.

(** ** Numbers between bounds *)

Lemma midpoint_between x c : x < c -> x < (x + c) / 2 /\ (x + c) / 2 < c.
Proof.
  intros H. pose proof (positive_nonzero F 2 (two_positive F)) as two. apply lt_difference in H.
  pose proof (div_positive F _ _ H (two_positive F)) as half.
  split; apply lt_by_difference.
  - replace ((x + c) / 2 - x) with ((c - x) / 2) by (now field). exact half.
  - replace (c - (x + c) / 2) with ((c - x) / 2) by (now field). exact half.
Qed.

(** Between one lower bound and several upper bounds *)
Lemma number_above x (upper : list F) :
  (forall y, In y upper -> x < y) -> exists c, x < c /\ forall y, In y upper -> c < y.
Proof.
  induction upper as [| u upper IH]; intros H.
  - exists (x + 1). split; [| easy]. apply lt_by_difference.
    replace (x + 1 - x) with (1 : F) by ring. apply one_positive.
  - destruct IH as (c & C & K); [intros v I; apply H; now right |].
    destruct (midpoint_between x u) as [L M]; [apply H; now left |].
    destruct (le_lt_dec c ((x + u) / 2)) as [small | large].
    + exists c. split; [exact C |].
      intros v [<- | I]; [now apply le_lt_trans with (1 := small) | now apply K].
    + exists ((x + u) / 2). split; [exact L |].
      intros v [<- | I]; [exact M | now apply lt_transitive with (1 := large), K].
Qed.

Lemma number_below (upper : list F) : exists c, forall y, In y upper -> c < y.
Proof.
  induction upper as [| u upper (c & K)]; [now exists 0 |].
  assert (forall y, y - 1 < y) as less
    by (intros y; apply lt_by_difference; replace (y - (y - 1)) with (1 : F) by ring; apply one_positive).
  destruct (le_lt_dec c (u - 1)) as [small | large].
  - exists c. intros v [<- | I]; [now apply le_lt_trans with (1 := small) | now apply K].
  - exists (u - 1). intros v [<- | I]; [apply less | now apply lt_transitive with (1 := large), K].
Qed.

(** Between lower and upper bounds *)
Lemma number_between (lower upper : list F) :
  (forall x y, In x lower -> In y upper -> x < y) ->
  exists c, (forall x, In x lower -> x < c) /\ (forall y, In y upper -> c < y).
Proof.
  induction lower as [| x lower IH]; intros H.
  - destruct (number_below upper) as (c & K). now exists c.
  - destruct IH as (c & L & U); [intros y u I J; apply H; [now right | exact J] |].
    destruct (le_lt_dec c x) as [small | large].
    + destruct (number_above x upper) as (c' & C & K); [intros u J; apply H; [now left | exact J] |].
      exists c'. split; [| exact K].
      intros y [<- | I]; [exact C |].
      apply lt_transitive with c; [now apply L | now apply le_lt_trans with (1 := small)].
    + exists c. split; [| exact U]. intros y [<- | I]; [exact large | now apply L].
Qed.

(** ** The elimination *)

Section Elimination.

Variable d : nat.

(** The sign of the last coordinate, d *)
Definition above z : bool := match compare 0 (z d) with inleft (left _) => true | _ => false end.
Definition at_zero z : bool := match compare 0 (z d) with inleft (right _) => true | _ => false end.
Definition beneath z : bool := match compare 0 (z d) with inright _ => true | _ => false end.

Lemma above_positive z : above z = true <-> 0 < z d.
Proof.
  unfold above. destruct (compare 0 (z d)) as [[H | H] | H]; split; intros K; auto; try discriminate.
  - rewrite <- H in K. now apply lt_irreflexive in K.
  - destruct (lt_irreflexive F 0). now apply lt_transitive with (z d).
Qed.

Lemma at_zero_zero z : at_zero z = true <-> z d = 0.
Proof.
  unfold at_zero. destruct (compare 0 (z d)) as [[H | H] | H]; split; intros K; auto; try discriminate.
  - rewrite K in H. now apply lt_irreflexive in H.
  - rewrite K in H. now apply lt_irreflexive in H.
Qed.

Lemma beneath_negative z : beneath z = true <-> z d < 0.
Proof.
  unfold beneath. destruct (compare 0 (z d)) as [[H | H] | H]; split; intros K; auto; try discriminate.
  - destruct (lt_irreflexive F 0). now apply lt_transitive with (z d).
  - rewrite <- H in K. now apply lt_irreflexive in K.
Qed.

(** The point of the segment from p, above 0, to q, below 0, at which the last coordinate is 0 *)
Definition crossing p q : vector F :=
  vadd (vscale (- q d / (p d - q d)) p) (vscale (p d / (p d - q d)) q).

Definition eliminated (l : list (vector F)) : list (vector F) :=
  filter at_zero l ++ flat_map (fun p => map (crossing p) (filter beneath l)) (filter above l).

Lemma in_eliminated l z : In z (eliminated l) ->
  (In z l /\ z d = 0) \/
  exists p q, In p l /\ In q l /\ 0 < p d /\ q d < 0 /\ z = crossing p q.
Proof.
  intros I. apply in_app_iff in I as [I | I].
  - left. apply filter_In in I as [I Z]. now apply at_zero_zero in Z.
  - right. apply in_flat_map in I as (p & P & I). apply in_map_iff in I as (q & <- & Q).
    apply filter_In in P as [P A], Q as [Q B]. apply above_positive in A. apply beneath_negative in B.
    now exists p, q.
Qed.

Lemma crossing_eliminated l p q :
  In p l -> In q l -> 0 < p d -> q d < 0 -> In (crossing p q) (eliminated l).
Proof.
  intros P Q A B. apply in_app_iff. right. apply in_flat_map. exists p. split.
  - apply filter_In. split; [exact P | now apply above_positive].
  - apply in_map, filter_In. split; [exact Q | now apply beneath_negative].
Qed.

Lemma span_positive (p q : F) : 0 < p -> q < 0 -> 0 < p - q.
Proof. intros P Q. apply lt_difference. now apply lt_transitive with 0. Qed.

Lemma minus_positive (q : F) : q < 0 -> 0 < - q.
Proof. intros H. apply lt_difference in H. now replace (0 - q) with (- q) in H by ring. Qed.

Lemma eliminated_last l z : In z (eliminated l) -> z d = 0.
Proof.
  intros I. apply in_eliminated in I as [[_ Z] | (p & q & _ & _ & P & Q & ->)]; [exact Z |].
  pose proof (positive_nonzero F _ (span_positive _ _ P Q)) as nonzero.
  unfold crossing, vadd, vscale. now field.
Qed.

Lemma eliminated_in_hull l z : In z (eliminated l) -> in_hull (S d) (fun v => In v l) z.
Proof.
  intros I. apply in_eliminated in I as [[I _] | (p & q & Ip & Iq & P & Q & ->)]; [now apply hull_point |].
  pose proof (span_positive _ _ P Q) as span. pose proof (positive_nonzero F _ span) as nonzero.
  apply hull_segment; [now apply hull_point | now apply hull_point | | | now field].
  - now apply div_nonneg; [apply lt_le, minus_positive |].
  - now apply div_nonneg; [apply lt_le |].
Qed.

(** A w for the eliminated vectors is extended to one for all. *)
Definition extend w c : vector F := fun j => if Nat.eqb j d then c else w j.

Lemma dot_extend w c z : dot (S d) (extend w c) z = dot d w z + c * z d.
Proof.
  unfold dot, extend. simpl. rewrite Nat.eqb_refl. f_equal. apply sum_ext.
  intros j L. now rewrite (proj2 (Nat.eqb_neq j d)) by lia.
Qed.

Lemma extension_exists l w : (forall z, In z (eliminated l) -> 0 < dot d w z) ->
  exists c, forall z, In z l -> 0 < dot (S d) (extend w c) z.
Proof.
  intros H.
  destruct (number_between (map (fun p => - dot d w p / p d) (filter above l))
                           (map (fun q => dot d w q / - q d) (filter beneath l))) as (c & L & U).
  - intros x u X Y. apply in_map_iff in X as (p & <- & X), Y as (q & <- & Y).
    apply filter_In in X as [P A], Y as [Q B]. apply above_positive in A. apply beneath_negative in B.
    pose proof (H _ (crossing_eliminated l p q P Q A B)) as both.
    unfold crossing in both. rewrite dot_add_right, !dot_scale_right in both.
    pose proof (minus_positive _ B) as B'. pose proof (span_positive _ _ A B) as span.
    apply (mul_positive F ((p d - q d) / (p d * - q d))) in both;
      [| apply div_positive; [exact span | now apply mul_positive]].
    apply lt_by_difference.
    match type of both with 0 < ?b => match goal with |- 0 < ?g => replace g with b; [exact both |] end end.
    field. repeat split; apply positive_nonzero; try assumption.
  - exists c. intros z I. rewrite dot_extend.
    destruct (compare 0 (z d)) as [[A | A] | A].
    + specialize (L (- dot d w z / z d)).
      assert (- dot d w z / z d < c) as C
        by (apply L, in_map_iff; exists z; split; [reflexivity |]; apply filter_In; split;
            [exact I | now apply above_positive]).
      apply (mul_lt_left F (z d)) in C; [| exact A]. apply lt_by_difference. apply lt_difference in C.
      pose proof (positive_nonzero F _ A) as nonzero.
      replace (dot d w z + c * z d - 0) with (z d * c - z d * (- dot d w z / z d)) by (now field). exact C.
    + rewrite <- A. replace (dot d w z + c * 0) with (dot d w z) by ring. apply H, in_app_iff. left.
      apply filter_In. split; [exact I | now apply at_zero_zero].
    + specialize (U (dot d w z / - z d)).
      assert (c < dot d w z / - z d) as C
        by (apply U, in_map_iff; exists z; split; [reflexivity |]; apply filter_In; split;
            [exact I | now apply beneath_negative]).
      pose proof (minus_positive _ A) as A'. pose proof (positive_nonzero F _ A') as nonzero.
      apply (mul_lt_left F (- z d)) in C; [| exact A']. apply lt_by_difference. apply lt_difference in C.
      replace (dot d w z + c * z d - 0) with (- z d * (dot d w z / - z d) - - z d * c) by (now field).
      exact C.
Qed.

End Elimination.

(** Gordan's theorem *)
Theorem gordan d (l : list (vector F)) :
  (exists w, forall z, In z l -> 0 < dot d w z) \/
  (exists u, in_hull d (fun z => In z l) u /\ veq d u vzero).
Proof.
  revert l. induction d as [| d IH]; intros l.
  - destruct l as [| z l]; [left; now exists vzero |].
    right. exists z. split; [apply hull_point; now left |]. intros j L. lia.
  - destruct (IH (eliminated d l)) as [(w & H) | (u & (m & inside & weights & E) & Z)].
    + left. destruct (extension_exists d l w H) as (c & K). now exists (extend d w c).
    + right. exists (combination m). split.
      * apply hull_of_hull. exists m. split; [| now split].
        intros t I. apply inside in I as [A I]. split; [exact A | now apply eliminated_in_hull].
      * intros j L. destruct (Nat.eq_dec j d) as [-> | other].
        -- unfold combination, vzero. rewrite (list_sum_ext F _ (fun _ => 0)); [apply list_sum_zero |].
           intros t I. apply inside in I as [_ I]. rewrite (eliminated_last d l) by exact I. ring.
        -- rewrite <- E by lia. apply Z. lia.
Qed.

(** ** Rows *)

Section Rows.

Variable d : nat.
Implicit Types (r : row F) (rows : list (row F)) (l : multipliers F).

(** y (x, 1) with an offset, y (x, 0) without *)
Definition signed_row (offset : bool) r : vector F := fun j =>
  if Nat.eqb j d then (if offset then label r else 0) else label r * point r j.

Lemma signed_row_point offset r j : (j < d)%nat -> signed_row offset r j = label r * point r j.
Proof. intros L. unfold signed_row. now rewrite (proj2 (Nat.eqb_neq j d)) by lia. Qed.

Lemma signed_row_last offset r : signed_row offset r d = if offset then label r else 0.
Proof. unfold signed_row. now rewrite Nat.eqb_refl. Qed.

Lemma signed_row_margin offset w r :
  dot (S d) w (signed_row offset r) = row_margin d w (if offset then w d else 0) r.
Proof.
  unfold row_margin, score. unfold dot at 1. simpl. rewrite signed_row_last.
  replace (sum d (fun j => w j * signed_row offset r j)) with (label r * dot d w (point r)).
  - destruct offset; ring.
  - unfold dot. rewrite <- sum_scale. apply sum_ext. intros j L. rewrite signed_row_point by exact L. ring.
Qed.

(** Multipliers of the vectors are multipliers of the rows. *)
Lemma multipliers_of_vectors offset rows (m : list (F * vector F)) :
  (forall t, In t m -> 0 <= fst t /\ In (snd t) (map (signed_row offset) rows)) ->
  exists l, multipliers_of rows l /\ m = map (fun t => (fst t, signed_row offset (snd t))) l.
Proof.
  induction m as [| [a z] m IH]; intros H.
  - exists []. split; [easy | reflexivity].
  - destruct IH as (l & L & E); [intros t I; apply H; now right |].
    destruct (H (a, z)) as [A Z]; [now left |]. simpl in A, Z. apply in_map_iff in Z as (r & <- & R).
    exists ((a, r) :: l). split; [| now rewrite E].
    intros t [<- | I]; [now split | now apply L].
Qed.

(** A certificate of one of the two kinds exists for all rows. *)
Theorem separable_or_multipliers offset rows :
  separable d offset rows \/
  exists l, multipliers_of rows l /\ 0 < total l /\ fits offset l /\ norm2 d (weighted_sum l) = 0.
Proof.
  destruct (gordan (S d) (map (signed_row offset) rows)) as [(w & H) | (u & (m & inside & weights & E) & Z)].
  - left. exists w, (if offset then w d else 0). split; [now intros -> |].
    intros r R. rewrite <- signed_row_margin. now apply H, in_map.
  - right. destruct (multipliers_of_vectors offset rows m inside) as (l & L & ->). exists l.
    rewrite list_sum_map in weights. simpl in weights.
    assert (forall j, (j < S d)%nat -> list_sum (fun t => fst t * signed_row offset (snd t) j) l = 0) as sums.
    { intros j J. transitivity (u j); [rewrite E by exact J | now apply Z].
      unfold combination. rewrite list_sum_map. reflexivity. }
    split; [exact L |]. split; [| split].
    + change (0 < list_sum (fun t => fst t) l). rewrite weights. apply one_positive.
    + intros ->. unfold balance. rewrite <- (sums d) by lia. apply list_sum_ext.
      intros t _. now rewrite signed_row_last.
    + unfold norm2, dot. rewrite (sum_ext F d _ (fun _ => 0)); [apply sum_zero |].
      intros j J. replace (weighted_sum l j) with (0 : F); [ring |].
      rewrite <- (sums j) by lia. apply list_sum_ext. intros t _.
      rewrite signed_row_point by exact J. ring.
Qed.

Theorem separable_iff_no_multipliers offset rows :
  separable d offset rows <->
  ~ exists l, multipliers_of rows l /\ 0 < total l /\ fits offset l /\ norm2 d (weighted_sum l) = 0.
Proof.
  split.
  - intros yes (l & L & T & B & N). exact (multipliers_exclude F d offset rows l L T B N yes).
  - intros none. destruct (separable_or_multipliers offset rows) as [yes | some]; [exact yes | contradiction].
Qed.

(** ** The hulls of the classes *)

(** The multipliers of one class, and what they sum to *)
Definition of_one_class (class : bool) l : multipliers F :=
  filter (fun t => eqb (is_positive (snd t)) class) l.

Lemma list_sum_classes (f : F * row F -> F) l :
  list_sum f l = list_sum f (of_one_class true l) + list_sum f (of_one_class false l).
Proof.
  induction l as [| t l IH]; simpl; [ring |]. rewrite IH. destruct (is_positive (snd t)); simpl; ring.
Qed.

Lemma list_sum_one_class (f g : F * row F -> F) class l :
  (forall t, is_positive (snd t) = class -> f t = g t) ->
  list_sum f (of_one_class class l) = list_sum g (of_one_class class l).
Proof.
  intros H. apply list_sum_ext. intros t I. apply filter_In in I as [_ I]. apply H. now apply eqb_prop.
Qed.

(** The point of the hull of a class that multipliers describe *)
Lemma class_point class rows l (s : F) : multipliers_of rows l -> 0 < s ->
  list_sum fst (of_one_class class l) = s ->
  in_hull d (of_class class rows)
    (fun j => list_sum (fun t => fst t * point (snd t) j) (of_one_class class l) / s).
Proof.
  intros L S E. pose proof (positive_nonzero F s S) as nonzero.
  exists (map (fun t => (fst t / s, point (snd t))) (of_one_class class l)). split; [| split].
  - intros t I. apply in_map_iff in I as (q & <- & I). apply filter_In in I as [I Y]. apply L in I as [A R].
    simpl. split; [now apply div_nonneg |]. exists (snd q). repeat split; [exact R | now apply eqb_prop].
  - rewrite list_sum_map. simpl.
    rewrite (list_sum_ext F _ (fun t => inv s * fst t)) by (intros; now field).
    rewrite list_sum_scale, E. now field.
  - intros j _. unfold combination. rewrite list_sum_map. simpl.
    rewrite (list_sum_ext F (fun t => fst t / s * point (snd t) j)
               (fun t => inv s * (fst t * point (snd t) j))) by (intros; now field).
    rewrite list_sum_scale. now field.
Qed.

(** Rows are separable if and only if the convex hulls of the classes have no point in common. *)
Theorem separable_iff_hulls rows :
  separable d true rows <->
  ~ exists z, in_hull d (of_class true rows) z /\ in_hull d (of_class false rows) z.
Proof.
  split.
  - intros yes (z & P & Q). exact (common_point_excludes F d rows z P Q yes).
  - intros disjoint.
    destruct (separable_or_multipliers true rows) as [yes | (l & L & T & B & N)]; [exact yes |].
    exfalso. apply disjoint. specialize (B eq_refl).
    set (s := list_sum fst (of_one_class true l)).
    assert (list_sum fst (of_one_class false l) = s) as equal.
    { unfold balance in B. rewrite list_sum_classes in B.
      rewrite (list_sum_one_class _ (fun t => fst t) true) in B
        by (intros t Y; unfold label; rewrite Y; ring).
      rewrite (list_sum_one_class _ (fun t => - (1) * fst t) false) in B
        by (intros t Y; unfold label; rewrite Y; ring).
      rewrite list_sum_scale in B. change (s + - (1) * list_sum fst (of_one_class false l) = 0) in B.
      transitivity (s - (s + - (1) * list_sum fst (of_one_class false l))); [ring | rewrite B; ring]. }
    assert (0 < s) as S.
    { unfold total in T. rewrite list_sum_classes, equal in T. fold s in T.
      apply (mul_lt_cancel F 2); [apply two_positive |].
      replace (2 * 0) with (0 : F) by ring. now replace (2 * s) with (s + s) by ring. }
    pose proof (class_point true rows l s L S eq_refl) as P.
    pose proof (class_point false rows l s L S equal) as Q.
    exists (fun j => list_sum (fun t => fst t * point (snd t) j) (of_one_class true l) / s).
    split; [exact P |]. destruct Q as (m & inside & weights & E). exists m. split; [exact inside |].
    split; [exact weights |]. intros j J. rewrite <- E by exact J.
    pose proof (norm2_zero F d _ N j J) as Z. unfold weighted_sum, vzero in Z.
    rewrite list_sum_classes in Z.
    rewrite (list_sum_one_class _ (fun t => fst t * point (snd t) j) true) in Z
      by (intros t Y; unfold label; rewrite Y; ring).
    rewrite (list_sum_one_class _ (fun t => - (1) * (fst t * point (snd t) j)) false) in Z
      by (intros t Y; unfold label; rewrite Y; ring).
    rewrite list_sum_scale in Z. f_equal.
    match type of Z with ?a + - (1) * ?b = 0 =>
      transitivity (a + - (1) * b + b); [ring | rewrite Z; ring] end.
Qed.

End Rows.

End Alternatives.
