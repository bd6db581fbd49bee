(** What the theorems are about: rows, separators, margins, convex hulls, the objectives of the hard
    and the soft margin machine with their duals, and runs of the perceptron.

    F is any ordered field and d the number of columns. There are no square roots in a field, so a
    comparison with a norm is one of squares; [margin_with_norm] in Separators.v shows that it is the
    usual one where the norm exists. *)

From Coq Require Import Field Ring List.
From Halfspace Require Import OrderedField Vectors.
Import ListNotations.

Section Definitions.

Variable F : ordered_field.
Variable d : nat.

(** ** Rows and separators *)

(** A row is a point with a class: +1 (positive) or -1. *)
Record row := { is_positive : bool; point : vector F }.

Definition label (r : row) : F := if is_positive r then 1 else - (1).

(** The score s(x) = <w, x> + b. The hyperplane of (w, b), with w not 0, is the set of points with
    score 0. *)
Definition score (w : vector F) (b : F) (x : vector F) : F := dot d w x + b.
Definition on_hyperplane w b x : Prop := 0 < norm2 d w /\ score w b x = 0.

(** The functional margin of a row: y s(x). *)
Definition row_margin w b (r : row) : F := label r * score w b (point r).

(** (w, b) separates the rows if each is strictly on its side. *)
Definition separates w b (rows : list row) : Prop := forall r, In r rows -> 0 < row_margin w b r.

(** With an offset any b is allowed, without one the hyperplane passes through the origin. *)
Definition allowed (offset : bool) (b : F) : Prop := offset = false -> b = 0.

Definition separable offset rows : Prop := exists w b, allowed offset b /\ separates w b rows.

(** The geometric margin of (w, b), min y s(x) / |w|, is at least g: there is an m with y s(x) >= m >= 0
    on all rows and m / |w| >= g. *)
Definition margin_at_least w b rows g : Prop :=
  0 < norm2 d w /\ 0 <= g /\
  exists m, 0 <= m /\ (forall r, In r rows -> m <= row_margin w b r) /\ g * g * norm2 d w <= m * m.

(** ** Convex hulls *)

(** A combination of points: a list of coefficients and points. *)
Definition combination (l : list (F * vector F)) : vector F :=
  fun j => list_sum (fun t => fst t * snd t j) l.

(** x is in the convex hull of the points with property P. *)
Definition in_hull (P : vector F -> Prop) (x : vector F) : Prop :=
  exists l : list (F * vector F),
    (forall t, In t l -> 0 <= fst t /\ P (snd t)) /\
    list_sum fst l = 1 /\ veq d x (combination l).

(** The points of a class; the points y x of all rows. *)
Definition of_class (c : bool) (rows : list row) (x : vector F) : Prop :=
  exists r, In r rows /\ is_positive r = c /\ x = point r.
Definition signed (rows : list row) (x : vector F) : Prop :=
  exists r, In r rows /\ x = vscale (label r) (point r).

(** ** Multipliers *)

(** Multipliers are a list of numbers a >= 0 with rows; u = sum a y x, A = sum a, t = sum a y. *)
Definition multipliers := list (F * row).
Definition weighted_sum (l : multipliers) : vector F :=
  fun j => list_sum (fun t => fst t * label (snd t) * point (snd t) j) l.
Definition total (l : multipliers) : F := list_sum fst l.
Definition balance (l : multipliers) : F := list_sum (fun t => fst t * label (snd t)) l.

Definition multipliers_of (rows : list row) (l : multipliers) : Prop :=
  forall t, In t l -> 0 <= fst t /\ In (snd t) rows.

(** ** Losses, primal and dual *)

Inductive loss_kind := hinge | squared_hinge.

Definition loss (k : loss_kind) (m : F) : F :=
  let v := max 0 (1 - m) in match k with hinge => v | squared_hinge => v * v end.

(** Three treatments of b: free, none ([no_offset], b = 0), and regularized (b counts as a weight). *)
Inductive offset_kind := free | no_offset | regularized.

Definition offset_allowed (o : offset_kind) (b : F) : Prop := o = no_offset -> b = 0.
Definition offset_norm2 (o : offset_kind) (b : F) : F :=
  match o with regularized => b * b | _ => 0 end.

(** The primal of the soft margin: P(w, b) = |w|^2 / 2 (+ b^2 / 2) + sum c loss(y s(x)), with a cost c
    for each class. *)
Definition primal k o (cost : bool -> F) rows w b : F :=
  (norm2 d w + offset_norm2 o b) / 2 +
  list_sum (fun r => cost (is_positive r) * loss k (row_margin w b r)) rows.

(** Its dual: D(a) = sum a (- a^2 / 4c) - |u|^2 / 2 (- t^2 / 2). There is one multiplier per row. *)
Definition dual_term k (c a : F) : F :=
  match k with hinge => a | squared_hinge => a - a * a / (2 * 2 * c) end.
Definition dual k o (cost : bool -> F) (l : multipliers) : F :=
  list_sum (fun t => dual_term k (cost (is_positive (snd t))) (fst t)) l
  - (norm2 d (weighted_sum l) + offset_norm2 o (balance l)) / 2.
Definition dual_feasible k o (cost : bool -> F) (l : multipliers) : Prop :=
  (forall t, In t l -> 0 <= fst t /\ (k = hinge -> fst t <= cost (is_positive (snd t)))) /\
  (o = free -> balance l = 0).

(** The hard margin: the least |w|^2 / 2 with y s(x) >= 1 on all rows, and its dual. *)
Definition hard_feasible rows w b : Prop := forall r, In r rows -> 1 <= row_margin w b r.
Definition hard_primal (w : vector F) : F := norm2 d w / 2.
Definition hard_dual (l : multipliers) : F := total l - norm2 d (weighted_sum l) / 2.

(** ** Runs of the perceptron *)

(** Weights and offset. *)
Definition state : Type := (vector F * F)%type.
Definition start : state := (vzero, 0).

(** An update adds rate y x to w, and rate c2 y to b. The offset forms are c2 = 0 (none), 1 (unit), c^2
    (a column with the constant c is appended) and R^2 (the largest |x|^2). *)
Definition update (rate c2 : F) (s : state) (r : row) : state :=
  (vadd (fst s) (vscale (rate * label r) (point r)), snd s + rate * c2 * label r).

Definition mistake (s : state) (r : row) : Prop := row_margin (fst s) (snd s) r <= 0.

(** [run rate c2 l s]: a run whose updates are by the rows of l, the last one first, ends with s. Every
    update is by a row that is a mistake at its time: this covers every order of the rows. *)
Inductive run (rate c2 : F) : list row -> state -> Prop :=
| run_start : run rate c2 [] start
| run_update l s r : run rate c2 l s -> mistake s r -> run rate c2 (r :: l) (update rate c2 s r).

(** [visit rate c2 s rows s' k]: visiting the rows in their order leads from s to s' with k updates; a row
    causes an update if and only if it is a mistake. *)
Inductive visit (rate c2 : F) : state -> list row -> state -> nat -> Prop :=
| visit_end s : visit rate c2 s [] s 0
| visit_mistake s r rows s' k :
    mistake s r -> visit rate c2 (update rate c2 s r) rows s' k -> visit rate c2 s (r :: rows) s' (S k)
| visit_right s r rows s' k :
    ~ mistake s r -> visit rate c2 s rows s' k -> visit rate c2 s (r :: rows) s' k.

(** [passes rate c2 rows n s s' k]: at most n visits to all rows, one after another, until one of them
    changes nothing, lead from s to s' with k updates. *)
Inductive passes (rate c2 : F) (rows : list row) : nat -> state -> state -> nat -> Prop :=
| passes_end s : passes rate c2 rows 0 s s 0
| passes_converged n s s' : visit rate c2 s rows s' 0 -> passes rate c2 rows (S n) s s' 0
| passes_more n s s' s'' k m :
    visit rate c2 s rows s' (S k) -> passes rate c2 rows n s' s'' m ->
    passes rate c2 rows (S n) s s'' (S k + m).

(** No row would cause an update any more. *)
Definition converged (s : state) rows : Prop := forall r, In r rows -> ~ mistake s r.

End Definitions.

Arguments Build_row {_} _ _.
Arguments is_positive {_} _.
Arguments point {_} _ _.
Arguments label {_} _.
Arguments score {_} _ _ _ _.
Arguments on_hyperplane {_} _ _ _ _.
Arguments row_margin {_} _ _ _ _.
Arguments separates {_} _ _ _ _.
Arguments allowed {_} _ _.
Arguments separable {_} _ _ _.
Arguments margin_at_least {_} _ _ _ _ _.
Arguments combination {_} _ _.
Arguments in_hull {_} _ _ _.
Arguments of_class {_} _ _ _.
Arguments signed {_} _ _.
Arguments weighted_sum {_} _ _.
Arguments total {_} _.
Arguments balance {_} _.
Arguments multipliers_of {_} _ _.
Arguments loss {_} _ _.
Arguments offset_allowed {_} _ _.
Arguments offset_norm2 {_} _ _.
Arguments primal {_} _ _ _ _ _ _ _.
Arguments dual_term {_} _ _ _.
Arguments dual {_} _ _ _ _ _.
Arguments dual_feasible {_} _ _ _ _.
Arguments hard_feasible {_} _ _ _ _.
Arguments hard_primal {_} _ _.
Arguments hard_dual {_} _ _.
Arguments start {_}.
Arguments update {_} _ _ _ _.
Arguments mistake {_} _ _ _.
Arguments run {_} _ _ _ _ _.
Arguments visit {_} _ _ _ _ _ _ _.
Arguments passes {_} _ _ _ _ _ _ _ _.
Arguments converged {_} _ _ _.
