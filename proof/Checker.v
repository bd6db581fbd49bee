(** The checker: functions over integers and rational numbers that decide the claims of a certificate.
    Soundness.v proves them right; Extraction.v makes OCaml of them. *)

From Coq Require Import List Bool ZArith QArith FMapPositive.
From Halfspace Require Import Definitions Numbers Sparse.
Import ListNotations.
Open Scope Q_scope.
Open Scope Z_scope.

(** ** The data *)

(** Rows of a file: true is the positive class; values are decimals. *)
Record table := { columns : N; rows : list (bool * entries decimal) }.

(** The same rows over one denominator. *)
Definition int_row : Type := (bool * entries Z)%type.
Record data := { scale : positive; width : N; int_rows : list int_row }.

(** The largest number of decimals, n. All values are integers over 10^n. *)
Definition decimals (l : list (bool * entries decimal)) : Z :=
  fold_left (fun n r => fold_left (fun n e => Z.max n (- snd (snd e))) (snd r) n) l 0.

Definition scaled_decimal (n : Z) (t : decimal) : Z := fst t * 10 ^ (snd t + n).
Definition decimal_fits (n : Z) (t : decimal) : bool := 0 <=? snd t + n.

Definition prepare (t : table) : option data :=
  let n := decimals (rows t) in
  if (0 <=? n) &&
     forallb (fun r => within (columns t) (snd r) &&
                       forallb (fun e => decimal_fits n (snd e)) (snd r)) (rows t)
  then Some {| scale := Z.to_pos (10 ^ n); width := columns t;
               int_rows := fast_map (fun r => (fst r,
                 fast_map (fun e => (fst e, scaled_decimal n (snd e))) (snd r))) (rows t) |}
  else None.

(** ** Numbers of the certificate, over one denominator *)

Definition grow (k : Z) (q : Q) : Z :=
  let n := Zpos (Qden q) in if k mod n =? 0 then k else k * (n / Z.gcd k n).
Definition common (k : Z) (l : entries Q) : positive :=
  Z.to_pos (fold_left (fun k e => grow k (snd e)) l k).

Definition scaled (k : positive) (q : Q) : Z := Qnum q * (Zpos k / Zpos (Qden q)).
Definition divides (k : positive) (q : Q) : bool := Zpos k mod Zpos (Qden q) =? 0.

Definition integers (k : positive) (l : entries Q) : option (entries Z) :=
  if forallb (fun e => divides k (snd e)) l
  then Some (fast_map (fun e => (fst e, scaled k (snd e))) l) else None.

(** ** Separators *)

Record separator := { sep_w : entries Q; sep_b : Q }.

(** The weights and b, over [below]. *)
Record int_separator := { below : positive; int_list : entries Z; int_w : weights; int_b : Z }.

Definition integer_separator (d : N) (s : separator) : option int_separator :=
  let k := common (grow 1 (sep_b s)) (sep_w s) in
  match integers k (sep_w s) with
  | Some l =>
      if divides k (sep_b s) && within d (sep_w s)
      then Some {| below := k; int_list := l; int_w := add_row 1 l no_weights;
                   int_b := scaled k (sep_b s) |}
      else None
  | None => None
  end.

Definition signed_by (y : bool) (z : Z) : Z := if y then z else - z.

(** y (<w, x> + b), for integers w, x and b. *)
Definition int_margin (w : weights) (b : Z) (r : int_row) : Z :=
  signed_by (fst r) (dot_row w (snd r) + b).

(** The least of the margins, if all are positive; or the first row where it is not. *)
Inductive margins := least_is (least : option Z) | wrong_side (row : positive).

Definition smaller (least : option Z) (m : Z) : Z :=
  match least with Some l => Z.min l m | None => m end.

Fixpoint least_margin (w : weights) (b : Z) (i : positive) (l : list int_row) (least : option Z)
  : margins :=
  match l with
  | [] => least_is least
  | r :: l =>
      let m := int_margin w b r in
      if m <=? 0 then wrong_side i else least_margin w b (Pos.succ i) l (Some (smaller least m))
  end.

(** The denominator of a separator's margins. *)
Definition margin_below (d : data) (s : int_separator) : positive := (below s * scale d)%positive.
Definition separator_margins (d : data) (s : int_separator) : margins :=
  least_margin (int_w s) (int_b s * Zpos (scale d)) 1 (int_rows d) None.
Definition separator_norm2 (s : int_separator) : Q :=
  dot_row (int_w s) (int_list s) # (below s * below s).

(** ** Multipliers *)

(** One multiplier per row, in the order of the rows: 0 for a row that is not listed. Or the first
    listed row that is not there. *)
Inductive assignment := assigned (l : list (Z * int_row)) | no_row (row : positive).

Fixpoint assign (i : positive) (l : list int_row) (a : entries Z) (done : list (Z * int_row))
  : assignment :=
  match l, a with
  | [], [] => assigned (rev' done)
  | [], e :: _ => no_row (fst e)
  | r :: l, [] => assign (Pos.succ i) l [] ((0, r) :: done)
  | r :: l, e :: a' =>
      if Pos.eqb (fst e) i then assign (Pos.succ i) l a' ((snd e, r) :: done)
      else assign (Pos.succ i) l a ((0, r) :: done)
  end.

Definition signed_multiplier (t : Z * int_row) : Z := signed_by (fst (snd t)) (fst t).

(** sum a, sum a y, u = sum a y x, and |u|^2 = sum a y <u, x>. *)
Definition sum_of (l : list (Z * int_row)) : Z := fold_left (fun s t => s + fst t) l 0.
Definition balance_of (l : list (Z * int_row)) : Z := fold_left (fun s t => s + signed_multiplier t) l 0.
Definition vector_sum (l : list (Z * int_row)) : weights :=
  fold_left (fun u t => if fst t =? 0 then u else add_row (signed_multiplier t) (snd (snd t)) u)
            l no_weights.
Definition norm2_of (l : list (Z * int_row)) : Z :=
  let u := vector_sum l in
  fold_left (fun s t => s + if fst t =? 0 then 0 else signed_multiplier t * dot_row u (snd (snd t))) l 0.

(** ** Verdicts *)

Inductive reason :=
| not_well_formed
| offset_is_not_zero
| row_on_wrong_side (row : positive)
| no_weights_no_margin
| low_end_too_high
| row_not_there (row : positive)
| multiplier_not_positive (row : positive)
| no_multiplier
| classes_differ
| sum_too_long
| dual_out_of_range (row : positive)
| dual_not_balanced
| gap_too_small
| other_total (total : Z)
| not_converged
| other_model
| does_not_separate
| above_bound.

(** For a run of the perceptron also the bound on its updates. *)
Inductive verdict := holds (bound : option Q) | fails (why : reason).

Notation "'when' c 'else' why 'then' v" := (if c then v else fails why)
  (at level 200, c at level 100, why at level 100, v at level 200).

(** |u|^2 <= bound^2 A^2, and sum a y = 0 with an offset. *)
Definition check_multipliers (d : data) (offset : bool) (bound : Q) (l : entries Q) : verdict :=
  let k := common 1 l in
  match integers k l with
  | None => fails not_well_formed
  | Some ints =>
      match assign 1 (int_rows d) ints [], find (fun e => snd e <=? 0) ints with
      | no_row row, _ => fails (row_not_there row)
      | _, Some e => fails (multiplier_not_positive (fst e))
      | assigned l, None =>
          when forallb (fun t => 0 <=? fst t) l else not_well_formed then
          when 0 <? sum_of l else no_multiplier then
          when negb offset || (balance_of l =? 0) else classes_differ then
          when (0 <=? Qnum bound) &&
               Qle_bool (norm2_of l # (k * scale d * (k * scale d)))
                        (bound * bound * ((sum_of l # k) * (sum_of l # k))) else sum_too_long then
          holds None
      end
  end.

(** ** Claims 1 and 2 *)

(** The margin's interval is a low end, and perhaps a high end with its multipliers. *)
Record separable_claim := {
  s_offset : bool;
  s_separator : separator;
  s_margin : option (Q * option (Q * entries Q))
}.

Definition check_separable (d : data) (c : separable_claim) : verdict :=
  match integer_separator (width d) (s_separator c) with
  | None => fails not_well_formed
  | Some s =>
      when s_offset c || (Qnum (sep_b (s_separator c)) =? 0) else offset_is_not_zero then
      match separator_margins d s with
      | wrong_side row => fails (row_on_wrong_side row)
      | least_is None => fails not_well_formed
      | least_is (Some m) =>
          let least := (m # margin_below d s)%Q in
          match s_margin c with
          | None => holds None
          | Some (low, high) =>
              when 0 <? Qnum (separator_norm2 s) else no_weights_no_margin then
              when (0 <=? Qnum low) && Qle_bool (low * low * separator_norm2 s) (least * least)
                else low_end_too_high then
              match high with
              | None => holds None
              | Some (high, l) => check_multipliers d (s_offset c) high l
              end
          end
      end
  end.

Record inseparable_claim := {
  i_offset : bool;
  i_multipliers : entries Q;
  i_epsilon : option Q
}.

Definition check_inseparable (d : data) (c : inseparable_claim) : verdict :=
  check_multipliers d (i_offset c) (match i_epsilon c with Some e => e | None => 0%Q end)
                    (i_multipliers c).

(** ** Claim 4: optimal *)

Record optimal_claim := {
  o_loss : loss_kind;
  o_offset : offset_kind;
  o_cost_negative : Q;
  o_cost_positive : Q;
  o_separator : separator;
  o_dual : entries Q;
  o_gap : Q
}.

Definition cost_of (c : optimal_claim) (y : bool) : Q :=
  if y then o_cost_positive c else o_cost_negative c.

Definition int_loss (k : loss_kind) (one m : Z) : Z :=
  let v := Z.max 0 (one - m) in match k with hinge => v | squared_hinge => v * v end.

(** The sum of the losses of a class, over [one] or its square. *)
Definition class_loss (k : loss_kind) (one : Z) (w : weights) (b : Z) (y : bool) (l : list int_row) : Z :=
  fold_left (fun s r => s + if eqb (fst r) y then int_loss k one (int_margin w b r) else 0) l 0.

Definition loss_below (k : loss_kind) (one : positive) : positive :=
  match k with hinge => one | squared_hinge => (one * one)%positive end.

Definition offset_norm2_Q (o : offset_kind) (b : Q) : Q :=
  (match o with regularized => b * b | _ => 0 end)%Q.

Definition half : Q := 1 # 2.

Definition primal_value (d : data) (c : optimal_claim) (s : int_separator) : Q :=
  let one := margin_below d s in
  let losses y := class_loss (o_loss c) (Zpos one) (int_w s) (int_b s * Zpos (scale d)) y (int_rows d)
                  # loss_below (o_loss c) one in
  ((separator_norm2 s + offset_norm2_Q (o_offset c) (sep_b (o_separator c))) * half
   + (cost_of c true * losses true + cost_of c false * losses false))%Q.

Definition class_squares (y : bool) (l : list (Z * int_row)) : Z :=
  fold_left (fun s (t : Z * int_row) => s + if eqb (fst (snd t)) y then fst t * fst t else 0) l 0.

Definition dual_value (d : data) (c : optimal_claim) (k : positive) (l : list (Z * int_row)) : Q :=
  let squares y := ((class_squares y l # k * k) / (2 * 2 * cost_of c y))%Q in
  ((sum_of l # k) - match o_loss c with hinge => 0 | squared_hinge => squares true + squares false end
   - ((norm2_of l # (k * scale d * (k * scale d)))
      + offset_norm2_Q (o_offset c) (balance_of l # k)) * half)%Q.

(** The first row whose multiplier is not between 0 and its cost. *)
Fixpoint out_of_range (c : optimal_claim) (k i : positive) (l : list (Z * int_row)) : option positive :=
  match l with
  | [] => None
  | t :: l =>
      if (0 <=? fst t) && match o_loss c with
                          | hinge => Qle_bool (fst t # k) (cost_of c (fst (snd t)))
                          | squared_hinge => true
                          end
      then out_of_range c k (Pos.succ i) l else Some i
  end.

Definition is_free (o : offset_kind) : bool := match o with free => true | _ => false end.
Definition is_none (o : offset_kind) : bool := match o with no_offset => true | _ => false end.

Definition check_optimal (d : data) (c : optimal_claim) : verdict :=
  let k := common 1 (o_dual c) in
  match integer_separator (width d) (o_separator c), integers k (o_dual c) with
  | Some s, Some ints =>
      when negb (is_none (o_offset c)) || (Qnum (sep_b (o_separator c)) =? 0) else offset_is_not_zero then
      when (0 <? Qnum (o_cost_negative c)) && (0 <? Qnum (o_cost_positive c)) else not_well_formed then
      match assign 1 (int_rows d) ints [] with
      | no_row row => fails (row_not_there row)
      | assigned l =>
          match out_of_range c k 1 l with
          | Some row => fails (dual_out_of_range row)
          | None =>
              when negb (is_free (o_offset c)) || (balance_of l =? 0) else dual_not_balanced then
              when Qle_bool (primal_value d c s - dual_value d c k l) (o_gap c) else gap_too_small then
              holds None
          end
      end
  | _, _ => fails not_well_formed
  end.

(** ** Claim 3: a run of the perceptron, in the order of the file *)

Record model := { m_separator : separator; m_within : Q }.

Record perceptron_claim := {
  p_unit : bool;
  p_rate : Q;
  p_passes : positive;
  p_total : Z;
  p_converged : bool;
  p_model : option model;
  p_separator : separator
}.

(** Weights are kept divided by the rate, and multiplied by the scale of the rows; b divided by the
    rate. The rate changes no sign. *)
Record replay := { r_w : weights; r_b : Z; r_updates : Z; r_done : bool }.

Definition replay_margin (d : data) (w : weights) (b : Z) (r : int_row) : Z :=
  int_margin w (b * (Zpos (scale d) * Zpos (scale d))) r.

(** A row's update, if it is a mistake; the number of updates so far. *)
Definition visit_row (d : data) (unit : bool) (s : weights * Z * Z) (r : int_row) : weights * Z * Z :=
  let '(w, b, n) := s in
  if replay_margin d w b r <=? 0
  then (add_row (signed_by (fst r) 1) (snd r) w, (if unit then b + signed_by (fst r) 1 else b), n + 1)
  else s.

Definition one_pass (d : data) (unit : bool) (s : replay) : replay :=
  if r_done s then s else
  let '(w, b, n) := fold_left (visit_row d unit) (int_rows d) (r_w s, r_b s, 0) in
  {| r_w := w; r_b := b; r_updates := r_updates s + n; r_done := n =? 0 |}.

(** n passes, or fewer if one of them changes nothing. *)
Fixpoint replay_passes (d : data) (unit : bool) (n : positive) (s : replay) : replay :=
  match n with
  | xH => one_pass d unit s
  | xO n =>
      let s := replay_passes d unit n s in
      if r_done s then s else replay_passes d unit n s
  | xI n =>
      let s := one_pass d unit s in
      if r_done s then s else
      let s := replay_passes d unit n s in
      if r_done s then s else replay_passes d unit n s
  end.

Definition replay_start : replay := {| r_w := no_weights; r_b := 0; r_updates := 0; r_done := false |}.

(** f holds for the columns 1 .. n. *)
Definition all_columns (n : N) (f : positive -> bool) : bool :=
  match n with
  | N0 => true
  | Npos n => snd (Pos.iter (fun t => (Pos.succ (fst t), snd t && f (fst t))) (1%positive, true) n)
  end.

(** Are all numbers of the model within [m_within] of those of the run? *)
Definition close (within m u : Q) : bool := Qle_bool (m - u) within && Qle_bool (u - m) within.

Definition check_model (d : data) (rate : Q) (s : replay) (m : model) : bool :=
  match integer_separator (width d) (m_separator m) with
  | None => false
  | Some i =>
      close (m_within m) (sep_b (m_separator m)) (rate * (r_b s # 1)) &&
      all_columns (width d) (fun c =>
        close (m_within m) (weight c (int_w i) # below i) (rate * (weight c (r_w s) # scale d)))
  end.

(** The largest |x|^2, over the square of the scale. *)
Definition largest_square (l : list int_row) : Z := fold_left (fun s r => Z.max s (squares (snd r))) l 0.

Definition unit_Q (unit : bool) : Q := (if unit then 1 else 0)%Q.

(** k <= (R^2 + c^2) (|w|^2 + b^2) / m^2, for a separator (w, b) with the least margin m. *)
Definition check_bound (d : data) (c : perceptron_claim) : verdict :=
  match integer_separator (width d) (p_separator c) with
  | None => fails not_well_formed
  | Some s =>
      match separator_margins d s with
      | wrong_side _ => fails does_not_separate
      | least_is None => fails not_well_formed
      | least_is (Some m) =>
          let least := (m # margin_below d s)%Q in
          let radius2 := ((largest_square (int_rows d) # (scale d * scale d)) + unit_Q (p_unit c))%Q in
          let norm2 := (separator_norm2 s + sep_b (p_separator c) * sep_b (p_separator c))%Q in
          when Qle_bool ((p_total c # 1) * (least * least)) (radius2 * norm2) else above_bound then
          holds (Some (radius2 * norm2 / (least * least))%Q)
      end
  end.

Definition check_perceptron (d : data) (c : perceptron_claim) : verdict :=
  let s := replay_passes d (p_unit c) (p_passes c) replay_start in
  when p_unit c || (Qnum (sep_b (p_separator c)) =? 0) else offset_is_not_zero then
  when 0 <? Qnum (p_rate c) else not_well_formed then
  when r_updates s =? p_total c else other_total (r_updates s) then
  when negb (p_converged c) ||
       forallb (fun r => 0 <? replay_margin d (r_w s) (r_b s) r) (int_rows d) else not_converged then
  when match p_model c with Some m => check_model d (p_rate c) s m | None => true end
    else other_model then
  check_bound d c.

(** ** Any claim *)

Inductive claim :=
| separable_c (c : separable_claim)
| inseparable_c (c : inseparable_claim)
| optimal_c (c : optimal_claim)
| perceptron_c (c : perceptron_claim).

Definition check (d : data) (c : claim) : verdict :=
  match c with
  | separable_c c => check_separable d c
  | inseparable_c c => check_inseparable d c
  | optimal_c c => check_optimal d c
  | perceptron_c c => check_perceptron d c
  end.
