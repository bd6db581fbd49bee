(** Sparse rows and tables of weights, over the integers: what the checker computes with, and which
    vectors of the field they stand for. *)

From Coq Require Import Field Ring List ZArith QArith Lia FMapPositive.
From Halfspace Require Import OrderedField Vectors Definitions Numbers.
Import ListNotations.
Close Scope Q_scope.
Open Scope field_scope.

(** ** Functions on lists that need no stack *)

Definition fast_map {A B} (f : A -> B) (l : list A) : list B :=
  rev' (fold_left (fun done x => f x :: done) l []).

Lemma fast_map_is_map {A B} (f : A -> B) l : fast_map f l = map f l.
Proof.
  assert (H : forall done, fold_left (fun done x => f x :: done) l done = rev_append (map f l) done)
    by (induction l as [| x l IH]; intros done; simpl; [reflexivity | apply IH]).
  unfold fast_map, rev'. rewrite H, !rev_append_rev, !app_nil_r. apply rev_involutive.
Qed.

(** ** Entries of a sparse row: columns, numbered from 1, with values *)

Definition entries (A : Type) : Type := list (positive * A).

(** All columns are among the first d. *)
Definition within {A} (d : N) (l : entries A) : bool := forallb (fun e => N.leb (Npos (fst e)) d) l.

(** Weights of columns: those that are not in the table are 0. *)
Definition weights := PositiveMap.t Z.
Definition no_weights : weights := PositiveMap.empty Z.
Definition weight (c : positive) (m : weights) : Z :=
  match PositiveMap.find c m with Some z => z | None => 0%Z end.

(** <m, l>, and m + k l. *)
Definition dot_row (m : weights) (l : entries Z) : Z :=
  fold_left (fun s e => s + weight (fst e) m * snd e)%Z l 0%Z.
Definition add_row (k : Z) (l : entries Z) (m : weights) : weights :=
  fold_left (fun m (e : positive * Z) => PositiveMap.add (fst e) (weight (fst e) m + k * snd e)%Z m) l m.

(** |l|^2, also if a column occurs twice. *)
Definition squares (l : entries Z) : Z := dot_row (add_row 1 l no_weights) l.

Section Sparse.

Variable F : ordered_field.
Add Field F_field : (field_laws F).

Lemma zero_add (x : F) : 0 + x = x.
Proof. ring. Qed.

(** Column c of a file is place c - 1 of a vector. *)
Definition place (c : positive) : nat := Nat.pred (Pos.to_nat c).
Definition column (j : nat) : positive := Pos.of_succ_nat j.

Lemma column_place c : column (place c) = c.
Proof. unfold column, place. apply Pos2Nat.inj. rewrite SuccNat2Pos.id_succ. lia. Qed.

Lemma is_column c j : Pos.eqb c (column j) = Nat.eqb j (place c).
Proof.
  destruct (Pos.eqb_spec c (column j)) as [E | N], (Nat.eqb_spec j (place c)) as [P | P]; auto.
  - destruct P. rewrite E. unfold place, column. now rewrite SuccNat2Pos.id_succ.
  - destruct N. now rewrite P, column_place.
Qed.

(** The vector of a sparse row: the sum of the values of a column. *)
Definition vector_of {A} (value : A -> F) (l : entries A) : vector F :=
  fun j => list_sum (fun e => if Pos.eqb (fst e) (column j) then value (snd e) else 0) l.

(** The vector of a table of weights. *)
Definition vector_of_weights (m : weights) : vector F := fun j => of_Z (weight (column j) m).

Lemma vector_of_map {A} (value : A -> F) (k : F) (g : A -> Z) (l : entries A) j :
  (forall e, In e l -> of_Z (g (snd e)) = value (snd e) * k) ->
  vector_of of_Z (map (fun e => (fst e, g (snd e))) l) j = vector_of value l j * k.
Proof.
  intros H. unfold vector_of. rewrite list_sum_map. simpl.
  replace (list_sum (fun e => if Pos.eqb (fst e) (column j) then value (snd e) else 0) l * k)
    with (k * list_sum (fun e => if Pos.eqb (fst e) (column j) then value (snd e) else 0) l) by ring.
  rewrite <- list_sum_scale. apply list_sum_ext. intros e I.
  destruct (Pos.eqb (fst e) (column j)); [rewrite H by exact I |]; ring.
Qed.

Lemma dot_vector_of {A} d (v : vector F) (value : A -> F) (l : entries A) :
  within d l = true ->
  dot (N.to_nat d) v (vector_of value l) = list_sum (fun e => v (place (fst e)) * value (snd e)) l.
Proof.
  intros W. unfold vector_of. rewrite dot_list_sum. apply list_sum_ext. intros e I.
  assert (L : (place (fst e) < N.to_nat d)%nat).
  { unfold within in W. rewrite forallb_forall in W. apply W, N.leb_le in I. unfold place. lia. }
  rewrite <- (sum_single F (N.to_nat d) (place (fst e)) (v (place (fst e)) * value (snd e)) L).
  unfold dot. apply sum_ext. intros j _. simpl. rewrite is_column.
  destruct (Nat.eqb_spec j (place (fst e))) as [-> |]; ring.
Qed.

Lemma of_Z_fold_sum {A} (f : A -> Z) l s :
  of_Z (fold_left (fun s x => s + f x)%Z l s) = of_Z s + list_sum (fun x => (of_Z (f x) : F)) l.
Proof.
  revert s. induction l as [| x l IH]; intros s; simpl; [ring |].
  rewrite IH, of_Z_add. ring.
Qed.

Lemma dot_row_correct d m l : within d l = true ->
  of_Z (dot_row m l) = dot (N.to_nat d) (vector_of_weights m) (vector_of of_Z l).
Proof.
  intros W. rewrite dot_vector_of by exact W. unfold dot_row. rewrite of_Z_fold_sum, of_Z_0.
  rewrite zero_add. apply list_sum_ext. intros e _.
  unfold vector_of_weights. now rewrite column_place, of_Z_mul.
Qed.

Lemma weight_add c c' z m :
  weight c (PositiveMap.add c' z m) = if Pos.eqb c' c then z else weight c m.
Proof.
  unfold weight. destruct (Pos.eqb_spec c' c) as [-> | N].
  - now rewrite PositiveMap.gss.
  - now rewrite PositiveMap.gso by congruence.
Qed.

Lemma add_row_correct k l m j :
  vector_of_weights (add_row k l m) j = vector_of_weights m j + of_Z k * vector_of of_Z l j.
Proof.
  revert m. unfold add_row, vector_of. induction l as [| e l IH]; intros m; simpl; [ring |].
  rewrite IH. unfold vector_of_weights. rewrite weight_add.
  destruct (Pos.eqb_spec (fst e) (column j)) as [-> | _]; [rewrite of_Z_add, of_Z_mul |]; ring.
Qed.

Lemma no_weights_correct j : vector_of_weights no_weights j = 0.
Proof. unfold vector_of_weights, weight, no_weights. rewrite PositiveMap.gempty. apply of_Z_0. Qed.

Lemma squares_correct d l : within d l = true ->
  of_Z (squares l) = norm2 (N.to_nat d) (vector_of of_Z l).
Proof.
  intros W. unfold squares. rewrite (dot_row_correct d) by exact W.
  apply dot_ext; intros j _; [| reflexivity].
  rewrite add_row_correct, no_weights_correct, of_Z_1. ring.
Qed.

End Sparse.

Arguments vector_of {_ _} _ _ _.
Arguments vector_of_weights {_} _ _.
