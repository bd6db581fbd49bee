(** Ordered fields: the numbers of every theorem.

    The theorems hold for weights in any ordered field: the rational numbers, the real algebraic
    numbers, the real numbers. Coq's library of real numbers rests on axioms; a record with the laws
    of an ordered field does not, and says more. *)

From Coq Require Import Field Ring.

Record ordered_field : Type := {
  number :> Type;
  zero : number;
  one : number;
  add : number -> number -> number;
  mul : number -> number -> number;
  sub : number -> number -> number;
  opp : number -> number;
  div : number -> number -> number;
  inv : number -> number;
  lt : number -> number -> Prop;
  field_laws : field_theory zero one add mul sub opp div inv eq;
  lt_irreflexive : forall x, ~ lt x x;
  lt_transitive : forall x y z, lt x y -> lt y z -> lt x z;
  compare : forall x y, {lt x y} + {x = y} + {lt y x};
  lt_add : forall x y z, lt x y -> lt (add x z) (add y z);
  mul_positive : forall x y, lt zero x -> lt zero y -> lt zero (mul x y)
}.

Arguments zero {_}.
Arguments one {_}.
Arguments add {_} _ _.
Arguments mul {_} _ _.
Arguments sub {_} _ _.
Arguments opp {_} _.
Arguments div {_} _ _.
Arguments inv {_} _.
Arguments lt {_} _ _.
Arguments compare {_} _ _.

Declare Scope field_scope.
Delimit Scope field_scope with F.
Bind Scope field_scope with number.
Notation "0" := zero : field_scope.
Notation "1" := one : field_scope.
Notation "2" := (add one one) : field_scope.
Infix "+" := add : field_scope.
Infix "*" := mul : field_scope.
Infix "-" := sub : field_scope.
Infix "/" := div : field_scope.
Notation "- x" := (opp x) : field_scope.
Infix "<" := lt : field_scope.
Notation "x > y" := (lt y x) (only parsing) : field_scope.
Open Scope field_scope.

Definition le {F : ordered_field} (x y : F) : Prop := x < y \/ x = y.
Infix "<=" := le : field_scope.
Notation "x >= y" := (le y x) (only parsing) : field_scope.

Section Laws.

Variable F : ordered_field.
Add Field F_field : (field_laws F).
Implicit Types x y z a b c : F.

(** ** Order *)

Lemma le_refl x : x <= x.
Proof. now right. Qed.

Lemma lt_le x y : x < y -> x <= y.
Proof. now left. Qed.

Lemma le_trans x y z : x <= y -> y <= z -> x <= z.
Proof.
  intros [H | ->] [K | <-]; try (now left); try (now right).
  left; exact (lt_transitive F x y z H K).
Qed.

Lemma lt_le_trans x y z : x < y -> y <= z -> x < z.
Proof. intros H [K | <-]; auto. exact (lt_transitive F x y z H K). Qed.

Lemma le_lt_trans x y z : x <= y -> y < z -> x < z.
Proof. intros [H | ->] K; auto. exact (lt_transitive F x y z H K). Qed.

Lemma le_not_lt x y : x <= y -> ~ y < x.
Proof. intros H K. exact (lt_irreflexive F x (le_lt_trans x y x H K)). Qed.

Lemma not_lt_le x y : ~ y < x -> x <= y.
Proof. intros H. destruct (compare x y) as [[K | K] | K]; [now left | now right | tauto]. Qed.

Lemma not_le_lt x y : ~ y <= x -> x < y.
Proof. intros H. destruct (compare x y) as [[K | ->] | K]; auto; exfalso; apply H; [now right | now left]. Qed.

Lemma le_antisym x y : x <= y -> y <= x -> x = y.
Proof. intros [H | H] K; auto. destruct (le_not_lt y x K H). Qed.

Definition le_lt_dec x y : {x <= y} + {y < x}.
Proof. destruct (compare x y) as [[H | H] | H]; [left; now left | left; now right | now right]. Defined.

Lemma le_total x y : x <= y \/ y <= x.
Proof. destruct (le_lt_dec x y); auto using lt_le. Qed.

(** ** Sums.  An inequality [x <= y] is usually shown as [0 <= y - x]. *)

Lemma lt_by_difference x y : 0 < y - x -> x < y.
Proof.
  intros H. apply lt_add with (z := x) in H.
  replace (0 + x) with x in H by ring. now replace (y - x + x) with y in H by ring.
Qed.

Lemma lt_difference x y : x < y -> 0 < y - x.
Proof.
  intros H. apply lt_add with (z := - x) in H.
  replace (x + - x) with (zero (o := F)) in H by ring. now replace (y + - x) with (y - x) in H by ring.
Qed.

Lemma le_by_difference x y : 0 <= y - x -> x <= y.
Proof.
  intros [H | H]; [left; now apply lt_by_difference | right].
  replace y with (y - x + x) by ring. rewrite <- H. ring.
Qed.

Lemma le_difference x y : x <= y -> 0 <= y - x.
Proof. intros [H | ->]; [left; now apply lt_difference | right; ring]. Qed.

Lemma add_nonneg x y : 0 <= x -> 0 <= y -> 0 <= x + y.
Proof.
  intros [H | <-] K; [| now replace (0 + y) with y by ring].
  left. apply lt_le_trans with x; [exact H |].
  apply le_by_difference. now replace (x + y - x) with y by ring.
Qed.

Lemma add_pos_nonneg x y : 0 < x -> 0 <= y -> 0 < x + y.
Proof.
  intros H K. apply lt_le_trans with x; [exact H |].
  apply le_by_difference. now replace (x + y - x) with y by ring.
Qed.

Lemma add_nonneg_pos x y : 0 <= x -> 0 < y -> 0 < x + y.
Proof. intros H K. replace (x + y) with (y + x) by ring. now apply add_pos_nonneg. Qed.

Lemma add_le x y a b : x <= y -> a <= b -> x + a <= y + b.
Proof.
  intros H K. apply le_by_difference.
  replace (y + b - (x + a)) with ((y - x) + (b - a)) by ring.
  apply add_nonneg; now apply le_difference.
Qed.

Lemma add_lt_le x y a b : x < y -> a <= b -> x + a < y + b.
Proof.
  intros H K. apply lt_by_difference.
  replace (y + b - (x + a)) with ((y - x) + (b - a)) by ring.
  apply add_pos_nonneg; [now apply lt_difference | now apply le_difference].
Qed.

Lemma opp_le x y : x <= y -> - y <= - x.
Proof. intros H. apply le_by_difference. replace (- x - - y) with (y - x) by ring. now apply le_difference. Qed.

Lemma opp_lt x y : x < y -> - y < - x.
Proof. intros H. apply lt_by_difference. replace (- x - - y) with (y - x) by ring. now apply lt_difference. Qed.

Lemma sub_le x y z : x <= y -> x - z <= y - z.
Proof. intros H. apply le_by_difference. replace (y - z - (x - z)) with (y - x) by ring. now apply le_difference. Qed.

(** ** Products and squares *)

Lemma mul_nonneg x y : 0 <= x -> 0 <= y -> 0 <= x * y.
Proof.
  intros [H | <-] [K | <-]; try (right; ring). left. now apply mul_positive.
Qed.

Lemma mul_le_left a x y : 0 <= a -> x <= y -> a * x <= a * y.
Proof.
  intros H K. apply le_by_difference. replace (a * y - a * x) with (a * (y - x)) by ring.
  apply mul_nonneg; [exact H | now apply le_difference].
Qed.

Lemma mul_le_right a x y : 0 <= a -> x <= y -> x * a <= y * a.
Proof. intros H K. replace (x * a) with (a * x) by ring. replace (y * a) with (a * y) by ring. now apply mul_le_left. Qed.

Lemma mul_lt_left a x y : 0 < a -> x < y -> a * x < a * y.
Proof.
  intros H K. apply lt_by_difference. replace (a * y - a * x) with (a * (y - x)) by ring.
  apply mul_positive; [exact H | now apply lt_difference].
Qed.

Lemma mul_le x y a b : 0 <= x -> 0 <= a -> x <= y -> a <= b -> x * a <= y * b.
Proof.
  intros Hx Ha H K. apply le_trans with (x * b).
  - now apply mul_le_left.
  - apply mul_le_right; [now apply le_trans with a | exact H].
Qed.

Lemma mul_le_cancel a x y : 0 < a -> a * x <= a * y -> x <= y.
Proof. intros H K. apply not_lt_le. intros L. exact (le_not_lt _ _ K (mul_lt_left a y x H L)). Qed.

Lemma mul_lt_cancel a x y : 0 < a -> a * x < a * y -> x < y.
Proof. intros H K. apply not_le_lt. intros L. exact (le_not_lt _ _ (mul_le_left a y x (lt_le _ _ H) L) K). Qed.

Lemma square_nonneg x : 0 <= x * x.
Proof.
  destruct (le_total 0 x) as [H | H]; [now apply mul_nonneg |].
  replace (x * x) with ((- x) * (- x)) by ring.
  apply opp_le in H. replace (- 0) with (zero (o := F)) in H by ring. now apply mul_nonneg.
Qed.

Lemma square_le x y : 0 <= x -> x <= y -> x * x <= y * y.
Proof. intros H K. now apply mul_le. Qed.

Lemma square_lt x y : 0 <= x -> x < y -> x * x < y * y.
Proof.
  intros H K. apply le_lt_trans with (x * y); [apply mul_le_left; auto using lt_le |].
  replace (x * y) with (y * x) by ring. apply mul_lt_left; [now apply le_lt_trans with x | exact K].
Qed.

Lemma square_le_cancel x y : 0 <= y -> x * x <= y * y -> x <= y.
Proof. intros H K. apply not_lt_le. intros L. exact (le_not_lt _ _ K (square_lt y x H L)). Qed.

Lemma square_zero x : x * x = 0 -> x = 0.
Proof.
  intros H. destruct (compare x 0) as [[K | K] | K]; auto; exfalso.
  - apply opp_lt in K. replace (- 0) with (zero (o := F)) in K by ring.
    apply (lt_irreflexive F 0). rewrite <- H at 2. replace (x * x) with ((- x) * (- x)) by ring. now apply mul_positive.
  - apply (lt_irreflexive F 0). rewrite <- H at 2. now apply mul_positive.
Qed.

Lemma one_positive : (0 : F) < 1.
Proof.
  apply not_le_lt. intros [H | H].
  - apply (le_not_lt 0 (1 * 1)); [apply square_nonneg | now replace (1 * 1) with (one (o := F)) by ring].
  - destruct (field_laws F) as [_ N _ _]. now apply N.
Qed.

Lemma one_nonneg : (0 : F) <= 1.
Proof. left. exact one_positive. Qed.

Lemma two_positive : (0 : F) < 2.
Proof. apply add_pos_nonneg; [exact one_positive | exact one_nonneg]. Qed.

Lemma positive_nonzero x : 0 < x -> x <> 0.
Proof. intros H ->. exact (lt_irreflexive F 0 H). Qed.

Lemma inv_positive x : 0 < x -> 0 < inv x.
Proof.
  intros H. apply (mul_lt_cancel x); [exact H |].
  replace (x * 0) with (zero (o := F)) by ring.
  replace (x * inv x) with (one (o := F)); [exact one_positive |]. field. now apply positive_nonzero.
Qed.

Lemma div_positive x y : 0 < x -> 0 < y -> 0 < x / y.
Proof.
  intros H K. replace (x / y) with (x * inv y) by (field; now apply positive_nonzero).
  apply mul_positive; [exact H | now apply inv_positive].
Qed.

Lemma div_nonneg x y : 0 <= x -> 0 < y -> 0 <= x / y.
Proof.
  intros H K. replace (x / y) with (x * inv y) by (field; now apply positive_nonzero).
  apply mul_nonneg; [exact H | left; now apply inv_positive].
Qed.

Lemma le_div x y a : 0 < a -> x * a <= y -> x <= y / a.
Proof.
  intros H K. apply (mul_le_cancel a); [exact H |].
  replace (a * (y / a)) with y by (field; now apply positive_nonzero). now replace (a * x) with (x * a) by ring.
Qed.

Lemma div_le x y a : 0 < a -> x <= y * a -> x / a <= y.
Proof.
  intros H K. apply (mul_le_cancel a); [exact H |].
  replace (a * (x / a)) with x by (field; now apply positive_nonzero). now replace (a * y) with (y * a) by ring.
Qed.

(** ** The larger of two numbers *)

Definition max x y : F := if le_lt_dec x y then y else x.

Lemma max_left x y : x <= max x y.
Proof. unfold max. destruct (le_lt_dec x y); [assumption | apply le_refl]. Qed.

Lemma max_right x y : y <= max x y.
Proof. unfold max. destruct (le_lt_dec x y); [apply le_refl | now apply lt_le]. Qed.

Lemma max_case x y : max x y = x \/ max x y = y.
Proof. unfold max. destruct (le_lt_dec x y); auto. Qed.

Lemma max_lub x y z : x <= z -> y <= z -> max x y <= z.
Proof. unfold max. destruct (le_lt_dec x y); auto. Qed.

(** ** Natural numbers as numbers of the field *)

Fixpoint of_nat (n : nat) : F := match n with O => 0 | S n => of_nat n + 1 end.

Lemma of_nat_nonneg n : 0 <= of_nat n.
Proof. induction n; simpl; [apply le_refl | apply add_nonneg; [assumption | exact one_nonneg]]. Qed.

Lemma of_nat_add m n : of_nat (m + n) = of_nat m + of_nat n.
Proof. induction m; simpl; [ring | rewrite IHm; ring]. Qed.

Lemma of_nat_mul m n : of_nat (m * n) = of_nat m * of_nat n.
Proof. induction m; simpl; [ring | rewrite of_nat_add, IHm; ring]. Qed.

End Laws.

Arguments le_lt_dec {_} _ _.
Arguments max {_} _ _.
Arguments of_nat {_} _.

(** The goal 0 <= y follows from H, which is 0 <= x, because x = y in every field (where divisors that
    the context knows are not 0). *)
Ltac follows_from H :=
  match type of H with le _ ?x => match goal with |- le _ ?y =>
    replace y with x by (ring || (field; repeat split; assumption)); exact H end end.
