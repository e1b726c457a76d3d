import { create } from "./basics.js";

/** Return a number field with a label that screen readers read too. */
function field(name, label, value) {
  const input = create("input", { type: "number", step: "any", name, value, autocomplete: "off" });
  return create("label", {}, label, input);
}

/** Return a slider with its label and its number. */
function slider(name, label, { value, low, high, step }, act) {
  const shown = create("span", { "aria-hidden": "true", class: "cc-value" }, `${value}`);
  const input = create("input", { type: "range", name, value, min: low, max: high, step });
  input.value = value;
  input.addEventListener("input", () => (shown.textContent = input.value));
  input.addEventListener("change", act);
  return create("label", { class: "cc-slider" }, create("span", {}, label), input, shown);
}

/** The form for a request, for a search and for the load of other users. It reports to the calendar. */
export class Form {
  constructor(calendar) {
    this.calendar = calendar;
    this.node = create("div", { class: "cc-forms" });
  }

  /** Make the fields. This is done only once, because new fields would lose what the reader typed. */
  build({ form, load, rules, rule, terms }) {
    const submit = create("button", { type: "submit", class: "cc-main" }, "submit");
    const ask = create(
      "form", { class: "cc-form", novalidate: "", "aria-label": "a request" }, create("b", {}, "request"),
      field("start", "start", form.start), field("length", "length", form.length),
      field("servers", "servers", form.servers), submit,
    );
    this.cancel = create("button", { type: "button", disabled: "", class: "cc-cancel" }, "cancel …");
    this.cancel.addEventListener("click", () => this.calendar.cancel());
    const free = create(
      "form", { class: "cc-form", novalidate: "", "aria-label": "a search for free servers" }, create("b", {}, "who is free"),
      field("begin", "begin", form.start), field("end", "end", form.start + form.length),
      create("button", { type: "submit" }, "search"),
    );
    this.rule = create("select", { name: "rule" }, ...rules.map((one) => create("option", {}, one)));
    this.rule.value = rule;
    this.sliders = create("div", { class: "cc-load" }, create("b", {}, "others"));
    const reload = ({ target }) => this.reload(target);
    for (const [name, one] of Object.entries(load)) {
      this.sliders.append(slider(name, one.label, one, reload));
    }
    this.rule.addEventListener("change", reload);
    this.sliders.append(create("label", {}, "rule", this.rule));
    ask.append(this.cancel, create("span", { class: "cp-event" }, terms));
    this.node.replaceChildren(ask, free, this.sliders);
    ask.addEventListener("submit", (event) => this.send(event, "submit", ["start", "length", "servers"]));
    free.addEventListener("submit", (event) => this.send(event, "free", ["begin", "end"]));
    // JupyterLab would otherwise use these keys for its own shortcuts.
    this.node.addEventListener("keydown", (event) => event.stopPropagation());
  }

  input(name) {
    return this.node.querySelector(`[name="${name}"]`);
  }

  send(event, what, names) {
    event.preventDefault();
    const given = Object.fromEntries(names.map((name) => [name, this.read(name)]));
    this.calendar.tell({ do: what, ...given });
  }

  /** Return the number in a field, or null if it is none: then Python says what is wrong. */
  read(name) {
    const { value } = this.input(name);
    return value === "" ? null : Number(value);
  }

  /** Send only the value that the reader changed. The browser has rounded a value between the steps of a slider. */
  reload(control) {
    const value = control === this.rule ? control.value : Number(control.value);
    this.calendar.tell({ do: "load", [control.name]: value });
  }

  /** Write a dragged interval into the fields, where the reader can change it, search or book it. */
  fill(values) {
    for (const [name, value] of Object.entries(values)) this.input(name).value = value;
  }

  /** Mark a wrong field, offer the requests that can be cancelled, and set the sliders. */
  draw({ said, load, rule }, booking) {
    for (const input of this.node.querySelectorAll("input")) {
      input.setAttribute("aria-invalid", String(input.name === said.field));
    }
    for (const [name, { value }] of Object.entries(load)) {
      this.input(name).value = value;
      this.input(name).nextSibling.textContent = `${value}`;
    }
    this.rule.value = rule;
    this.cancel.disabled = !booking?.mine;
    this.cancel.textContent = booking?.mine ? `cancel ${booking.number}` : "cancel …";
  }
}
