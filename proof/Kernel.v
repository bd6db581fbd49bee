(** Kernels.

    A function k of two points is a kernel if all its matrices are positive semidefinite: for points
    x_1, ..., x_n the matrix K_ij = k(x_i, x_j) is symmetric, and sum_ij z_i K_ij z_j >= 0 for all
    numbers z_1, ..., z_n.

    Proven here:
    1. (Kernel lemma, one direction.) K = B B' is positive semidefinite. So <phi(x), phi(y)> is a
       kernel, for every feature map phi.
    2. (The other direction, without square roots.) A positive semidefinite matrix is
       K = sum_t d_t v_t v_t' with d_t >= 0. With square roots of the d_t it is K = B B'.
    3. (Combination theorem.) If k and l are kernels, so are c k for c >= 0, f(x) f(y) k(x, y) for
       every function f, k + l, and k l; hence also (k + r)^n for r >= 0.

    The idea of 2 is Gauss' elimination. If K_ii > 0, then K - K_i K_i' / K_ii is still positive
    semidefinite, and its row i is zero. If K_ii = 0, row i is zero already. Each step makes one more
    row zero. The product of kernels follows:
    sum_ij z_i K_ij L_ij z_j = sum_t d_t sum_ij (z_i v_ti) L_ij (z_j v_tj) >= 0. *)

From Coq Require Import List Arith Lia Field Ring.
From Halfspace Require Import OrderedField Vectors Powers.
Import ListNotations.

Section Matrices.

Variable F : ordered_field.
Add Field F_field_kernel : (field_laws F).

(** A matrix with n rows and n columns is a function of two indices below n, a vector of n numbers is a
    function of one. *)
Variable n : nat.
Implicit Types (K L : nat -> nat -> F) (z v f : nat -> F) (i j l : nat).

(** (K z)_i, and z' K z *)
Definition times K z i : F := sum n (fun j => K i j * z j).
Definition quadratic_form K z : F := sum n (fun i => z i * times K z i).

Definition symmetric K : Prop := forall i j, (i < n)%nat -> (j < n)%nat -> K i j = K j i.
Definition semidefinite K : Prop := symmetric K /\ forall z, 0 <= quadratic_form K z.

(** sum_t d_t v_t v_t' *)
Definition sum_of_squares (terms : list (F * (nat -> F))) i j : F :=
  list_sum (fun term => fst term * (snd term i * snd term j)) terms.

Definition weights_nonneg (terms : list (F * (nat -> F))) : Prop :=
  forall term, In term terms -> 0 <= fst term.

(** ** Quadratic forms *)

Lemma times_ext K L z i :
  (i < n)%nat -> (forall j, (j < n)%nat -> K i j = L i j) -> times K z i = times L z i.
Proof. intros Hi H. apply sum_ext. intros j Hj. now rewrite H. Qed.

Lemma form_ext K L z :
  (forall i j, (i < n)%nat -> (j < n)%nat -> K i j = L i j) -> quadratic_form K z = quadratic_form L z.
Proof.
  intros H. apply sum_ext. intros i Hi.
  rewrite (times_ext K L); auto.
Qed.

Lemma form_add K L z :
  quadratic_form (fun i j => K i j + L i j) z = quadratic_form K z + quadratic_form L z.
Proof.
  unfold quadratic_form, times. rewrite <- sum_add. apply sum_ext. intros i _.
  rewrite (sum_ext F _ _ (fun j => K i j * z j + L i j * z j)) by (intros; ring).
  rewrite sum_add. ring.
Qed.

Lemma form_scale c K z : quadratic_form (fun i j => c * K i j) z = c * quadratic_form K z.
Proof.
  unfold quadratic_form, times. rewrite <- sum_scale. apply sum_ext. intros i _.
  rewrite (sum_ext F _ _ (fun j => c * (K i j * z j))) by (intros; ring).
  rewrite sum_scale. ring.
Qed.

(** The form of f_i f_j K_ij at z is that of K at the vector f_i z_i. *)
Lemma form_rescale f K z :
  quadratic_form (fun i j => f i * f j * K i j) z = quadratic_form K (fun i => f i * z i).
Proof.
  unfold quadratic_form, times. apply sum_ext. intros i _.
  rewrite (sum_ext F _ _ (fun j => f i * (K i j * (f j * z j)))) by (intros; ring).
  rewrite sum_scale. ring.
Qed.

(** The form of v v' at z is <v, z>^2. *)
Lemma form_square v z :
  quadratic_form (fun i j => v i * v j) z =
  sum n (fun i => v i * z i) * sum n (fun i => v i * z i).
Proof.
  unfold quadratic_form, times. rewrite <- sum_scale. apply sum_ext. intros i _.
  rewrite (sum_ext F _ _ (fun j => v i * (v j * z j))) by (intros; ring).
  rewrite sum_scale. ring.
Qed.

(** ** The combination theorem for matrices, all but the product *)

Lemma semidefinite_ext K L :
  (forall i j, (i < n)%nat -> (j < n)%nat -> K i j = L i j) -> semidefinite K -> semidefinite L.
Proof.
  intros H [symmetric_K form_K]. split.
  - intros i j Hi Hj. rewrite <- !H; auto.
  - intros z. now rewrite <- (form_ext K L z H).
Qed.

Theorem semidefinite_scale c K :
  0 <= c -> semidefinite K -> semidefinite (fun i j => c * K i j).
Proof.
  intros Hc [symmetric_K form_K]. split.
  - intros i j Hi Hj. now rewrite symmetric_K.
  - intros z. rewrite form_scale. now apply mul_nonneg.
Qed.

Theorem semidefinite_rescale f K :
  semidefinite K -> semidefinite (fun i j => f i * f j * K i j).
Proof.
  intros [symmetric_K form_K]. split.
  - intros i j Hi Hj. rewrite symmetric_K by assumption. ring.
  - intros z. rewrite form_rescale. apply form_K.
Qed.

Theorem semidefinite_add K L :
  semidefinite K -> semidefinite L -> semidefinite (fun i j => K i j + L i j).
Proof.
  intros [symmetric_K form_K] [symmetric_L form_L]. split.
  - intros i j Hi Hj. now rewrite symmetric_K, symmetric_L.
  - intros z. rewrite form_add. now apply add_nonneg.
Qed.

Lemma semidefinite_square v : semidefinite (fun i j => v i * v j).
Proof.
  split.
  - intros i j _ _. ring.
  - intros z. rewrite form_square. apply square_nonneg.
Qed.

Lemma semidefinite_zero : semidefinite (fun _ _ => 0).
Proof.
  apply semidefinite_ext with (K := fun i j => 0 * 0); [intros; ring |].
  apply (semidefinite_square (fun _ => 0)).
Qed.

Lemma semidefinite_sum (T : Type) (terms : list T) (K : T -> nat -> nat -> F) :
  (forall t, In t terms -> semidefinite (K t)) ->
  semidefinite (fun i j => list_sum (fun t => K t i j) terms).
Proof.
  induction terms as [| t terms IH]; intros H; simpl.
  - exact semidefinite_zero.
  - apply semidefinite_add; [apply H; now left |]. apply IH. intros u Hu. apply H. now right.
Qed.

(** Kernel lemma, one direction: K = B B' is positive semidefinite, B with any number of columns. *)
Theorem gram_semidefinite (columns : nat) (B : nat -> nat -> F) :
  semidefinite (fun i j => sum columns (fun t => B i t * B j t)).
Proof.
  induction columns as [| t IH]; simpl; [exact semidefinite_zero |].
  apply semidefinite_add; [exact IH | apply (semidefinite_square (fun i => B i t))].
Qed.

(** The same with weights d_t >= 0. *)
Theorem sum_of_squares_semidefinite terms :
  weights_nonneg terms -> semidefinite (sum_of_squares terms).
Proof.
  intros H. apply semidefinite_sum. intros [d v] Hd.
  apply semidefinite_scale; [now apply H in Hd | apply semidefinite_square].
Qed.

(** ** The elimination *)

(** e_i *)
Definition unit_vector i : nat -> F := fun j => if Nat.eqb j i then 1 else 0.

Lemma sum_unit_vector i f : (i < n)%nat -> sum n (fun j => unit_vector i j * f j) = f i.
Proof.
  intros Hi. rewrite <- (sum_single F n i (f i) Hi). apply sum_ext. intros j _. unfold unit_vector.
  destruct (Nat.eqb_spec j i) as [-> | _]; ring.
Qed.

(** The form at t e_i + z, with the unit vector e_i, is t^2 K_ii + 2 t (K z)_i + z' K z. *)
Lemma form_shift K i t z : symmetric K -> (i < n)%nat ->
  quadratic_form K (fun j => t * unit_vector i j + z j) =
  t * t * K i i + 2 * t * times K z i + quadratic_form K z.
Proof.
  intros symmetric_K Hi.
  assert (forall f, sum n (fun j => (t * unit_vector i j + z j) * f j) =
                    t * f i + sum n (fun j => z j * f j)) as split_sum.
  { intros f. rewrite (sum_ext F _ _ (fun j => t * (unit_vector i j * f j) + z j * f j))
      by (intros; ring).
    now rewrite sum_add, sum_scale, sum_unit_vector. }
  assert (forall j, times K (fun l => t * unit_vector i l + z l) j = t * K j i + times K z j)
    as times_shift.
  { intros j. unfold times.
    rewrite (sum_ext F _ _ (fun l => (t * unit_vector i l + z l) * K j l)) by (intros; ring).
    rewrite split_sum. f_equal. apply sum_ext. intros; ring. }
  unfold quadratic_form at 1. rewrite split_sum, times_shift.
  rewrite (sum_ext F _ _ (fun j => t * (K i j * z j) + z j * times K z j)).
  - rewrite sum_add, sum_scale. fold (times K z i). fold (quadratic_form K z). ring.
  - intros j Hj. rewrite times_shift, (symmetric_K j i) by assumption. ring.
Qed.

Lemma times_unit_vector K i j : (j < n)%nat -> times K (unit_vector j) i = K i j.
Proof.
  intros Hj. unfold times.
  rewrite (sum_ext F _ _ (fun l => unit_vector j l * K i l)) by (intros; ring).
  now apply sum_unit_vector.
Qed.

Lemma form_unit_vector K i : (i < n)%nat -> quadratic_form K (unit_vector i) = K i i.
Proof.
  intros Hi. unfold quadratic_form.
  rewrite sum_unit_vector by exact Hi. now apply times_unit_vector.
Qed.

Lemma semidefinite_diagonal K i : semidefinite K -> (i < n)%nat -> 0 <= K i i.
Proof. intros [_ form_K] Hi. rewrite <- (form_unit_vector K i Hi). apply form_K. Qed.

Lemma not_nonzero (x : F) : ~ x <> 0 -> x = 0.
Proof.
  intros H. destruct (compare x 0) as [[negative | zero] | positive]; [| exact zero |]; exfalso; apply H;
    intros e; rewrite e in *; eapply lt_irreflexive; eassumption.
Qed.

(** If K_ii = 0, the form at t e_i + z is 2 t (K z)_i + z' K z >= 0 for every t: so (K z)_i = 0. *)
Lemma semidefinite_zero_diagonal K i z :
  semidefinite K -> (i < n)%nat -> K i i = 0 -> times K z i = 0.
Proof.
  intros [symmetric_K form_K] Hi diagonal. apply not_nonzero. intros nonzero.
  set (p := times K z i) in *. set (q := quadratic_form K z).
  pose proof (positive_nonzero F 2 (two_positive F)) as two.
  pose proof (form_K (fun j => - (q + 1) / (2 * p) * unit_vector i j + z j)) as form.
  rewrite form_shift, diagonal in form by assumption. fold p q in form.
  apply (le_not_lt F _ _ form), lt_by_difference.
  match goal with |- _ < ?difference => replace difference with (one (o := F)) by (field; auto) end.
  apply one_positive.
Qed.

(** If K_ii > 0, take t = - (K z)_i / K_ii. *)
Lemma semidefinite_cauchy_schwarz K i z : semidefinite K -> (i < n)%nat -> 0 < K i i ->
  times K z i * times K z i / K i i <= quadratic_form K z.
Proof.
  intros [symmetric_K form_K] Hi positive.
  pose proof (positive_nonzero F _ positive) as nonzero.
  pose proof (form_K (fun j => - (times K z i / K i i) * unit_vector i j + z j)) as form.
  rewrite form_shift in form by assumption. apply le_by_difference.
  follows_from form.
Qed.

(** K - K_i K_i' / K_ii *)
Definition eliminate i K : nat -> nat -> F := fun j l => K j l - K i j * K i l / K i i.

Lemma eliminate_semidefinite i K :
  semidefinite K -> (i < n)%nat -> 0 < K i i -> semidefinite (eliminate i K).
Proof.
  intros semidefinite_K Hi positive. pose proof semidefinite_K as [symmetric_K form_K].
  pose proof (positive_nonzero F _ positive) as nonzero. split.
  - intros j l Hj Hl. unfold eliminate. rewrite symmetric_K by assumption. now field.
  - intros z. pose proof (semidefinite_cauchy_schwarz K i z semidefinite_K Hi positive) as bound.
    apply le_difference in bound.
    rewrite (form_ext _ (fun j l => K j l + (- (1 / K i i)) * (K i j * K i l)))
      by (intros; unfold eliminate; now field).
    rewrite form_add, form_scale, form_square. fold (times K z i).
    follows_from bound.
Qed.

(** The elimination of the first m rows, all others being zero *)
Lemma semidefinite_elimination m K : (m <= n)%nat -> semidefinite K ->
  (forall i j, (m <= i)%nat -> (i < n)%nat -> (j < n)%nat -> K i j = 0) ->
  exists terms, weights_nonneg terms /\
    forall i j, (i < n)%nat -> (j < n)%nat -> K i j = sum_of_squares terms i j.
Proof.
  revert K. induction m as [| m IH]; intros K Hm semidefinite_K zero.
  - exists []. split; [intros ? [] |]. intros i j Hi Hj. apply zero; auto with arith.
  - assert ((m < n)%nat) as Hm' by lia. pose proof semidefinite_K as [symmetric_K form_K].
    destruct (semidefinite_diagonal K m semidefinite_K Hm') as [positive | diagonal].
    + pose proof (positive_nonzero F _ positive) as nonzero.
      destruct (IH (eliminate m K)) as [terms [weights decomposition]].
      * lia.
      * now apply eliminate_semidefinite.
      * intros i j Hi Hin Hj. unfold eliminate. destruct (Nat.eq_dec i m) as [-> | other].
        -- now field.
        -- rewrite (symmetric_K m i), !(zero i) by lia. now field.
      * exists ((1 / K m m, K m) :: terms). split.
        -- intros term [<- | Hterm]; [| now apply weights].
           apply lt_le, div_positive; [apply one_positive | exact positive].
        -- intros i j Hi Hj. unfold sum_of_squares. simpl. fold (sum_of_squares terms i j).
           rewrite <- decomposition by assumption. unfold eliminate. now field.
    + apply IH; [lia | assumption |]. intros i j Hi Hin Hj.
      destruct (Nat.eq_dec i m) as [-> | other]; [| apply zero; lia].
      rewrite <- (times_unit_vector K m j Hj). now apply semidefinite_zero_diagonal.
Qed.

(** Kernel lemma, the other direction: K = sum_t d_t v_t v_t', d_t >= 0. *)
Theorem semidefinite_decomposition K : semidefinite K ->
  exists terms, weights_nonneg terms /\
    forall i j, (i < n)%nat -> (j < n)%nat -> K i j = sum_of_squares terms i j.
Proof.
  intros semidefinite_K. apply (semidefinite_elimination n); auto. intros; lia.
Qed.

(** If every number d >= 0 is a square, K = B B'. *)
Theorem semidefinite_gram K : (forall d : F, 0 <= d -> exists r, r * r = d) -> semidefinite K ->
  exists columns (B : nat -> nat -> F), forall i j, (i < n)%nat -> (j < n)%nat ->
    K i j = sum columns (fun t => B i t * B j t).
Proof.
  intros roots semidefinite_K.
  destruct (semidefinite_decomposition K semidefinite_K) as [terms [weights decomposition]].
  enough (exists columns B, forall i j, (i < n)%nat -> (j < n)%nat ->
            sum_of_squares terms i j = sum columns (fun t => B i t * B j t)) as [columns [B H]].
  { exists columns, B. intros i j Hi Hj. rewrite decomposition by assumption. now apply H. }
  clear decomposition. induction terms as [| [d v] terms IH].
  - exists 0%nat, (fun _ _ => 0). reflexivity.
  - destruct IH as [columns [B H]]; [intros term Hterm; apply weights; now right |].
    destruct (roots d) as [r Hr]; [apply (weights (d, v)); now left |].
    exists (S columns), (fun i t => if Nat.eqb t columns then r * v i else B i t).
    intros i j Hi Hj. unfold sum_of_squares. simpl. fold (sum_of_squares terms i j).
    rewrite Nat.eqb_refl, (sum_ext F columns _ (fun t => B i t * B j t)), <- H, <- Hr by
      (assumption || (intros t Ht; now rewrite (proj2 (Nat.eqb_neq t columns)) by lia)).
    ring.
Qed.

(** The product of matrices, entry by entry (Schur) *)
Theorem semidefinite_product K L :
  semidefinite K -> semidefinite L -> semidefinite (fun i j => K i j * L i j).
Proof.
  intros semidefinite_K semidefinite_L.
  destruct (semidefinite_decomposition K semidefinite_K) as [terms [weights decomposition]].
  apply semidefinite_ext with
    (K := fun i j => list_sum (fun term => fst term * (snd term i * snd term j * L i j)) terms).
  - intros i j Hi Hj. rewrite decomposition by assumption. unfold sum_of_squares.
    rewrite (list_sum_ext F _ (fun term => L i j * (fst term * (snd term i * snd term j))))
      by (intros; ring).
    rewrite list_sum_scale. ring.
  - apply semidefinite_sum. intros [d v] Hd. simpl.
    apply semidefinite_scale; [now apply weights in Hd | now apply semidefinite_rescale].
Qed.

End Matrices.

Arguments quadratic_form {F} n K z.
Arguments semidefinite {F} n K.

(** ** Kernel functions *)

Section Kernels.

Variable F : ordered_field.
Variable X : Type.
Implicit Types (k l : X -> X -> F) (f : X -> F).

(** All matrices of k are positive semidefinite. *)
Definition kernel k : Prop :=
  forall n (x : nat -> X), semidefinite n (fun i j => k (x i) (x j)).

Theorem kernel_of_features (columns : nat) (phi : X -> nat -> F) :
  kernel (fun x y => sum columns (fun t => phi x t * phi y t)).
Proof. intros n x. apply (gram_semidefinite F n columns (fun i => phi (x i))). Qed.

Theorem kernel_scale c k : 0 <= c -> kernel k -> kernel (fun x y => c * k x y).
Proof. intros Hc Hk n x. apply semidefinite_scale; [exact Hc | apply Hk]. Qed.

Theorem kernel_rescale f k : kernel k -> kernel (fun x y => f x * f y * k x y).
Proof. intros Hk n x. apply (semidefinite_rescale F n (fun i => f (x i))), Hk. Qed.

Theorem kernel_add k l : kernel k -> kernel l -> kernel (fun x y => k x y + l x y).
Proof. intros Hk Hl n x. apply semidefinite_add; [apply Hk | apply Hl]. Qed.

Theorem kernel_product k l : kernel k -> kernel l -> kernel (fun x y => k x y * l x y).
Proof. intros Hk Hl n x. apply semidefinite_product; [apply Hk | apply Hl]. Qed.

Add Field F_field_kernels : (field_laws F).

Lemma kernel_constant c : 0 <= c -> kernel (fun _ _ => c).
Proof.
  intros Hc n x.
  apply semidefinite_ext with (K := fun i j => c * (1 * 1)); [intros; ring |].
  apply semidefinite_scale; [exact Hc | apply (semidefinite_square F n (fun _ => 1))].
Qed.

Theorem kernel_power k n : kernel k -> kernel (fun x y => power (k x y) n).
Proof.
  intros Hk. induction n as [| n IH]; simpl.
  - apply kernel_constant, one_nonneg.
  - now apply kernel_product.
Qed.

Theorem kernel_shifted_power k r n : 0 <= r -> kernel k -> kernel (fun x y => power (k x y + r) n).
Proof. intros Hr Hk. apply kernel_power, kernel_add; [exact Hk | now apply kernel_constant]. Qed.

End Kernels.

Arguments kernel {F X} k.

(** The kernels <x, y> and (<x, y> + r)^n of vectors with d coordinates *)
Theorem kernel_linear (F : ordered_field) d : kernel (dot (F := F) d).
Proof. apply (kernel_of_features F (vector F) d (fun x => x)). Qed.

Theorem kernel_polynomial (F : ordered_field) d (r : F) n :
  0 <= r -> kernel (fun x y => power (dot d x y + r) n).
Proof. intros Hr. apply kernel_shifted_power; [exact Hr | apply kernel_linear]. Qed.
