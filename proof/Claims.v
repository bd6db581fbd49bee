(** What the claims of a certificate say, over any ordered field. *)

From Coq Require Import List ZArith QArith.
From Halfspace Require Import OrderedField Vectors Definitions Numbers Sparse Checker.
Import ListNotations.
Close Scope Z_scope.
Close Scope Q_scope.
Open Scope field_scope.

Section Claims.

Variable F : ordered_field.

(** The rows of a file. *)
Definition rows_of (t : table) : list (row F) :=
  map (fun r => {| is_positive := fst r; point := vector_of of_decimal (snd r) |}) (rows t).
Definition dimension (t : table) : nat := N.to_nat (columns t).

Variable d : nat.
Variable l : list (row F).

(** The weights and the offset of a separator in a certificate. *)
Definition w_of (s : separator) : vector F := vector_of of_Q (sep_w s).
Definition b_of (s : separator) : F := of_Q (sep_b s).

(** No separator has a geometric margin above h. *)
Definition margins_at_most (offset : bool) (h : F) : Prop :=
  forall w b g, allowed offset b -> margin_at_least d w b l g -> g <= h.

(** Claim 1: the separator separates, its margin is at least [low], and no separator's is above [high]. *)
Definition separable_holds (c : separable_claim) : Prop :=
  let w := w_of (s_separator c) in
  let b := b_of (s_separator c) in
  allowed (s_offset c) b /\ separates d w b l /\
  match s_margin c with
  | None => True
  | Some (low, None) => margin_at_least d w b l (of_Q low)
  | Some (low, Some (high, _)) =>
      margin_at_least d w b l (of_Q low) /\ margins_at_most (s_offset c) (of_Q high)
  end.

(** Claim 2: there is no separator; or none with a margin above epsilon. *)
Definition inseparable_holds (c : inseparable_claim) : Prop :=
  match i_epsilon c with
  | None => ~ separable d (i_offset c) l
  | Some epsilon => margins_at_most (i_offset c) (of_Q epsilon)
  end.

(** Claim 4: the objective of the separator is at most [gap] above that of any (w, b). *)
Definition optimal_holds (c : optimal_claim) : Prop :=
  let p := primal d (o_loss c) (o_offset c) (fun y => of_Q (cost_of c y)) l in
  offset_allowed (o_offset c) (b_of (o_separator c)) /\
  forall w b, offset_allowed (o_offset c) b ->
    p (w_of (o_separator c)) (b_of (o_separator c)) <= p w b + of_Q (o_gap c).

(** Claim 3: the run in the order of the rows, with at most this many passes, makes exactly this many
    updates; it had converged; it ends with the model; and the bound of the separator holds, for every g that no
    margin is below and every radius2 that no |x|^2 exceeds, so also for the least and the largest. *)
Definition c2_of (unit : bool) : F := if unit then 1 else 0.

Definition close_to (within x y : F) : Prop := x - y <= within /\ y - x <= within.

Definition ends_with (m : model) (s : state F) : Prop :=
  close_to (of_Q (m_within m)) (b_of (m_separator m)) (snd s) /\
  forall j, (j < d)%nat -> close_to (of_Q (m_within m)) (w_of (m_separator m) j) (fst s j).

Definition bound_holds (c : perceptron_claim) (k : F) : Prop :=
  let w := w_of (p_separator c) in
  let b := b_of (p_separator c) in
  allowed (p_unit c) b /\ separates d w b l /\
  forall g radius2,
    0 < g -> (forall r, In r l -> g <= row_margin d w b r) ->
    0 <= radius2 -> (forall r, In r l -> norm2 d (point r) <= radius2) ->
    k * (g * g) <= (radius2 + c2_of (p_unit c)) * (norm2 d w + b * b).

Definition perceptron_holds (c : perceptron_claim) : Prop :=
  0 < of_Q (F := F) (p_rate c) /\
  exists s k,
    passes d (of_Q (p_rate c)) (c2_of (p_unit c)) l (Pos.to_nat (p_passes c)) start s k /\
    Z.of_nat k = p_total c /\
    (p_converged c = true -> converged d s l) /\
    match p_model c with Some m => ends_with m s | None => True end /\
    bound_holds c (of_nat k).

End Claims.

Arguments rows_of {_} _.
Arguments w_of {_} _ _.
Arguments b_of {_} _.
