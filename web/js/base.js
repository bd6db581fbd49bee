/* Small helpers that every part of the page uses: elements, events, numbers. */
"use strict";

const Playground = {};

(function (P) {
  const listeners = {};

  /* One part tells the others that something changed: "points", "learner", "model", "steps", ... */
  P.on = (name, listener) => (listeners[name] = listeners[name] || []).push(listener);
  P.emit = (name, detail) => (listeners[name] || []).forEach(listener => listener(detail));

  P.id = name => document.getElementById(name);

  /* make("p", {class: "help"}, "text", child, ...): an element; text is never read as HTML. */
  P.make = function (tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter(child => child != null));
    return element;
  };

  /* A sentence for the reader, also of a screen reader. */
  P.say = function (text, bad) {
    const message = P.id("message");
    message.textContent = text;
    message.classList.toggle("bad", Boolean(bad));
  };

  /* A number with a few digits and a real minus sign. */
  P.number = function (value, digits) {
    if (value == null || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    let text;
    if (Number.isInteger(value) && size < 1e7) text = String(value);
    else if (size >= 1e6 || (size < 1e-4 && size > 0)) text = value.toExponential(2);
    else text = String(Number(value.toPrecision(digits || 4)));
    return text.replace(/-/g, "−");
  };

  P.count = (n, noun) => `${P.number(n)} ${noun}${n === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;

  P.text = bytes => typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes);

  P.download = function (name, content) {
    const url = URL.createObjectURL(new Blob([content], {type: "application/octet-stream"}));
    const link = P.make("a", {href: url, download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };

  /* A word of a shell command, quoted where the shell would change it. */
  P.quote = word => /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
  P.command = words => words.map(P.quote).join(" ");
})(Playground);
