(** The theorem about the checker: if it accepts a claim about a table, the claim holds for the rows of
    the table, over every ordered field. *)

From Coq Require Import List ZArith QArith.
From Halfspace Require Import OrderedField Vectors Definitions Numbers Checker Claims Soundness
  SoundOptimal SoundReplay Perceptron.
Import ListNotations.

Definition claim_holds (F : ordered_field) (t : table) (c : claim) : Prop :=
  match c with
  | separable_c c => separable_holds F (dimension t) (rows_of t) c
  | inseparable_c c => inseparable_holds F (dimension t) (rows_of t) c
  | optimal_c c => optimal_holds F (dimension t) (rows_of t) c
  | perceptron_c c => perceptron_holds F (dimension t) (rows_of t) c
  end.

Theorem check_sound (t : table) (d : data) (c : claim) (bound : option Q) :
  prepare t = Some d -> check d c = holds bound ->
  forall F : ordered_field, claim_holds F t c.
Proof.
  intros P H F. destruct (prepare_correct F t d P) as [W R].
  unfold claim_holds, dimension. rewrite <- W.
  destruct c as [c | c | c | c]; simpl in H.
  - exact (separable_sound F d _ R c bound H).
  - exact (inseparable_sound F d _ R c bound H).
  - exact (optimal_sound F d _ R c bound H).
  - exact (perceptron_sound F d _ c bound R H).
Qed.

(** An accepted run of the perceptron is a run as [Definitions.run] has it: its rate is positive, it has
    as many updates as the certificate says, all by rows of the table, each a mistake at its time. The
    mistake bounds of Perceptron.v hold for it. *)
Theorem replayed_is_run (t : table) (d : data) (c : perceptron_claim) (bound : option Q) :
  prepare t = Some d -> check d (perceptron_c c) = holds bound ->
  forall F : ordered_field, exists (l : list (row F)) (s : state F),
    0 < of_Q (F := F) (p_rate c) /\
    run (dimension t) (of_Q (p_rate c)) (c2_of F (p_unit c)) l s /\
    Z.of_nat (length l) = p_total c /\ incl l (rows_of t).
Proof.
  intros P H F. destruct (check_sound t d _ bound P H F) as (positive & s & k & V & K & _).
  destruct (passes_run F _ _ _ _ _ _ _ _ V [] (run_start _ _ _ _)) as (l & R & L & I & _).
  rewrite app_nil_r in R. exists l, s. split; [exact positive | now rewrite L].
Qed.
