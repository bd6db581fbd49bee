(* Reads a certificate and its data as docs/certificates.md describes them, for the extracted checker.
   This file is trusted to read what is written. It decides nothing about a claim. *)

module C = Checker

(* ---- Failures ---------------------------------------------------------------------------------- *)
exception Failed of int * string (* the exit status, and why *)
let rejected, unreadable, beyond_core = 1, 3, 5
let fail status format = Printf.ksprintf (fun text -> raise (Failed (status, text))) format
let map f list = List.rev (List.rev_map f list) (* in a stack of any size *)
let beyond what = fail beyond_core "%s: beyond the core; halfspace-verify checks it" what

(* Text of a file in quotes, on one line; no two texts look alike. *)
let quote text = let shown c = if c < ' ' || c > '~' then Printf.sprintf "\\x%02x" (Char.code c)
    else (if c = '"' || c = '\\' then "\\" else "") ^ String.make 1 c in
  "\"" ^ String.concat "" (map shown (List.of_seq (String.to_seq text))) ^ "\""

let is_digit c = c >= '0' && c <= '9'
let behind text i = String.sub text (i + 1) (String.length text - i - 1)

(* ---- SHA-256 (FIPS 180-4) ---------------------------------------------------------------------- *)
let mask = 0xffffffff

(* The first 32 bits behind the point of the square (2) or cubic (3) roots of the first primes. *)
let root_bits degree count =
  let is_prime n = not (List.exists (fun d -> n mod d = 0) (List.init (n - 2) (fun i -> i + 2))) in
  let primes = List.filter is_prime (List.init 310 (fun i -> i + 2)) in
  let bits n = Z.root (Z.shift_left (Z.of_int n) (32 * degree)) degree in
  Array.init count (fun i -> Z.to_int (Z.logand (bits (List.nth primes i)) (Z.of_int mask)))
let sha256 text =
  let turn x n = ((x lsr n) lor (x lsl (32 - n))) land mask in
  let k = root_bits 3 64 and state = root_bits 2 8 and w = Array.make 64 0 in
  let size = String.length text in
  let padded = Bytes.make ((size + 72) / 64 * 64) '\000' in
  Bytes.blit_string (text ^ "\x80") 0 padded 0 (size + 1);
  Bytes.set_int64_be padded (Bytes.length padded - 8) (Int64.of_int (8 * size));
  for block = 0 to Bytes.length padded / 64 - 1 do
    for i = 0 to 63 do
      w.(i) <- if i < 16 then Int32.to_int (Bytes.get_int32_be padded (64 * block + 4 * i)) land mask
        else let a = w.(i - 15) and b = w.(i - 2) in
          (w.(i - 16) + w.(i - 7) + (turn a 7 lxor turn a 18 lxor (a lsr 3))
           + (turn b 17 lxor turn b 19 lxor (b lsr 10))) land mask
    done;
    let v = Array.copy state in
    for i = 0 to 63 do
      let a = v.(0) and e = v.(4) in
      let t = v.(7) + (turn e 6 lxor turn e 11 lxor turn e 25)
              + ((e land v.(5)) lxor (lnot e land v.(6))) + k.(i) + w.(i) in
      let u = (turn a 2 lxor turn a 13 lxor turn a 22)
              + ((a land v.(1)) lxor (a land v.(2)) lxor (v.(1) land v.(2))) in
      Array.blit v 0 v 1 7;
      v.(4) <- (v.(4) + t) land mask;
      v.(0) <- (t + u) land mask
    done;
    Array.iteri (fun i x -> state.(i) <- (state.(i) + x) land mask) v
  done;
  String.concat "" (List.map (Printf.sprintf "%08x") (Array.to_list state))

(* ---- JSON, strictly; numbers keep their text ---------------------------------------------------- *)
type json =
  | Flag of bool | Number of string | String of string
  | Array of json list | Object of (string * json) list

let parse_json text =
  let size = String.length text and p = ref 0 in
  let expected what =
    let line = List.length (String.split_on_char '\n' (String.sub text 0 !p)) in
    fail unreadable "certificate: line %d: expected %s" line what in
  let next bytes = !p < size && String.contains bytes text.[!p] && (incr p; true) in
  let rec take bytes = if next " \t\r\n" then take bytes else next bytes in
  let rec digits () =
    if not (next "0123456789") then expected "a digit"
    else if !p < size && is_digit text.[!p] then digits () in
  let escaped () = match if !p < size then String.index_opt "\"\\/bfnrt" text.[!p] else None with
    | Some i -> incr p; "\"\\/\b\012\n\r\t".[i]
    | None when next "u" -> beyond "characters that are escaped by \\u"
    | None -> expected "an escaped character" in
  let string () =
    let out = Buffer.create 16 in
    while not (next "\"") do
      if !p = size || text.[!p] < ' ' then expected "a character or '\"'";
      if text.[!p] > '\127' then beyond "text that is not ASCII";
      Buffer.add_char out (if next "\\" then escaped () else (incr p; text.[!p - 1]))
    done;
    Buffer.contents out in
  let word w = let n = String.length w in
    size - !p >= n && String.sub text !p n = w && (p := !p + n; true) in
  let number () =
    let start = !p in
    if not (!p < size && String.contains "-0123456789" text.[!p]) then expected "a value";
    ignore (next "-"); if not (next "0") then digits ();
    if next "." then digits (); if next "eE" then (ignore (next "+-"); digits ());
    String.sub text start (!p - start) in
  let rec value depth =
    ignore (take "");
    if depth > 100 then expected "fewer brackets in brackets";
    if word "false" then Flag false else if word "true" then Flag true
    else if next "\"" then String (string ())
    else if next "[" then Array (if take "]" then [] else items depth [])
    else if next "{" then Object (if take "}" then [] else members depth [])
    else Number (number ())
  and items depth found =
    let found = value (depth + 1) :: found in
    if take "," then items depth found
    else if take "]" then List.rev found else expected "',' or ']'"
  and members depth found =
    if not (take "\"") then expected "the name of a member";
    let key = string () in
    if List.mem_assoc key found then expected "another member before";
    if not (take ":") then expected "':'";
    let found = (key, value (depth + 1)) :: found in
    if List.length found > 1000 then expected "fewer members";
    if take "," then members depth found
    else if take "}" then List.rev found else expected "',' or '}'" in
  let root = value 0 in
  if ignore (take ""); !p <> size then expected "nothing more" else root
(* A member that is not in the list. *)
let stray value list = match value with
  | Object members ->
      let known = function
        | "note", String _ -> true
        | key, _ -> List.mem key (String.split_on_char ',' list) in
      Option.map fst (List.find_opt (fun m -> not (known m)) members)
  | _ -> fail unreadable "an object is expected with: %s" list
let only value list =
  Option.iter (fun key -> fail unreadable "member %s has no place here" (quote key)) (stray value list)
let find value key = match value with Object members -> List.assoc_opt key members | _ -> None
let get value key =
  match find value key with Some v -> v | None -> fail unreadable "member \"%s\" is missing" key
let no key kind = fail unreadable "member \"%s\" is no %s" key kind
let get_string v key = match get v key with String s -> s | _ -> no key "string"
let get_array v key = match get v key with Array a -> a | _ -> no key "array"
let get_object v key = match get v key with Object _ as o -> o | _ -> no key "object"
let text_of = function Some (String s | Number s) -> s | _ -> ""
let count value what = match value with
  | Number s when String.length s <= 15 && String.for_all is_digit s -> int_of_string ("0u" ^ s)
  | _ -> fail unreadable "%s: expected a whole number of at most 15 digits" what
let get_count v key = match get v key with Number _ as n -> count n key | _ -> no key "number"
let get_flag v key = match find v key with
  | Some (Flag f) -> f
  | _ -> fail unreadable "member \"%s\" must be true or false" key
let get_choice v key words =
  let s = get_string v key in
  if List.mem s (String.split_on_char ',' words) then s
  else fail unreadable "member \"%s\" is %s, expected one of: %s" key (quote s) words
let get_digest v =
  let s = get_string v "sha256" in
  if String.length s = 64 && String.for_all (String.contains "0123456789abcdef") s then s
  else fail unreadable "sha256 must be 64 hexadecimal digits (0-9, a-f)"

(* ---- Exact numbers ------------------------------------------------------------------------------ *)
(* [+-] digits [. digits] [e [+-] digits] is (m, e): m 10^e. *)
let decimal s =
  let n = String.length s and p = ref 0 in
  let next bytes = !p < n && String.contains bytes s.[!p] && (incr p; true) in
  let digits () = let start = !p in
    while !p < n && is_digit s.[!p] do incr p done;
    String.sub s start (!p - start) in
  let sign () = if next "-" then "-" else (ignore (next "+"); "") in
  let minus = sign () in
  let whole = digits () in
  let part = if next "." then digits () else "" in
  let exponent = if next "eE" then (let minus = sign () in minus ^ digits ()) else "0" in
  if whole ^ part = "" || !p < n || List.mem exponent [""; "-"] then None else
  match int_of_string_opt exponent with
  | Some e when n <= 20000 && -5000 <= e && e <= 5000 ->
      Some (Z.of_string (minus ^ whole ^ part), e - String.length part)
  | _ -> fail unreadable "a number is beyond the limits"
let rational m below = let q = Q.make m below in { C.qnum = q.Q.num; qden = q.Q.den }
let integer n = rational (Z.of_int n) Z.one
let power e = Z.pow (Z.of_int 10) e
(* A decimal, or a fraction of integers. *)
let number value what =
  let s = text_of (Some value) in
  let plain = String.for_all (String.contains "-/0123456789") s in
  let parts = match String.index_opt s '/' with
    | Some i when plain && not (String.contains (behind s i) '-') ->
        decimal (String.sub s 0 i), decimal (behind s i)
    | Some _ -> None, None
    | None -> decimal s, Some (Z.one, 0) in
  match parts with
  | Some (m, e), Some (below, _) when Z.sign below > 0 ->
      if e > 0 then rational (Z.mul m (power e)) below else rational m (Z.mul below (power (-e)))
  | _ -> fail unreadable "%s: found %s, expected an exact number" what (quote s)

let get_number v key = Option.map (fun n -> number n key) (find v key)
let number_or default v key = Option.value (get_number v key) ~default
(* Pairs [index, number], indices ascending. *)
let get_list v key =
  let pair (before, found) = function
    | Array [index; n] ->
        let index = count index key in
        if index <= before then fail unreadable "%s: found %d: indices are from 1, ascending" key index;
        index, (Z.of_int index, number n key) :: found
    | _ -> fail unreadable "%s: expected pairs [index, number]" key in
  List.rev (snd (List.fold_left pair (0, []) (get_array v key)))

(* ---- Rows --------------------------------------------------------------------------------------- *)
(* A label that is a decimal is compared by its value; these come last. *)
let label_key text = match decimal text with
  | None -> 0, String.length text, Z.zero, text
  | Some (m, _) when Z.sign m = 0 -> 1, 0, m, ""
  | Some (m, e) ->
      let rec short m e =
        if Z.divisible m (power 1) then short (Z.divexact m (power 1)) (e + 1) else 1, e, m, "" in
      short m e

let bad_line n what = fail unreadable "data: line %d: %s" n what
(* One more value in front of a row; zeros are left out. *)
let add column (m, e) row = if Z.sign m = 0 then row else (Z.of_int column, (m, Z.of_int e)) :: row

(* libsvm text: "label index:value ... # comment". *)
let libsvm_feature base columns n (before, row) word =
  let colon = Option.value (String.index_opt word ':') ~default:0 in
  let index = String.sub word 0 colon in
  if String.length word >= 4 && index = "qid" then before, row
  else match if String.for_all is_digit index then decimal (behind word colon) else None with
    | Some value when colon > 0 && colon <= 11 ->
        let column = int_of_string ("0u" ^ index) + 1 - base in
        if column <= before || column > columns then
          bad_line n "an index does not ascend, or is not among the columns";
        column, add column value row
    | _ -> bad_line n "expected index:value"
let libsvm_row base columns label_y n line =
  let blank c = if c = '\t' || c = '\r' then ' ' else c in
  let text = String.map blank (List.hd (String.split_on_char '#' line)) in
  match List.filter (( <> ) "") (String.split_on_char ' ' text) with
  | [] -> None
  | label :: features ->
      if String.contains label ':' then bad_line n "the label is missing";
      let y = label_y n label in
      let read = libsvm_feature base columns n in
      Some (y, List.rev (snd (List.fold_left read (0, []) features)))

(* CSV without quotes: one record per line. *)
let missing s = List.mem (String.lowercase_ascii s) [""; "?"; "na"; "nan"]

let rec trim s =
  let n = String.length s in
  let blank i = n > 0 && (s.[i] = ' ' || s.[i] = '\t') in
  if blank 0 then trim (String.sub s 1 (n - 1))
  else if n > 0 && blank (n - 1) then trim (String.sub s 0 (n - 1)) else s

let csv_row separator kinds names label_y n line =
  let size = String.length line in
  let line = if size > 0 && line.[size - 1] = '\r' then String.sub line 0 (size - 1) else line in
  if String.contains line '"' || String.contains line '\r' then
    beyond "quotes, and carriage returns inside a line";
  let is_blank s = String.for_all (fun c -> (c = ' ' || c = '\t') && c <> separator) s in
  let field (y, column, row) kind s =
    let s = trim s and column = if kind = "number" then column + 1 else column in
    if kind = "ignored" then y, column, row
    else if missing s then bad_line n "a value or a label is missing"
    else if kind = "label" then label_y n s, column, row
    else match decimal s with
      | Some value -> y, column, add column value row
      | None -> bad_line n "a field that should be a number is not" in
  let rec fields found kinds parts = match kinds, parts with
    | kind :: kinds, s :: parts -> fields (if !names then found else field found kind s) kinds parts
    | [], [] -> found
    | [], _ -> bad_line n "more fields than there should be"
    | _, [] -> bad_line n "fewer fields than there should be" in
  if is_blank line then None
  else
    let y, _, row = fields (0, 0, []) kinds (String.split_on_char separator line) in
    if !names then (names := false; None) else Some (y, List.rev row)
let csv_kinds data columns =
  if not (List.mem (get_string data "separator") [","; ";"; "|"; "\t"]) then
    beyond "another separator than a comma, a semicolon, a bar or a tab";
  if find data "missing" <> None
     && get_choice data "missing" "error,drop,mean,indicator" <> "error" then beyond "missing values";
  let kind field =
    if stray field "kind" <> None then beyond "fields with more than a kind";
    let kind = get_choice field "kind" "label,ignored,number,category,ordinal" in
    if kind = "category" || kind = "ordinal" then beyond "categories" else kind in
  let kinds = map kind (get_array data "fields") in
  let number_of kind = List.length (List.filter (( = ) kind) kinds) in
  if number_of "label" <> 1 || number_of "number" <> columns then
    fail unreadable "data: one field must be the label, and %d numbers" columns;
  kinds

(* ---- The table ---------------------------------------------------------------------------------- *)
type reading = {
  table : C.table;
  labels : (string * int) list; (* in order, with y *)
  header : bool; separator : char; kinds : string list; unused : int }
let read_labels data =
  let label y = function
    | String s -> label_key s, (s, y)
    | _ -> beyond "labels that are no strings" in
  let side (y, key) = map (label y) (get_array data key) in
  let labels = List.sort compare (List.concat_map side [-1, "negative"; 1, "positive"]) in
  let twice (key, (s, _)) (next, _) =
    if key = next then fail unreadable "data: the label %s is there twice" (quote s) in
  if labels <> [] then List.iter2 twice (List.rev (List.tl (List.rev labels))) (List.tl labels); labels
let read_table data text =
  let digest = get_digest data in
  let rows = get_count data "rows" and columns = get_count data "columns" in
  if rows = 0 || columns >= mask then fail unreadable "data: there are no rows, or too many columns";
  let labels = read_labels data and known = Hashtbl.create 16 in
  let drop = find data "others" <> None && get_choice data "others" "error,drop" = "drop" in
  let csv = get_choice data "format" "libsvm,csv" = "csv" in
  only data ("file,sha256,rows,columns,format,negative,positive,others,"
             ^ if csv then "separator,header,missing,fields" else "index_base");
  let kinds = if csv then csv_kinds data columns else [] in
  let separator = if csv then (get_string data "separator").[0] else ',' in
  let header = csv && get_flag data "header" and base = if csv then 0 else get_count data "index_base" in
  if base > 1 then fail unreadable "data: index_base must be 0 or 1";
  if sha256 text <> digest then
    fail rejected "data: this is not the file that was certified: its SHA-256 is another";
  List.iter (fun (key, (_, y)) -> Hashtbl.replace known key y) labels;
  let label_y n text =
    let y = Option.value (Hashtbl.find_opt known (label_key text)) ~default:0 in
    if y = 0 && not drop then
      fail rejected "data: line %d: the label %s is of no class" n (quote text) else y in
  let row = (if csv then csv_row separator kinds (ref header) else libsvm_row base columns) label_y in
  let rec lines n start ((used, unused) as found) =
    if start >= String.length text then found
    else
      let stop = Option.value (String.index_from_opt text start '\n') ~default:(String.length text) in
      lines (n + 1) (stop + 1) (match row n (String.sub text start (stop - start)) with
        | None -> found
        | Some (0, _) -> used, unused + 1
        | Some (y, row) -> (y > 0, row) :: used, unused) in
  let mark = String.length text >= 3 && String.sub text 0 3 = "\xef\xbb\xbf" in
  let used, unused = lines 1 (if mark then 3 else 0) ([], 0) in
  if List.length used <> rows then
    fail rejected "data: %d rows are used, not %d as certified" (List.length used) rows;
  { table = { C.columns = Z.of_int columns; rows = List.rev used };
    labels = map snd labels; header; separator; kinds; unused }

(* ---- Claims ------------------------------------------------------------------------------------- *)
let read_separator columns point list =
  only point list;
  let w = get_list point "w" in
  if List.exists (fun (j, _) -> Z.gt j (Z.of_int columns)) w then
    fail unreadable "w: there are %d columns" columns;
  { C.sep_w = w; sep_b = number_or (integer 0) point "b" }
let separator_of columns claim = read_separator columns (get_object claim "separator") "w,b"

let read_separable columns claim =
  only claim "claim,offset,kernel,separator,margin,multipliers";
  let s_offset = get_flag claim "offset" and margin = find claim "margin" in
  let high = Option.bind margin (fun m -> only m "low,high"; find m "high") in
  if (high = None) <> (find claim "multipliers" = None) then
    fail unreadable "multipliers belong to a margin with a high end";
  let interval m = match get_number m "low" with
    | None -> fail unreadable "margin: low is missing"
    | Some low -> low, Option.map (fun h -> number h "high", get_list claim "multipliers") high in
  C.Separable_c { C.s_offset; s_separator = separator_of columns claim;
                  s_margin = Option.map interval margin }
let read_inseparable claim =
  only claim "claim,offset,kernel,multipliers,epsilon";
  C.Inseparable_c { C.i_offset = get_flag claim "offset"; i_epsilon = get_number claim "epsilon";
                    i_multipliers = get_list claim "multipliers" }

let read_optimal columns claim =
  only claim "claim,kernel,loss,offset,cost,separator,dual,gap";
  let cost = get_object claim "cost" in
  only cost "negative,positive";
  let cost_of key = match get_number cost key with
    | Some c when Z.sign c.C.qnum > 0 -> c
    | _ -> fail unreadable "costs of negative and positive rows must be above 0" in
  C.Optimal_c { C.o_cost_negative = cost_of "negative"; o_cost_positive = cost_of "positive";
    o_loss = (match get_choice claim "loss" "hinge,squared hinge" with
      | "hinge" -> C.Hinge | _ -> C.Squared_hinge);
    o_offset = (match get_choice claim "offset" "free,none,regularized" with
      | "free" -> C.Free | "none" -> C.No_offset | _ -> C.Regularized);
    o_separator = separator_of columns claim; o_dual = get_list claim "dual";
    o_gap = match get_number claim "gap" with
      | Some gap -> gap | None -> fail unreadable "the gap is missing" }

let read_perceptron columns claim =
  let offset = get_choice claim "offset" "none,unit,append,r2" in
  let order = get_choice claim "order" "cyclic,sequence" in
  let target = number_or (integer 0) claim "margin_target" in
  let list = "claim,learner,offset,rate,margin_target,order,passes,total,model,converged,separator" in
  let other = offset = "append" || offset = "r2" || order <> "cyclic" || Z.sign target.C.qnum <> 0 in
  if other || stray claim list <> None then beyond "this kind of run";
  let p_rate = number_or (integer 1) claim "rate" and passes = get_count claim "passes" in
  if Z.sign p_rate.C.qnum <= 0 || passes = 0 then fail unreadable "rate and passes must be above 0";
  let model _ =
    let m = get_object claim "model" in
    { C.m_within = number_or (integer 0) m "within";
      m_separator = read_separator columns m "w,b,within" } in
  C.Perceptron_c { C.p_unit = offset = "unit"; p_rate; p_passes = Z.of_int passes;
    p_total = Z.of_int (get_count claim "total");
    p_converged = find claim "converged" <> None && get_flag claim "converged";
    p_model = Option.map model (find claim "model"); p_separator = separator_of columns claim }

let read_claim columns claim =
  (match claim with Object _ -> () | _ -> fail unreadable "a claim must be an object");
  if find claim "kernel" <> None then beyond "kernels";
  match get_string claim "claim" with
  | "separable" -> read_separable columns claim
  | "not separable" -> read_inseparable claim
  | "optimal" -> read_optimal columns claim
  | "mistakes" when get_string claim "learner" = "perceptron" -> read_perceptron columns claim
  | _ -> beyond "this kind of claim"
