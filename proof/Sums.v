(** More about sums over lists: constants, single members, products of sums. *)

From Coq Require Import Field Ring List Arith Lia.
From Halfspace Require Import OrderedField Vectors.
Import ListNotations.

Section Sums.

Variable F : ordered_field.
Add Field F_field_sums : (field_laws F).

(** The length of a list, as a number of the field *)
Notation count l := (of_nat (length l)).

Variable T : Type.
Implicit Types (l : list T) (f g : T -> F) (e : T).

Lemma list_sum_constant (c : F) l : list_sum (fun _ => c) l = count l * c.
Proof. induction l as [| e l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma list_sum_at_least f (c : F) l : (forall e, In e l -> c <= f e) -> count l * c <= list_sum f l.
Proof. intros H. rewrite <- list_sum_constant. now apply list_sum_le. Qed.

Lemma list_sum_at_most f (c : F) l : (forall e, In e l -> f e <= c) -> list_sum f l <= count l * c.
Proof. intros H. rewrite <- list_sum_constant. now apply list_sum_le. Qed.

(** One of several numbers >= 0 is at most their sum. *)
Lemma list_sum_member f l e : (forall x, In x l -> 0 <= f x) -> In e l -> f e <= list_sum f l.
Proof.
  intros H. induction l as [| x l IH]; intros He; [destruct He |]. simpl.
  assert (0 <= list_sum f l) as rest by (apply list_sum_nonneg; intros; apply H; now right).
  assert (0 <= f x) as first by (apply H; now left).
  destruct He as [-> | He]; apply le_by_difference.
  - now replace (f e + list_sum f l - f e) with (list_sum f l) by ring.
  - replace (f x + list_sum f l - f e) with (f x + (list_sum f l - f e)) by ring.
    apply add_nonneg; [exact first |]. apply le_difference, IH; [| exact He]. intros; apply H; now right.
Qed.

(** (sum of f)^2 <= k (sum of f^2), because the sum of (k f - sum of f)^2 is not negative. *)
Lemma list_sum_square f l :
  list_sum f l * list_sum f l <= count l * list_sum (fun e => f e * f e) l.
Proof.
  assert (forall x y, list_sum (fun e => (x * f e - y) * (x * f e - y)) l =
      x * x * list_sum (fun e => f e * f e) l - 2 * x * y * list_sum f l + count l * (y * y))
    as expand.
  { intros x y. induction l as [| e l IH]; simpl; [ring | rewrite IH; ring]. }
  destruct l as [| e l]; [right; simpl; ring |]. set (k := count (e :: l)) in *.
  apply (mul_le_cancel F k).
  - apply add_nonneg_pos; [apply of_nat_nonneg | apply one_positive].
  - apply le_by_difference. set (total := list_sum f (e :: l)) in *.
    pose proof (list_sum_nonneg F (fun x => (k * f x - total) * (k * f x - total))
                  (e :: l) (fun _ _ => square_nonneg F _)) as H.
    rewrite expand in H.
    follows_from H.
Qed.

End Sums.

(** The order of two sums does not matter. *)
Lemma list_sum_swap (F : ordered_field) (S T : Type) (f : S -> T -> F) (l : list S) (m : list T) :
  list_sum (fun x => list_sum (fun y => f x y) m) l = list_sum (fun y => list_sum (fun x => f x y) l) m.
Proof.
  induction l as [| x l IH]; simpl; [now rewrite list_sum_zero | now rewrite IH, list_sum_add].
Qed.

(** One of several numbers >= 0 is at most their sum. *)
Lemma sum_member (F : ordered_field) n (f : nat -> F) j :
  (j < n)%nat -> (forall i, (i < n)%nat -> 0 <= f i) -> f j <= sum n f.
Proof.
  intros Hj H. rewrite <- (sum_single F n j (f j) Hj). apply sum_le. intros i Hi.
  destruct (Nat.eqb_spec i j) as [-> | _]; [apply le_refl | now apply H].
Qed.
