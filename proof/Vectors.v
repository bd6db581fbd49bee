(** Vectors of d numbers, finite sums, the inner product and its inequality.

    A vector is a function from column numbers to numbers; of a vector of dimension d only the
    columns 0 .. d - 1 count. *)

From Coq Require Import Field Ring List Arith Lia.
From Halfspace Require Import OrderedField.
Import ListNotations.

Section Vectors.

Variable F : ordered_field.
Add Field F_field : (field_laws F).

Definition vector := nat -> F.
Implicit Types u v w : vector.
Implicit Types a b c : F.

(** ** Sums over columns *)

Fixpoint sum (d : nat) (f : nat -> F) : F :=
  match d with O => 0 | S d => sum d f + f d end.

Lemma sum_ext d f g : (forall j, (j < d)%nat -> f j = g j) -> sum d f = sum d g.
Proof.
  induction d; intros H; simpl; [reflexivity |].
  rewrite IHd, H by auto with arith. reflexivity.
Qed.

Lemma sum_zero d : sum d (fun _ => 0) = 0.
Proof. induction d; simpl; [reflexivity | rewrite IHd; ring]. Qed.

Lemma sum_add d f g : sum d (fun j => f j + g j) = sum d f + sum d g.
Proof. induction d; simpl; [ring | rewrite IHd; ring]. Qed.

Lemma sum_scale d a f : sum d (fun j => a * f j) = a * sum d f.
Proof. induction d; simpl; [ring | rewrite IHd; ring]. Qed.

Lemma sum_nonneg d f : (forall j, (j < d)%nat -> 0 <= f j) -> 0 <= sum d f.
Proof.
  induction d; intros H; simpl; [apply le_refl |].
  apply add_nonneg; auto with arith.
Qed.

Lemma sum_le d f g : (forall j, (j < d)%nat -> f j <= g j) -> sum d f <= sum d g.
Proof.
  induction d; intros H; simpl; [apply le_refl |].
  apply add_le; auto with arith.
Qed.

(** Only one column is not 0. *)
Lemma sum_single d i a : (i < d)%nat -> sum d (fun j => if Nat.eqb j i then a else 0) = a.
Proof.
  induction d; intros H; [inversion H |]. simpl.
  destruct (Nat.eqb_spec d i) as [-> | N].
  - rewrite (sum_ext i _ (fun _ => 0)), sum_zero; [ring |].
    intros j L. now rewrite (proj2 (Nat.eqb_neq j i)) by lia.
  - rewrite IHd by lia. ring.
Qed.

(** ** Sums over lists *)

Fixpoint list_sum {A : Type} (f : A -> F) (l : list A) : F :=
  match l with [] => 0 | x :: l => f x + list_sum f l end.

Lemma list_sum_ext {A} (f g : A -> F) l : (forall x, In x l -> f x = g x) -> list_sum f l = list_sum g l.
Proof.
  induction l as [| x l IH]; intros H; simpl; [reflexivity |].
  rewrite H, IH by (intros; try apply H; simpl; auto). reflexivity.
Qed.

Lemma list_sum_app {A} (f : A -> F) k l : list_sum f (k ++ l) = list_sum f k + list_sum f l.
Proof. induction k as [| x k IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma list_sum_zero {A} (l : list A) : list_sum (fun _ => 0) l = 0.
Proof. induction l as [| x l IH]; simpl; [reflexivity | rewrite IH; ring]. Qed.

Lemma list_sum_add {A} (f g : A -> F) l : list_sum (fun x => f x + g x) l = list_sum f l + list_sum g l.
Proof. induction l as [| x l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma list_sum_sub {A} (f g : A -> F) l : list_sum (fun x => f x - g x) l = list_sum f l - list_sum g l.
Proof. induction l as [| x l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma list_sum_scale {A} a (f : A -> F) l : list_sum (fun x => a * f x) l = a * list_sum f l.
Proof. induction l as [| x l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma list_sum_nonneg {A} (f : A -> F) l : (forall x, In x l -> 0 <= f x) -> 0 <= list_sum f l.
Proof.
  induction l as [| x l IH]; intros H; simpl; [apply le_refl |].
  apply add_nonneg; [apply H; simpl; auto | apply IH; intros; apply H; simpl; auto].
Qed.

Lemma list_sum_le {A} (f g : A -> F) l : (forall x, In x l -> f x <= g x) -> list_sum f l <= list_sum g l.
Proof.
  induction l as [| x l IH]; intros H; simpl; [apply le_refl |].
  apply add_le; [apply H; simpl; auto | apply IH; intros; apply H; simpl; auto].
Qed.

Lemma list_sum_positive {A} (f : A -> F) l :
  l <> [] -> (forall x, In x l -> 0 < f x) -> 0 < list_sum f l.
Proof.
  destruct l as [| x l]; intros N H; [easy |]. simpl.
  apply add_pos_nonneg; [apply H; simpl; auto |].
  apply list_sum_nonneg. intros y I. apply lt_le, H. simpl; auto.
Qed.

Lemma list_sum_map {A B} (f : B -> F) (g : A -> B) l : list_sum f (map g l) = list_sum (fun x => f (g x)) l.
Proof. induction l as [| x l IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

(** A sum over columns and one over a list can be exchanged. *)
Lemma sum_list_sum {A} d (f : A -> nat -> F) l :
  sum d (fun j => list_sum (fun x => f x j) l) = list_sum (fun x => sum d (f x)) l.
Proof.
  induction l as [| x l IH]; simpl; [apply sum_zero |].
  now rewrite sum_add, IH.
Qed.

(** ** Vectors *)

Definition vzero : vector := fun _ => 0.
Definition vadd u v : vector := fun j => u j + v j.
Definition vscale a u : vector := fun j => a * u j.
Definition vsub u v : vector := fun j => u j - v j.

Variable d : nat.

(** Equal in the columns that count. *)
Definition veq u v : Prop := forall j, (j < d)%nat -> u j = v j.

Definition dot u v : F := sum d (fun j => u j * v j).
Definition norm2 u : F := dot u u.

Lemma dot_ext u u' v v' : veq u u' -> veq v v' -> dot u v = dot u' v'.
Proof. intros H K. apply sum_ext. intros j L. now rewrite H, K. Qed.

Lemma dot_comm u v : dot u v = dot v u.
Proof. apply sum_ext. intros. ring. Qed.

Lemma dot_zero_left u : dot vzero u = 0.
Proof.
  unfold dot. rewrite (sum_ext d _ (fun _ => 0)); [apply sum_zero |].
  intros. unfold vzero. ring.
Qed.

Lemma dot_zero_right u : dot u vzero = 0.
Proof. rewrite dot_comm. apply dot_zero_left. Qed.

Lemma dot_add_left u v w : dot (vadd u v) w = dot u w + dot v w.
Proof. unfold dot. rewrite <- sum_add. apply sum_ext. intros. unfold vadd. ring. Qed.

Lemma dot_add_right u v w : dot u (vadd v w) = dot u v + dot u w.
Proof. now rewrite dot_comm, dot_add_left, (dot_comm v), (dot_comm w). Qed.

Lemma dot_scale_left a u v : dot (vscale a u) v = a * dot u v.
Proof. unfold dot. rewrite <- sum_scale. apply sum_ext. intros. unfold vscale. ring. Qed.

Lemma dot_scale_right a u v : dot u (vscale a v) = a * dot u v.
Proof. now rewrite dot_comm, dot_scale_left, dot_comm. Qed.

Lemma dot_sub_left u v w : dot (vsub u v) w = dot u w - dot v w.
Proof.
  replace (dot u w) with (dot (vadd (vsub u v) v) w).
  - rewrite dot_add_left. ring.
  - apply sum_ext. intros. unfold vadd, vsub. ring.
Qed.

Lemma dot_sub_right u v w : dot u (vsub v w) = dot u v - dot u w.
Proof. now rewrite dot_comm, dot_sub_left, (dot_comm v), (dot_comm w). Qed.

Lemma dot_list_sum {A} u (f : A -> vector) l :
  dot u (fun j => list_sum (fun x => f x j) l) = list_sum (fun x => dot u (f x)) l.
Proof.
  unfold dot. rewrite <- sum_list_sum. apply sum_ext. intros.
  now rewrite <- list_sum_scale.
Qed.

Lemma norm2_nonneg u : 0 <= norm2 u.
Proof. apply sum_nonneg. intros. apply square_nonneg. Qed.

Lemma norm2_add u v : norm2 (vadd u v) = norm2 u + 2 * dot u v + norm2 v.
Proof. unfold norm2. rewrite dot_add_left, !dot_add_right, (dot_comm v u). ring. Qed.

Lemma norm2_sub u v : norm2 (vsub u v) = norm2 u - 2 * dot u v + norm2 v.
Proof. unfold norm2. rewrite dot_sub_left, !dot_sub_right, (dot_comm v u). ring. Qed.

Lemma norm2_scale a u : norm2 (vscale a u) = a * a * norm2 u.
Proof. unfold norm2. rewrite dot_scale_left, dot_scale_right. ring. Qed.

(** A sum of squares is 0 only if every number is. *)
Lemma norm2_zero u : norm2 u = 0 -> veq u vzero.
Proof.
  unfold norm2, dot, veq, vzero. induction d as [| m IH]; simpl; intros H j L; [lia |].
  assert (A : 0 <= sum m (fun j => u j * u j)) by (apply sum_nonneg; intros; apply square_nonneg).
  assert (B : 0 <= u m * u m) by apply square_nonneg.
  assert (C : u m * u m = 0).
  { apply le_antisym; [| exact B]. rewrite <- H. apply le_by_difference.
    match goal with |- 0 <= ?x => replace x with (sum m (fun j => u j * u j)) by ring end. exact A. }
  destruct (Nat.eq_dec j m) as [-> | N]; [now apply square_zero |].
  apply IH; [| lia]. rewrite C in H. rewrite <- H. ring.
Qed.

(** Cauchy and Schwarz: the vector |v|^2 u - <u, v> v has a norm, which is not negative. *)
Theorem cauchy_schwarz u v : dot u v * dot u v <= norm2 u * norm2 v.
Proof.
  destruct (compare (norm2 v) 0) as [[H | H] | H].
  - destruct (le_not_lt _ _ _ (norm2_nonneg v) H).
  - rewrite (dot_ext u u v vzero), dot_zero_right, H; [right; ring | easy | now apply norm2_zero].
  - apply (mul_le_cancel _ (norm2 v)); [exact H |].
    apply le_by_difference.
    replace (norm2 v * (norm2 u * norm2 v) - norm2 v * (dot u v * dot u v))
      with (norm2 (vsub (vscale (norm2 v) u) (vscale (dot u v) v))); [apply norm2_nonneg |].
    rewrite norm2_sub, !norm2_scale, dot_scale_left, dot_scale_right. ring.
Qed.

End Vectors.

Arguments sum {_} _ _.
Arguments list_sum {_ A} _ _.
Arguments vzero {_} _.
Arguments vadd {_} _ _ _.
Arguments vscale {_} _ _ _.
Arguments vsub {_} _ _ _.
Arguments veq {_} _ _ _.
Arguments dot {_} _ _ _.
Arguments norm2 {_} _ _.
