(* halfspace-verify-proved CERT DATA: asks the extracted checker about every claim, and prints the
   sentences of halfspace-verify-core. *)

open Printf
open Reader

let claim_number = ref 0

let sentence out text =
  if !claim_number > 0 then fprintf out "claim %d: " !claim_number;
  output_string out (text ^ "\n")

let say format = ksprintf (sentence stdout) format
let plural n = if n = 1 then "" else "s"
let through offset = if offset then "" else " through the origin"

(* "rows 3, 5 and 8", or "rows 3, 5, 8, ... (433 rows)". *)
let row_names list =
  let n = List.length list in
  let before i = if i = 0 then " " else if n <= 12 && i + 1 = n then " and " else ", " in
  let name i (row, _) = if n > 12 && i > 2 then "" else before i ^ Z.to_string row in
  "row" ^ plural n ^ String.concat "" (Array.to_list (Array.mapi name (Array.of_list list)))
  ^ if n > 12 then sprintf ", ... (%d rows)" n else ""

(* ---- What holds, in sentences ------------------------------------------------------------------- *)

let separable_sentences rows claim (c : C.separable_claim) =
  let separator =
    if c.C.s_offset then "separator (w, b)" else "separator w, through the origin," in
  let sides =
    if rows = 1 then "has the 1 row strictly on its side"
    else sprintf "puts all %d rows strictly on their sides" rows in
  let text key = text_of (Option.bind (find claim "margin") (fun m -> find m key)) in
  let widest = "the widest margin" ^ through c.C.s_offset in
  sprintf "separable: the %s %s." separator sides :: match c.C.s_margin with
    | None -> []
    | Some (_, None) -> [sprintf "%s is at least %s." widest (text "low")]
    | Some (_, Some (_, list)) ->
        [sprintf "%s is in [%s, %s]; the upper end is from %s." widest (text "low") (text "high")
           (row_names list)]

let inseparable_sentences claim (c : C.inseparable_claim) =
  let rows = row_names c.C.i_multipliers and where = through c.C.i_offset in
  if c.C.i_epsilon = None then
    [sprintf "not separable%s: with multipliers a > 0 on %s, sum a y x = 0%s." where rows
       (if c.C.i_offset then " and sum a y = 0: a point of both classes' convex hulls"
        else ": 0 is in the convex hull of the y x")]
  else
    [sprintf "no separator%s has a margin above %s, by multipliers on %s (which does not say that \
              there is none)." where (text_of (find claim "epsilon")) rows]

let optimal_sentences claim =
  let text key = text_of (find claim key) and cost key = text_of (find (get claim "cost") key) in
  [sprintf "optimal: the objective of this separator (%s loss, offset %s, costs %s and %s of \
            negative and positive rows) is at most %s above the least possible."
     (text "loss") (text "offset") (cost "negative") (cost "positive") (text "gap")]

let perceptron_sentences claim (c : C.perceptron_claim) bound =
  let within = match Option.bind (find claim "model") (fun m -> find m "within") with
    | None -> "0"
    | some -> text_of some in
  let fact (key, value) = match key, text_of (Some value) with
    | ("claim" | "note"), _ | _, "" -> None
    | "passes", text -> Some ("passes at most " ^ text)
    | key, text -> Some (key ^ " " ^ text) in
  let facts = match claim with Object members -> List.filter_map fact members | _ -> [] in
  let most = match bound with
    | Some q -> Z.to_string (Z.fdiv q.C.qnum q.C.qden)
    | None -> "" in
  List.concat [
    if c.C.p_converged then ["mistakes: the run had converged: no row would be updated any more."]
    else [];
    if c.C.p_model = None then []
    else [sprintf "mistakes: the run ends with the weights of the claim, each number within %s." within];
    [sprintf "mistakes: the perceptron's updates, replayed, number %s; (R~^2 + 2 tau/rate) \
              ||w~*||^2 / min(y s*)^2 allows at most %s." (Z.to_string c.C.p_total) most;
     sprintf "mistakes: that run has %s." (String.concat ", " facts)]]

let sentences rows claim bound = function
  | C.Separable_c c -> separable_sentences rows claim c
  | C.Inseparable_c c -> inseparable_sentences claim c
  | C.Optimal_c _ -> optimal_sentences claim
  | C.Perceptron_c c -> perceptron_sentences claim c bound

(* ---- What does not hold ------------------------------------------------------------------------- *)

let explain rows total reason =
  let row = Z.to_string in
  match reason with
  | C.Not_well_formed -> "the claim is not well formed"
  | C.Offset_is_not_zero -> "b must be 0 without an offset"
  | C.Row_on_wrong_side i -> sprintf "row %s is not on its side: y s(x) > 0 is not so" (row i)
  | C.No_weights_no_margin -> "w = 0 has no margin"
  | C.Low_end_too_high -> "the separator's margin is below the certified low end"
  | C.Row_not_there i -> sprintf "row %s is named, but there are %d" (row i) rows
  | C.Multiplier_not_positive i -> sprintf "the multiplier of row %s is not above 0" (row i)
  | C.No_multiplier -> "there is no multiplier"
  | C.Classes_differ -> "the multipliers of the two classes have different sums"
  | C.Sum_too_long -> "the multipliers do not show it: the sum of a y x is too long"
  | C.Dual_out_of_range i -> sprintf "the dual weight of row %s is not between 0 and its cost" (row i)
  | C.Dual_not_balanced -> "the sum of a y over the dual weights is not 0"
  | C.Gap_too_small -> "the gap between objective and dual value is larger than certified"
  | C.Other_total k -> sprintf "the run makes %s updates, not as many as certified" (row k)
  | C.Not_converged -> "the run had not converged: rows would be updated"
  | C.Other_model -> "the run does not end with the model"
  | C.Does_not_separate -> "the separator does not separate the rows"
  | C.Above_bound -> sprintf "%s updates are more than the bound" total

(* How many of the sentences had been established before a claim failed. *)
let established claim reason = match claim, reason with
  | C.Separable_c _, (C.Not_well_formed | C.Offset_is_not_zero | C.Row_on_wrong_side _) -> 0
  | C.Separable_c _, _ -> 1
  | C.Perceptron_c c, C.Other_model -> Bool.to_int c.C.p_converged
  | C.Perceptron_c c, (C.Does_not_separate | C.Above_bound) ->
      Bool.to_int c.C.p_converged + Bool.to_int (c.C.p_model <> None)
  | _ -> 0

(* ---- A certificate from its first byte to its last claim ---------------------------------------- *)

let say_reading data r =
  let rows = List.length r.table.C.rows and columns = Z.to_int r.table.C.columns in
  let positive = List.length (List.filter fst r.table.C.rows) in
  say "data: this is the file that was certified as %s: %d row%s (%d positive, %d negative), %d \
       column%s; rows of other labels, not counted: %d." (quote (get_string data "file")) rows
    (plural rows) positive (rows - positive) columns (plural columns) r.unused;
  let class_of y = if y > 0 then "positive" else "negative" in
  List.iter (fun (text, y) -> say "data: label %s is %s." (quote text) (class_of y)) r.labels;
  if r.header then say "data: the first record is taken for names, not for a row.";
  if r.separator <> ',' then
    say "data: fields are separated by %s."
      (if r.separator = '\t' then "tabs" else quote (String.make 1 r.separator));
  List.iteri (fun k kind ->
    if kind = "label" then say "data: field %d is the label." (k + 1);
    if kind = "ignored" then say "data: field %d is ignored." (k + 1)) r.kinds

let check_claim rows columns data claim =
  incr claim_number;
  let c = read_claim columns claim in
  let say_first n bound =
    List.iteri (fun i text -> if i < n then say "%s" text) (sentences rows claim bound c) in
  match C.check data c with
  | C.Holds bound -> say_first max_int bound
  | C.Fails reason ->
      say_first (established c reason) None;
      fail rejected "%s" (explain rows (text_of (find claim "total")) reason)

let check_certificate cert data_text =
  let root = parse_json cert in
  only root "format,version,data,test,transform,model,claims,made_by";
  if get_string root "format" <> "halfspace certificate" then
    fail unreadable "this is not a halfspace certificate";
  if get_count root "version" <> 2 then
    fail unreadable "this checker reads version 2: run halfspace certify again";
  if find root "made_by" <> None then ignore (get_string root "made_by");
  let claims = get_array root "claims" and data = get_object root "data" in
  Option.iter (fun m -> only m "sha256"; ignore (get_digest m)) (find root "model");
  if claims = [] then fail unreadable "the certificate claims nothing";
  if stray root "format,version,data,model,claims,made_by" <> None then
    beyond "a second file, and transformed columns";
  let reading = read_table data data_text in
  say_reading data reading;
  let columns = get_count data "columns" in
  (match C.prepare reading.table with
   | Some d -> List.iter (check_claim (List.length reading.table.C.rows) columns d) claims
   | None -> fail unreadable "data: a column is not among the columns");
  claim_number := 0;
  say "verified: %s." (if List.length claims = 1 then "the claim holds" else "all claims hold")

let read_file name =
  let file = open_in_bin name and text = Buffer.create 65536 and part = Bytes.create 65536 in
  let rec read () =
    let size = input file part 0 65536 in
    if size > 0 then (Buffer.add_subbytes text part 0 size; read ()) in
  read ();
  Buffer.contents text

let () =
  let status =
    if Array.length Sys.argv <> 3 then (prerr_endline "usage: halfspace-verify-proved CERT DATA"; 2)
    else
      try
        check_certificate (read_file Sys.argv.(1)) (read_file Sys.argv.(2));
        0
      with
      | Failed (status, text) ->
          if status = rejected then prerr_string "rejected: ";
          sentence stderr text;
          status
      | Sys_error text -> prerr_endline text; unreadable
      | Out_of_memory | Stack_overflow -> prerr_endline "out of memory"; 4
      | error -> prerr_endline ("internal error: " ^ Printexc.to_string error); 4 in
  let status = try flush stdout; status with Sys_error text ->
    (try prerr_endline ("the report cannot be written: " ^ text) with Sys_error _ -> ()); 4 in
  (* What cannot be written is given up, or the end of the program would fail on it, with status 2. *)
  close_out_noerr stdout;
  close_out_noerr stderr;
  exit status
