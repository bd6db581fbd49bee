/* CSV that people bring: dropped on the drawing, opened by the button, or typed as text. */
"use strict";

(function (P) {
  const MOST_ROWS = 5000;

  /* Text into records of fields; quotes as spreadsheets write them. */
  P.parseCsv = function (text) {
    text = text.replace(/^\uFEFF/, "");
    const first = text.slice(0, (text + "\n").indexOf("\n"));
    const separator = [",", ";", "\t"].map(s => [first.split(s).length, s]).sort((a, b) => b[0] - a[0])[0][1];
    const records = [];
    let record = [], value = "", quoted = false, wasQuoted = false;
    const endField = () => {
      record.push(wasQuoted ? value : value.trim());
      value = "";
      wasQuoted = false;
    };
    const endRecord = () => {
      endField();
      if (record.length > 1 || record[0] !== "") records.push(record);
      record = [];
    };
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (quoted) {
        if (c !== '"') value += c;
        else if (text[i + 1] === '"') value += text[++i];
        else quoted = false;
      } else if (c === '"' && value.trim() === "") {
        quoted = wasQuoted = true;
        value = "";
      } else if (c === separator) endField();
      else if (c === "\n") endRecord();
      else if (c !== "\r") value += c;
    }
    if (value !== "" || record.length) endRecord();
    return records;
  };

  const isNumber = text => /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text);

  /* What a file offers: names, rows, the columns of numbers, the likely class column. */
  function table(text) {
    const records = P.parseCsv(text);
    if (!records.length) throw new Error("The file is empty.");
    const header = !records[0].some(isNumber);
    const names = header ? records[0] : records[0].map((value, j) => `column ${j + 1}`);
    const rows = header ? records.slice(1) : records;
    if (!rows.length) throw new Error("The file has no rows below its header.");
    const wrong = rows.findIndex(row => row.length !== names.length);
    if (wrong >= 0)
      throw new Error(`Line ${wrong + 1 + header} has ${P.count(rows[wrong].length, "field")}, expected ${names.length}. Each line needs the same number of fields.`);
    const numeric = names.map((name, j) => j).filter(j => rows.every(row => isNumber(row[j])));
    const named = names.findIndex(name => /^(class|label|target|species|y)$/i.test(name));
    let label = named >= 0 && !(named === 1 && names.length === 3) ? named : names.length - 1;
    if (numeric.filter(j => j !== label).length < 2) label = names.findIndex((name, j) => !numeric.includes(j));
    return {names, rows, numeric, label};
  }

  /* Rows of a table as points of the plane, by the columns chosen. */
  function pointsOf(t, x, y, label) {
    if (x === y || x === label || y === label) throw new Error("Choose three different columns.");
    const classes = [...new Set(t.rows.map(row => row[label]))].sort();
    if (classes.length > P.MAX_CLASSES)
      throw new Error(`Column "${t.names[label]}" has ${classes.length} different values; the playground shows up to ${P.MAX_CLASSES} classes. Choose another class column.`);
    if (t.rows.length > MOST_ROWS) throw new Error(`The file has ${t.rows.length} rows; the playground takes up to ${MOST_ROWS}. The command has no such limit.`);
    const bad = t.rows.findIndex(row => !Number.isFinite(Number(row[x])) || !Number.isFinite(Number(row[y])));
    if (bad >= 0) throw new Error(`Row ${bad + 1} has a number that is too large.`);
    return {
      points: t.rows.map(row => ({x: Number(row[x]), y: Number(row[y]), c: classes.indexOf(row[label])})),
      classes,
      columns: [t.names[x], t.names[y], t.names[label]],
    };
  }

  /* Import a file. If it has more than three columns, a dialog asks which. */
  P.importCsv = function (text, name, made) {
    try {
      const t = table(text);
      const free = t.numeric.filter(j => j !== t.label);
      if (free.length < 2 || t.label < 0)
        throw new Error(`${name} needs two columns of numbers and a class column; it has ${P.count(t.numeric.length, "column")} of numbers.`);
      if (t.names.length > 3) return ask(t, free, name);
      finish(pointsOf(t, free[0], free[1], t.label), name, made);
    } catch (error) {
      P.say(error.message, true);
    }
  };

  function finish(data, name, made) {
    P.load(Object.assign(data, {made}));
    if (!made) P.say(`${name}: ${P.count(data.points.length, "point")}, ${P.count(data.classes.length, "class")}.`);
  }

  function ask(t, free, name) {
    const dialog = P.id("columns-dialog"), message = P.id("columns-message");
    const fill = (id, columns, chosen) => P.id(id).replaceChildren(
      ...columns.map(j => P.make("option", {value: j, selected: j === chosen}, t.names[j])));
    fill("column-x", t.numeric, free[0]);
    fill("column-y", t.numeric, free[1]);
    fill("column-label", t.names.map((n, j) => j), t.label);
    message.textContent = "";
    P.id("columns-form").onsubmit = event => {
      event.preventDefault();
      try {
        const [x, y, label] = ["column-x", "column-y", "column-label"].map(id => Number(P.id(id).value));
        finish(pointsOf(t, x, y, label), name);
        dialog.close();
      } catch (error) {
        message.textContent = error.message;
      }
    };
    P.id("columns-cancel").onclick = () => dialog.close();
    dialog.showModal();
  }

  P.readFile = function (file) {
    if (file.size > 5e6) return P.say(`${file.name} is larger than 5 MB. Use the command for files of this size.`, true);
    return file.text().then(text => P.importCsv(text, file.name));
  };
})(Playground);
